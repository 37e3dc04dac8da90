// The form of a round's proof file, and of a receipt, which has fewer sections (SPEC 5.6). `check/proof.js` checks
// it.

import { CheckFailed, Malformed, quote } from "../basics/errors.js";
import { LARGEST_PROOF, MOST_CUSTODIANS, ROUNDS_END } from "../basics/limits.js";
import { parseDecimal, parseHex } from "../basics/spelling.js";
import { parseInclusion, parseTlogProof } from "../log/tlog-proof.js";

const FIRST_LINE = "foredraw/v1/round-proof";
const WITNESSED = "witnessed";
const COMMITMENT = "commitment";
const ORDER = ["table", "batch", "salt", WITNESSED, "lead-lock", "lock", "reveal", COMMITMENT];
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
 * @property {Section[]} commitments one per custodian
 * @property {Uint8Array} note the signed checkpoint, verbatim
 */

/**
 * @param {Uint8Array} bytes the file
 * @returns {RoundProof}
 * @throws {CheckFailed} `proof-form`
 */
export function parseRoundProof(bytes) {
  try {
    return parsed(bytes);
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    throw new CheckFailed("proof-form", { expected: error.expected, found: error.found });
  }
}

function parsed(bytes) {
  require(bytes.length <= LARGEST_PROOF, `at most ${LARGEST_PROOF} bytes`, `${bytes.length} bytes`);
  // One character per byte, so that a record keeps its bytes, whatever they are.
  const { head, blocks, note } = split(latin1(bytes));
  const sections = blocks.map(parseSection);
  const named = (name) => sections.filter((section) => section.name === name);
  const proof = {
    ...parseHead(head),
    sections: sections.map(({ name }) => name),
    records: sections.filter(({ name }) => name !== COMMITMENT && name !== WITNESSED),
    witnessed: named(WITNESSED)[0]?.content ?? null,
    commitments: named(COMMITMENT),
    note: bytes.subarray(note),
  };
  checkStage(proof);
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

function parseSection(block) {
  const [name, content, ...proof] = block.split("\n");
  require(ORDER.includes(name), "a section of a proof file", name);
  require(content !== undefined && content !== "", `the content of ${name}`, "nothing");
  if (name === WITNESSED) return { name, content: parseWitnessed(block) };
  const bytes = name === COMMITMENT ? parseHex(content, 32, name) : fromLatin1(content);
  return { name, content: bytes, inclusion: parseInclusion(proof) };
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
function checkStage({ round, commitments, sections: names }) {
  const isOrdered = names.every((name, at) => {
    const step = at === 0 ? 1 : ORDER.indexOf(name) - ORDER.indexOf(names[at - 1]);
    return step > 0 || (step === 0 && name === COMMITMENT);
  });
  require(isOrdered, "the sections in their order, each once", names.join(", "));
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
