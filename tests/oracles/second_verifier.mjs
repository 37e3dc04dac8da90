// One long-lived process for the tests: a request is a line of JSON, and so is its answer. What is not an error of
// the protocol comes back as `mistake`, which no test accepts.

import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";

import { toHex, utf8 } from "../../verifier/browser/basics/bytes.js";
import { auditLog } from "../../verifier/browser/check/audit.js";
import { openWitnessed } from "../../verifier/browser/policy/witnessed.js";
import { checkFork } from "../../verifier/browser/forks/fork.js";
import { GAMES } from "../../verifier/browser/games/games.js";
import { leafHash } from "../../verifier/browser/basics/hashing.js";
import { auditPath, Edge, rootOfHashes, rootOfInclusion, rootsOfConsistency } from "../../verifier/browser/log/merkle.js";
import { openNote, VerifierKey } from "../../verifier/browser/log/notes.js";
import { readRecord } from "../../verifier/browser/records/record.js";
import { Replay } from "../../verifier/browser/records/replay.js";
import { Beacons } from "../../verifier/browser/records/salts.js";
import { asItWasWritten } from "../../verifier/browser/player/helped-file.js";
import { findCodes } from "../../verifier/browser/player/pasted-code.js";
import { printRoundCode } from "../../verifier/browser/player/round-code.js";
import { hmacSha256, sha256 } from "../../verifier/browser/basics/sha256.js";
import { contextOf, Stream } from "../../verifier/browser/draws/stream.js";
import * as verifier from "../../verifier/browser/verifier.js";
import { BEACON_OPERATIONS } from "./second_beacon.mjs";
import { DECLARED_OPERATIONS } from "./second_declarations.mjs";
import { PAYTABLE_OPERATIONS } from "./second_paytables.mjs";

const { CheckFailed, checkBet, checkCode, checkCodeByProof, checkProof, fetchLog, ForedrawError, locateTypingError, NotThisLogs, sentence, Unreadable } = verifier;

function ofFolder(folder) {
  return async (path) => {
    try {
      return new Uint8Array(await readFile(`${folder}/${path}`));
    } catch (error) {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
      throw error;
    }
  };
}

function ofFiles(files) {
  return async (path) => (Object.hasOwn(files, path) ? bytes(files[path]) : null);
}

/** Beacons by their words (SPEC 4.8). */
const named = (texts = []) => texts.map((text) => verifier.Beacon.parse(text));

const bytes = (hex) => new Uint8Array(Buffer.from(hex, "hex"));

function source({ folder, files, url, patience }) {
  if (url !== undefined) return fetchLog(url, { patience });
  return folder === undefined ? ofFiles(files) : ofFolder(folder);
}

/** A report with its sentences, and the number of files that it read. */
function inWords(report, started, now = null) {
  const remarks = now === null ? [] : verifier.remarks(report, now).map((fact) => sentence(fact));
  const sentences = report.proven.map((fact) => sentence(fact));
  const caveats = report.notProven.map((fact) => sentence(fact));
  const unknown = report.unknown.map((fact) => sentence(fact));
  return { ...report, remarks, sentences, caveats, unknown, words: verifier.verdictLine(report), milliseconds: performance.now() - started };
}

async function code({ text, key, policy, logName, address, table = null, now, beacons, ...log }) {
  const paths = [];
  const seen = [];
  const read = source(log);
  const started = performance.now();
  const counted = (path) => {
    paths.push(path);
    return read(path);
  };
  const report = await checkCode(text, {
    vkey: key,
    policy,
    logName,
    address,
    read: counted,
    beacons: named(beacons),
    table,
    onStep: (step) => seen.push(step),
  });
  return { ...inWords(report, started, now), paths, seen };
}

async function proof({ hex, key, policy, logName, now, beacons }) {
  const seen = [];
  const started = performance.now();
  const report = await checkProof(bytes(hex), { vkey: key, policy, logName, beacons: named(beacons), onStep: (step) => seen.push(step) });
  return { ...inWords(report, started, now), seen };
}

async function codeByProof({ text, hex, key, policy, table = null, now, beacons }) {
  const seen = [];
  const started = performance.now();
  const options = { vkey: key, policy, beacons: named(beacons), table, onStep: (step) => seen.push(step) };
  const report = await checkCodeByProof(text, bytes(hex), options);
  return { ...inWords(report, started, now), seen };
}

async function bet({ hex, key, policy, logName, address, now, ...log }) {
  const seen = [];
  const started = performance.now();
  const report = await checkBet(bytes(hex), { vkey: key, policy, logName, address, read: source(log), onStep: (step) => seen.push(step) });
  return { ...inWords(report, started, now), seen };
}

/** An audit of a whole log (SPEC 8.1), with what it counted. */
async function audit({ key, policy, logName, address, beacons, ...log }) {
  const { verdict, replay: found, witnessed: told } = await auditLog({ vkey: key, policy, logName, address, read: source(log), beacons: named(beacons) });
  return { verdict, tables: Object.fromEntries([...found.tables].map(counted)), ...told };
}

/** Whether each text is a record by its form, `held`, or one that is newer than the modules, `unknown`. */
function forms({ texts }) {
  const verdict = (text) => {
    try {
      return readRecord(utf8(text), null).newer === undefined ? "held" : "unknown";
    } catch (error) {
      if (error instanceof CheckFailed) return "failed";
      throw error;
    }
  };
  return { verdicts: texts.map(verdict) };
}

/** Records alone, from a log's first one on. */
function replay({ origin, records, beacons }) {
  const state = new Replay(origin, new Beacons(named(beacons)));
  for (const record of records) state.advance(utf8(record));
  const verdict = state.unknown.length ? "unknown" : "held";
  return { verdict, tables: Object.fromEntries([...state.tables].map(counted)), unknown: state.unknown };
}

function counted([name, { counts, committed, smallestDistance, rulesChanges, unusedOutcomes }]) {
  const told = { ...counts, committed, smallest_distance: smallestDistance, unused_outcomes: unusedOutcomes };
  return [name, { ...told, rules_changes: rulesChanges.map(({ batch }) => batch) }];
}

async function evidence({ hex, key, policy }) {
  const { smaller, larger } = await checkFork(bytes(hex), verifier.policyOf({ vkey: key, policy }));
  return { verdict: "held", sizes: [Number(smaller.size), Number(larger.size)] };
}

/** Evidence, with its report: a policy's log is chosen by the file. */
async function fork({ hex, key, policy, logName }) {
  return verifier.checkEvidence(bytes(hex), { vkey: key, policy, logName });
}

/** What is remembered of a log, compared with the log. */
async function history({ seen, key, policy, logName, address, ...log }) {
  return verifier.checkHistory(seen, { vkey: key, policy, logName, address, read: source(log) });
}

/** Whether a signed note opens with a key in text form. */
async function note({ hex, key }) {
  return { verdict: "held", text: await openNote(bytes(hex), VerifierKey.parse(key)) };
}

/** Whether a file shows that witnesses saw a batch in time. */
async function witnessed({ hex, record, index, pulse, policy }) {
  const batch = { index: BigInt(index), leaf: leafHash(utf8(record)), pulseTime: pulse === null ? null : BigInt(pulse) };
  const { time } = await openWitnessed(hex === null ? null : bytes(hex), batch, verifier.policyOf({ policy }));
  return { verdict: "held", time: Number(time) };
}

function typing({ texts }) {
  return { found: texts.map((text) => locateTypingError(text)) };
}

/** Each code, parsed and printed again. */
function spelled({ texts }) {
  return { codes: texts.map((text) => printRoundCode(verifier.parseRoundCode(text))) };
}

function hashes({ texts, key }) {
  return { sha256: texts.map((hex) => toHex(sha256(bytes(hex)))), hmac: texts.map((hex) => hmac(key, hex)) };
}

const hmac = (key, hex) => toHex(hmacSha256(bytes(key), bytes(hex)));

/** A tree of given entries: its root, computed in two ways, and each entry's audit path. */
function tree({ entries }) {
  const leaves = entries.map((hex) => leafHash(bytes(hex)));
  const edge = new Edge();
  for (const leaf of leaves) edge.append(leaf);
  const paths = leaves.map((_, index) => auditPath(leaves, index).map(toHex));
  return { root: toHex(rootOfHashes(leaves)), edge: toHex(edge.root), paths };
}

function inclusion({ leaf, index, size, path }) {
  const root = rootOfInclusion(bytes(leaf), BigInt(index), BigInt(size), path.map(bytes));
  return { root: root && toHex(root) };
}

function consistency({ old_size: oldSize, old_root: oldRoot, size, path }) {
  const roots = rootsOfConsistency(BigInt(oldSize), bytes(oldRoot), BigInt(size), path.map(bytes));
  return { roots: roots && roots.map(toHex) };
}

/** Outcomes of many rounds, each with a game, its rules, a batch and the custodians' seeds. */
function outcomes({ rounds }) {
  return {
    outcomes: rounds.map(({ game, rules, batch_id: batchId, salt, round, seeds }) => {
      return GAMES[game].outcome(Stream.of(seeds.map(bytes), contextOf(bytes(batchId), bytes(salt)), round), rules);
    }),
  };
}

/** What somebody pasted, and a file that was helped on its way. */
function pasted({ text }) {
  return findCodes(text);
}

function helped({ hex }) {
  const found = asItWasWritten(bytes(hex));
  return { ...found, bytes: toHex(found.bytes) };
}

/** The names that the modules know. */
function names() {
  const { MEANING, FACTS } = verifier;
  const games = Object.entries(GAMES).map(([name, { lead, hasFlight }]) => [name, [lead, hasFlight]]);
  return { meaning: MEANING, facts: FACTS, games: Object.fromEntries(games) };
}

const OPERATIONS = {
  ...BEACON_OPERATIONS,
  ...DECLARED_OPERATIONS,
  ...PAYTABLE_OPERATIONS,
  audit,
  bet,
  code,
  consistency,
  evidence,
  fork,
  forms,
  helped,
  history,
  hashes,
  inclusion,
  names,
  note,
  outcomes,
  pasted,
  proof,
  "code-proof": codeByProof,
  replay,
  spelled,
  tree,
  typing,
  witnessed,
};

async function answer({ operation, ...request }) {
  try {
    return await OPERATIONS[operation](request);
  } catch (error) {
    if (error instanceof NotThisLogs) return { verdict: "unreadable", unreadable: error.unreadable };
    if (error instanceof CheckFailed) return { verdict: "failed", failure: { ...error, meaning: error.meaning } };
    if (error instanceof Unreadable) return { verdict: "unreadable", unreadable: { path: error.path } };
    if (error instanceof ForedrawError) return { verdict: "malformed", ...(request.policy ? { message: error.message } : {}) };
    return { mistake: error.stack };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line)))}\n`);
}
