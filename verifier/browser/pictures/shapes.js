// Shapes of SVG, of which drawings are made.
//
// A drawing is a tree of elements, each [tag, attributes, ...inside]. All numbers are whole, so that two languages
// cannot round them differently. Symbols are named by `#`; `build` puts the address of their sheet before that.

export const INK = "currentColor";
export const BLACK = "#16181d";
export const WHITE = "#fffdf8";
export const GREY = "#8a8f98";
export const RED = "#c9142b";
export const GREEN = "#0b7a4b";
export const BLUE = "#2563c9";
export const SHEET = "/static/pictures.svg";

// A whole drawing.
export function svg(width, height, ...inside) {
  return ["svg", { viewBox: `0 0 ${width} ${height}`, width, height }, ...inside];
}

// A symbol of the sheet.
export function use(symbol, x, y, width, height) {
  return ["use", { href: `${SHEET}#${symbol}`, x, y, width, height }];
}

// Words on a line at `y`.
export function text(words, x, y, size, fill, anchor = "middle") {
  return ["text", { x, y, "font-size": size, "font-weight": 700, fill, "text-anchor": anchor }, words];
}

// A rectangle with round corners.
export function box(x, y, width, height, roundBy, fill, stroke = GREY) {
  return ["rect", { x, y, width, height, rx: roundBy, fill, stroke, "stroke-width": 2 }];
}

// The drawing of an outcome that does not count.
export function struck([tag, attributes, ...inside]) {
  const [, , width, height] = attributes.viewBox.split(" ");
  const line = { d: `M0 ${height} ${width} 0`, stroke: INK, "stroke-width": 2, "vector-effect": "non-scaling-stroke" };
  return [tag, attributes, ["g", { opacity: "0.4" }, ...inside], ["path", line]];
}

// The elements themselves. `sheet` is the address of the symbols; it is empty if the page itself contains them.
export function build([tag, attributes, ...inside], sheet) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, name === "href" ? value.replace(SHEET, sheet) : value);
  }
  element.append(...inside.map((part) => (typeof part === "string" ? part : build(part, sheet))));
  return element;
}
