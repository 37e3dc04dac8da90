// What an audit finds about witnesses and custodians (SPEC 8.1, steps 5 and 6).

import { sameBytes, toHex } from "../basics/bytes.js";
import { CheckFailed, Unknown } from "../basics/errors.js";
import { leafHash } from "../basics/hashing.js";
import { checkCustodians, saidInLog } from "./custody.js";
import { openWitnessed, witnessedPath } from "../policy/witnessed.js";
import { parseRecord, TIME_OF } from "../records/record.js";
import { isSalted, pulseTimeOf } from "../records/salts.js";

/** A record, or null for one that is newer than this program. */
function recordOf(bytes) {
  try {
    return parseRecord(bytes);
  } catch (error) {
    if (error instanceof Unknown) return null;
    throw error;
  }
}

/** Collects what it needs record by record, and then reads the files. */
export class Witnesses {
  #tables = new Map();
  #played = new Set();
  #batches = [];
  #held = [];
  /** Of each record: its own time, in milliseconds. */
  #times = [];
  /** What is after a pulse was written at its time or later. */
  #pulses = [];
  /** What a quorum saw was written before its time. */
  #quorums = [];

  constructor({ head, tiles, beacons, read }) {
    Object.assign(this, { head, tiles, beacons, read });
  }

  /** A record that replay accepted. */
  note(bytes, index) {
    const record = recordOf(bytes);
    if (record === null) {
      this.#times.push(NaN);
      return;
    }
    const { type, table, batch } = record;
    this.#times.push(Date.parse(record[TIME_OF[type]]));
    if (type === "table") this.#tables.set(table, { record, leaf: leafHash(bytes), batches: [] });
    const known = this.#tables.get(table);
    if (type === "lock") this.#played.add(table);
    if (type === "batch") {
      known.batches.push(record);
      this.#held.push({ table: known, batch: { record, index, leaf: leafHash(bytes) } });
      if (isSalted(known.record)) this.#batches.push({ index, leaf: leafHash(bytes), pulseTime: pulseTimeOf(known.record, record, this.beacons) });
    }
    if (type === "salt") {
      const named = known.batches.find((each) => each.batch === batch);
      const time = pulseTimeOf(known.record, named, this.beacons);
      if (time !== null) this.#pulses.push({ index: Number(index), time: Number(time) * 1000 });
    }
  }

  /**
   * Steps 5 and 6.
   * @returns {Promise<import("../report/report.js").Fact[]>} what is unknown of custodians
   * @throws {CheckFailed} `batch-witnessed`, `log-extends`, `custody-note`
   */
  async check() {
    await this.#checkWitnessed();
    const { policy } = this.head;
    const found = [];
    for (const { table, batch } of this.#held) {
      const { unknown } = await checkCustodians(saidInLog(this.read, batch.leaf), { table, batch, policy });
      found.push(...unknown);
    }
    return found;
  }

  async #checkWitnessed() {
    if (this.head.policy.quorum === null) return;
    for (const batch of this.#batches) {
      const { head, time } = await openWitnessed(await this.read(witnessedPath(batch.leaf)), batch, this.head.policy);
      await this.#isOfThisLog(head.checkpoint, batch);
      this.#quorums.push({ size: Number(head.checkpoint.size), time: (Number(time) + 1) * 1000 });
    }
  }

  async #isOfThisLog({ size, root }, { index, leaf }) {
    const { checkpoint } = this.head;
    if (size > checkpoint.size) {
      const told = { expected: `at most ${checkpoint.size} records`, found: `${size}`, index: Number(index), where: witnessedPath(leaf) };
      throw new CheckFailed("batch-witnessed", told);
    }
    const own = await this.tiles.rootOfRange(0n, size);
    if (!sameBytes(own, root)) throw new CheckFailed("log-extends", { expected: toHex(root), found: toHex(own) });
  }

  /** Tables that were never played, and how wrong the operator's clock was, in milliseconds. */
  get told() {
    const neverPlayed = [...this.#tables].filter(([name, { batches }]) => batches.length > 0 && !this.#played.has(name));
    return { never_played: neverPlayed.map(([name]) => name).sort(), clock: this.#quorums.length === 0 ? null : this.#clock() };
  }

  /** A record's time is compared with the latest pulse before it, and with the earliest quorum that saw it. */
  #clock() {
    const [pulses, quorums] = [[...this.#pulses], this.#quorums.toSorted((one, other) => one.size - other.size)];
    let [slow, fast, since, until] = [0, 0, -Infinity, Infinity];
    this.#times.forEach((time, index) => {
      while (pulses.length > 0 && pulses[0].index < index) since = Math.max(since, pulses.shift().time);
      if (since - time > slow) slow = since - time;
    });
    for (let index = this.#times.length - 1; index >= 0; index -= 1) {
      while (quorums.length > 0 && quorums.at(-1).size > index) until = Math.min(until, quorums.pop().time);
      if (this.#times[index] - until > fast) fast = this.#times[index] - until;
    }
    return { slow, fast };
  }
}
