// The check of one round, by its code, against the log (SPEC 8.2). It reads a handful of files, and scans nothing.

import { concat, sameBytes, toHex } from "../basics/bytes.js";
import { CheckFailed, ForedrawError, NotShown, Unreadable } from "../basics/errors.js";
import { bigEndian, leafHash } from "../basics/hashing.js";
import { parseHex } from "../basics/spelling.js";
import { commitment, commitmentsPath, splitCommitmentsFile } from "../draws/commitments.js";
import { NO_SALT } from "../draws/stream.js";
import { gameOf, isKnown } from "../games/games.js";
import { orderOf } from "../games/order.js";
import { checkBegins } from "../forks/history.js";
import { auditPath } from "../log/merkle.js";
import { parseRoundCode } from "../player/round-code.js";
import { locateTypingError } from "../player/typing-error.js";
import { policyOf } from "../policy/policy.js";
import { openSeen, witnessedPath } from "../policy/witnessed.js";
import * as rules from "../records/rules.js";
import { must } from "../records/rules.js";
import { Beacons, checkBeacon, checkSalt, isSalted, saltOf } from "../records/salts.js";
import { caveats, unknownOf } from "../report/caveats.js";
import * as commands from "../report/commands.js";
import { conclude, newReport, reportError, tellRound } from "../report/report.js";
import { showDraw, showRecord, showSalt } from "../report/show.js";
import { Steps } from "../report/steps.js";
import { byHint, findTables, RoundFinder, tableAt } from "../round/finder.js";
import { tablesPath } from "../round/finding-aids.js";
import { mustFollow, mustNotDecrease, timeOf } from "../round/placed.js";
import { readOnce } from "../sources/log-files.js";
import { checkCustodians, saidInLog } from "./custody.js";
import { showLead } from "./lead.js";
import { LogCheck } from "./log-check.js";
import { waysOn } from "./ways-on.js";
import { checkWitnessed, demandsWitnesses } from "./witnessed.js";

/** The steps of SPEC 8.2, by number. */
export const CODE_STEPS = Object.freeze([
  "code",
  "checkpoint",
  "table",
  "records",
  "seeds",
  "commitments",
  "outcome",
  "lead",
]);

/**
 * Check one round by its code, against the log (SPEC 8.2).
 * @param {string} code as the player typed it; nothing is trimmed
 * @param {object} options
 * @param {string} [options.vkey] the log's verifier key, `name+id+key`
 * @param {string} [options.policy] the text of a policy, in the place of the key
 * @param {string} [options.logName] which of several logs of the policy is meant
 * @param {string} [options.address] the log's: the policy's line with this address is meant
 * @param {import("../log/tiles.js").Read} options.read the log's files
 * @param {import("../beacon/chain.js").Beacon[]} [options.beacons] known ones besides quicknet and those of the
 *   policy
 * @param {?string} [options.table] the table's name: a code of another table is refused (`code-table`)
 * @param {(step: import("../report/steps.js").Step) => void} [options.onStep] called with each step when it has ended
 * @returns {Promise<import("../report/report.js").Report>} also if a check failed or a file could not be read
 * @throws {Malformed} if `vkey` is not a verifier key, or `policy` not a policy that decides which log is meant
 */
export async function checkCode(code, { read, beacons = [], table = null, onStep = () => {}, ...trust }) {
  const believed = policyOf(trust);
  const report = newReport("code");
  const steps = new Steps(CODE_STEPS, onStep);
  const known = new Beacons([...believed.beacons, ...beacons]);
  const check = new RoundCheck({
    text: code,
    policy: believed,
    read: readOnce(read),
    beacons: known,
    table,
    report,
  });
  try {
    await check.run(steps);
    conclude(report, [...unknownOf(check.table.record, known, check.batch.record), ...check.unknownCustody]);
  } catch (error) {
    reportError(report, error);
    if (error instanceof NotShown) report.waysOn = await waysOn(check.tiles);
    report.typing = report.verdict === "mistyped" ? locateTypingError(code) : null;
  }
  steps.skipRest();
  return { ...report, steps: steps.done };
}

/** What the steps pass on to one another. */
class RoundCheck extends LogCheck {
  constructor({ text, beacons, table, ...given }) {
    super(given);
    Object.assign(this, { text, beacons, wanted: table });
  }

  async run(steps) {
    // Step 1: the code.
    await steps.run((shown) => this.readCode(shown));
    // Files that are needed in any case are requested before anybody waits for them.
    this.read("checkpoint");
    this.read(tablesPath(this.code.tablePrefix));
    // Step 2: the checkpoint.
    await steps.run((shown) => this.openCheckpoint(shown));
    // Steps 3 to 8: the four bytes may lead to several tables. The code belongs to the one for which all steps hold.
    const tables = await this.tables(steps);
    const index = tables.length === 1 ? tables[0] : await this.likeliest(tables, steps);
    await this.checkTable(index, steps);
  }

  /** Of several tables the first for which all steps hold; if there is none, the one whose failure says most. */
  async likeliest(tables, steps) {
    const haveSeeds = await Promise.all(tables.map((index) => this.hasSeeds(index)));
    // Nobody else can have the seeds of a table, so what is wrong with it is not hidden by what else begins alike.
    const own = tables.filter((_, at) => haveSeeds[at]);
    const failures = [];
    for (const index of own.length > 0 ? own : tables) {
      try {
        await this.checkTable(index, steps.attempt());
        return index;
      } catch (error) {
        if (!(error instanceof ForedrawError)) throw error;
        failures.push({ index, likelihood: likelihood(error) });
      }
    }
    return failures.reduce((one, other) => (other.likelihood < one.likelihood ? other : one)).index;
  }

  /** Whether the table of this record revealed the code's seeds for the code's round, as far as the hints show. */
  async hasSeeds(index) {
    const { round, seeds } = this.code;
    try {
      const table = await tableAt(this.tiles, index);
      const finder = new RoundFinder(this.read, this.tiles, table);
      const { reveal } = await finder.hints(round);
      if (reveal === null) return false;
      const { record } = await finder.record(reveal, { type: "reveal", round });
      return record.seeds.join() === seeds.map(toHex).join();
    } catch (error) {
      if (!(error instanceof ForedrawError)) throw error;
      return false;
    }
  }

  readCode(shown) {
    this.code = parseRoundCode(this.text);
    const { game, round, seeds, tablePrefix } = this.code;
    Object.assign(this.report, { game, round });
    shown.text("game", game);
    shown.text("round", round);
    shown.hex("table-prefix", tablePrefix);
    for (const seed of seeds) shown.hex("seed", seed);
    const payload = concat(Uint8Array.of(1), tablePrefix, bigEndian(round, 6), ...seeds);
    shown.command(commands.payloadCommand(this.text, payload));
    this.proven("no-typing-error", 1);
  }

  /**
   * Indexes of the tables to try: a code of a table of a later version has a later version, too. If there is none,
   * step 3 fails.
   */
  async tables(steps) {
    const prefix = this.code.tablePrefix;
    try {
      const hinted = await findTables(this.read, this.tiles, prefix);
      const later = await Promise.all(hinted.map(({ index }) => this.isLater(index)));
      const found = hinted.filter((_, at) => !later[at]);
      const expected = `a table whose id begins with ${toHex(prefix)}`;
      if (found.length === 0) throw new NotShown("code-table", { expected, found: "none, by the log's index" });
      return found.map(({ index }) => index);
    } catch (error) {
      return steps.run(() => Promise.reject(error));
    }
  }

  /** Whether the record is of a table of a later version; if it cannot be read, whoever tries it reports that. */
  async isLater(index) {
    try {
      return (await tableAt(this.tiles, index)) === null;
    } catch (error) {
      if (!(error instanceof ForedrawError)) throw error;
      return false;
    }
  }

  async checkTable(index, steps) {
    this.report.proven.splice(2);
    // Step 3: the table.
    await steps.run((shown) => this.readTable(index, shown));
    this.finder = new RoundFinder(this.read, this.tiles, this.table);
    // Step 4: the records.
    await steps.run((shown) => this.readRecords(shown));
    // Step 5: the seeds.
    await steps.run((shown) => this.checkSeeds(shown));
    // Step 6: the commitments.
    await steps.run((shown) => this.checkCommitments(shown));
    // Step 7: the outcome.
    await steps.run((shown) => this.checkOutcome(shown));
    // Step 8: the lead.
    await steps.run((shown) => this.checkLead(shown));
  }

  async readTable(index, shown) {
    const found = await tableAt(this.tiles, index);
    await showRecord(shown, "table", found, this.tiles);
    const { record } = found;
    rules.checkOrigin(record, this.checkpoint.origin, Number(index));
    rules.checkSaltName(record, Number(index));
    const isWanted = this.wanted === null || record.table === this.wanted;
    must(isWanted, "code-table", { expected: `the table ${this.wanted}`, found: record.table, index: Number(index) });
    const told = { expected: record.game, found: `${this.code.game} in the code`, index: Number(index) };
    must(record.game === this.code.game, "code-game", told);
    rules.checkGame(record, Number(index));
    this.table = found;
    tellRound(this.report, { table: found });
    this.proven("table-in-log", 3, [found], { game: record.game });
  }

  async readRecords(shown) {
    const { round } = this.code;
    const last = round + this.table.record.lead;
    this.finder.prefetch(last);
    const { batch, salt, lock, reveal } = await this.finder.hints(round);
    const ending = {
      expected: `a lock and a reveal of round ${round}`,
      found: lock === null ? "neither" : "no reveal",
    };
    if (lock !== null && reveal === null) await this.tellLock(lock);
    if (lock === null || reveal === null) throw new NotShown("code-round", ending);
    const needsSalt = isSalted(this.table.record) && salt !== null;
    this.prefetch(batch, needsSalt ? [salt, lock, reveal] : [lock, reveal]);
    await this.readBatches(round, last);
    [this.batch] = this.batches;
    [this.salt = null] = this.salts;
    this.lock = await this.finder.lock(lock, round);
    this.reveal = await this.finder.record(reveal, { type: "reveal", round });
    for (const each of this.batches) await showRecord(shown, "batch", each, this.tiles);
    for (const [at, each] of this.salts.entries()) {
      await showRecord(shown, "salt", each, this.tiles);
      showSalt(shown, this.batches[at], each, this.beacons.of(this.table.record));
    }
    await showRecord(shown, "lock", this.lock, this.tiles);
    await showRecord(shown, "reveal", this.reveal, this.tiles);
    this.checkOrder();
    // Start the reads of the last step as well. If they fail, that step reports it.
    this.lead = showLead(this, this.finder);
    this.lead.catch(() => {});
    tellRound(this.report, this);
    this.proven("rounds-committed", 4, this.batches, { round, last });
    if (this.salts.length) {
      const isKnown = this.beacons.of(this.table.record) !== null;
      this.proven(isKnown ? "salted" : "salted-by-unknown", 4, this.salts, { round });
    }
    await this.readWitnessed(shown);
    await this.readCustody();
    this.proven("lock-and-reveal", 4, [this.lock, this.reveal]);
  }

  /** Write into the report that the round waits for its reveal, if its lock can be read. */
  async tellLock(index) {
    try {
      tellRound(this.report, { lock: await this.finder.lock(index, this.code.round) });
    } catch (error) {
      if (!(error instanceof ForedrawError)) throw error;
    }
  }

  /** Request what is needed in any case. */
  prefetch(batch, others) {
    for (const index of others) this.tiles.prefetch(index);
    if (batch === null) return;
    this.tiles.prefetch(batch);
    // The batch's id, which is a hash in the requested tile, names its files.
    const files = this.tiles.leaf(batch).then((id) => {
      this.read(commitmentsPath(id));
      if (demandsWitnesses(this.policy, this.table.record)) this.read(witnessedPath(id));
    });
    files.catch(() => {});
  }

  async readWitnessed(shown) {
    if (!demandsWitnesses(this.policy, this.table.record)) return;
    const path = witnessedPath(this.batch.leaf);
    const file = await this.read(path);
    if (file !== null) {
      // The log's signature alone shows a fork, so this comes before anything that depends on witnesses.
      const seen = await openSeen(file, this.checkpoint, this.policy.log);
      await checkBegins(seen, { note: await this.read("checkpoint"), checkpoint: this.checkpoint }, this.read, path);
      this.proven("witnessed-begins", 4, [this.batch], { size: Number(seen.checkpoint.size) });
    }
    const { code, time } = await checkWitnessed(file, this, shown);
    this.proven(code, 4, [this.batch], { time });
  }

  /** What the custodians whose keys the policy has said of the batch. */
  async readCustody() {
    const { facts, unknown } = await checkCustodians(saidInLog(this.read, this.batch.leaf), this);
    for (const { code, ...values } of facts) this.proven(code, 4, [this.batch], values);
    this.unknownCustody = unknown;
  }

  /**
   * The batches that hold the rounds, whole, each chained to the one before it; and their salts, if the table has a
   * salt.
   */
  async readBatches(round, last) {
    const { record: table } = this.table;
    this.salts = [];
    const found = [];
    for (let wanted = round; wanted <= last;) {
      const { batch, salt } = await this.finder.hints(wanted);
      const told = { expected: `rounds to ${last} committed`, found: `no batch of round ${wanted}` };
      if (batch === null) throw new NotShown("lead-committed", told);
      const next = await this.finder.record(batch, { type: "batch" });
      this.checkBatch(next, wanted);
      if (found.length) checkChained(found.at(-1), next);
      found.push(next);
      // At the lock of the round none of these batches has ended.
      rules.checkPending(found.length, Number(next.index));
      if (isSalted(table)) this.salts.push(await this.readSalt(next, salt));
      wanted = next.record.first + next.record.count;
    }
    this.batches = found;
  }

  /** The salt of a batch, to which the hint beside the batch's leads. */
  async readSalt(placedBatch, index) {
    const { record: batch } = placedBatch;
    const told = { expected: `a salt of batch ${batch.batch}`, found: "no hint at one" };
    if (index === null) throw new NotShown("lead-committed", told);
    const salt = await this.finder.record(index, { type: "salt", batch: batch.batch });
    mustFollow(placedBatch, salt, "salt-awaited");
    checkSalt(this.table.record, batch, salt.record, this.beacons, Number(index));
    return salt;
  }

  checkBatch({ record, index }, round) {
    const last = record.first + record.count - 1;
    const told = { expected: `a batch that holds round ${round}`, found: `rounds ${record.first} to ${last}` };
    byHint(() => must(record.first <= round && round <= last, "round-records", { ...told, index: Number(index) }));
    rules.checkCustodians(this.table.record, record, Number(index));
    checkBeacon(this.table.record, record, this.beacons, Number(index));
  }

  checkOrder() {
    const { table, batches, salts, lock, reveal } = this;
    // The log's key signed all of them, so these are the checks of an audit, and no false hint.
    batches.forEach((batch, at) => mustFollow(batches[at - 1] ?? table, batch, at ? "batch-number" : "table-known"));
    for (const each of [...batches, ...salts]) mustFollow(each, lock, "lead-committed");
    mustFollow(lock, reveal, "reveal-locked");
    mustNotDecrease([table, ...batches, ...salts, lock, reveal]);
    rules.checkOpened(lock.record, table.record.created, Number(lock.index));
    const times = (salts.length ? salts : batches).map(timeOf);
    const fixed = times.reduce((one, other) => (one > other ? one : other));
    const { opened = fixed } = lock.record;
    const told = { expected: `${fixed} or later`, found: opened, index: Number(lock.index) };
    must(opened >= fixed, "lead-opened", told);
    rules.checkEnding(lock.record, reveal.record, Number(reveal.index));
  }

  checkSeeds(shown) {
    const { round, seeds } = this.code;
    const index = Number(this.reveal.index);
    const { custodians } = this.table.record;
    const expected = `${custodians.length} seeds, one per custodian`;
    must(seeds.length === custodians.length, "code-seed", { expected, found: `${seeds.length} in the code` });
    const told = {
      expected: this.reveal.record.seeds.join(),
      found: `${seeds.map(toHex).join()} in the code`,
      index,
    };
    must(told.expected === seeds.map(toHex).join(), "code-seed", told);
    const { first, anchors } = this.batch.record;
    const known = anchors.map((anchor) => parseHex(anchor));
    seeds.forEach((seed, at) => {
      shown.hex("seed", seed, custodians[at]);
      shown.hex("anchor", known[at], custodians[at]);
      shown.command(commands.anchorCommand(seed, { ...this.chain, round, first }, known[at]), custodians[at]);
    });
    rules.checkChain(
      seeds,
      known,
      { ...this.chain, from: round, to: first - 1 },
      { check: "seed-link", index: Number(this.batch.index) },
    );
    this.proven("seed-revealed", 5, [this.batch]);
  }

  async checkCommitments(shown) {
    const { round, seeds } = this.code;
    const { count, first, commitments } = this.batch.record;
    const path = commitmentsPath(this.batch.leaf);
    const bytes = await this.read(path);
    const index = Number(this.batch.index);
    if (bytes === null) {
      const told = { expected: "the commitments of the batch", found: "no such file", where: path, index };
      throw new CheckFailed("commitments-file", told);
    }
    const roots = commitments.map((root) => parseHex(root));
    const files = splitCommitmentsFile(bytes, { count, roots, where: path });
    const published = files.map((own) => own[round - first]);
    this.report.commitments = published.map(toHex);
    seeds.forEach((seed, at) => {
      const of = this.table.record.custodians[at];
      const leaves = files[at].map(leafHash);
      shown.hex("commitment", published[at], of);
      shown.hex("root", roots[at], of);
      shown.command(commands.commitmentCommand(seed, { ...this.chain, round }, published[at]), of);
      const proof = [leafHash(published[at]), round - first, count, auditPath(leaves, round - first)];
      shown.command(commands.rootCommand(...proof, roots[at]), of);
      const found = commitment(seed, { ...this.chain, round });
      const told = { expected: toHex(published[at]), found: toHex(found), where: `round ${round}` };
      must(sameBytes(found, published[at]), "commitment", told);
    });
    this.proven("seed-opens-commitment", 6, [this.batch]);
  }

  checkOutcome(shown) {
    const { game: name } = this.table.record;
    const game = gameOf(this.table.record);
    rules.checkRules(game, this.batch.record.rules, Number(this.batch.index));
    const salt = this.salt === null ? NO_SALT : saltOf(this.salt.record);
    if (!this.isDrawn) return;
    const batch = { name, game, rules: this.batch.record.rules, batchId: this.batch.leaf, salt };
    showDraw(shown, this.reveal.record, batch);
    rules.checkOutcome(this.reveal.record, batch, Number(this.reveal.index));
    this.report.order = orderOf(this.table.record, this.reveal.record.outcome);
    this.proven("outcome-follows", 7, [this.batch]);
  }

  async checkLead(shown) {
    const { first, after, before } = await this.lead;
    const { round } = this.code;
    const ahead = round - first;
    shown.text("first-after", first);
    shown.text("rounds-ahead", ahead);
    if (before) await showRecord(shown, "lock-before", before, this.tiles);
    await showRecord(shown, "lock-after", after, this.tiles);
    Object.assign(this.report, { roundsAhead: ahead, firstAfter: first });
    const records = this.salt === null ? [this.batch, before, after] : [before, this.salt, after];
    const code = this.salt === null ? "rounds-ahead" : "rounds-ahead-salted";
    this.proven(code, 8, records.filter((each) => each !== null), { ahead, first });
    const { table, lead } = this.table.record;
    this.report.headline = { code: "held-code", round, table, ahead, first, lead, isDrawn: this.isDrawn };
    const isRead = demandsWitnesses(this.policy, this.table.record) || !isSalted(this.table.record);
    const unread = isRead ? [] : [{ code: "witnessed-not-read" }];
    this.report.notProven = [{ code: "one-round-only" }, ...unread, ...caveats(this.table.record, this.policy)];
  }

  /** Whether this verifier knows what the batch's rules make of the seeds. */
  get isDrawn() {
    return isKnown(gameOf(this.table.record), this.batch.record.rules);
  }

  get chain() {
    return { tableId: this.table.leaf };
  }
}

/**
 * Of several tables of which none has the code's seeds, the least is reported. A code that may be one of a table that
 * cannot be read, or whose round is not shown, is evidence against nobody; and a table of another game than the
 * code's hides nothing that is wrong with one of its game.
 */
function likelihood(error) {
  if (error instanceof Unreadable) return 0;
  if (error instanceof NotShown) return 1;
  return ["code-table", "code-game"].includes(error.check) ? 3 : 2;
}

function checkChained(before, { record, index }) {
  const number = before.record.batch + 1;
  const first = before.record.first + before.record.count;
  const previous = toHex(before.leaf);
  const told = (expected, found) => ({ expected: `${expected}`, found: `${found}`, index: Number(index) });
  must(record.batch === number, "batch-number", told(number, record.batch));
  must(record.first === first, "batch-first", told(first, record.first));
  must(record.previous === previous, "batch-previous", told(previous, record.previous));
}
