// Where a round code was mistyped, as far as its checksum shows.
//
// A Bech32m checksum is linear: how one wrong character changes the remainder of the division depends only on its
// place and on the difference. So the remainder of a mistyped code shows the place of one error, and mostly of two,
// without a search over codes. It has 30 bits: the chance that more errors look like one is about 1 in 400,000, so
// pages say "or so".

import { CheckFailed, Unknown } from "../basics/errors.js";
import { HASH_SIZE } from "../basics/hashing.js";
import { LONGEST_CODE, MOST_CUSTODIANS } from "../basics/limits.js";
import { GAMES } from "../games/games.js";
import { ALPHABET, CHECKSUM_SIZE, residue, step } from "./bech32m.js";
import { HEAD_SIZE, parseRoundCode } from "./round-code.js";

/** Characters after the 1, by the number of seeds. */
const LENGTHS = Array.from({ length: MOST_CUSTODIANS }, (_, at) => {
  return Math.ceil(((HEAD_SIZE + (at + 1) * HASH_SIZE) * 8) / 5) + CHECKSUM_SIZE;
});

/**
 * Where a code was mistyped. `places` count characters from 1.
 * @typedef {object} TypingError
 * @property {"empty"|"mixed-case"|"no-game"|"character"|"length"|"substitution"|"transposition"|"missing"|"extra"|
 *   "several"} kind `empty`: nothing was typed. `mixed-case`: upper and lower case are mixed, which may be the only
 *   error. `no-game`: it does not begin with a game's name and a 1. `character`: it has characters that no code has
 *   (all of them are in `places`). `length`: it is too long or too short to be a code. `substitution`: one or two
 *   characters are wrong (two only if no single change explains it). `transposition`: two neighbours are swapped.
 *   `missing`: one character was left out before `places[0]`. `extra`: the one at `places[0]` is too many. `several`:
 *   there are more errors than can be located.
 * @property {number[]} places
 * @property {?string} suggestion the code that was probably meant, in lower case. It is a guess: let the user compare
 *   it with the original, and never check it unasked
 * @property {?number} missing of `length`: how many characters are missing; negative, too many; `null` if unknown
 */

/**
 * Where a round code was mistyped, as far as its checksum shows.
 * @param {string} text what was typed
 * @returns {?TypingError} `null` if it is a round code
 */
export function locateTypingError(text) {
  if (isCode(text) || isNewer(text)) return null;
  if (text === "") return error("empty");
  if (text.length > LONGEST_CODE) return error("length");
  const packed = text.replace(/\s/g, "").toLowerCase();
  if (packed.length < text.length && isCode(packed)) return error("character", placesOf(text, /\s/), packed);
  const lower = text.toLowerCase();
  if (text !== lower && text !== text.toUpperCase()) return error("mixed-case", [], isCode(lower) ? lower : null);
  const misspelled = misspelledGame(lower);
  const game = misspelled.suggestion ? undefined : gameIn(lower);
  if (game === undefined) return misspelled;
  const start = game.length + 1;
  const strange = placesOf(lower, /[^02-9ac-hj-np-z]/).filter((place) => place > start);
  if (strange.length) return error("character", strange, filled(lower, strange));
  return located(game, lower);
}

/** The name that a code begins with: a known one; or else what may be that of a declared game, up to the last 1. */
function gameIn(lower) {
  const known = Object.keys(GAMES).find((name) => lower.startsWith(`${name}1`));
  return known ?? /^([a-z0-9-]{1,32})1[^1]*$/.exec(lower)?.[1];
}

/** Places, counted from 1, of the characters that match. */
function placesOf(text, pattern) {
  return Array.from(text).flatMap((character, at) => (pattern.test(character) ? [at + 1] : []));
}

function located(game, code) {
  const start = game.length + 1;
  const length = code.length - start;
  if (LENGTHS.includes(length)) return substituted(game, code) ?? swapped(game, code) ?? error("several");
  const missing = missingCharacters(length);
  if (missing === 1) return inserted(code, start) ?? error("length", [], null, missing);
  if (missing === -1) return removed(code, start) ?? error("length", [], null, missing);
  return error("length", [], null, missing);
}

/** How many characters are missing to the nearest length; `null` if two lengths are equally near. */
function missingCharacters(length) {
  const distances = LENGTHS.map((each) => each - length).sort((a, b) => Math.abs(a) - Math.abs(b));
  return Math.abs(distances[0]) === Math.abs(distances[1]) ? null : distances[0];
}

/**
 * One or two wrong characters. Two swapped neighbours are two wrong characters as well, and are reported as swapped.
 */
function substituted(game, code) {
  const start = game.length + 1;
  const groups = groupsOf(code.slice(start));
  const rest = residue(game, groups);
  const errors = singleErrors(groups.length);
  const single = errors.get(rest);
  if (single) return accepted("substitution", code, [single], start);
  const pairs = [];
  for (const [syndrome, first] of errors) {
    const second = errors.get(rest ^ syndrome);
    if (second && first.at < second.at) pairs.push([first, second]);
  }
  const found = pairs.map((pair) => accepted("substitution", code, pair, start)).filter(Boolean);
  return swapped(game, code) ?? (found.length === 1 ? found[0] : null);
}

function swapped(game, code) {
  for (let at = game.length + 1; at + 1 < code.length; at += 1) {
    const other = code.slice(0, at) + code[at + 1] + code[at] + code.slice(at + 2);
    if (other !== code && isCode(other)) return error("transposition", [at + 1, at + 2], other);
  }
  return null;
}

function inserted(code, start) {
  for (let at = start; at <= code.length; at += 1) {
    for (const character of ALPHABET) {
      const other = code.slice(0, at) + character + code.slice(at);
      if (isCode(other)) return error("missing", [at + 1], other);
    }
  }
  return null;
}

function removed(code, start) {
  for (let at = start; at < code.length; at += 1) {
    const other = code.slice(0, at) + code.slice(at + 1);
    if (isCode(other)) return error("extra", [at + 1], other);
  }
  return null;
}

/**
 * The code with its one impossible character replaced, which the checksum determines; `null` if there are several.
 */
function filled(code, places) {
  if (places.length > 1) return null;
  const at = places[0] - 1;
  const found = [...ALPHABET].map((character) => code.slice(0, at) + character + code.slice(at + 1)).filter(isCode);
  return found[0] ?? null;
}

/** A game's name was mistyped; the suggestion is for a rest that is a code of exactly one game. */
function misspelledGame(lower) {
  const found = Object.keys(GAMES)
    .map((name) => `${name}1${lower.slice(lower.indexOf("1") + 1)}`)
    .filter(isCode);
  return error("no-game", [], lower.includes("1") && found.length === 1 ? found[0] : null);
}

/** Each single error, by its remainder: its place, from 0, and the difference. */
function singleErrors(length) {
  const errors = new Map();
  for (let difference = 1; difference < 32; difference += 1) {
    let rest = difference;
    for (let at = length - 1; at >= 0; at -= 1) {
      errors.set(rest, { at, difference });
      rest = step(rest, 0);
    }
  }
  return errors;
}

function accepted(kind, code, errors, start) {
  const characters = [...code];
  for (const { at, difference } of errors) {
    characters[start + at] = ALPHABET[ALPHABET.indexOf(characters[start + at]) ^ difference];
  }
  const suggestion = characters.join("");
  return isCode(suggestion)
    ? error(
        kind,
        errors.map(({ at }) => start + at + 1),
        suggestion,
      )
    : null;
}

function groupsOf(characters) {
  return Array.from(characters, (character) => ALPHABET.indexOf(character));
}

/** Whether it is a code of this version: what is suggested is never of a later one. */
function isCode(text) {
  return refusal(text) === null;
}

function isNewer(text) {
  return refusal(text) instanceof Unknown;
}

function refusal(text) {
  try {
    parseRoundCode(text);
    return null;
  } catch (failure) {
    if (!(failure instanceof CheckFailed || failure instanceof Unknown)) throw failure;
    return failure;
  }
}

function error(kind, places = [], suggestion = null, missing = null) {
  return { kind, places, suggestion, missing };
}
