/**
 * Outcomes as pictures, and in a few words.
 *
 * What they look like is data, which this folder and `api/pages/pictures` draw by; a test compares the two.
 */

import { PICTURES } from "./data.js";
import { largeRows, smallRows } from "./rows.js";
import { build, lettersOf, SHEET, struck } from "./shapes.js";
import { whole } from "./whole.js";

export { handInWords, handOf, handTold } from "./hands.js";
export { looksOf } from "./looks.js";
export { struck } from "./shapes.js";
export { thingInWords } from "./things.js";
export { outcomeInWords, placeInWords } from "./words.js";

const LONGEST_CAPTION = 24;
const { shown: SHOWN, rows: ROWS } = PICTURES;

/**
 * The drawing of an outcome, an `svg`; null for a game of which nothing is known, and where words say it better: on a
 * phone, the drawing would be too small to be read. A large one shows as many things as there is `room` for, a width
 * and a height.
 */
export function drawing(looks, outcome, _ = (message) => message, { large = false, room } = {}) {
  if (looks.size === 0) return null;
  const highest = room === undefined ? ROWS.highest : Math.floor((ROWS.width * room.height) / room.width);
  const shape = whole(looks, outcome, large) ?? (large ? largeRows(looks, outcome, _, highest) : smallRows(looks, outcome));
  return shape !== null && isReadable(shape, large ? SHOWN.large : SHOWN.small) ? shape : null;
}

/** Whether the letters are high enough where the drawing has so much room. */
function isReadable(shape, [widest, highest]) {
  const [, { width, height }] = shape;
  return lettersOf(shape).every((letters) => letters * widest >= SHOWN.letters * width && letters * highest >= SHOWN.letters * height);
}

/**
 * Whether the words stand beside the drawing. A small one of a flight lacks the multiplier, and a large one has it;
 * under a large one, long words would repeat what it shows.
 */
export function hasCaption(looks, words, { large = false } = {}) {
  if (looks.size === 0) return true;
  const [only] = looks.values();
  if (looks.size === 1 && (only === "flight" || only === "rocket")) return !large;
  return large && words.length <= LONGEST_CAPTION;
}

/**
 * The drawing as an element; null for a game without one. Screen readers read `label`; with an empty one they skip
 * the drawing. The outcome that a void round would have had is drawn pale, and struck through.
 */
export function picture(looks, outcome, label = "", { _, large = false, room, isVoid = false, sheet = SHEET } = {}) {
  const shape = drawing(looks, outcome, _, { large, room });
  if (shape === null) return null;
  const element = build(isVoid ? struck(shape) : shape, sheet);
  element.setAttribute("class", large ? "picture large" : "picture");
  for (const [name, value] of label ? [["role", "img"], ["aria-label", label]] : [["aria-hidden", "true"]]) {
    element.setAttribute(name, value);
  }
  return element;
}
