// The one spelling of a declaration (SPEC 3.6, 4.1), and of other files of data.

import { Malformed, quote } from "../basics/errors.js";
import { DEEPEST_DECLARATION, LARGEST_DECLARATION } from "./limits.js";

const DECLARATION = { what: "declaration", largest: LARGEST_DECLARATION, deepest: DEEPEST_DECLARATION };

/**
 * @param {Uint8Array} bytes
 * @param {{what: string, largest: number, deepest: number}} [spelling] of another file than a declaration: its name, and
 *   its limits in bytes, and in arrays and objects within one another
 * @returns {any} what has them as its one spelling
 * @throws {Malformed}
 */
export function parseSpelled(bytes, { what, largest, deepest } = DECLARATION) {
  const demand = (condition, expected, found) => {
    if (!condition) throw new Malformed(what, expected, quote(String(found)));
  };
  demand(bytes.length <= largest, `at most ${largest} bytes`, bytes.length);
  demand(bytes.every((byte) => byte >= 0x20 && byte <= 0x7e), "printable ASCII", "other bytes");
  const text = new TextDecoder().decode(bytes);
  const found = fromJson(text, what);
  checkForm(found, deepest);
  demand(spelled(found) === text, "the one accepted spelling", text);
  return found;

  function checkForm(value, depth) {
    if (typeof value === "string") {
      // Other characters have spellings, too, but no escapes are allowed for them.
      demand(/^[\x20-\x7e]*$/.test(value), "a string of printable ASCII", value);
      return;
    }
    if (Number.isSafeInteger(value) && value >= 0) return;
    demand(typeof value === "object" && value !== null, "a string, or a whole number below 2^53", value);
    demand(depth > 0, `arrays and objects at most ${deepest} deep`, "deeper ones");
    for (const [key, each] of Object.entries(value)) {
      checkForm(key, 0);
      checkForm(each, depth - 1);
    }
  }
}

/**
 * @param {any} value of objects, arrays, strings and whole numbers
 * @returns {string} keys in order, no white space
 */
export function spelled(value) {
  if (Array.isArray(value)) return `[${value.map(spelled).join()}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${spelled(value[key])}`).join()}}`;
}

function fromJson(text, what) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Malformed(what, "JSON", quote(text));
  }
}
