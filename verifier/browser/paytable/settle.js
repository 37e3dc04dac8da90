// What became of a bet, by the paytable alone (docs/paytable-format.md).

import { filled, filledValues, readBet } from "./bets.js";
import { chanceOf } from "./chances.js";
import { isAmong, thingsOf, valueOf } from "./figures.js";
import { numberOf, plus, printed, reduced } from "./numbers.js";

/** Hundredths below which nothing is offered by a chance. */
const SMALLEST = 101n;

/**
 * @typedef {object} Settled
 * @property {"wins"|"loses"|"void"|"open"} result
 * @property {?string} odds of a bet that wins, as the regulation writes them: `x 1.5` or `30:1`
 * @property {?[bigint, bigint]} pays what is paid in all, per unit of the stake: a fraction; `null` while the bet is open
 * @property {?string} next how a bet that is still open is written in the next round
 * @property {string} form how the bets of its option are written: `number N`
 * @property {number} place of its option among the paytable's, from 0
 */

/**
 * Settle a bet on a round that has ended.
 * @param {import("./read.js").Paytable} paytable
 * @param {string} text the bet's one spelling, such as `sum 10`
 * @param {object} round
 * @param {object} round.outcome
 * @param {"played"|"void"} round.status
 * @param {Record<string, number>} round.rules those of the batch
 * @param {object[]} [round.before] the outcomes of the rounds played before, the latest first, as far as a bet needs them
 * @returns {?Settled} `null` if there is no such bet, or if this round did not offer it
 */
export function settleBet(paytable, text, { outcome, status, rules, before = [] }) {
  const bet = betOf(paytable, text, rules, before);
  if (bet === null) return null;
  const { tables } = paytable;
  const { given, figure, prizes, lasts, form, place } = bet;
  const settled = (result, odds, pays, next = null) => ({ result, odds, pays, next, form, place });
  if (status === "void") return lasts === null ? settled("void", null, [1n, 1n]) : settled("open", null, null, text);
  if (given !== null && !isAmong(valueOf(given[0], outcome, tables), given[1])) return null;
  const value = valueOf(figure, outcome, tables);
  const prize = prizes.find(({ values }) => isAmong(value, values));
  if (prize !== undefined) {
    const { isBeside, fraction } = multiplied(prize.odds, value);
    const odds = isBeside ? `${printed(fraction)}:1` : `x ${printed(fraction)}`;
    return settled("wins", odds, isBeside ? plus(fraction, [1n, 1n]) : reduced(fraction));
  }
  if (lasts === null || isAmong(value, lasts.loses)) return settled("loses", null, [0n, 1n]);
  return settled("open", null, null, lasts.as.split("#").join(value) || text);
}

/**
 * Whether a bet compares with an earlier round.
 * @param {import("./read.js").Paytable} paytable
 * @param {string} text
 * @returns {boolean}
 */
export function comparesWithCard({ options }, text) {
  return options.some(({ after, form }) => after !== undefined && form === text);
}

/**
 * @param {import("./read.js").Paytable} paytable
 * @param {string} text
 * @param {Record<string, number>} rules
 * @returns {boolean} whether there is such a bet, if it is compared with no earlier round
 */
export function isOffered(paytable, text, rules) {
  return betOf(paytable, text, rules, []) !== null;
}

/** The bet that is written so: its figure, and its prizes; null if it is not offered. */
function betOf({ options, tables }, text, rules, before) {
  for (const [place, option] of options.entries()) {
    const meant = readBet(option, text, rules);
    if (meant === null) continue;
    const { form, given = null, lasts = null, after } = option;
    const pays = after === undefined ? option.pays : prizesAfter(after, before);
    const prizes = pays.map(([values, odds]) => ({ values: filledValues(values, meant), odds: oddsOf(odds, option, meant, tables) }));
    if (prizes.length === 0 || prizes.some(({ odds }) => odds === null)) return null;
    return {
      form,
      place,
      prizes,
      figure: filled(option.figure, meant),
      given: given && [filled(given[0], meant), filledValues(given[1], meant)],
      lasts: lasts && { as: "", ...lasts, loses: filledValues(lasts.loses, meant) },
    };
  }
  return null;
}

/**
 * The one prize of a bet that is compared with an earlier round; none if there is no such round, or nothing can win.
 */
function prizesAfter({ by, place, skip }, before) {
  const rounds = before.map((outcome) => thingsOf(place, outcome).map(String));
  const thing = rounds.find((things) => !things.some((each) => skip.includes(each)))?.[0];
  return thing !== undefined && Object.hasOwn(by, thing) ? [by[thing]] : [];
}

/** Odds with what the letters stand for; null if they offer nothing. */
function oddsOf(odds, option, meant, tables) {
  if (!Array.isArray(odds)) return Object.hasOwn(odds, meant.words) ? oddsOf(odds[meant.words], option, meant, tables) : null;
  if (odds[0] === "returns") return byChance(odds[1], chanceOf(odds.slice(2), option, meant, tables));
  const [word, amount, byValue] = odds;
  const fraction = amountOf(amount, meant.letters);
  return fraction[0] === 0n ? null : { fraction, isBeside: word === "to", isByValue: byValue !== undefined };
}

function amountOf(amount, letters) {
  if (Array.isArray(amount)) return amount.map(BigInt);
  if (typeof amount === "number") return [BigInt(amount), 100n];
  const parts = Object.entries(amount).map(([letter, by]) => [BigInt(letters[letter]), 100n * BigInt(by)]);
  return parts.reduce(plus);
}

/** The most hundredths that return at most so many basis points to a bet that wins with the chance n of d. */
function byChance(returned, [n, d]) {
  const hundredths = n > 0n ? (BigInt(returned) * d) / (100n * n) : 0n;
  return hundredths < SMALLEST ? null : { fraction: [hundredths, 100n], isBeside: false, isByValue: false };
}

function multiplied({ fraction: [n, d], isBeside, isByValue }, value) {
  const by = isByValue ? BigInt(numberOf(value)) : 1n;
  return { isBeside, fraction: [by > 0n ? n * by : 0n, d] };
}
