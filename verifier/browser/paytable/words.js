// The words of figures: their arguments, and the steps that each takes (docs/paytable-format.md).

import { demand, isObject, items, keys, plainText, text } from "./context.js";

const DEEPEST = 4;
const OF_WINNER = ["winner", "cards", "points", "golden", "bust"];
const [SUIT, HAND] = [13, 20];

/**
 * The steps of a figure.
 * @param {any} given
 * @param {import("./context.js").Letters} letters
 * @param {number} [depth] of figures that may stand in it
 * @returns {number}
 * @throws {import("../basics/errors.js").Malformed}
 */
export function stepsOf(given, letters, depth = DEEPEST) {
  const [kind, ...parts] = items(given, "a figure", 2, 64);
  if (["minus", "both", "holds"].includes(text(kind))) {
    demand(depth > 0, `figures at most ${DEEPEST} deep`, given);
    const own = kind === "holds" ? parts : items(parts, `${kind}: two figures`, 2, 2);
    return own.reduce((steps, each) => steps + (kind === "holds" ? held(each, letters, depth) : stepsOf(each, letters, depth - 1)), 0);
  }
  if (!Object.hasOwn(WORDS, kind)) {
    letters.context.unknown.add(`the figure ${kind}`);
    return 0;
  }
  const [selection, ...more] = parts;
  const [least, most, steps] = WORDS[kind];
  demand(more.length >= least && more.length <= most, `${kind}: ${least} to ${most} arguments behind the selection`, more);
  return steps(letters, letters.selection(selection), more);
}

function held(given, letters, depth) {
  const [part, values] = items(given, "holds: a figure and a set", 2, 2);
  return stepsOf(part, letters, depth - 1) + set(values, letters);
}

function set(given, letters) {
  return letters.values(keys(given, "a set", ["in"]).in);
}

function plain(letters, things, more) {
  for (const each of more) letters.context.reading(each);
  return things;
}

const squared = (letters, things, more) => plain(letters, things, more) * things;

const WORDS = {
  value: [0, 1, plain],
  word: [0, 1, plain],
  sum: [0, 2, (letters, things, [by, ...divisor]) => {
    demand(divisor.every((each) => Number.isInteger(each) && each > 0), "sum: a number to divide by", divisor);
    return by === undefined ? things : plain(letters, things, [by]);
  }],
  tally: [1, 2, (letters, things, [values, ...by]) => plain(letters, things, by) * (1 + set(values, letters))],
  length: [0, 0, plain],
  points: [1, 1, plain],
  duel: [3, 3, (letters, things, [other, by, of]) => {
    letters.context.reading(by);
    demand(OF_WINNER.includes(of), `duel: one of ${OF_WINNER.join(", ")}`, of);
    return things + letters.selection(other);
  }],
  distinct: [0, 1, squared],
  most: [0, 1, squared],
  done: [1, 1, (letters, things, [values]) => {
    const steps = set(values, letters);
    demand(!values.in.some(isObject), "done: values, and no ranges", values);
    return things * (1 + steps);
  }],
  hand: [0, 1, (letters, things, more) => {
    for (const each of more) plainText(each, SUIT);
    return things * HAND;
  }],
  hundredths: [0, 0, plain],
  inorder: [1, 1, (letters, things, [wanted]) => {
    return items(wanted, "inorder: values").reduce((steps, each) => steps + letters.value(each), things);
  }],
  match: [1, 1, plain],
  beyond: [2, 2, (letters, things, [by, side]) => {
    demand(["above", "below"].includes(side), "beyond: above or below", side);
    return plain(letters, things, [by]);
  }],
  between: [1, 1, plain],
  path: [1, 1, plain],
  ahead: [0, 0, squared],
  lit: [3, 3, (letters, things, [number, ...places]) => {
    letters.number(number);
    return places.reduce((steps, each) => steps + letters.selection(each), things);
  }],
  chain: [1, 1, (letters, things, [label]) => {
    letters.text(label);
    return things * things;
  }],
};
