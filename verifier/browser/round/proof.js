// The form of a round's proof file, and of a receipt, which has fewer sections (SPEC 5.6). `check/proof.js` checks
// it.

import { CheckFailed, ForedrawError, Malformed, quote } from "../basics/errors.js";
import { LARGEST_PROOF, LONGEST_LINE_OF_ASIDE, MOST_CUSTODIANS, MOST_LINES_OF_ASIDE, ROUNDS_END } from "../basics/limits.js";
import { refuseNewer } from "../basics/newer-file.js";
import { parseBase64, parseBase64Hash, parseDecimal, parseHex } from "../basics/spelling.js";
import { parseInclusion, parseTlogProof } from "../log/tlog-proof.js";

const KIND = "round-proof";
const FIRST_LINE = `foredraw/v1/${KIND}`;
const WITNESSED = "witnessed";
const CONSISTENCY = "consistency";
const COMMITMENT = "commitment";
const CUSTODY = "custody";
const ASIDE = "aside-";
const RECORDS = ["table", "batch", "salt", "lead-lock", "lock", "reveal"];
/** Asides come last, before the checkpoint. */
const ORDER = ["table", "batch", "salt", WITNESSED, CONSISTENCY, "lead-lock", "lock", "reveal", COMMITMENT, CUSTODY, ASIDE];
/** One per custodian. */
const REPEATED = new Set([COMMITMENT, CUSTODY, ASIDE]);
/** The proof of `witnessed` has empty lines of its own: before its checkpoint, and in it. */
const PARTS_OF_WITNESSED = 3;
const CHECKPOINT = "checkpoint\n";

/**
 * @typedef {object} Section
 * @property {string} name
 * @property {Uint8Array} content the exact bytes of a record, or the 32 bytes of a commitment
 * @property {import("../log/tlog-proof.js").Inclusion} inclusion
 */

/**
 * @typedef {object} RoundProof
 * @property {string} table
 * @property {number} round
 * @property {string[]} sections their names, in the order of the file
 * @property {Section[]} records in the order of the file
 * @property {?Uint8Array} witnessed the file which shows that witnesses saw the batch (SPEC 5.8), verbatim
 * @property {?Uint8Array[]} consistency the hashes which show that the log of `note` extends that of `witnessed`; `null` if
 *   there is no such section
 * @property {Section[]} commitments one per custodian
 * @property {{name: string, note: Uint8Array, policy: Uint8Array}[]} custody what custodians said of the batch, verbatim
 * @property {string[]} asides the names of sections that are kept, and not checked
 * @property {string[]} later the names of sections of later versions
 * @property {Uint8Array} note the signed checkpoint, verbatim
 */

/**
 * @param {Uint8Array} bytes the file
 * @returns {RoundProof}
 * @throws {CheckFailed} `proof-form`
 * @throws {Unknown} if it is a file of a later version
 */
export function parseRoundProof(bytes) {
  try {
    return parsed(bytes);
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    throw new CheckFailed("proof-form", { expected: error.expected, found: error.found });
  }
}

/**
 * The checkpoint in a proof file, which says of which log it is.
 * @param {Uint8Array} bytes the file
 * @returns {Uint8Array} empty if the file has no proof file's form
 */
export function noteOf(bytes) {
  try {
    return parsed(bytes).note;
  } catch (error) {
    if (!(error instanceof ForedrawError)) throw error;
    return new Uint8Array();
  }
}

function parsed(bytes) {
  refuseNewer(bytes, KIND);
  require(bytes.length <= LARGEST_PROOF, `at most ${LARGEST_PROOF} bytes`, `${bytes.length} bytes`);
  // One character per byte, so that a record keeps its bytes, whatever they are.
  const { head, blocks, note } = split(latin1(bytes));
  const all = blocks.map(parseSection);
  const sections = all.filter(({ kind }) => kind !== null);
  const named = (name) => sections.filter((section) => section.name === name);
  const proof = {
    ...parseHead(head),
    sections: sections.map(({ name }) => name),
    records: sections.filter(({ name }) => RECORDS.includes(name)),
    witnessed: named(WITNESSED)[0]?.content ?? null,
    consistency: named(CONSISTENCY)[0]?.hashes ?? null,
    commitments: named(COMMITMENT),
    custody: named(CUSTODY).map(({ custody }) => custody),
    asides: sections.filter(({ kind }) => kind === ASIDE).map(({ name }) => name),
    later: all.filter(({ kind }) => kind === null).map(({ name }) => name),
    note: bytes.subarray(note),
  };
  checkStage(proof, sections);
  return proof;
}

/** The parts that empty lines separate: the first one, those of the sections, and where the checkpoint begins. */
function split(text) {
  const blocks = [];
  let at = 0;
  // An empty line below the name would end the section, as below every other name.
  while (!text.startsWith(CHECKPOINT, at) || text[at + CHECKPOINT.length] === "\n") {
    let end = at - 2;
    for (let parts = text.startsWith(`${WITNESSED}\n`, at) ? PARTS_OF_WITNESSED : 1; parts > 0; parts -= 1) {
      end = text.indexOf("\n\n", end + 2);
      require(end >= 0, "a checkpoint after the sections", "none");
    }
    blocks.push(text.slice(at, end));
    at = end + 2;
  }
  const [head = "", ...sections] = blocks;
  return { head, blocks: sections, note: at + CHECKPOINT.length };
}

function parseHead(head) {
  const parts = /^foredraw\/v1\/round-proof\nround ([a-z0-9-]{1,32}) ([0-9]+)$/.exec(head);
  require(parts !== null, `${FIRST_LINE}, and a line with table and round`, head);
  const round = parseDecimal(parts[2], "round");
  require(round >= 1n && round < BigInt(ROUNDS_END), "a round from 1, below 2^48", parts[2]);
  return { table: parts[1], round: Number(round) };
}

/** A section of a later version has no `kind`. */
function parseSection(block) {
  const [name, ...lines] = block.split("\n");
  require(/^[a-z0-9-]{1,32}$/.test(name), "a section's name of a-z, 0-9 and -", name);
  const kind = name.startsWith(ASIDE) ? ASIDE : ORDER.includes(name) ? name : null;
  if (kind === null || kind === ASIDE) {
    checkLines(name, lines);
    return { name, kind };
  }
  if (name === CONSISTENCY) return { name, kind, hashes: lines.map((line) => parseBase64Hash(line)) };
  if (name === CUSTODY) return { name, kind, custody: parseCustody(lines) };
  if (name === WITNESSED) return { name, kind, content: parseWitnessed(block) };
  const [content = "", ...proof] = lines;
  require(content !== "", `the content of ${name}`, "nothing");
  const bytes = name === COMMITMENT ? parseHex(content, 32, name) : fromLatin1(content);
  return { name, kind, content: bytes, inclusion: parseInclusion(proof) };
}

/** A section whose meaning is unknown: its lines alone have a form. */
function checkLines(name, lines) {
  const isLine = (line) => line.length <= LONGEST_LINE_OF_ASIDE && /^[\x20-\x7e]+$/.test(line);
  const isRight = lines.length >= 1 && lines.length <= MOST_LINES_OF_ASIDE && lines.every(isLine);
  require(isRight, `1 to ${MOST_LINES_OF_ASIDE} lines of printable characters below ${name}`, "others");
}

function parseCustody([name, ...both]) {
  require(/^[a-z0-9-]{1,32}$/.test(name ?? ""), "a custodian's name", name);
  require(both.length === 2, "a custodian's note and its policy, a line each", `${both.length} lines`);
  const [note, policy] = both.map((line) => parseBase64(line, "custody"));
  return { name, note, policy };
}

/** The file below the section's name. It is only parsed here: a policy decides whether it shows anything. */
function parseWitnessed(block) {
  const file = fromLatin1(`${block.slice(WITNESSED.length + 1)}\n`);
  const { note } = parseTlogProof(file);
  require(note.at(-2) !== 0x0a, "lines of signatures below the checkpoint of witnessed", "none");
  return file;
}

/**
 * Checks that these are the sections of one stage of a round, in order. Which lock is the lead-lock depends on the
 * table.
 */
function checkStage({ round, commitments, asides, sections: names }, sections) {
  const isOrdered = sections.every(({ kind }, at) => {
    const step = at === 0 ? 1 : ORDER.indexOf(kind) - ORDER.indexOf(sections[at - 1].kind);
    return step > 0 || (step === 0 && REPEATED.has(kind));
  });
  require(isOrdered, "the sections in their order, each once", names.join(", "));
  const isAscending = asides.every((name, at) => at === 0 || asides[at - 1] < name);
  require(isAscending, "asides in ascending order, each once", asides.join(", "));
  const needs = { table: [], batch: ["table"], lock: round > 1 ? ["lead-lock"] : [], reveal: ["lock"] };
  for (const name of ["table", "batch", ...names]) {
    for (const needed of [...(needs[name] ?? []), ...(name in needs && ORDER.indexOf(name) < 2 ? [name] : [])]) {
      require(names.includes(needed), `a section ${needed}`, "none");
    }
  }
  require(commitments.length >= 1 && commitments.length <= MOST_CUSTODIANS, "1 to 8 commitments", commitments.length);
}

function latin1(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x2000) text += String.fromCharCode(...bytes.subarray(at, at + 0x2000));
  return text;
}

function fromLatin1(text) {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function require(condition, expected, found) {
  if (!condition) throw new Malformed("proof file", expected, quote(String(found)));
}
