// What bets on each game pay, by the data of games/bets.json; docs/bets.md is for readers.
//
// Odds are exact fractions of whole numbers: `{ value: [n, d], isBeside }`.

import { lawOfPoints, orders } from "./chances.js";
import { DATA } from "./bets_data.js";
import { isOfCatalogue } from "./catalogue.js";
import { isAmong, valueOf } from "./figures.js";
import { GAMES } from "./games.js";

const SMALLEST = 101n;
const RETURN = 96n;
const NUMBER = "(?:0|[1-9][0-9]{0,9})";
const LETTER = /\b([A-Z])\b/;

/**
 * @typedef {object} Settled
 * @property {"wins"|"loses"|"void"|"open"} result
 * @property {?string} odds of a bet that wins, as the regulation writes them: `x 1.5` or `30:1`
 * @property {?[bigint, bigint]} pays what is paid in all, per unit of the stake: a fraction; `null` while the bet is open
 * @property {?string} next how a bet that is still open is written in the next round
 * @property {string} form how the bets of its option are written: `number N`
 * @property {number} place of its option among the game's, from 0
 */

/**
 * Settle a bet on a round that has ended.
 * @param {string} game
 * @param {string} text the bet's one spelling, such as `sum 10`
 * @param {object} round
 * @param {object} round.outcome
 * @param {"played"|"void"} round.status
 * @param {Record<string, number>} round.rules those of the batch
 * @param {?string} [round.before] the card that `hi` and `lo` compare with: that of the last played round whose card
 *   is not a Joker; `null` if there is none
 * @returns {?Settled} `null` if there is no such bet, or if this round did not offer it
 */
export function settleBet(game, text, { outcome, status, rules, before = null }) {
  const bet = betOf(game, text, rules, before);
  if (bet === null) return null;
  const { given, figure, prizes, lasts, form, place } = bet;
  const settled = (result, odds, pays, next = null) => ({ result, odds, pays, next, form, place });
  if (status === "void") return lasts === null ? settled("void", null, [1n, 1n]) : settled("open", null, null, text);
  if (given !== undefined && !isAmong(valueOf(given[0], outcome, DATA.tables), given[1])) return null;
  const value = valueOf(figure, outcome, DATA.tables);
  const prize = prizes.find(({ values }) => isAmong(value, values));
  if (prize === undefined) {
    const isOpen = lasts !== null && !isAmong(value, lasts.loses);
    return isOpen ? settled("open", null, null, (lasts.as ?? text).replace("#", value)) : settled("loses", null, [0n, 1n]);
  }
  const odds = bet.isMultiplied ? times(prize.odds, BigInt(value)) : prize.odds;
  const [n, d] = odds.value;
  return settled("wins", print(odds), odds.isBeside ? [n + d, d] : [n, d]);
}

/**
 * Examples of how the game's bets are written; they need nothing but the outcome.
 * @param {string} game
 * @param {?object} [declaration] of the table, if it has one
 * @returns {string[]} none for a game whose bets are not known: an operator's own may have the name of the catalogue's
 */
export function betExamples(game, declaration = null) {
  const isIt = declaration === null ? Object.hasOwn(GAMES, game) : isOfCatalogue(game, declaration);
  return isIt && Object.hasOwn(DATA.games, game) ? DATA.games[game].examples : [];
}

/**
 * Whether a bet compares with the card of an earlier round.
 * @param {string} game
 * @param {string} text
 * @returns {boolean}
 */
export function comparesWithCard(game, text) {
  return linesOf(game).some((line) => line.after !== undefined && line.form === text);
}

function linesOf(game) {
  if (!Object.hasOwn(DATA.games, game)) return [];
  return DATA.games[game].options.flatMap((each) => (typeof each === "string" ? DATA.groups[each] : [each]));
}

/** The bet that is written so: its figure, and its prizes; null if it is not offered. */
function betOf(game, text, rules, before) {
  for (const [place, line] of linesOf(game).entries()) {
    const found = lettersOf(line, text, rules);
    if (found === null) continue;
    const { letters, words } = found;
    const pays = line.after === undefined ? (line.pays ?? [[line.on, line.odds]]) : [Object.hasOwn(line.after.by, String(before)) ? line.after.by[before] : null];
    if (pays[0] === null) return null;
    const prizes = pays.map(([values, odds]) => ({
      values: filledValues(values, letters, rules),
      odds: oddsOf(odds, { line, letters, words, rules }),
    }));
    if (prizes.some(({ odds }) => odds === null)) return null;
    const given = line.given && [filled(line.given[0], letters, rules), filledValues(line.given[1], letters, rules)];
    const lasts = line.lasts === undefined ? null : { ...line.lasts, loses: filledValues(line.lasts.loses, letters, rules) };
    const figure = filled(line.figure, letters, rules);
    return { figure, given, prizes, lasts, isMultiplied: line.times !== undefined, form: line.form, place };
  }
  return null;
}

// How bets are written

/** What the letters of a form stand for in a text, and the words of those that odds may depend on; null if it has another form. */
function lettersOf(line, text, rules) {
  const { choices = {} } = line;
  const { names, pattern } = readForm(line);
  const match = pattern.exec(text);
  if (match === null) return null;
  const letters = {};
  const words = match.slice(1);
  for (const [at, name] of names.entries()) {
    letters[name] = meaning(choices[name], words[at], letters, rules);
    if (letters[name] === null) return null;
  }
  // A key of odds, which do not depend on which numbers are chosen.
  return { letters, words: words.filter((_, at) => choices[names[at]].choose === undefined).join(" ") };
}

const FORMS = new WeakMap();

/** The letters of a form, in their order, and the pattern of its bets; each form is read once. */
function readForm(line) {
  const { form, choices = {} } = line;
  if (!FORMS.has(line)) {
    const parts = form.split(LETTER);
    const isLetter = (part, at) => at % 2 === 1 && Object.hasOwn(choices, part);
    const pattern = parts.map((part, at) => (isLetter(part, at) ? `(${patternOf(choices[part])})` : escaped(part))).join("");
    FORMS.set(line, { names: parts.filter(isLetter), pattern: new RegExp(`^${pattern}$`) });
  }
  return FORMS.get(line);
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

function patternOf(choice) {
  if (Array.isArray(choice)) return NUMBER;
  if (choice.choose !== undefined) return `${NUMBER}(?: ${NUMBER}){${choice.choose - 1}}`;
  if (choice.hundredths !== undefined) return "[1-9][0-9]{0,7}\\.[0-9]{2}";
  const words = Object.keys(choice).toSorted((one, other) => other.length - one.length);
  return `(?:${words.map(escaped).join("|")})`;
}

/** What a word stands for; null if it is not among those that the letter may be. */
function meaning(choice, word, letters, rules) {
  const within = ([low, high], value) => bound(low, letters, rules) <= value && value <= bound(high, letters, rules);
  if (Array.isArray(choice)) return within(choice, Number(word)) ? Number(word) : null;
  if (choice.choose !== undefined) {
    const numbers = word.split(" ").map(Number);
    const isAscending = choice.order !== undefined || numbers.every((each, at) => at === 0 || numbers[at - 1] < each);
    const isRight = isAscending && new Set(numbers).size === numbers.length && numbers.every((each) => within(choice.of, each));
    return isRight ? numbers : null;
  }
  if (choice.hundredths !== undefined) {
    const value = Number(word.replace(".", ""));
    return within(choice.hundredths, value) ? value : null;
  }
  return choice[word];
}

/** A number, a parameter of the rules, or a letter; perhaps its half, rounded down, and then 1 more or less. */
function bound(given, letters, rules) {
  if (typeof given === "number") return given;
  const [, isLetter, name, part, half, more] = /^(\$?)([A-Za-z0-9]+)(?:\.([a-z]+))?(\/2)?([+-][0-9]+)?$/.exec(given);
  const found = isLetter === "$" ? letters[name] : rules[name];
  const value = part === undefined ? found : found[part];
  return (half === undefined ? value : Math.floor(value / 2)) + Number(more ?? 0);
}

function filledText(text, letters) {
  const meant = (name, part) => (part === undefined ? letters[name] : letters[name][part]);
  const whole = /^\$([A-Z])(?:\.([a-z]+))?$/.exec(text);
  if (whole !== null) return meant(whole[1], whole[2]);
  return text.replace(/\$([A-Z])(?:\.([a-z]+))?/g, (_, name, part) => meant(name, part));
}

/** A figure with what its letters stand for; a list is put in where it stands. */
function filled(given, letters, rules) {
  if (typeof given === "string") return filledText(given, letters);
  if (Array.isArray(given)) {
    return given.flatMap((each) => (typeof each === "string" ? filledText(each, letters) : [filled(each, letters, rules)]));
  }
  return given?.in === undefined ? given : { in: filledValues(given.in, letters, rules) };
}

function filledValues(values, letters, rules) {
  return values.flatMap((each) => {
    if (typeof each === "string") return filledText(each, letters);
    if (typeof each !== "object") return each;
    return { from: each.from && bound(each.from, letters, rules), to: each.to && bound(each.to, letters, rules) };
  });
}

// Odds

const times = ({ value: [n, d], isBeside }, by) => ({ value: [n * by, d], isBeside });

/** A fraction out of decimals. */
function fraction(text) {
  const [whole, decimals = ""] = text.split(".");
  return [BigInt(whole + decimals), 10n ** BigInt(decimals.length)];
}

function oddsOf(odds, { line, letters, words, rules }) {
  if (odds === "open") return priceOf(line, letters, words, rules);
  if (typeof odds === "object") return odds.left === undefined ? oddsOf(odds[words], { line, letters, words, rules }) : leftOf(odds.left, letters, rules);
  const beside = /^([0-9.]+):1$/.exec(odds);
  if (beside !== null) return { value: fraction(beside[1]), isBeside: true };
  const terms = odds.slice(2).split("+").map((term) => {
    const [, number, letter, by] = /^(?:([0-9.]+)|\$([A-Z]))(?:\/([0-9]+))?$/.exec(term);
    const [n, d] = number === undefined ? [BigInt(letters[letter]), 100n] : fraction(number);
    return [n, d * BigInt(by ?? 1)];
  });
  const value = terms.reduce(([n, d], [more, of]) => [n * of + more * d, d * of]);
  return { value, isBeside: false };
}

const hundredths = (found) => (found < SMALLEST ? null : { value: [found, 100n], isBeside: false });

/** The most hundredths that return at most 96 % to a bet that wins with the chance n of d. */
const price = ([n, d]) => (n > 0n ? hundredths((RETURN * d) / n) : null);

/** The odds of an open bet: those that are stored, or by the law of the rules. */
function priceOf(line, letters, words, rules) {
  if (line.priced !== undefined) {
    const stored = typeof line.priced === "object" ? line.priced[words] : line.priced;
    return hundredths(BigInt(stored));
  }
  const figure = filled(line.figure, letters, rules);
  const values = filledValues(line.on, letters, rules);
  if (line.among !== undefined) return price(uniform(line.among, values));
  const wins = (outcome) => isAmong(valueOf(figure, outcome, DATA.tables), values);
  const chances = rules.runners === undefined ? lawOfPoints : orders;
  return price(chances({ figure, rules }, wins));
}

/** All numbers from one to another are equally likely. */
function uniform([low, high], values) {
  let winning = 0;
  for (let number = low; number <= high; number += 1) winning += Number(isAmong(number, values));
  return [BigInt(winning), BigInt(high - low + 1)];
}

/** So many of the cards from one place to the last are left that win. */
function leftOf(given, letters, rules) {
  const [winning, at, last] = given.map((each) => bound(each, letters, rules));
  return winning <= last - at + 1 ? price([BigInt(winning), BigInt(last - at + 1)]) : null;
}

/** `x 1.5`, `30:1`; `x 8/3` where decimals do not end. */
function print({ value: [n, d], isBeside }) {
  const text = decimals(n, d) ?? ratio(n, d);
  return isBeside ? `${text}:1` : `x ${text}`;
}

function decimals(n, d) {
  const scale = 10n ** 9n;
  if ((n * scale) % d !== 0n) return null;
  const scaled = String((n * scale) / d).padStart(10, "0");
  return `${scaled.slice(0, -9)}.${scaled.slice(-9)}`.replace(/\.?0+$/, "");
}

function ratio(n, d) {
  let [one, other] = [n, d];
  while (other !== 0n) [one, other] = [other, one % other];
  return `${n / one}/${d / one}`;
}
