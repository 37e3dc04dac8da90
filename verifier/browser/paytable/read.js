// A paytable read: what a table's bets pay, by the file that the table's record names by its hash
// (docs/paytable-format.md, SPEC 5.10).

import { toHex } from "../basics/bytes.js";
import { CheckFailed, Malformed, Unknown } from "../basics/errors.js";
import { DEEPEST_PAYTABLE, LARGEST_NEWER_PAYTABLE, LARGEST_PAYTABLE } from "../basics/limits.js";
import { sha256 } from "../basics/sha256.js";
import { parseSpelled } from "../declared/spelling.js";
import { gameOf } from "../games/games.js";
import { isNumber } from "./context.js";
import { checkForm } from "./form.js";

const SPELLING = { what: "paytable", largest: LARGEST_NEWER_PAYTABLE, deepest: DEEPEST_PAYTABLE };

/**
 * The bets of one game: what was read keeps every limit, and is known in all its words.
 * @typedef {{options: object[], tables: Record<string, object>}} Paytable
 */

/**
 * @param {string} paytable the SHA-256 of a paytable, in HEX
 * @returns {string} where a log has the file
 */
export const paytablePath = (paytable) => `paytables/${paytable}`;

/**
 * Check and read the file that a table's record names.
 * @param {?Uint8Array} bytes the file; `null` if there is none
 * @param {{game: string, declaration?: ?object, paytable: string}} table its record
 * @returns {Paytable}
 * @throws {CheckFailed} `paytable-file`, `paytable-form`
 * @throws {Unknown} what is newer than this program, of which the spelling alone is judged: the file, or the declaration
 */
export function readPaytable(bytes, { game, declaration, paytable }) {
  const where = paytablePath(paytable);
  const must = (condition, expected, found) => {
    if (!condition) throw new CheckFailed("paytable-file", { expected, found, where });
  };
  const expected = `a file with the SHA-256 ${paytable}`;
  must(bytes !== null, expected, "none");
  const hash = toHex(sha256(bytes));
  must(hash === paytable, expected, hash);
  const isLarge = bytes.length > LARGEST_PAYTABLE;
  const mustBeSmall = () => must(!isLarge, `at most ${LARGEST_PAYTABLE} bytes`, `${bytes.length}`);
  try {
    const found = parseSpelled(bytes, SPELLING);
    if (isNumber(found.version) && found.version > 1) throw new Unknown([`paytables of version ${found.version}`]);
    mustBeSmall();
    const { declaration: declared } = gameOf({ game, declaration: declaration ?? undefined });
    if (declared === null) throw new Unknown(["what the game of a paytable declares"]);
    checkForm(found, declared);
    return { options: found.options, tables: found.tables ?? {} };
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    mustBeSmall();
    throw new CheckFailed("paytable-form", { expected: error.expected, found: error.found, where });
  }
}
