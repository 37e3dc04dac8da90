// Records: JSON in one accepted spelling, with exactly the keys and values of its type (SPEC 4.1, 4.2).

import { CheckFailed, Malformed, quote, Unknown } from "../basics/errors.js";
import { DEEPEST_RECORD, LARGEST_BATCH, LARGEST_RECORD, LONGEST_REASON, MOST_CUSTODIANS, ROUNDS_END } from "../basics/limits.js";
import { parseTime } from "../basics/times.js";
import { spelled } from "../declared/spelling.js";

/**
 * A record's values by their keys, as they are in its JSON: numbers are Number, hashes and times text.
 * @typedef {Record<string, any>} LogRecord
 */

/** The log's own name: nothing but asides stands under it (SPEC 4.10). */
const OWN_NAME = "-";
const ASIDE = "aside-";
const SIGNATURE = /^(?:[0-9a-f]{2}){1,8192}$/;

/** A shape: a function that throws `Malformed` if a value does not have it. */
const time = (value) => parseTime(text(value));
const hash = (value) => require(/^[0-9a-f]{64}$/.test(text(value)), "64 lower-case hexadecimal digits", value);
const signature = (value) => require(SIGNATURE.test(text(value)), "2 to 16384 hexadecimal digits, an even number", value);
const name = (value) => require(/^[a-z0-9-]{1,32}$/.test(text(value)), "a name of a-z, 0-9 and -", value);
const tableName = (value) => require(name(value) !== OWN_NAME, "a table's name: - is the log's own", value);
const required = (value) => require(value === "required", '"required"', value);
const status = (value) => require(["played", "void"].includes(value), '"played" or "void"', value);
const integer = (value) => require(Number.isSafeInteger(value) && value >= 0, "an integer", value);
const fromOne = (value) => require(integer(value) >= 1, "an integer from 1", value);
const count = (value) => require(fromOne(value) <= LARGEST_BATCH, `at most ${LARGEST_BATCH} rounds`, value);
const round = (value) => require(fromOne(value) < ROUNDS_END, "a round below 2^48", value);
const hashes = (value) => list(value, hash, MOST_CUSTODIANS);

function reason(value) {
  return require(text(value).length >= 1 &&
    value.length <= LONGEST_REASON, `1 to ${LONGEST_REASON} characters`, value);
}

function text(value) {
  return require(typeof value === "string" && /^[\x20-\x7e]*$/.test(value), "a string of printable ASCII", value);
}

function names(value) {
  list(value, name, MOST_CUSTODIANS);
  return require(new Set(value).size === value.length, "different names", value);
}

function list(value, shape, most) {
  require(Array.isArray(value) && value.length >= 1 && value.length <= most, `1 to ${most} values`, value);
  for (const each of value) shape(each);
  return value;
}

/** Any values: a known game closes them. */
function rules(value) {
  open(value);
  if (Object.hasOwn(value, "version")) integer(value.version);
}

/** An object of any values that a record can have. */
function open(value) {
  entries(value);
  plain(value, DEEPEST_RECORD - 1);
}

/** What every value of a record is made of (SPEC 4.1). */
function plain(value, depth) {
  if (typeof value === "string") text(value);
  else if (typeof value !== "object" || value === null) integer(value);
  else {
    require(depth > 0, `arrays and objects at most ${DEEPEST_RECORD} deep`, "deeper ones");
    for (const [key, each] of Object.entries(value)) {
      text(key);
      plain(each, depth - 1);
    }
  }
}

function lastSeeds(value) {
  require(Array.isArray(value), "an array", value);
  for (const each of value) keys(each, { batch: fromOne, seeds: hashes });
}

const bets = (value) => keys(value, { count: integer, root: hash });

/** The keys of each type except `table`, `type` and `v`; those with a `?` are optional. */
const TYPES = {
  __proto__: null,
  table: { "?bets": required, "created": time, "custodians": names, "?declaration": open, "game": name, "lead": integer, "log": text, "?paytable": hash, "salt": text },
  batch: {
    "anchors": hashes,
    "batch": fromOne,
    "?beacon": fromOne,
    "commitments": hashes,
    "committed": time,
    count,
    "first": fromOne,
    "previous": hash,
    rules,
  },
  salt: { batch: fromOne, salted: time, signature },
  lock: { "?bets": bets, "locked": time, "?opened": time, "?reason": reason, round },
  reveal: { "outcome": open, "?reason": reason, "revealed": time, round, "seeds": hashes, status },
  end: { ended: time },
  close: { closed: time, seeds: lastSeeds },
};

/** The key that is a type's time (SPEC 4.6). */
export const TIME_OF = Object.freeze({
  table: "created",
  batch: "committed",
  salt: "salted",
  lock: "locked",
  reveal: "revealed",
  end: "ended",
  close: "closed",
});

/**
 * @param {Uint8Array} bytes exactly the record's
 * @param {?number} [index] in the log, for errors
 * @returns {LogRecord}
 * @throws {CheckFailed} `record-form`
 * @throws {Unknown} a record of a later version than this program's, or an aside
 */
export function parseRecord(bytes, index = null) {
  const record = readRecord(bytes, index);
  if (record.newer !== undefined) throw new Unknown([record.newer]);
  if (record.aside !== undefined) throw new Unknown([`the aside ${record.aside}`]);
  return record;
}

/**
 * The same, also for a record of a later version, and for an aside: of these, the table, and what they are.
 * @param {Uint8Array} bytes
 * @param {?number} index
 * @returns {LogRecord | {table: string, newer: string} | {table: string, aside: string}}
 * @throws {CheckFailed} `record-form`
 */
export function readRecord(bytes, index) {
  try {
    return parsed(bytes);
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    throw new CheckFailed("record-form", { expected: error.expected, found: error.found, index });
  }
}

function parsed(bytes) {
  require(bytes.length <= LARGEST_RECORD, `at most ${LARGEST_RECORD} bytes`, bytes.length);
  require(bytes.every((value) => value >= 0x20 && value <= 0x7e), "printable ASCII", "other bytes");
  const written = new TextDecoder().decode(bytes);
  const record = fromJson(written);
  const other = otherThanKnown(record);
  if (other !== null) {
    plain(record, DEEPEST_RECORD);
    require(spelled(record) === written, "the one accepted spelling", written);
    return { table: record.table, ...other };
  }
  // Only of text: a look-up with an object calls its own `toString`, which JSON may have made a number.
  const shape = typeof record?.type === "string" ? TYPES[record.type] : undefined;
  require(typeof record === "object" && shape !== undefined, "an object of a known type", record);
  keys(record, { ...shape, table: tableName, type: text, v: (value) => require(value === 1, "version 1", value) });
  if (record.type === "lock") checkLock(record);
  // The shapes above have checked how deep it is nested, so `spelled` recurses no deeper.
  require(spelled(record) === written, "the one accepted spelling", written);
  return record;
}

/** What a record is that ends as all do, and at which no rule of this version looks; `null` for any other. */
function otherThanKnown(record) {
  if (typeof record !== "object" || record === null) return null;
  const { table, type, v } = record;
  const isName = (value) => typeof value === "string" && /^[a-z0-9-]{1,32}$/.test(value);
  const endsSo = Object.keys(record).sort().slice(-3).join() === "table,type,v";
  if (!endsSo || !isName(table) || !isName(type) || !Number.isSafeInteger(v) || v < 1) return null;
  if (type.startsWith(ASIDE)) return v === 1 ? { aside: type } : null;
  return v > 1 && table !== OWN_NAME ? { newer: `tables of version ${v}` } : null;
}

function checkLock(lock) {
  const isGivenUp = "reason" in lock;
  require(isGivenUp || "opened" in lock, "opened, or a reason", "neither");
  require(!(isGivenUp && "bets" in lock), "bets or a reason", "both");
}

/** Checks that an object has exactly these keys, each with a value of its shape. */
function keys(value, shapes) {
  const found = new Map(entries(value));
  for (const [key, shape] of Object.entries(shapes)) {
    const own = key.replace("?", "");
    if (found.has(own)) shape(found.get(own));
    else require(key !== own, `a key ${own}`, "none");
    found.delete(own);
  }
  require(found.size === 0, "no other keys", [...found.keys()]);
  return value;
}

function entries(value) {
  require(typeof value === "object" && value !== null && !Array.isArray(value), "an object", value);
  return Object.entries(value);
}

function fromJson(written) {
  try {
    return JSON.parse(written);
  } catch {
    throw new Malformed("record", "JSON", quote(written));
  }
}

/** Returns the value if the condition holds. */
function require(condition, expected, value) {
  if (!condition) throw new Malformed("record", expected, quote(typeof value === "string" ? value : shown(value)));
  return value;
}

function shown(value) {
  try {
    return String(JSON.stringify(value));
  } catch {
    return "something nested too deep";
  }
}
