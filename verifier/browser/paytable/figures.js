// Figures: what a bet looks at in an outcome (docs/paytable-format.md).

import { added } from "./context.js";
import { classOf, duel, pointsOf, timesOf } from "./hands.js";
import { numberOf, sum, whole } from "./numbers.js";

const SELECTION = /^(letters )?([a-z0-9-]+)(?: (-?[0-9+]+)(?:-([0-9]+))?)?$/;
const HUNDREDTHS = /^([1-9][0-9]{0,7})\.([0-9]{2})$/;

/**
 * A figure's value, which is a number or a string.
 * @typedef {import("./numbers.js").Whole | string} Value
 */

/** Whether a value is one of `values`: listed ones, and ranges with `from` and `to`. */
export function isAmong(value, values) {
  return values.some((each) => {
    if (typeof each !== "object") return each === value;
    return typeof value !== "string" && (each.from ?? -Infinity) <= value && value <= (each.to ?? Infinity);
  });
}

/**
 * The value of a figure.
 * @param {Array} figure without letters
 * @param {object} outcome
 * @param {object} tables what counts of things, by name
 * @returns {Value}
 */
export function valueOf(figure, outcome, tables) {
  const [kind, ...parts] = figure;
  const of = (part) => valueOf(part, outcome, tables);
  if (kind === "minus") return whole(BigInt(numberOf(of(parts[0]))) - BigInt(numberOf(of(parts[1]))));
  if (kind === "both") return `${of(parts[0])}|${of(parts[1])}`;
  if (kind === "holds") return parts.filter(([part, values]) => isAmong(of(part), values.in)).length;
  const [selection, ...given] = parts;
  const read = (thing, by) => reading(thing, by, tables);
  return LEAVES[kind]({ found: thingsOf(selection, outcome), read, outcome }, ...given);
}

/** What a selection selects, in order. */
export function thingsOf(selection, outcome) {
  if (Array.isArray(selection)) return selection.flatMap((each) => thingsOf(each, outcome));
  const [, letters, place, first, last] = SELECTION.exec(selection);
  const all = thingsAt(Object.hasOwn(outcome, place) ? outcome[place] : "", letters !== undefined);
  if (first === undefined) return all;
  const from = added(first);
  // A thing before the first one is none; `slice` would count it from the end again.
  if (from < 0) return all.length + from < 0 ? [] : all.slice(all.length + from, all.length + from + 1);
  return all.slice(Math.max(0, from - 1), Number(last ?? from));
}

function thingsAt(content, isOfLetters) {
  if (typeof content === "number") return [content];
  if (Array.isArray(content)) return content;
  if (isOfLetters) return [...content];
  return content === "" ? [] : content.split(" ");
}

/** What counts of a thing: itself, its rank, its suit, or what a table says of one of these. */
function reading(thing, by, tables) {
  if (by === undefined || by === "") return thing;
  const text = String(thing);
  if (by === "rank") return text.slice(0, 1);
  if (by === "suit") return text.slice(-1);
  const [[key, values]] = Object.entries(tables[by]);
  const name = key === "thing" ? text : reading(text, key, tables);
  return Object.hasOwn(values, name) ? values[name] : "";
}

const LEAVES = {
  value: ({ found, read }, by) => (found.length > 0 ? read(found[0], by) : ""),
  word: ({ found, read }, by) => found.map((each) => read(each, by)).join(""),
  sum: ({ found, read }, by, divisor) => {
    const total = sum(found.map((each) => numberOf(read(each, by))));
    return divisor === undefined ? total : whole(BigInt(total) % BigInt(divisor));
  },
  tally: ({ found, read }, values, by) => found.filter((each) => isAmong(read(each, by), values.in)).length,
  length: ({ found }) => found.length,
  points: ({ found, read }, by) => pointsOf(found, (each) => read(each, by)),
  duel: ({ found, read, outcome }, opponent, by, of) => {
    const hands = { first: found, second: thingsOf(opponent, outcome) };
    return duel(hands, (each) => read(each, by))[of];
  },
  distinct: ({ found, read }, by) => new Set(found.map((each) => read(each, by))).size,
  most: ({ found, read }, by) => Math.max(0, ...timesOf(found.map((each) => read(each, by))).values()),
  done: ({ found }, values) => {
    const places = values.in.map((each) => found.indexOf(each) + 1);
    return places.includes(0) ? 0 : Math.max(0, ...places);
  },
  hand: ({ found }, high = "") => classOf(found, high),
  hundredths: ({ found }) => {
    const match = found.length > 0 ? HUNDREDTHS.exec(String(found[0])) : null;
    return match === null ? 0 : Number(match[1] + match[2]);
  },
  inorder: ({ found }, wanted) => Number(found.length === wanted.length && wanted.every((each, at) => each === found[at])),
  match: ({ found: [first, ...others], read }, by) => {
    const same = others.find((each) => String(each)[0] === String(first)[0]);
    return same === undefined ? "" : read(same, by);
  },
  beyond: ({ found, read }, by, side) => {
    const [first, ...others] = found.map((each) => numberOf(read(each, by)));
    return others.filter((each) => (side === "above" ? each > first : each < first)).length;
  },
  between: ({ found, read }, by) => (found.length === 3 ? between(...found.map((each) => numberOf(read(each, by)))) : ""),
  path: ({ found, read }, by) => (found.length === 3 ? path(found.map((each) => read(each, by))) : ""),
  ahead: ({ found }) => {
    const three = found.find((each, at) => found.slice(0, at + 1).filter((other) => other === each).length === 3);
    return three === undefined ? "" : `${found[0]}${three}${found.at(-1)}`;
  },
  lit: ({ found, outcome }, number, lucky, multipliers) => {
    if (sum(found.map(numberOf)) !== number) return 0;
    const at = thingsOf(lucky, outcome).indexOf(number);
    return thingsOf(multipliers, outcome)[at] ?? 1;
  },
  chain: ({ found }, label) => {
    if (found.length === 0 || String(found.at(-1)) !== String(label)) return 0;
    const numbers = found.slice(0, -1).map((each) => numberOf(String(each).replace(/x$/, "")));
    return whole(numbers.reduce((product, each) => product * BigInt(each), 1n));
  },
};

/** Where the third one is, between the first two. */
function between(one, other, third) {
  const [low, high] = one < other ? [one, other] : [other, one];
  if (low === high) return third === low ? "third" : "pair";
  if (high === low + 1) return third === low - 1 || third === high + 1 ? "sequence" : "neighbours";
  return low < third && third < high ? "between" : "outside";
}

/** bet-win: the dealer's two cards, and a player's. */
function path(worths) {
  const dealer = worths.slice(0, 2).filter((each) => each !== "").map(numberOf);
  if (dealer.length === 0) return "win";
  const joker = dealer.at(-1) <= 5 ? 0 : 11;
  const [one, other, player] = worths.map((each) => (each === "" ? joker : numberOf(each)));
  const [low, high] = one < other ? [one, other] : [other, one];
  return (low <= player && player < high) || (low === player && player === high) ? "win" : "lose";
}
