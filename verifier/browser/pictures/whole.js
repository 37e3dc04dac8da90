/**
 * Outcomes that are one thing with a look of its own: a flight, a card without a suit, a shot at the goal, a ball
 * from a drum.
 */

import { PICTURES } from "./data.js";
import { caseOf, entry, shapesOf } from "./drawn.js";
import { flightPath } from "./flight.js";
import { calculate } from "./formulas.js";
import { svg } from "./shapes.js";

/** The drawing of an outcome whose places have one such look together; null for all others. */
export function whole(looks, outcome, large) {
  const [look, ...others] = new Set(looks.values());
  const values = [...looks.keys()].filter((place) => Object.hasOwn(outcome, place)).map((place) => outcome[place]);
  const drawing = entry(PICTURES.wholes, look);
  if (drawing === undefined || others.length > 0 || values.some(Array.isArray)) return null;
  const written = values.join(" ");
  const of = caseOf(drawing.cases, written);
  if (of === null) return null;
  const names = { ...of.names, look, large: large ? 1 : 0, ...numbersOf(look, written) };
  return svg(calculate(drawing.width, names), calculate(drawing.height, names), ...shapesOf(of.found, names));
}

/** What a formula cannot calculate. */
function numbersOf(look, written) {
  if (look !== "flight" && look !== "rocket") return { n: Number(written) };
  const [path, [x, y]] = flightPath(Number(written));
  return { path, x, y };
}
