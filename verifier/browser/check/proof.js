// The check of a round's proof file, or of a receipt, offline (SPEC 8.6, steps 1 to 8).

import { sameBytes, toHex } from "../basics/bytes.js";
import { leafHash } from "../basics/hashing.js";
import { MOST_NAMED } from "../basics/limits.js";
import { parseHex } from "../basics/spelling.js";
import { commitment } from "../draws/commitments.js";
import { NO_SALT } from "../draws/stream.js";
import { gameOf, isKnown } from "../games/games.js";
import { orderOf } from "../games/order.js";
import { openCheckpoint } from "../log/checkpoints.js";
import { checkInclusion, rootOfInclusion } from "../log/merkle.js";
import { cosignedHead } from "../policy/head.js";
import { policyOfNote } from "../policy/policy.js";
import * as rules from "../records/rules.js";
import { must } from "../records/rules.js";
import { Beacons, checkBeacon, checkSalt, isSalted, saltOf } from "../records/salts.js";
import { caveats, unknownOf } from "../report/caveats.js";
import * as commands from "../report/commands.js";
import { conclude, cosigners, newReport, reportError, tellHead, tellRound } from "../report/report.js";
import { showCheckpoint, showDraw, showRecord, showSalt } from "../report/show.js";
import { Steps } from "../report/steps.js";
import { claimed, claimedLock, mustFollow, mustNotDecrease, placed, timeOf } from "../round/placed.js";
import { noteOf, parseRoundProof } from "../round/proof.js";
import { checkCustodians } from "./custody.js";
import { checkWitnessedBegins } from "./consistency.js";
import { checkWitnessed, demandsWitnesses } from "./witnessed.js";

/** The steps of SPEC 8.6, by number. */
export const PROOF_STEPS = Object.freeze([
  "file",
  "checkpoint",
  "inclusion",
  "claims",
  "order",
  "commitments",
  "seeds",
  "outcome",
]);

/**
 * Check a round's proof file, or a receipt, offline (SPEC 8.6, steps 1 to 8).
 * @param {Uint8Array} bytes the file
 * @param {object} options
 * @param {string} [options.vkey] the log's verifier key, `name+id+key`
 * @param {string} [options.policy] the text of a policy, in the place of the key
 * @param {string} [options.logName] which of several logs of the policy is meant; otherwise the file's checkpoint says it
 * @param {import("../beacon/chain.js").Beacon[]} [options.beacons] known ones besides quicknet and those of the
 *   policy
 * @param {(step: import("../report/steps.js").Step) => void} [options.onStep] called with each step when it has ended
 * @returns {Promise<import("../report/report.js").Report>} also if a check failed
 * @throws {Malformed} if `vkey` is not a verifier key, or `policy` not a policy
 */
export async function checkProof(bytes, options) {
  return runProofCheck((...given) => new ProofCheck(...given), bytes, options);
}

/**
 * Run the steps of a check of a proof file.
 * @param {(...given: any[]) => ProofCheck} make the check
 * @param {Uint8Array} bytes the file
 * @param {object} options as those of `checkProof`
 * @returns {Promise<import("../report/report.js").Report>}
 */
export async function runProofCheck(make, bytes, { beacons = [], onStep = () => {}, ...trust }) {
  const believed = policyOfNote(trust, noteOf(bytes));
  const report = newReport("proof");
  const steps = new Steps(PROOF_STEPS, onStep);
  const known = new Beacons([...believed.beacons, ...beacons]);
  const check = make(bytes, believed, known, report);
  try {
    await check.run(steps);
    const { later } = check.proof;
    const sections = later.length ? [counted("newer-sections", later)] : [];
    conclude(report, [...unknownOf(check.table.record, known, check.reveal && check.batch.record), ...check.unknownCustody, ...sections]);
  } catch (error) {
    reportError(report, error);
  }
  steps.skipRest();
  return { ...report, steps: steps.done };
}

/** What the steps pass on to one another. */
export class ProofCheck {
  constructor(bytes, policy, beacons, report) {
    Object.assign(this, { bytes, policy, beacons, report });
  }

  async run(steps) {
    // Step 1: the file.
    await steps.run((shown) => this.readFile(shown));
    // Step 2: the checkpoint.
    await steps.run((shown) => this.openCheckpoint(shown));
    // Step 3: each record is in the log.
    await steps.run((shown) => this.checkInclusions(shown));
    // Step 4: they are what they are claimed to be.
    await steps.run((shown) => this.checkClaims(shown));
    // Step 5: their order.
    await steps.run((shown) => this.checkOrder(shown));
    // Step 6: the commitments.
    await steps.run((shown) => this.checkCommitments(shown));
    if (this.reveal) {
      // Step 7: the seeds.
      await steps.run((shown) => this.checkSeeds(shown));
      // Step 8: the outcome.
      await steps.run((shown) => this.checkOutcome(shown));
    }
    this.conclude();
  }

  readFile(shown) {
    this.proof = parseRoundProof(this.bytes);
    const { table, round, sections } = this.proof;
    this.report.round = round;
    shown.text("table-name", table);
    shown.text("round", round);
    shown.text("sections", sections.join(", "));
    this.proven("file-form", 1);
  }

  async openCheckpoint(shown) {
    const { note } = this.proof;
    this.checkpoint = await openCheckpoint(note, this.policy.log);
    // The log's signature alone shows a fork, so cosignatures are asked for last.
    const seen = await checkWitnessedBegins(this.proof, this.checkpoint, this.policy.log);
    tellHead(this.report, await cosignedHead(note, this.checkpoint, this.policy));
    showCheckpoint(shown, this.checkpoint, this.proof.note, this.policy.log);
    const size = Number(this.checkpoint.size);
    if (this.policy.quorum === null) this.proven("checkpoint-of-size", 2, { size });
    else this.proven("checkpoint-of-size-cosigned", 2, { size, names: cosigners(this.report) });
    if (seen === null) return;
    shown.text("witnessed-size", seen);
    this.proven("witnessed-begins", 2, { size: Number(seen) });
  }

  async checkInclusions(shown) {
    const { records } = this.proof;
    for (const { name, content, inclusion } of records) {
      const leaf = leafHash(content);
      checkInclusion(leaf, inclusion, this.checkpoint, name);
      const tree = { checkpoint: this.checkpoint, inclusionPath: () => inclusion.path };
      if (isText(content)) await showRecord(shown, name, { index: inclusion.index, bytes: content, leaf }, tree);
    }
    this.proven("records-in-log", 3, { records: records.map(({ inclusion }) => Number(inclusion.index)) });
  }

  checkClaims(shown) {
    const { round, table: name, records } = this.proof;
    const own = (section) => {
      const found = records.find((each) => each.name === section);
      return found && placed(found.content, found.inclusion.index, name, section === "table");
    };
    this.table = claimed(own("table"), { type: "table", table: name });
    const index = Number(this.table.index);
    const { lead } = this.table.record;
    rules.checkOrigin(this.table.record, this.checkpoint.origin, index);
    rules.checkSaltName(this.table.record, index);
    rules.checkGame(this.table.record, index);
    this.leadRound = Math.max(1, round - lead);
    this.batch = claimed(own("batch"), { type: "batch", table: name });
    this.checkBatch(round);
    this.salt = own("salt");
    this.leadLock = own("lead-lock");
    this.lock = own("lock");
    this.reveal = own("reveal");
    this.checkLeadLock(round);
    this.checkCustodians();
    this.checkSalt(shown);
    if (this.leadLock) claimedLock(this.leadLock, this.table, this.leadRound);
    if (this.lock) claimedLock(this.lock, this.table, round);
    if (this.reveal) claimed(this.reveal, { type: "reveal", table: name, round });
    shown.text("table-name", name);
    shown.hex("table-id", this.table.leaf);
    shown.text("lead-round", this.leadRound);
    tellRound(this.report, this);
    const names = records.map((section) => section.name);
    this.proven("records-claimed", 4, { names, round, table: name });
  }

  checkBatch(round) {
    const { record, index } = this.batch;
    const last = record.first + record.count - 1;
    const told = { expected: `a batch that holds round ${round}`, found: `rounds ${record.first} to ${last}` };
    must(record.first <= round && round <= last, "round-records", { ...told, index: Number(index) });
    rules.checkCustodians(this.table.record, record, Number(index));
  }

  /** The sections are of custodians of the table, in its order, each at most once. */
  checkCustodians() {
    const { custodians } = this.table.record;
    const names = this.proof.custody.map(({ name }) => name);
    const expected = `sections custody of ${custodians.join(", ")}, in this order, each at most once`;
    const isRight = names.join() === custodians.filter((name) => names.includes(name)).join();
    must(isRight, "proof-form", { expected, found: names.join(", ") });
  }

  /** If the table has a salt, the batch's is there as soon as there is more than the batch. */
  checkSalt(shown) {
    const { salt, batch } = this;
    const { record: table } = this.table;
    if (!isSalted(table)) {
      must(!salt, "proof-form", { expected: "no salt, for the table has none", found: "one" });
      must(!this.proof.witnessed, "proof-form", { expected: "no section witnessed, for the table has no salt", found: "one" });
    } else {
      const isNeeded = this.leadLock || this.lock || this.reveal;
      must(salt || !isNeeded, "proof-form", { expected: "a section salt", found: "none" });
    }
    checkBeacon(table, batch.record, this.beacons, Number(batch.index));
    if (!salt) return;
    claimed(salt, { type: "salt", table: table.table, batch: batch.record.batch });
    checkSalt(table, batch.record, salt.record, this.beacons, Number(salt.index));
    showSalt(shown, batch, salt, this.beacons.of(table));
  }

  /** There is no lead-lock if it would be the round's own lock; otherwise a lock needs one before it. */
  checkLeadLock(round) {
    if (this.leadRound === round) {
      must(!this.leadLock, "proof-form", {
        expected: "no lead-lock, for no round before shows anything",
        found: "one",
      });
    } else {
      must(this.leadLock || !this.lock, "proof-form", { expected: "a section lead-lock", found: "none" });
    }
  }

  async checkOrder(shown) {
    const { table, batch, salt, leadLock, lock, reveal } = this;
    const found = [table, batch, salt, leadLock, lock, reveal].filter(Boolean);
    mustFollow(table, batch, "table-known");
    if (salt) mustFollow(batch, salt, "salt-awaited");
    // Without a lead-lock, the round's own lock shows the lead.
    if (leadLock) mustFollow(salt ?? batch, leadLock, "lead-committed");
    if (lock) mustFollow(leadLock ?? salt ?? batch, lock, leadLock ? "lock-next" : "lead-committed");
    if (reveal) mustFollow(lock, reveal, "reveal-locked");
    for (const each of [leadLock, lock].filter(Boolean)) this.checkOpened(each);
    if (reveal) rules.checkEnding(lock.record, reveal.record, Number(reveal.index));
    mustNotDecrease(found);
    for (const each of found) shown.text(`time-of-${each.record.type}`, timeOf(each), `record ${each.index}`);
    this.proven("order", 5);
    if (salt && this.beacons.of(table.record) !== null) this.proven("salt-is-pulse", 5);
    if (demandsWitnesses(this.policy, table.record)) {
      const { code, time } = await checkWitnessed(this.proof.witnessed, this, shown);
      this.proven(code, 5, { time });
    }
    const said = (name) => this.proof.custody.find((each) => each.name === name) ?? { note: null, policy: null };
    const { facts, unknown } = await checkCustodians(said, this);
    for (const { code, ...values } of facts) this.proven(code, 5, values);
    this.unknownCustody = unknown;
  }

  checkOpened({ record, index }) {
    const fixed = timeOf(this.salt ?? this.batch);
    const told = { expected: `${fixed} or later`, found: record.opened, index: Number(index) };
    must(record.opened === undefined || record.opened >= fixed, "lead-opened", told);
    rules.checkOpened(record, this.table.record.created, Number(index));
  }

  checkCommitments(shown) {
    const { commitments, round } = this.proof;
    const { first, count, commitments: roots } = this.batch.record;
    const { custodians } = this.table.record;
    const expected = `${custodians.length} commitments, one per custodian`;
    must(commitments.length === custodians.length, "proof-form", { expected, found: `${commitments.length}` });
    commitments.forEach(({ content, inclusion }, at) => {
      const where = `the commitment of ${custodians[at]}`;
      const place = { expected: `index ${round - first}`, found: `index ${inclusion.index}`, where };
      must(inclusion.index === BigInt(round - first), "commitment-path", place);
      const root = rootOfInclusion(leafHash(content), inclusion.index, count, inclusion.path);
      const told = {
        expected: `root ${roots[at]}`,
        found: root ? `root ${toHex(root)}` : "too many or few hashes",
        where,
      };
      must(root !== null && toHex(root) === roots[at], "commitment-path", told);
      shown.hex("commitment", content, custodians[at]);
      shown.hex("root", root, custodians[at]);
      const proof = [leafHash(content), inclusion.index, count, inclusion.path, root];
      shown.command(commands.rootCommand(...proof), custodians[at]);
    });
    this.report.commitments = commitments.map(({ content }) => toHex(content));
    this.proven("commitments-promised", 6);
  }

  checkSeeds(shown) {
    const { round, commitments } = this.proof;
    const { custodians } = this.table.record;
    const index = Number(this.reveal.index);
    const seeds = this.reveal.record.seeds.map((seed) => parseHex(seed));
    const known = this.batch.record.anchors.map((anchor) => parseHex(anchor));
    const { first } = this.batch.record;
    const tableId = this.table.leaf;
    const counts = { expected: `${custodians.length}`, found: `${seeds.length}`, index };
    must(seeds.length === custodians.length, "seed-count", counts);
    seeds.forEach((seed, at) => {
      const promised = commitments[at].content;
      const found = commitment(seed, { tableId, round });
      shown.hex("seed", seed, custodians[at]);
      shown.hex("anchor", known[at], custodians[at]);
      shown.command(commands.commitmentCommand(seed, { tableId, round }, promised), custodians[at]);
      shown.command(commands.anchorCommand(seed, { tableId, round, first }, known[at]), custodians[at]);
      const told = { expected: toHex(promised), found: toHex(found), where: `the seed of ${custodians[at]}`, index };
      must(sameBytes(found, promised), "commitment", told);
    });
    rules.checkChain(
      seeds,
      known,
      { tableId, from: round, to: first - 1 },
      { check: "seed-link", index: Number(this.batch.index) },
    );
    this.proven("seeds-open-and-chain", 7);
  }

  checkOutcome(shown) {
    const { game: name } = this.table.record;
    const game = gameOf(this.table.record);
    rules.checkRules(game, this.batch.record.rules, Number(this.batch.index));
    if (!isKnown(game, this.batch.record.rules)) return;
    const salt = this.salt ? saltOf(this.salt.record) : NO_SALT;
    const batch = { name, game, rules: this.batch.record.rules, batchId: this.batch.leaf, salt };
    showDraw(shown, this.reveal.record, batch);
    rules.checkOutcome(this.reveal.record, batch, Number(this.reveal.index));
    this.report.order = orderOf(this.table.record, this.reveal.record.outcome);
    this.proven("outcome-follows-seeds", 8);
  }

  conclude() {
    const { round, table: name } = this.proof;
    const { report, leadRound } = this;
    const witness = this.leadLock ?? (leadRound === round ? this.lock : undefined);
    const ahead = witness ? round - leadRound : null;
    Object.assign(report, { roundsAhead: ahead, firstAfter: witness ? leadRound : null });
    const followed = this.reveal ? [] : [{ code: "what-followed" }];
    const between = this.leadLock && round - leadRound > 1 ? [{ code: "rounds-between" }] : [];
    const { lead } = this.table.record;
    const { stage } = report;
    const isDrawn = isKnown(gameOf(this.table.record), this.batch.record.rules);
    const awaitsSalt = isSalted(this.table.record) && !this.salt;
    report.headline = { code: "held-proof", round, table: name, stage, ahead, first: leadRound, lead, awaitsSalt, isDrawn };
    const asides = this.proof.asides.length ? [counted("asides", this.proof.asides)] : [];
    const general = caveats(this.table.record, this.policy);
    report.notProven = [
      { code: "as-of-checkpoint" },
      ...followed,
      { code: "one-round-only" },
      ...between,
      ...asides,
      ...general,
    ];
  }

  proven(code, step, values = {}) {
    this.report.proven.push({ code, step, ...values });
  }
}

/** Of many names the first ones, and how many there are. */
function counted(code, names) {
  return { code, count: names.length, names: names.slice(0, MOST_NAMED).join(", ") };
}

/** Whether bytes can be shown in a command line; those of a record can. */
function isText(bytes) {
  return bytes.every((value) => value >= 0x20 && value <= 0x7e);
}
