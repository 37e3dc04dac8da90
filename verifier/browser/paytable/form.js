// The form of a paytable: every word, and every limit, by the file and its declaration alone
// (docs/paytable-format.md).

import { Unknown } from "../basics/errors.js";
import { Context, demand, isNumber, isObject, isText, items, keys, Letters, members, plainText, text, value } from "./context.js";
import { stepsOf } from "./words.js";

const MOST_OPTIONS = 512;
const MOST_TABLES = 64;
const MOST_LETTERS = 4;
const MOST_STEPS = 100_000;
const MOST_ENTRIES = 4096;
const MOST_PRIZES = 64;
const MOST_CHOSEN = 64;
const MOST_NUMBERS = 10_000;
const MOST_RETURN = 10_000;
const RALLIES = 10_000;
const MOST_OF_RALLY = 1_000;
const LARGEST_ODDS = Math.floor(Number.MAX_SAFE_INTEGER / 100);
/** What a letter of hundredths may stand for: an example, which no other choice has as its own. */
const CASH_OUTS = Object.freeze([101]);
const OF_RACE = ["value", "done", "inorder"];

/**
 * @param {any} given the file, whose spelling was checked
 * @param {import("../declared/declaration.js").Declaration} declaration of its game
 * @throws {import("../basics/errors.js").Malformed} what is no paytable of such a game
 * @throws {Unknown} one with a word that is new
 */
export function checkForm(given, declaration) {
  keys(given, "a paytable", ["options"], ["tables"]);
  const { options, tables = {} } = given;
  const named = Object.entries(members(tables, "tables", "tables" in given ? 1 : 0, MOST_TABLES));
  for (const [name, table] of named) checkTable(plainText(name), table);
  const context = new Context(declaration, tables);
  const steps = items(options, "options", 1, MOST_OPTIONS).map((each) => stepsOfOption(each, context));
  const all = steps.reduce((sum, { read }) => sum + read, 0) + Math.max(...steps.map(({ settled }) => settled));
  demand(all <= MOST_STEPS, `at most ${MOST_STEPS} steps to settle a bet`, all);
  if (context.unknown.size > 0) throw new Unknown([...context.unknown].sort());
}

function checkTable(name, given) {
  const [[key, values]] = Object.entries(members(given, `the table ${name}`, 1, 1));
  demand(["thing", "rank", "suit"].includes(key), "a table by thing, rank or suit", key);
  for (const [word, each] of Object.entries(members(values, `the table ${name}`, 1, MOST_ENTRIES))) {
    text(word);
    value(each);
  }
}

/** To read a text as a bet of this option or not; and to settle such a bet. */
function stepsOfOption(given, context) {
  const isAfter = isObject(given) && "after" in given;
  if (isAfter) keys(given, "an option", ["form", "figure", "after"]);
  else keys(given, "an option", ["form", "figure", "pays"], ["choices", "given", "lasts"]);
  const { letters, read } = readLetters(text(given.form), given.choices, context);
  const figure = stepsOf(given.figure, letters);
  return { read, settled: figure + (isAfter ? stepsOfAfter(given.after, letters) : stepsOfPrizes(given, letters)) };
}

function stepsOfPrizes(option, letters) {
  const pays = items(option.pays, "pays", 1, MOST_PRIZES);
  let steps = pays.reduce((sum, each) => sum + stepsOfPrize(each, letters, option), 0);
  if (option.given !== undefined) {
    const [known, values] = items(option.given, "given: a figure and values", 2, 2);
    steps += stepsOf(known, letters) + letters.values(values);
  }
  if (option.lasts !== undefined) {
    const { loses, as } = keys(option.lasts, "lasts", ["loses"], ["as"]);
    steps += letters.values(loses);
    if (as !== undefined) text(as);
  }
  return steps;
}

/** The letters in their order, each of which may be bounded by those before it. */
function readLetters(form, choices, context) {
  const given = choices === undefined ? {} : members(choices, "choices", 1, MOST_LETTERS);
  const samples = new Map();
  let read = 1;
  for (const [letter] of form.matchAll(/\b[A-Z]\b/g)) {
    demand(!samples.has(letter), "each letter once in its form", form);
    if (!Object.hasOwn(given, letter)) continue;
    const choice = readChoice(given[letter], new Letters(context, samples));
    samples.set(letter, choice.samples);
    read += choice.steps;
  }
  demand(samples.size === Object.keys(given).length, "letters that stand in the form, alone", Object.keys(given));
  return { letters: new Letters(context, samples), read };
}

/** What a letter may stand for; the steps to read its word. */
function readChoice(given, letters) {
  const checkEnds = (ends) => items(ends, "a range: low, high", 2, 2).forEach((end) => letters.bound(end));
  if (Array.isArray(given)) {
    checkEnds(given);
    return { samples: [1], steps: 1 };
  }
  members(given, "a choice", 1, 3);
  if ("words" in given) return readWords(keys(given, "words", ["words"]).words);
  if ("hundredths" in given) {
    checkEnds(keys(given, "hundredths", ["hundredths"]).hundredths);
    return { samples: CASH_OUTS, steps: 1 };
  }
  if ("choose" in given) {
    const { choose, of, order = 1 } = keys(given, "choose", ["choose", "of"], ["order"]);
    checkEnds(of);
    const isRight = isNumber(choose) && choose > 0 && choose <= MOST_CHOSEN && order === 1;
    demand(isRight, `choose: 1 to ${MOST_CHOSEN} numbers, and order 1 or none`, given);
    return { samples: [Array.from({ length: choose }, (_, at) => at + 1)], steps: choose };
  }
  letters.context.unknown.add(`the choice ${text(Object.keys(given).sort()[0])}`);
  return { samples: [1], steps: 1 };
}

function readWords(given) {
  const found = Object.entries(members(given, "words", 1, MOST_ENTRIES));
  for (const [word, meaning] of found) {
    text(word);
    if (isObject(meaning)) checkParts(meaning);
    else [meaning].flat().forEach(value);
  }
  return { samples: found.map(([, meaning]) => meaning), steps: found.length };
}

function checkParts(given) {
  for (const [part, each] of Object.entries(members(given, "parts", 1, 16))) {
    demand(/^[a-z]{1,16}$/.test(part), "a part's name: 1 to 16 characters of a-z", part);
    value(each);
  }
}

function stepsOfAfter(given, letters) {
  const { by, place, skip } = keys(given, "after", ["by", "place", "skip"]);
  letters.selection(text(place));
  for (const each of items(skip, "skip", 0, MOST_PRIZES)) text(each);
  const steps = Object.entries(members(by, "by", 1, MOST_PRIZES)).map(([thing, prize]) => {
    text(thing);
    const [values, odds] = items(prize, "a prize: values and odds", 2, 2);
    checkOdds(odds, letters);
    return letters.values(values);
  });
  return Math.max(...steps);
}

function stepsOfPrize(given, letters, option) {
  const [values, odds] = items(given, "a prize: values and odds", 2, 2);
  const steps = letters.values(values);
  if (isObject(odds)) {
    for (const [words, each] of Object.entries(members(odds, "odds by words", 1, MOST_ENTRIES))) {
      text(words);
      checkOdds(each, letters);
    }
    return steps;
  }
  if (Array.isArray(odds) && odds[0] === "returns") {
    demand(option.pays.length === 1, "one prize, where a chance gives the odds", odds);
    return steps + stepsOfChance(odds, letters, option, steps);
  }
  checkOdds(odds, letters);
  return steps;
}

function checkOdds(given, letters) {
  const [word, amount, byValue = "value"] = items(given, "odds", 2, 3);
  demand(word !== "returns", "a chance without words, in an option's pays", given);
  if (word !== "to" && word !== "times") {
    letters.context.unknown.add(`the odds ${text(word)}`);
    return;
  }
  demand(byValue === "value", "value, or no third word", given);
  if (isObject(amount)) {
    const isOver = ([letter, by]) => letters.samples.get(letter) === CASH_OUTS && isNumber(by) && by > 0;
    const found = Object.entries(members(amount, "letters over numbers", 1, MOST_LETTERS));
    demand(found.every(isOver), "letters of cash-outs, each over a number from 1", amount);
    return;
  }
  const numbers = Array.isArray(amount) && amount.length === 2 ? amount : [amount];
  demand(numbers.every(isNumber) && numbers[1] !== 0, "hundredths, or a fraction of two numbers", amount);
  demand(numbers[0] <= LARGEST_ODDS, "odds below 2^53 hundredths, a hundredth of that as a fraction", amount);
}

/** What a chance that is found when a bet is read costs. */
function stepsOfChance(odds, letters, option, values) {
  const [, returned, word, ...more] = items(odds, "returns", 3, 6);
  demand(isNumber(returned) && returned > 0 && returned <= MOST_RETURN, `1 to ${MOST_RETURN} basis points`, returned);
  if (word === "numbers") {
    const [low, high] = items(more, "numbers: low, high", 2, 2);
    const isRight = isNumber(low) && isNumber(high) && high >= low && high - low < MOST_NUMBERS;
    demand(isRight, `numbers: at most ${MOST_NUMBERS}, from low to high`, more);
    return (high - low + 1) * values;
  }
  if (word === "left") {
    for (const each of items(more, "left: how many win, the next place, the last place", 3, 3)) letters.bound(each);
    return 1;
  }
  if (word !== "race" && word !== "points") {
    letters.context.unknown.add(`the chance ${text(word)}`);
    return 0;
  }
  const isDrawn = more.length === 0 && letters.context.drawn.includes(word);
  demand(isDrawn, `${word}: no argument, and a declaration that draws it`, odds);
  return word === "race" ? orders(option.figure, letters.context.parameters.get("runners")) : rallies(option.figure, letters);
}

function rallies(figure, letters) {
  const steps = stepsOf(figure, letters);
  demand(steps <= MOST_OF_RALLY, `points: a figure of at most ${MOST_OF_RALLY} steps`, steps);
  return RALLIES;
}

function orders([word, selection], runners) {
  const match = OF_RACE.includes(word) && isText(selection) ? /^order (?:1-)?([1-9][0-9]?)$/.exec(selection) : null;
  demand(match !== null, `race: one of the figures ${OF_RACE.join(", ")} of the first runners`, [word, selection]);
  const depth = Math.min(Number(match[1]), runners);
  return Array.from({ length: depth }, (_, at) => runners - at).reduce((ways, each) => ways * each, 1);
}
