// The audit of a whole log (SPEC 8.1), from its first record, without a memory.

import { CheckFailed, Unreadable } from "../basics/errors.js";
import { commitmentsPath, splitCommitmentsFile } from "../draws/commitments.js";
import { isSandbox } from "../log/checkpoints.js";
import { AuthenticTiles } from "../log/tiles.js";
import { openHead } from "../policy/head.js";
import { policyOf } from "../policy/policy.js";
import { Replay } from "../records/replay.js";
import { Beacons } from "../records/salts.js";
import { readFile, readOnce } from "../sources/log-files.js";
import { Witnesses } from "./audit-witnesses.js";
import { checkPaytables } from "./paytable.js";

/**
 * What an audit has found in a log in which nothing failed.
 * @typedef {object} Audit
 * @property {"held"|"empty"|"unknown"|"sandbox"} verdict
 * @property {Replay} replay the state after the last record
 * @property {import("../report/report.js").Fact[]} unknownBets tables whose bets pay by what is newer than this program
 * @property {{never_played: string[], clock: ?{slow: number, fast: number}}} witnessed what witnesses showed
 */

/**
 * Audit a log (SPEC 8.1).
 * @param {object} options
 * @param {string} [options.vkey] the log's verifier key, `name+id+key`
 * @param {string} [options.policy] the text of a policy, in the place of the key
 * @param {string} [options.logName] which of several logs of the policy is meant
 * @param {string} [options.address] the log's: the policy's line with this address is meant
 * @param {import("../log/tiles.js").Read} options.read the log's files
 * @param {import("../beacon/chain.js").Beacon[]} [options.beacons] known ones besides quicknet and those of the policy
 * @returns {Promise<Audit>}
 * @throws {CheckFailed}
 * @throws {Unreadable}
 * @throws {Malformed} if `vkey` is not a verifier key, or `policy` not a policy that decides which log is meant
 */
export async function auditLog({ read, beacons = [], ...trust }) {
  const believed = policyOf(trust);
  const readEach = readOnce(read);
  const known = new Beacons([...believed.beacons, ...beacons]);
  // Step 1: the checkpoint, with the policy's quorum. There is no memory, so there is no step 2.
  const head = await openHead(await readFile(readEach, "checkpoint"), believed);
  const { checkpoint } = head;
  const tiles = new AuthenticTiles(checkpoint, readEach);
  await tiles.checkEdge();
  // Step 3: every record.
  const replay = new Replay(checkpoint.origin, known);
  const witnesses = new Witnesses({ head, tiles, beacons: known, read: readEach });
  const { records: found, stopped } = await readRecords(tiles);
  found.forEach((record, index) => {
    replay.advance(record);
    witnesses.note(record, BigInt(index));
  });
  if (stopped !== null) throw stopped;
  // Step 4: the commitments that are not yet opened.
  for (const name of [...replay.tables.keys()].sort()) await checkUnopened(replay.tables.get(name), readEach);
  // Steps 5 and 6: what witnesses saw, and what custodians said.
  const unknownCustody = await witnesses.check();
  // Step 7: what bets pay.
  const records = [...replay.tables.keys()].sort().map((name) => replay.tables.get(name).record);
  const unknownBets = await checkPaytables(records, readEach);
  const verdict = verdictOf(replay, checkpoint, [...unknownCustody, ...unknownBets]);
  return { verdict, replay, unknownBets, witnessed: witnesses.told };
}

/**
 * The records before the first bundle that cannot be read, and why it cannot. A false bundle decides at once: nothing
 * that a false file says is evidence of what the operator wrote.
 */
async function readRecords(tiles) {
  const records = [];
  try {
    for (let index = 0n; index < tiles.checkpoint.size; index += 1n) records.push(await tiles.record(index));
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { records, stopped: error };
  }
  return { records, stopped: null };
}

async function checkUnopened(table, read) {
  for (const batch of table.closed ? [] : table.pending) {
    const where = commitmentsPath(batch.id);
    const file = await read(where);
    const told = { expected: "a file of commitments", found: "none", where, index: batch.index };
    if (file === null) throw new CheckFailed("commitments-file", told);
    const count = batch.last - batch.first + 1;
    splitCommitmentsFile(file, { count, roots: batch.roots, where, index: batch.index });
  }
}

function verdictOf(replay, { origin }, unknown) {
  if (isSandbox(origin)) return "sandbox";
  if (replay.unknown.length || unknown.length) return "unknown";
  return replay.tables.size === 0 ? "empty" : "held";
}
