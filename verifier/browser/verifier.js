// The verifier, as a page uses it: the second, independent implementation of Foredraw's protocol, written from
// SPEC.md.
//
// It runs in browsers and in Node, has no dependency and no build step, and trusts nobody: not the server that the
// log's files come from, and not the page. It needs one thing from a source that its user trusts: the log's verifier
// key.
//
//   import { checkCode, fetchLog } from "./verifier.js";
//   const report = await checkCode(code, { vkey, read: fetchLog("/log"), onStep: (step) => show(step) });
//   report.verdict                    "held", "failed" or "unreadable"
//   report.proven, report.notProven   what was shown and what was not, as codes with values
//   remarks(report, now)              times that the device's clock has not reached, likewise
//   verdictLine(report)               the verdict in an English sentence; so does sentence(fact) of any of these

/**
 * Reads one static file of a log, such as `checkpoint` or `tile/0/x001/234`, by its path below the log's prefix (SPEC
 * 5). What it returns is unverified. `null`: the file is known not to exist. It throws `Unreadable` where nothing is
 * known.
 * @callback Read
 * @param {string} path
 * @returns {Promise<?Uint8Array>}
 */

/**
 * One thing that was read or computed. It has `hex` or `text`, never both.
 * @typedef {object} Value
 * @property {string} label a code, such as `"table-id"`; in English by `labelText`
 * @property {string} [of] whose it is, where a step shows several: a custodian's name, or `record 17`
 * @property {string} [hex] bytes, in lower-case hexadecimal digits
 * @property {string} [text] anything else: a record's exact bytes, a number, a file's path. Never markup: show it as
 *   text
 */

/**
 * A command line for a POSIX shell that computes a value again, with `printf`, `openssl`, `xxd` or `python3`. It may
 * have several lines. It holds only digits, base64 and quoted text, whatever stands in the log.
 * @typedef {object} Command
 * @property {string} label what it computes, a code as in `Value`
 * @property {string} [of] as in `Value`
 * @property {string} command
 * @property {string} prints what must come out, without the last line feed
 */

/**
 * One step of SPEC 8.2 (a code), 8.6 (a proof file), 8.5 (evidence) or 8.4 (a bet). Steps come in order, each once. A step after one that failed
 * is `skipped`, and so is one for which a file has nothing (steps 7 and 8 of a receipt, whose round has not ended).
 * @typedef {object} Step
 * @property {number} number from 1, as in SPEC
 * @property {string} name the code of its title: of 8.2 `code`, `checkpoint`, `table`, `records`, `seeds`,
 *   `commitments`, `outcome`, `lead`; of 8.6 `file`, `checkpoint`, `inclusion`, `claims`, `order`, `commitments`,
 *   `seeds`, `outcome`; of 8.5 `form`, `first`, `second`, `hashes`, `contradiction`; of 8.4 `receipt`, `checkpoint`,
 *   `table`, `lock`, `digest`, `reveal`. In English by `stepTitle(kind, name)`
 * @property {"held"|"failed"|"skipped"} state a file that could not be read makes its step `skipped`, too
 * @property {Value[]} values
 * @property {Command[]} how
 */

/**
 * A fact as a code with its values; `sentence` puts it into words. The codes with their sentences are in
 * `templates.js`, those of headlines in `sentences.js`.
 * @typedef {object} Fact
 * @property {string} code
 * @property {number} [step] the step that shows it
 * @property {number[]} [records] the indexes of the records that it rests on
 */

/**
 * Where a code was mistyped. `places` count characters from 1.
 * @typedef {object} TypingError
 * @property {"empty"|"mixed-case"|"no-game"|"character"|"length"|"substitution"|"transposition"|"missing"|"extra"|
 *   "several"} kind
 *   `empty`: nothing was typed. `mixed-case`: upper and lower case are mixed, and that may be all. `no-game`: it does
 *   not begin with a game's name and a 1. `character`: characters that no code has (at `places`: all of them,
 *   exactly). `length`: too long or too short to be a code. `substitution`: one or two characters are others (2 only
 *   where no single change explains it). `transposition`: two neighbours are swapped. `missing`: one character was
 *   left out before `places[0]`. `extra`: the one at `places[0]` is too many. `several`: more errors than can be
 *   located.
 * @property {number[]} places
 * @property {?string} suggestion the code that was probably meant, in lower case. It is a guess: let the user compare
 *   it with what stands on the paper, and never check it unasked
 * @property {?number} missing of `length`: how many characters are missing; negative, too many; `null` where unknown
 */

/**
 * @typedef {object} Failure
 * @property {string} check the code of SPEC 4.3, such as `"outcome"`
 * @property {string} meaning what must hold, in one English sentence of SPEC 4.3
 * @property {?number} index the record
 * @property {?string} where the file or the section
 * @property {string} expected English
 * @property {string} found English, with quoted values
 */

/**
 * What a check found out. What depends on the log is `null` where it was not reached, or where there is none.
 * @typedef {object} Report
 * @property {"code"|"proof"|"evidence"|"bet"} kind
 * @property {"held"|"failed"|"unreadable"} verdict
 * @property {Step[]} steps all eight, of evidence all five, of a bet all six, in order
 * @property {?{origin: string, size: number, root: string}} log the checkpoint; `root` in hexadecimal digits
 * @property {?string} table its name, which the operator chose: text, never markup
 * @property {?string} tableId 64 hexadecimal digits
 * @property {?string} game a key of `GAMES`
 * @property {?Record<string, number>} rules of the batch, as in SPEC 3.5
 * @property {?number} round
 * @property {?{line: ?string, hex: string, index: number, count: number}} bet of a receipt: its line, as text where all of
 *   it can be seen, and in hexadecimal digits; its place, from 0, among so many
 * @property {?number} batch
 * @property {?("committed"|"locked"|"ended")} stage how far the round had come, as far as is shown
 * @property {?("played"|"void")} status `null` where it has not ended
 * @property {?string} reason why it is void or given up: the operator's text, never markup
 * @property {?object} outcome as in SPEC 3.5, such as `{multiplier: "21.23"}`; `null` where it has not ended
 * @property {string[]} seeds those of the reveal, in hexadecimal digits
 * @property {string[]} commitments one per custodian, in hexadecimal digits
 * @property {?string} committed TIME, as SPEC 4.1 spells it; so are the next three
 * @property {?string} opened
 * @property {?string} locked
 * @property {?string} revealed
 * @property {?number} fixedAt index of the batch record
 * @property {?number} lead how many rounds ahead the table promises
 * @property {?number} roundsAhead how many rounds ahead it is shown to have been fixed
 * @property {?number} firstAfter the round that was locked after the batch, which shows that; 1 is the table's first
 * @property {Fact[]} proven what was checked and held; of a check that did not hold, nothing but its first steps
 * @property {Fact[]} notProven what was not checked, in every verdict that held
 * @property {Fact} headline the verdict, of which `verdictLine` makes a line
 * @property {?Failure} failure
 * @property {?{path: string, why: string}} unreadable
 * @property {?TypingError} typing of a code whose form or checksum does not hold
 */

export { CheckFailed, ForedrawError, Malformed, Unreadable } from "./errors.js";
export { MEANING } from "./checks.js";
export { GAMES } from "./games.js";
export { parseRoundCode } from "./round-code.js";
export { locateTypingError } from "./typing-error.js";
export { fetchLog } from "./fetch-log.js";
export { checkCode } from "./round-check.js";
export { checkProof } from "./proof-check.js";
export { checkBet } from "./bet-check.js";
export { checkEvidence } from "./evidence-check.js";
export { FACTS, labelText, sentence, stepTitle, verdictLine } from "./sentences.js";
export { remarks } from "./remarks.js";
export { betExamples, comparesWithCard, settleBet } from "./games-bets.js";
export { checkHistory } from "./history-check.js";
export { VerifierKey } from "./notes.js";
