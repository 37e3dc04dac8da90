// Some bets of a paytable, which show a reader how they are written.

import { bound, LETTER, meaningOf } from "./bets.js";
import { isOffered } from "./settle.js";

const MOST = 4;
/** Where in its range a letter is: the first words of some options are not offered. */
const PLACES = [0, 0.5, 1];

/**
 * @param {import("./read.js").Paytable} paytable
 * @param {Record<string, number>} rules of a batch
 * @returns {string[]} bets that are offered and need nothing but the outcome, of options that are far from each other
 */
export function betExamples(paytable, rules) {
  const plain = paytable.options.filter(({ after }) => after === undefined);
  const step = Math.max(1, Math.floor(plain.length / MOST));
  const chosen = plain.filter((_, at) => at % step === 0).slice(0, MOST);
  return chosen.flatMap((option) => {
    const texts = PLACES.map((place) => written(option, rules, place));
    return texts.filter((text) => text !== null && isOffered(paytable, text, rules)).slice(0, 1);
  });
}

/** A bet of an option; null if the rules allow no word for a letter there. */
function written({ form, choices = {} }, rules, place) {
  const meant = { letters: {}, rules };
  const words = [];
  for (const [at, part] of form.split(LETTER).entries()) {
    const isLetter = at % 2 === 1 && Object.hasOwn(choices, part);
    const word = isLetter ? wordAt(choices[part], meant, place) : part;
    if (isLetter) meant.letters[part] = meaningOf(choices[part], word, meant);
    if (isLetter && meant.letters[part] === null) return null;
    words.push(word);
  }
  return words.join("");
}

function wordAt(choice, meant, place) {
  const between = ([low, high]) => Math.floor(bound(low, meant) + place * (bound(high, meant) - bound(low, meant)));
  if (Array.isArray(choice)) return `${between(choice)}`;
  if (choice.choose !== undefined) return Array.from({ length: choice.choose }, (_, at) => bound(choice.of[0], meant) + at).join(" ");
  if (choice.hundredths !== undefined) {
    const hundredths = `${between(choice.hundredths)}`.padStart(3, "0");
    return `${hundredths.slice(0, -2)}.${hundredths.slice(-2)}`;
  }
  const words = Object.keys(choice.words).sort();
  return words[Math.floor(place * (words.length - 1))];
}
