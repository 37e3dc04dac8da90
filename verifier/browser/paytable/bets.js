// How bets are written: the letters of a form, and what a bet's text has in their places.

const LONGEST_BET = 64;
const NUMBER = "(?:0|[1-9][0-9]{0,9})";
export const LETTER = /\b([A-Z])\b/;
const NAMED = /\$([A-Z])(?:\.([a-z]+))?/g;
const WHOLE = /^\$([A-Z])(?:\.([a-z]+))?$/;
const BOUND = /^(?:\$([A-Z])(?:\.([a-z]+))?|([a-z][a-z0-9]*))(\/2)?([+-][0-9]+)?$/;

/**
 * What the letters of an option stand for in a bet, and the rules of its batch.
 * @typedef {{letters: Record<string, any>, rules: Record<string, number>}} Meant
 */

/**
 * @param {object} option of a paytable
 * @param {string} text a bet
 * @param {Record<string, number>} rules
 * @returns {?(Meant & {words: string})} `words`: those that odds may depend on; null if the text is no bet of this option
 */
export function readBet({ form, choices = {} }, text, rules) {
  if (text.length > LONGEST_BET) return null;
  const { names, pattern } = readForm(form, choices);
  const match = pattern.exec(text);
  if (match === null) return null;
  const meant = { letters: {}, rules };
  const words = match.slice(1);
  for (const [at, name] of names.entries()) {
    const meaning = meaningOf(choices[name], words[at], meant);
    if (meaning === null) return null;
    meant.letters[name] = meaning;
  }
  return { ...meant, words: words.filter((_, at) => choices[names[at]].choose === undefined).join(" ") };
}

/** The letters of a form, in their order, and the pattern of its bets. */
function readForm(form, choices) {
  const parts = form.split(LETTER);
  const isLetter = (part, at) => at % 2 === 1 && Object.hasOwn(choices, part);
  const pattern = parts.map((part, at) => (isLetter(part, at) ? `(${patternOf(choices[part])})` : escaped(part))).join("");
  return { names: parts.filter(isLetter), pattern: new RegExp(`^${pattern}$`) };
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

function patternOf(choice) {
  if (Array.isArray(choice)) return NUMBER;
  if (choice.choose !== undefined) return `${NUMBER}(?: ${NUMBER}){${choice.choose - 1}}`;
  if (choice.hundredths !== undefined) return "[1-9][0-9]{0,7}\\.[0-9]{2}";
  const words = Object.keys(choice.words).toSorted((one, other) => other.length - one.length);
  return `(?:${words.map(escaped).join("|")})`;
}

/** What a word stands for; null if it is not among those that the letter may be. */
export function meaningOf(choice, word, meant) {
  const isWithin = ([low, high], number) => bound(low, meant) <= number && number <= bound(high, meant);
  if (Array.isArray(choice)) return isWithin(choice, Number(word)) ? Number(word) : null;
  if (choice.hundredths !== undefined) {
    const number = Number(word.replace(".", ""));
    return isWithin(choice.hundredths, number) ? number : null;
  }
  if (choice.choose === undefined) return choice.words[word];
  const numbers = word.split(" ").map(Number);
  const isInOrder = choice.order !== undefined || numbers.every((each, at) => at === 0 || numbers[at - 1] < each);
  const isRight = isInOrder && new Set(numbers).size === numbers.length && numbers.every((each) => isWithin(choice.of, each));
  return isRight ? numbers : null;
}

/** A number, a parameter of the rules, or a letter; perhaps its half, rounded down, and then some more or less. */
export function bound(given, { letters, rules }) {
  if (typeof given === "number") return given;
  const match = BOUND.exec(given);
  if (match === null) return Number(given);
  const [, letter, part, parameter, half, more = "0"] = match;
  const found = letter === undefined ? rules[parameter] : meaning(letter, part, letters);
  return (half === undefined ? found : Math.floor(found / 2)) + Number(more);
}

function meaning(letter, part, letters) {
  return part === undefined ? letters[letter] : letters[letter][part];
}

function filledText(text, { letters }) {
  const whole = WHOLE.exec(text);
  if (whole !== null) return meaning(whole[1], whole[2], letters);
  return text.replace(NAMED, (_, letter, part) => meaning(letter, part, letters));
}

/** A figure with what its letters stand for; an array is put in where it stands. */
export function filled(given, meant) {
  if (typeof given === "string") return filledText(given, meant);
  if (typeof given === "number") return given;
  if (!Array.isArray(given)) return { in: filledValues(given.in, meant) };
  return given.flatMap((each) => (typeof each === "string" ? filledText(each, meant) : [filled(each, meant)]));
}

/** Values with what their letters stand for. */
export function filledValues(values, meant) {
  return values.flatMap((each) => {
    if (typeof each === "string") return filledText(each, meant);
    if (typeof each === "number") return each;
    return { from: each.from === undefined ? undefined : bound(each.from, meant), to: each.to === undefined ? undefined : bound(each.to, meant) };
  });
}
