/** The things at a place of an outcome, and the picture of one of them. */

import { PICTURES } from "./data.js";
import { caseOf, entry, filled, shapesOf } from "./drawn.js";
import { calculate } from "./formulas.js";

const SPLIT = new Set(["card", "bone", "colored-ball", "thing", "segment"]);

/** The look of `+12`: so many things are left out. */
export const MORE = "more";

/** Each thing as it is written in the outcome. */
export function thingsOf(look, value) {
  if (Array.isArray(value)) return value.map(String);
  if (look === "point") return [...String(value)];
  return SPLIT.has(look) && value !== "" ? String(value).split(" ") : [String(value)];
}

/** One thing as a person would write it: `Q♥`, `10♠`, `17`. */
export function thingInWords(look, thing) {
  const of = look === "card" ? caseOf(PICTURES.things.card.cases, thing) : null;
  return of === null ? thing : filled(of.found.says, of.names);
}

/** How wide a thing's picture is if it is `size` high. */
export function widthOf(look, thing, size) {
  return measured(look, thing, size).width;
}

/** The picture of a thing, with its left upper corner at x, y. */
export function drawThing(look, thing, x, y, size) {
  const { found, names, width } = measured(look, thing, size);
  return shapesOf(found, { ...names, x, y, size, width });
}

/** The case of a thing, and its width. What does not fit into the picture of its look is drawn as a word. */
function measured(look, thing, size) {
  const { things } = PICTURES;
  const own = entry(things, look);
  const of = own && caseOf(own.cases, thing);
  const { width } = of ? own : things.word;
  return { ...(of ?? caseOf(things.word.cases, thing)), width: calculate(width, { t0: thing, size }) };
}
