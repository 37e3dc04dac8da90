// The check of one round by its code and its proof file, offline (SPEC 8.6).

import { sameBytes, toHex } from "../basics/bytes.js";
import { NotShown } from "../basics/errors.js";
import { parseRoundCode } from "../player/round-code.js";
import { must } from "../records/rules.js";
import { ProofCheck, runProofCheck } from "./proof.js";

/**
 * Check a round by its code and its proof file, without the log's files (SPEC 8.6).
 * @param {string} code as the player typed it; nothing is trimmed
 * @param {Uint8Array} bytes the file
 * @param {object} options as those of `checkProof`, and
 * @param {?string} [options.table] the table's name: a code of another table is refused (`code-table`)
 * @returns {Promise<import("../report/report.js").Report & {isSigned: boolean}>} of kind `proof`, also if a check
 *   failed; `isSigned`: this log's key signed the file's checkpoint
 * @throws {Malformed} if `vkey` is not a verifier key, or `policy` not a policy
 */
export async function checkCodeByProof(code, bytes, { table = null, ...options }) {
  let check = null;
  const report = await runProofCheck((...given) => (check = new CodeProofCheck(code, table, ...given)), bytes, options);
  if (report.verdict === "mistyped") report.typing = await typingOf(code);
  return { ...report, isSigned: check.checkpoint !== undefined };
}

/** Few codes are mistyped, so what finds the place is loaded for them alone. */
async function typingOf(code) {
  const { locateTypingError } = await import("../player/typing-error.js");
  return locateTypingError(code);
}

/** The steps of a proof file, and between them what they say of the code. */
class CodeProofCheck extends ProofCheck {
  constructor(text, wanted, ...given) {
    super(...given);
    Object.assign(this, { text, wanted });
  }

  readFile(shown) {
    // A code that is none is said before anything is said of the file.
    this.code = parseRoundCode(this.text);
    this.proven("no-typing-error", 1);
    super.readFile(shown);
  }

  /** That it is the file of the code's round is said once it is signed, and before anything else is said of it. */
  checkClaims(shown) {
    super.checkClaims(shown);
    const { table, code, reveal } = this;
    const { tablePrefix: prefix, game, round, seeds } = code;
    const { record } = table;
    const index = Number(table.index);
    const own = { expected: `a table whose id begins with ${toHex(prefix)}`, found: toHex(table.leaf), index };
    must(sameBytes(table.leaf.subarray(0, prefix.length), prefix), "code-table", own);
    must(this.wanted === null || record.table === this.wanted, "code-table", { expected: `a code of ${this.wanted}`, found: `a code of ${record.table}` });
    must(record.game === game, "code-game", { expected: record.game, found: `${game} in the code`, index });
    const ofRound = { expected: `a file of round ${round}, the code's`, found: `a file of round ${this.proof.round}` };
    must(this.proof.round === round, "code-round", ofRound);
    this.proven("code-of-round", 4);
    if (!reveal) return;
    const { custodians } = record;
    const count = { expected: `${custodians.length} seeds, one per custodian`, found: `${seeds.length} in the code` };
    must(seeds.length === custodians.length, "code-seed", count);
    const told = { expected: reveal.record.seeds.join(), found: seeds.map(toHex).join(), index: Number(reveal.index) };
    must(told.expected === told.found, "code-seed", told);
    this.proven("code-seeds-revealed", 4);
  }

  conclude() {
    super.conclude();
    const { report, reveal } = this;
    report.notProven.push({ code: "lead-of-one-lock" }, { code: "earlier-rounds" });
    // What is wrong with a receipt counts for more than what it does not show.
    if (reveal) return;
    report.waysOn = [{ code: "file-ends" }];
    throw new NotShown("code-round", { expected: "a round that has ended, with its reveal in the file", found: `a receipt: round ${report.round} is ${report.stage}` });
  }
}
