// The policy that a custodian published: by whose word it releases seeds, as far as this version knows its words
// (SPEC 5.9).

import { Beacon } from "../beacon/chain.js";
import { sameBytes, toHex } from "../basics/bytes.js";
import { Malformed, quote } from "../basics/errors.js";
import { sha256 } from "../basics/sha256.js";
import { parseBase64 } from "../basics/spelling.js";
import { VerifierKey } from "../log/notes.js";
import { WitnessKey } from "./cosignatures.js";
import { checkWords, CUSTODIAN, FORMS, linesOf, parsePolicies, THRESHOLD, wordsOf } from "./policy.js";

/** The lines with a key: its place among the words, and what it is. */
const KEYS = { log: [1, VerifierKey], witness: [2, WitnessKey], custodian: [2, VerifierKey] };

/**
 * Of the other lines of a later policy the form alone is judged, and that one of them is for the log's key; names,
 * members and the number of quorums are not.
 * @param {Uint8Array} bytes the policy
 * @param {VerifierKey} log that it must name
 * @returns {?import("./policy.js").Policies} `null` if it has words or keys of a later version
 * @throws {Malformed}
 */
export function readPublished(bytes, log) {
  const lines = linesOf(bytes).map(wordsOf).filter((words) => words.length > 0);
  const known = lines.filter((words) => !isNewer(words));
  known.forEach(checkForm);
  const isOfLog = ([kind, vkey]) => kind === "log" && String(VerifierKey.parse(vkey)) === String(log);
  if (!known.some(isOfLog)) throw new Malformed("a custodian's policy", `a line for the log ${log}`, "none");
  return known.length === lines.length ? parsePolicies(bytes) : null;
}

/** Whether a line begins with a word of a later version, or has a key of a type that this one does not know there. */
function isNewer(words) {
  if (!Object.hasOwn(FORMS, words[0])) return true;
  if (!Object.hasOwn(KEYS, words[0])) return false;
  const [at, kind] = KEYS[words[0]];
  const typed = typedKey(words[at] ?? "");
  return typed !== null && typed[0] !== kind.TYPE;
}

/** The type and the key of a text in a verifier key's form, if its id is that of this name and key. */
function typedKey(vkey) {
  const [, name, keyId, encoded] = /^([^+]+)\+([^+]*)\+(.*)$/.exec(vkey) ?? [];
  if (name === undefined) return null;
  try {
    const typed = parseBase64(encoded, "key");
    const named = Uint8Array.from([...`${name}\n`].map((character) => character.charCodeAt(0)).concat([...typed]));
    return toHex(sha256(named).subarray(0, 4)) === keyId ? typed : null;
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    return null;
  }
}

/** A line by itself. */
function checkForm(words) {
  checkWords(words);
  const [kind, first, second] = words;
  if (Object.hasOwn(KEYS, kind)) KEYS[kind][1].parse(words[KEYS[kind][0]]);
  if (kind === "custodian" && !CUSTODIAN.test(first)) refuse("a custodian's name", first);
  if (kind === "group" && !["all", "any"].includes(second) && !THRESHOLD.test(second)) refuse("all, any, or a number", second);
  if (kind === "beacon") Beacon.parse(words.slice(1).join(" "));
}

function refuse(expected, found) {
  throw new Malformed("a custodian's policy", expected, quote(found));
}
