// The check of one bet, by its receipt, against the log (SPEC 8.4): the round's lock fixed it before the outcome was
// public.

import { sameBytes, toHex, utf8Text } from "../basics/bytes.js";
import { NotShown } from "../basics/errors.js";
import { leafHash } from "../basics/hashing.js";
import { parseBetReceipt } from "../player/bets.js";
import { policyOf } from "../policy/policy.js";
import * as rules from "../records/rules.js";
import { must } from "../records/rules.js";
import { caveats } from "../report/caveats.js";
import * as commands from "../report/commands.js";
import { conclude, newReport, reportError, tellRound } from "../report/report.js";
import { showRecord } from "../report/show.js";
import { Steps } from "../report/steps.js";
import { findTables, RoundFinder, tableAt } from "../round/finder.js";
import { mustFollow, mustNotDecrease } from "../round/placed.js";
import { readOnce } from "../sources/log-files.js";
import { LogCheck } from "./log-check.js";
import { waysOn } from "./ways-on.js";

/** The steps of SPEC 8.4, by number. */
export const BET_STEPS = Object.freeze(["receipt", "checkpoint", "table", "lock", "digest", "reveal"]);
const PREFIX = 4;

/**
 * Check one bet by its receipt, against the log (SPEC 8.4).
 * @param {Uint8Array} bytes the receipt
 * @param {object} options
 * @param {string} [options.vkey] the log's verifier key, `name+id+key`
 * @param {string} [options.policy] the text of a policy, in the place of the key
 * @param {string} [options.logName] which of several logs of the policy is meant
 * @param {string} [options.address] the log's: the policy's line with this address is meant
 * @param {import("../log/tiles.js").Read} options.read the log's files
 * @param {(step: import("../report/steps.js").Step) => void} [options.onStep] called with each step when it has ended
 * @returns {Promise<import("../report/report.js").Report>} also if a check failed or a file could not be read
 * @throws {Malformed} if `vkey` is not a verifier key, or `policy` not a policy that decides which log is meant
 */
export async function checkBet(bytes, { read, onStep = () => {}, ...trust }) {
  const believed = policyOf(trust);
  const report = newReport("bet");
  const steps = new Steps(BET_STEPS, onStep);
  const check = new BetCheck({ bytes, policy: believed, read: readOnce(read), report });
  try {
    await check.run(steps);
    conclude(report);
  } catch (error) {
    reportError(report, error);
    if (error instanceof NotShown) report.waysOn = await waysOn(check.tiles);
  }
  steps.skipRest();
  return { ...report, steps: steps.done };
}

/** What the steps pass on to one another. */
class BetCheck extends LogCheck {
  constructor({ bytes, ...given }) {
    super(given);
    this.bytes = bytes;
  }

  async run(steps) {
    // Step 1: the receipt.
    await steps.run((shown) => this.readReceipt(shown));
    // Step 2: the checkpoint.
    await steps.run((shown) => this.openCheckpoint(shown));
    // Step 3: the table, by its whole id.
    await steps.run((shown) => this.findTable(shown));
    // Step 4: the lock.
    await steps.run((shown) => this.findLock(shown));
    // Step 5: the digest.
    await steps.run((shown) => this.checkDigest(shown));
    // Step 6: the reveal, if the hints lead to one.
    if (this.reveal) await steps.run((shown) => this.checkReveal(shown));
    this.conclude();
  }

  readReceipt(shown) {
    this.bet = parseBetReceipt(this.bytes);
    const { round, count, index, line, path, root } = this.bet;
    const leaf = leafHash(line);
    const bet = { line: plainText(line), hex: toHex(line), index, count };
    Object.assign(this.report, { round, bet });
    if (bet.line === null) shown.hex("bet", line);
    else shown.text("bet", bet.line);
    shown.text("bets", count);
    shown.hex("leaf-hash", leaf);
    shown.hex("root", root);
    shown.command(commands.betCommand(line, leaf));
    shown.command(commands.rootCommand(leaf, index, count, path, root));
    this.proven("bet-form", 1);
  }

  async findTable(shown) {
    const found = await this.tableOfId(this.bet.tableId);
    const { origin } = this.checkpoint;
    const expected = `the table ${toHex(this.bet.tableId)} in ${origin}`;
    if (found === null) throw new NotShown("bet-round", { expected, found: "none, by the log's index" });
    rules.checkTable(found.record, origin, Number(found.index));
    await showRecord(shown, "table", found, this.tiles);
    this.table = found;
    tellRound(this.report, { table: found });
    this.proven("table-of-bet", 3, [found], { table: found.record.table });
  }

  /** The table with this whole id; `null` if the hints lead to none of version 1. */
  async tableOfId(id) {
    const tables = await findTables(this.read, this.tiles, id.subarray(0, PREFIX));
    const own = tables.find((each) => sameBytes(each.id, id));
    return own === undefined ? null : tableAt(this.tiles, own.index);
  }

  async findLock(shown) {
    const { round } = this.bet;
    const { table } = this.table.record;
    this.finder = new RoundFinder(this.read, this.tiles, this.table);
    this.hints = await this.finder.hints(round);
    const found = `none, as of the checkpoint of ${this.checkpoint.size} records`;
    if (this.hints.lock === null) throw new NotShown("bet-round", { expected: `a lock of round ${round} of ${table}`, found });
    this.lock = await this.finder.lock(this.hints.lock, round);
    mustNotDecrease([this.table, this.lock]);
    // The last step uses this record: it must be what it claims to be before anything is concluded from it.
    const { reveal } = this.hints;
    this.reveal = reveal && (await this.finder.record(reveal, { type: "reveal", round }));
    await showRecord(shown, "lock", this.lock, this.tiles);
    tellRound(this.report, { lock: this.lock });
    this.proven("lock-of-bet", 4, [this.lock], { round });
  }

  checkDigest(shown) {
    const { count, root } = this.bet;
    const { bets, reason } = this.lock.record;
    const index = Number(this.lock.index);
    const spelled = (digest) => `count ${digest.count}, root ${digest.root}`;
    const mine = { count, root: toHex(root) };
    const without = reason === undefined ? "a lock without a digest of bets" : "a round that was given up";
    must(bets !== undefined, "bet-digest", { expected: spelled(mine), found: without, index });
    shown.text("bets", bets.count);
    shown.text("digest", bets.root);
    const told = { expected: `${spelled(bets)} in the lock`, found: `${spelled(mine)} from the receipt`, index };
    must(bets.count === count && bets.root === mine.root, "bet-digest", told);
    this.proven("digest-carried", 5, [this.lock], { count });
  }

  async checkReveal(shown) {
    const { table, lock, reveal } = this;
    mustFollow(lock, reveal, "reveal-locked");
    rules.checkEnding(lock.record, reveal.record, Number(reveal.index));
    mustNotDecrease([table, lock, reveal]);
    await showRecord(shown, "reveal", reveal, this.tiles);
    tellRound(this.report, { reveal });
    this.proven("published-after", 6, [lock, reveal]);
  }

  conclude() {
    const { round, count } = this.bet;
    const isPublic = this.reveal !== null;
    this.report.headline = { code: "held-bet", round, table: this.table.record.table, count, isPublic };
    // Nobody signs hints: that they lead to no reveal does not show that there is none.
    this.report.notProven = [...(isPublic ? [] : [{ code: "reveal-not-shown" }]), ...this.caveats()];
  }

  caveats() {
    // Whether the seeds were chosen concerns the outcome, which was not checked here; the digest of the bets was.
    const others = ["no-salt", "salt-by-clock", "salt-witnessed", "salt-witnessed-apart", "bets"];
    const general = caveats(this.table.record, this.policy).filter(({ code }) => !others.includes(code));
    return [{ code: "bet-meaning" }, { code: "bet-alone" }, { code: "one-round-only" }, ...general];
  }
}

/** A line as text; `null` if it is not UTF-8, or has characters that cannot be seen. */
function plainText(line) {
  const text = utf8Text(line);
  return text !== null && !/\p{C}/u.test(text) ? text : null;
}
