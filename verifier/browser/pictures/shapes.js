/**
 * Shapes of SVG, of which drawings are made.
 *
 * A drawing is a tree of elements, each [tag, attributes, ...inside]. All numbers are whole, so that two languages
 * cannot round them differently. Symbols are named by `#`; `build` puts the address of their sheet before that.
 */

import { PICTURES } from "./data.js";

export const INK = PICTURES.colors.ink;
export const SHEET = "/static/pictures.svg";

/** A whole drawing. */
export function svg(width, height, ...inside) {
  return ["svg", { viewBox: `0 0 ${width} ${height}`, width, height }, ...inside];
}

/** A symbol of the sheet. */
export function use(symbol, x, y, width, height) {
  return ["use", { href: `${SHEET}#${symbol}`, x, y, width, height }];
}

/** Words on a line at `y`, around `x`. */
export function text(words, fill, x, y, size) {
  return ["text", { x, y, "font-size": size, "font-weight": 700, fill, "text-anchor": "middle" }, words];
}

/** Words in the middle of a rectangle, as large as they fit. */
export function fit(words, fill, x, y, width, height) {
  const size = Math.min(Math.floor(height / 2), Math.floor((width * 5) / (4 * Math.max(1, words.length))));
  return text(words, fill, x + Math.floor(width / 2), y + Math.floor(height / 2) + Math.floor((size * 3) / 8), size);
}

/** A rectangle with round corners, one unit inside its place. */
export function box(fill, roundBy, x, y, width, height) {
  const place = { x: x + 1, y: y + 1, width: width - 2, height: height - 2, rx: roundBy };
  return ["rect", { ...place, fill, stroke: PICTURES.colors.grey, "stroke-width": 2 }];
}

/** How large the letters in a drawing are, in its units. */
export function lettersOf([tag, attributes, ...inside]) {
  const own = tag === "text" ? [attributes["font-size"]] : [];
  return [...own, ...inside.filter(Array.isArray).flatMap(lettersOf)];
}

/** The drawing of an outcome that does not count. */
export function struck([tag, attributes, ...inside]) {
  const [, , width, height] = attributes.viewBox.split(" ");
  const line = { d: `M0 ${height} ${width} 0`, stroke: INK, "stroke-width": 2, "vector-effect": "non-scaling-stroke" };
  return [tag, attributes, ["g", { opacity: "0.4" }, ...inside], ["path", line]];
}

/** The elements themselves. `sheet` is the address of the symbols; it is empty if the page itself contains them. */
export function build([tag, attributes, ...inside], sheet) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, name === "href" ? value.replace(SHEET, sheet) : value);
  }
  element.append(...inside.map((part) => (typeof part === "string" ? part : build(part, sheet))));
  return element;
}
