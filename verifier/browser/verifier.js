// The surface of the verifier: everything that a page or a program imports.
//
// This is the second, independent implementation of Foredraw's protocol, written from SPEC.md; README.md maps its
// files. It runs in browsers and in Node, has no dependency and no build step, and trusts neither the server of the
// log's files nor the page. Its user has to get one thing from a trusted source: the log's verifier key,
// or a policy, which also names witnesses (`policy` in the place of `vkey`).
//
//   import { checkCode, fetchLog } from "./verifier.js";
//   const report = await checkCode(code, { vkey, read: fetchLog("/log"), onStep: (step) => show(step) });
//   report.verdict                    "held", "failed", "mistyped", "not-shown",
//                                     "unreadable", "unknown" or "sandbox"
//   report.proven, report.notProven   what was shown and what was not, as codes with values
//   report.unknown                    what this verifier does not know, likewise
//   remarks(report, now)              times that the device's clock has not reached yet, likewise
//   verdictLine(report)               the verdict in an English sentence
//   sentence(fact)                    any of the facts above in an English sentence

/**
 * The shapes of arguments and results:
 * @typedef {import("./log/tiles.js").Read} Read
 * @typedef {import("./report/report.js").Fact} Fact
 * @typedef {import("./report/report.js").Failure} Failure
 * @typedef {import("./report/report.js").Report} Report
 * @typedef {import("./report/steps.js").Command} Command
 * @typedef {import("./report/steps.js").Step} Step
 * @typedef {import("./report/steps.js").Value} Value
 * @typedef {import("./player/typing-error.js").TypingError} TypingError
 */

export { CheckFailed, ForedrawError, Malformed, NotThisLogs, Unknown, Unreadable } from "./basics/errors.js";
export { MEANING } from "./basics/checks.js";
export { isCataloguesPaytable, isOfCatalogue } from "./games/catalogue.js";
export { GAMES } from "./games/games.js";
export { Beacon } from "./beacon/chain.js";
export { parseRoundCode } from "./player/round-code.js";
export { locateTypingError } from "./player/typing-error.js";
export { fetchLog } from "./sources/fetch-log.js";
export { checkCode } from "./check/code.js";
export { checkProof } from "./check/proof.js";
export { checkCodeByProof } from "./check/code-proof.js";
export { checkBet } from "./check/bet.js";
export { checkEvidence } from "./forks/evidence.js";
export { FACTS, labelText, sentence, stepTitle, verdictLine } from "./words/sentences.js";
export { isOutcomeKnown } from "./report/report.js";
export { whoseGame } from "./words/whose-game.js";
export { remarks } from "./report/remarks.js";
export { betExamples } from "./paytable/examples.js";
export { comparesWithCard, settleBet } from "./paytable/settle.js";
export { readPaytable } from "./paytable/read.js";
export { paytableOf } from "./check/paytable.js";
export { checkHistory } from "./forks/history.js";
export { VerifierKey } from "./log/notes.js";
export { policyOf, policyOfNote } from "./policy/policy.js";
