// A round code in what somebody pasted: a sentence, a link, two lines of a print-out, with characters that nobody can
// see. `parseRoundCode` takes a code and nothing else; this looks for one before.

import { CheckFailed, Unknown } from "../basics/errors.js";
import { LONGEST_CODE } from "../basics/limits.js";
import { parseRoundCode } from "./round-code.js";

/** Characters; of more, the beginning is looked at. */
const LONGEST = 4 * LONGEST_CODE;
const FORM = /^[a-z0-9-]{1,32}1[02-9ac-hj-np-z]*$/i;
const REST = /^[02-9ac-hj-np-z]+$/i;
/** A code is printed in several words at most. */
const MOST_WORDS = 128;

/**
 * What was found in a text.
 * @typedef {object} Pasted
 * @property {string[]} codes all codes without a typing error, in their order; in lower case
 * @property {string} longest if there is none: the longest text with the form of one, or all of it
 * @property {string[]} unseen the characters that nobody can see and that were left out, such as `U+200B`
 */

/**
 * The codes in a text that somebody pasted.
 * @param {string} pasted
 * @returns {Pasted}
 */
export function findCodes(pasted) {
  // A character has two units at most; a text of a hundred megabytes has no room as an array.
  const text = [...pasted.slice(0, 2 * LONGEST)].slice(0, LONGEST).join("");
  const unseen = new Set([...text.matchAll(/\p{Cf}/gu)].map(([each]) => `U+${each.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`));
  const seen = text.replace(/\p{Cf}/gu, "").replace(/%([2-7][0-9a-f])/gi, (_, byte) => String.fromCharCode(parseInt(byte, 16)));
  const groups = groupsOf(seen);
  const codes = new Set(groups.flatMap((group) => [...joined(group)].filter(isCode).map((each) => each.toLowerCase())));
  const formed = groups.flatMap((group) => group.map((_, at) => longestForm(group.slice(at))));
  const longest = formed.reduce((best, each) => (each.length > best.length ? each : best), "");
  return { codes: [...codes], longest: longest || seen.replace(/\s/gu, ""), unseen: [...unseen] };
}

/** Words with nothing but white space between them: one code may stand in several. */
function groupsOf(text) {
  const groups = [];
  let end = 0;
  for (const found of text.matchAll(/[A-Za-z0-9-]+/g)) {
    if (groups.length === 0 || text.slice(end, found.index).trim() !== "") groups.push([]);
    groups.at(-1).push(found[0]);
    end = found.index + found[0].length;
  }
  return groups;
}

/** Every run of words that has the form of a code. */
function* joined(words) {
  for (const start of words.keys()) {
    let whole = "";
    for (const word of words.slice(start, start + MOST_WORDS)) {
      whole += word;
      if (whole.length > LONGEST_CODE) break;
      if (FORM.test(trimmed(whole))) yield trimmed(whole);
    }
  }
}

/** A word that begins like a code, with the words after it that may be its rest. */
function longestForm([first, ...others]) {
  let whole = trimmed(first);
  if (!FORM.test(whole)) return "";
  for (const word of others.slice(0, MOST_WORDS - 1).map(trimmed)) {
    if (!REST.test(word)) break;
    whole += word;
  }
  return whole;
}

function trimmed(word) {
  return word.replace(/^-+|-+$/g, "");
}

function isCode(text) {
  try {
    return Boolean(parseRoundCode(text));
  } catch (error) {
    if (!(error instanceof CheckFailed || error instanceof Unknown)) throw error;
    return error instanceof Unknown;
  }
}
