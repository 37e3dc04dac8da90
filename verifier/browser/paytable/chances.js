// The chances that odds are found by when a bet is read: fractions of two BigInt.

import { bound, filled, filledValues } from "./bets.js";
import { isAmong, valueOf } from "./figures.js";
import { plus, reduced } from "./numbers.js";

const WHOLE = 10_000n;
const MOST_POINTS = 17n;
/** A chance of 0. */
const NONE = Object.freeze([0n, 1n]);

/**
 * The chance that one bet wins.
 * @param {[string, ...any]} chance its word, and arguments
 * @param {object} option
 * @param {import("./bets.js").Meant} meant
 * @param {object} tables
 * @returns {[bigint, bigint]}
 */
export function chanceOf([word, ...given], option, meant, tables) {
  const [[values]] = option.pays;
  const isWinning = (value) => isAmong(value, winning);
  const winning = filledValues(values, meant);
  if (word === "numbers") return ofNumbers(given, isWinning);
  if (word === "left") return ofLeft(given.map((each) => bound(each, meant)));
  const figure = filled(option.figure, meant);
  const wins = (outcome) => isWinning(valueOf(figure, outcome, tables));
  return word === "race" ? ofRace(figure, meant.rules, wins) : ofPoints(meant.rules, wins);
}

/** All numbers from one to another are equally likely. */
function ofNumbers([low, high], isWinning) {
  let won = 0;
  for (let number = low; number <= high; number += 1) won += Number(isWinning(number));
  return [BigInt(won), BigInt(high - low + 1)];
}

/** So many of the things from one place to the last are left that win. */
function ofLeft([won, at, last]) {
  const left = last - at + 1;
  return won > 0 && won <= left ? [BigInt(won), BigInt(left)] : NONE;
}

/** Over all orders of the first runners that the figure looks at: who is drawn leaves, with its weight. */
function ofRace([, selection], rules, wins) {
  const weights = Array.from({ length: rules.runners }, (_, at) => BigInt(rules[`w${at + 1}`]));
  const depth = Math.min(Number(/[0-9]+$/.exec(selection)[0]), weights.length);
  const walk = (order, left) => {
    const free = weights.map((weight, at) => ({ weight, runner: at + 1 })).filter(({ runner }) => !order.includes(runner));
    if (order.length + 1 === depth) {
      const won = free.filter(({ runner }) => wins({ order: [...order, runner] }));
      return [won.reduce((total, { weight }) => total + weight, 0n), left];
    }
    const [n, d] = free.reduce((chance, { weight, runner }) => {
      const [more, of] = walk([...order, runner], left - weight);
      return more === 0n ? chance : plus(chance, [weight * more, of]);
    }, NONE);
    return reduced([n, d * left]);
  };
  return walk([], weights.reduce((total, each) => total + each, 0n));
}

/** Over all rallies. */
function ofPoints({ a }, wins) {
  const won = ralliesOf(Math.min(a, Number(WHOLE))).filter(({ points }) => wins({ points }));
  return [won.reduce((total, { weight }) => total + weight, 0n), WHOLE ** MOST_POINTS];
}

let listed = { a: null, rallies: [] };

/**
 * All rallies with their weights: points up to seven, or further until somebody is two ahead or has nine. There are
 * thousands, and many bets of one table are priced by them, so the last list is kept.
 */
function ralliesOf(a) {
  if (listed.a === a) return listed.rallies;
  const rallies = [];
  const walk = (points, ofA, ofB, weight) => {
    const [ahead, by] = [Math.max(ofA, ofB), Math.abs(ofA - ofB)];
    if (ahead >= 9 || (ahead >= 7 && by >= 2)) {
      // All are brought to the same number of points.
      rallies.push({ points, weight: weight * WHOLE ** (MOST_POINTS - BigInt(points.length)) });
      return;
    }
    walk(`${points}A`, ofA + 1, ofB, weight * BigInt(a));
    walk(`${points}B`, ofA, ofB + 1, weight * (WHOLE - BigInt(a)));
  };
  walk("", 0, 0, 1n);
  listed = { a, rallies };
  return rallies;
}
