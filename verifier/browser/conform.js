// `node conform.js` answers the vectors, as any implementation does for `foredraw-verify conform`
// (docs/conformance.md). This file is for Node only.

import { createInterface } from "node:readline";

import { toHex, utf8 } from "./basics/bytes.js";
import { CheckFailed, ForedrawError, Malformed, NotThisLogs, Unknown, Unreadable } from "./basics/errors.js";
import { leafHash } from "./basics/hashing.js";
import { LARGEST_BATCH } from "./basics/limits.js";
import { sha256 } from "./basics/sha256.js";
import { parseBase64, parseDecimal, parseHex } from "./basics/spelling.js";
import { parseTime } from "./basics/times.js";
import { Beacon } from "./beacon/chain.js";
import { checkPulse } from "./beacon/pulse.js";
import { auditLog } from "./check/audit.js";
import { checkBet } from "./check/bet.js";
import { checkCode } from "./check/code.js";
import { checkCodeByProof } from "./check/code-proof.js";
import { paytableOf } from "./check/paytable.js";
import { checkProof } from "./check/proof.js";
import { Declaration } from "./declared/declaration.js";
import { commitment, splitCommitmentsFile } from "./draws/commitments.js";
import { previousSeed, seedsAndAnchor } from "./draws/seed-chain.js";
import { contextOf, Stream } from "./draws/stream.js";
import { checkFork } from "./forks/fork.js";
import { GAMES } from "./games/games.js";
import { openCheckpoint } from "./log/checkpoints.js";
import { rootOfHashes, rootOfInclusion, rootsOfConsistency } from "./log/merkle.js";
import { openNote, VerifierKey } from "./log/notes.js";
import { tilePath } from "./log/tile-paths.js";
import { AuthenticTiles, splitBundle } from "./log/tiles.js";
import { checkTlogProof } from "./log/tlog-proof.js";
import { readPaytable } from "./paytable/read.js";
import { settleBet } from "./paytable/settle.js";
import { digest, parseBetReceipt } from "./player/bets.js";
import { parseRoundCode } from "./player/round-code.js";
import { lastSeen, openHead } from "./policy/head.js";
import { parsePolicies, parsePolicy, policyOf } from "./policy/policy.js";
import { checkCustody } from "./policy/custody.js";
import { openWitnessed } from "./policy/witnessed.js";
import { parseRecord } from "./records/record.js";
import { Replay } from "./records/replay.js";
import { Beacons } from "./records/salts.js";
import { isOutcomeKnown } from "./report/report.js";
import { placed } from "./round/placed.js";
import { parseRounds, parseTables, placeInFile, roundsPath } from "./round/finding-aids.js";

/** The input is not valid. `result` has what the vectors ask for beyond that, if anything. */
class Refused extends ForedrawError {
  constructor(result) {
    super("the input is not valid");
    this.result = result;
  }
}

const bytesOf = ({ text, hex }) => (text === undefined ? anyHex(hex) : utf8(text));
const anyHex = (text) => parseHex(text, text.length / 2, "bytes");
const hashes = (texts) => texts.map((text) => parseHex(text));

function require(condition) {
  if (!condition) throw new Refused();
}

function told({ origin, root, size }) {
  return { origin, root: toHex(root), size: Number(size) };
}

function record(given) {
  const bytes = bytesOf(given);
  const { table, type } = parseRecord(bytes);
  return { leaf_hash: toHex(leafHash(bytes)), table, type };
}

function vkey({ text }) {
  const { keyId, name, publicKey } = VerifierKey.parse(text);
  return { key_id: toHex(keyId), name, public_key: toHex(publicKey) };
}

async function note(given) {
  return { text: await openNote(bytesOf(given), VerifierKey.parse(given.key)) };
}

async function checkpoint(given) {
  return told(await openCheckpoint(bytesOf(given), VerifierKey.parse(given.key)));
}

function policy(given) {
  const { logs, quorum, witnesses, custodians, beacons } = parsePolicies(bytesOf(given));
  return {
    beacons: beacons.map(({ hash }) => hash),
    custodians: custodians.map(({ name, key }) => [name, String(key)]),
    logs: logs.map(({ key }) => String(key)),
    quorum: quorum && { least: quorum.least, missing: quorum.leastMissing, shared: quorum.leastShared },
    witnesses: witnesses.map(({ key }) => String(key)),
  };
}

async function cosignedCheckpoint(given) {
  const head = await openHead(bytesOf(given), parsePolicy(utf8(given.policy)));
  const witnesses = lastSeen(head).map(({ witness, time }) => [String(witness.key), Number(time)]);
  return { ...told(head.checkpoint), witnesses };
}

async function log({ files, index, key }) {
  const read = async (path) => (Object.hasOwn(files, path) ? anyHex(files[path]) : null);
  const head = await openCheckpoint(anyHex(files.checkpoint), VerifierKey.parse(key));
  const bytes = await new AuthenticTiles(head, read).record(BigInt(index));
  return { text: new TextDecoder().decode(bytes) };
}

function beacon({ text }) {
  const parsed = Beacon.parse(text);
  return { chain_hash: parsed.hash, times: [1, 2, 2 ** 32].map((round) => parsed.timeOf(round)) };
}

function pulse({ beacon: text, round, signature }) {
  const bytes = parseHex(signature, 48, "signature");
  checkPulse(Beacon.parse(text), round, bytes);
  return { salt: toHex(sha256(bytes)) };
}

function seedChain({ count, first, last_seed: lastSeed, table_id: tableId }) {
  require(count >= 1 && count <= LARGEST_BATCH);
  const { anchor, seeds } = seedsAndAnchor(parseHex(lastSeed), { count, first, tableId: parseHex(tableId) });
  return { anchor: toHex(anchor), seeds: seeds.map(toHex) };
}

function seedLink({ before, round, seed, table_id: tableId }) {
  require(toHex(previousSeed(parseHex(seed), { tableId: parseHex(tableId), round })) === toHex(parseHex(before)));
}

function opens({ commitment: expected, round, seed, table_id: tableId }) {
  require(toHex(commitment(parseHex(seed), { tableId: parseHex(tableId), round })) === toHex(parseHex(expected)));
}

function streamOf({ batch_id: batchId, round, salt, seeds }) {
  return Stream.of(hashes(seeds), contextOf(parseHex(batchId), parseHex(salt)), round);
}

function drawn({ hex }, draw) {
  const bytes = anyHex(hex);
  const stream = new Stream((j) => bytes.subarray(32 * j, 32 * j + 32));
  return { ...draw(stream), taken: stream.taken };
}

function paytable(given) {
  const bytes = bytesOf(given);
  const table = { game: "-", declaration: JSON.parse(given.declaration), paytable: toHex(sha256(bytes)) };
  try {
    const read = readPaytable(bytes, table);
    return given.bets && { settled: given.bets.map((each) => settledBet(read, given.rules, each)) };
  } catch (error) {
    if (error instanceof Unknown) return { unknown: true };
    throw error;
  }
}

function settledBet(read, rules, { bet, outcome, before }) {
  const settled = settleBet(read, bet, { outcome, status: "played", rules, before });
  if (settled === null) return null;
  const { result, odds, pays, next } = settled;
  return { result, ...(odds === null ? {} : { odds }), ...(pays === null ? { next } : { pays: pays.join("/") }) };
}

function declaration(given) {
  try {
    Declaration.parse(bytesOf(given));
  } catch (error) {
    if (error instanceof Unknown) return { unknown: true };
    throw error;
  }
  return undefined;
}

function outcome(given) {
  const game = given.declaration === undefined ? GAMES[given.game] : Declaration.parse(utf8(given.declaration));
  require(game !== undefined);
  game.checkRules(given.rules);
  return { outcome: game.outcome(streamOf(given), given.rules) };
}

function roundCode({ text }) {
  const { game, round, seeds, tablePrefix } = parseRoundCode(text);
  return { game, round, seeds: seeds.map(toHex), table_prefix: toHex(tablePrefix) };
}

function inclusion({ index, leaf, path, root, size }) {
  const found = rootOfInclusion(parseHex(leaf), index, size, hashes(path));
  require(found !== null && toHex(found) === toHex(parseHex(root)));
}

function consistency({ old_root: oldRoot, old_size: oldSize, path, root, size }) {
  const roots = hashes([oldRoot, root]);
  const found = rootsOfConsistency(oldSize, roots[0], size, hashes(path));
  require(found !== null && String(found.map(toHex)) === String(roots.map(toHex)));
}

async function tlogProof(given) {
  const { index, checkpoint: head } = await checkTlogProof(
    bytesOf(given),
    parseHex(given.leaf),
    VerifierKey.parse(given.key),
  );
  return { index: Number(index), ...told(head) };
}

async function fork(given) {
  const { larger, rootInLarger, smaller } = await checkFork(bytesOf(given), policyOf({ vkey: given.key }));
  const sizes = { larger_size: Number(larger.size), smaller_size: Number(smaller.size) };
  return { ...sizes, root_in_larger: toHex(rootInLarger) };
}

async function roundProof(given) {
  const beacons = (given.beacons ?? []).map((text) => Beacon.parse(text));
  const asked = given.policy === undefined ? { vkey: given.key, beacons } : { policy: given.policy };
  return resultOfProof(await checkProof(bytesOf(given), asked));
}

function resultOfProof(report) {
  require(["held", "unknown", "sandbox"].includes(report.verdict));
  const { outcome: found, round, roundsAhead, stage, table } = report;
  const unknown = report.verdict === "unknown" || report.unknown.length ? { unknown: true } : {};
  const sandbox = report.verdict === "sandbox" ? { sandbox: true } : {};
  if (table === null) return unknown;
  const seen = report.batchWitnessed === null ? {} : { witnessed: Date.parse(report.batchWitnessed.at) / 1000 };
  return { outcome: found, round, rounds_ahead: roundsAhead, stage, table, ...unknown, ...sandbox, ...seen };
}

async function codeProof(given) {
  const beacons = (given.beacons ?? []).map((text) => Beacon.parse(text));
  const report = await checkCodeByProof(given.code, bytesOf(given), { vkey: given.key, beacons });
  if (report.verdict === "not-shown") return { not_shown: true };
  if (report.verdict === "mistyped") throw Object.assign(new ForedrawError("mistyped"), { result: { mistyped: true } });
  return resultOfProof(report);
}

async function custody(given) {
  const { record } = placed(utf8(given.record), BigInt(given.index));
  const table = { record: { custodians: record.anchors.map((_, at) => `${at}`) }, leaf: parseHex(given.table_id) };
  const custodian = { name: `${given.place}`, key: VerifierKey.parse(given.key) };
  const said = { note: bytesOf(given), policy: given.policy === undefined ? null : utf8(given.policy) };
  const batch = { table, batch: { record, index: BigInt(given.index) } };
  const { policies } = await checkCustody(said, batch, custodian, VerifierKey.parse(given.log));
  return policies === null ? { unknown: true } : undefined;
}

async function witnessed(given) {
  const batch = {
    index: BigInt(given.index),
    leaf: parseHex(given.batch_id),
    pulseTime: given.pulse === undefined ? null : BigInt(given.pulse),
  };
  const { head, time } = await openWitnessed(bytesOf(given), batch, parsePolicy(utf8(given.policy)));
  return { size: head.checkpoint.size, time };
}

function betReceipt(given) {
  const { count, index, line, root, round, tableId } = parseBetReceipt(bytesOf(given));
  return { count, index, line: toHex(line), root: toHex(root), round, table_id: toHex(tableId) };
}

function betsDigest({ lines }) {
  const { count, root } = digest(lines.map((line) => utf8(line)));
  return { count, root: toHex(root) };
}

function replay({ origin, records, beacons = [] }) {
  const state = new Replay(origin, new Beacons(beacons.map((text) => Beacon.parse(text))));
  records.forEach((each, index) => {
    try {
      state.advance(bytesOf(each));
    } catch (error) {
      throw error instanceof CheckFailed ? new Refused({ record: index }) : error;
    }
  });
  const tables = [...state.tables].map(([name, table]) => {
    return [name, { ...table.counts, committed: table.committed, smallest_distance: table.smallestDistance }];
  });
  const unknown = [...state.unknown].sort();
  return { tables: Object.fromEntries(tables), ...(unknown.length ? { unknown } : {}) };
}

/** The exit statuses (SPEC 8.3). */
const STATUS = { held: 0, empty: 0, failed: 3, unreadable: 4, unknown: 6, sandbox: 6, "not-shown": 7, mistyped: 8 };

/** This verifier has no check of receipts, of bets only one that reads the log, and reads no log as a whole. */
class Declined extends Error {}

/** The files of a log, which are those of a folder. */
function readIn(files, folder) {
  return async (path) => (Object.hasOwn(files, `${folder}/${path}`) ? anyHex(files[`${folder}/${path}`]) : null);
}

const COMMANDS = {
  "audit": ({ argument, files }, asked) => audited({ ...asked, read: readIn(files, argument) }),
  "bet --log": async ({ argument, files, options: { log } }, asked) => {
    const report = await checkBet(anyHex(files[argument]), { ...asked, read: readIn(files, log) });
    return verdictOn(report, { showsOutcome: false });
  },
  "code --log": async ({ argument, files, options: { log, bet, paytable } }, asked) => {
    const read = readIn(files, log);
    const report = await checkCode(argument, { ...asked, read });
    return withBet(report, bet, paytable === undefined ? read : async () => anyHex(files[paytable]));
  },
  "code --proof": async ({ argument, files, options: { proof, bet, paytable } }, asked) => {
    return withBet(await checkCodeByProof(argument, anyHex(files[proof]), asked), bet, async () => anyHex(files[paytable]));
  },
  "proof": async ({ argument, files }, asked) => verdictOn(await checkProof(anyHex(files[argument]), asked)),
};

async function judge(given) {
  const { key, policy, table, bet: _, paytable: __, ...others } = given.options;
  const command = [given.command, ...Object.keys(others).map((name) => `--${name}`)].join(" ");
  if (!Object.hasOwn(COMMANDS, command)) throw new Declined(command);
  const trust = policy === undefined ? { vkey: key } : { policy: new TextDecoder().decode(anyHex(given.files[policy])) };
  return COMMANDS[command](given, { ...trust, ...(table === undefined ? {} : { table }) });
}

async function audited(options) {
  try {
    return { status: STATUS[(await auditLog(options)).verdict] };
  } catch (error) {
    if (error instanceof NotThisLogs || error instanceof Unreadable) return { status: STATUS.unreadable };
    if (error instanceof CheckFailed) return { status: STATUS.failed, check: error.check };
    if (error instanceof Unknown) return { status: STATUS.unknown };
    throw error;
  }
}

/** A bet's check shows nothing of the outcome, whatever its reveal says. */
function verdictOn(report, { showsOutcome = true } = {}) {
  const { verdict, failure, headline, table, round, status: ended, outcome: drawn } = report;
  const status = STATUS[verdict];
  if (failure !== null) return { status, check: failure.check };
  if (status === STATUS.unreadable || headline.code === "nothing-checked") return { status };
  const end = ended === null ? {} : { ended };
  return { status, table, round, ...end, ...(showsOutcome && ended !== null && isOutcomeKnown(report) ? { outcome: drawn } : {}) };
}

/** The verdict on a round, with what a bet on it pays. */
async function withBet(report, bet, read) {
  const verdict = verdictOn(report);
  if (bet === undefined || verdict.outcome === undefined) return verdict;
  try {
    const settled = settleBet(await paytableOf(report, read), bet, report);
    require(settled !== null);
    return { ...verdict, pays: settled.pays && settled.pays.join("/") };
  } catch (error) {
    if (error instanceof Unknown) return { ...verdict, status: STATUS.unknown };
    if (error instanceof CheckFailed) return { status: STATUS.failed, check: error.check };
    throw error;
  }
}

function nothing(operation) {
  return (given) => {
    operation(given);
  };
}

function integers(rows) {
  return rows.map((row) => Object.values(row).map(Number));
}

const OPERATIONS = {
  "base64 parse": ({ text }) => ({ hex: toHex(parseBase64(text)) }),
  "beacon parse": beacon,
  "bet-receipt parse": betReceipt,
  "bets digest": betsDigest,
  "bundle split": (given) => ({ entries: splitBundle(bytesOf(given), { count: given.count }).map(toHex) }),
  "checkpoint open": checkpoint,
  "code-proof check": codeProof,
  "commitment check": opens,
  "commitments-file check": nothing((given) => {
    splitCommitmentsFile(bytesOf(given), { count: given.count, roots: hashes(given.roots) });
  }),
  "consistency check": consistency,
  "cosigned-checkpoint open": cosignedCheckpoint,
  "declaration parse": declaration,
  "paytable settle": paytable,
  "decimal parse": nothing(({ text }) => parseDecimal(text)),
  "draw-below draw": (given) => drawn(given, (stream) => ({ number: stream.below(given.limit) })),
  "draw-multiplier draw": (given) => {
    return drawn(given, (stream) => ({ hundredths: stream.multiplier(given.rtp, given.cap) }));
  },
  "draw-sample draw": (given) => drawn(given, (stream) => ({ numbers: stream.sample(given.size, given.count) })),
  "finding-aid-path spell": ({ round, table_id: tableId }) => {
    return { path: roundsPath(parseHex(tableId), round), place: placeInFile(round) };
  },
  "finding-aid-rounds parse": (given) => ({ rounds: integers(parseRounds(bytesOf(given))) }),
  "finding-aid-tables parse": (given) => ({ tables: integers(parseTables(bytesOf(given))) }),
  "fork check": fork,
  "hex parse": nothing(({ text, size }) => parseHex(text, size)),
  "inclusion check": inclusion,
  "log read": log,
  "merkle-root compute": ({ entries }) => ({
    root: toHex(rootOfHashes(entries.map((entry) => leafHash(anyHex(entry))))),
  }),
  "note open": note,
  "outcome compute": outcome,
  "policy parse": policy,
  "pulse verify": pulse,
  "record parse": record,
  "replay replay": replay,
  "round-code parse": roundCode,
  "round-proof check": roundProof,
  "seed-chain unroll": seedChain,
  "seed-link check": nothing(seedLink),
  "stream read": (given) => ({ hex: toHex(streamOf(given).take(given.size)) }),
  "tile-path spell": ({ kind, number, width }) => ({ path: tilePath(kind, BigInt(number), width) }),
  "time parse": nothing(({ text }) => parseTime(text)),
  "tlog-proof check": tlogProof,
  "vkey parse": vkey,
  "custody check": custody,
  "verdict judge": judge,
  "witnessed check": witnessed,
};

async function answer({ format, operation, input }) {
  try {
    const result = await OPERATIONS[`${format} ${operation}`](input);
    return result === undefined ? { valid: true } : { valid: true, result };
  } catch (error) {
    if (error instanceof Declined) return { declined: true };
    if (error instanceof Unknown && error.code === "newer-file") return { valid: true, result: { unknown: true } };
    // A draw from bytes that end too early is no draw.
    if (!(error instanceof ForedrawError) && !(error instanceof RangeError)) throw error;
    return error.result === undefined ? { valid: false } : { valid: false, result: error.result };
  }
}

/** JSON in which a BigInt is a number, with all its digits. */
function exactJson(value) {
  const marked = JSON.stringify(value, (_key, each) => (typeof each === "bigint" ? `\0${each}` : each));
  return marked.replace(/"\\u0000([0-9]+)"/g, "$1");
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${exactJson(await answer(JSON.parse(line)))}\n`);
}
