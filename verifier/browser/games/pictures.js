// Outcomes as pictures, and in a few words.
//
// `api/pages/pictures.py` is the same for the service's own pages, function by function; a test compares the two.
// A drawing is a tree of SVG elements, each [tag, attributes, ...inside]. Its symbols are in one sheet,
// `/static/pictures.svg`. All numbers are whole, so that two languages cannot round them differently.

const SHEET = "/static/pictures.svg";
const FLIGHTS = ["crash", "rocketon"];
const READABLE = ["hi-lo", "sic-bo", "penalty", "keno-express"];
const [INK, RED, BLACK] = ["currentColor", "#c9142b", "#16181d"];

// The drawing of an outcome, an `svg`; null for a game without a picture. `sheet` is the address of the symbols; it
// is empty if the page itself contains them.
export function drawing(game, outcome, { large = false, sheet = SHEET } = {}) {
  const use = (symbol, x, y, width, height) => ["use", { href: `${sheet}#${symbol}`, x, y, width, height }];
  switch (game) {
    case "crash":
    case "rocketon":
      return flight(game, outcome.multiplier, large, use);
    case "hi-lo":
      return card(outcome.card, outcome.color, large, use);
    case "sic-bo":
      return dice(outcome.dice, use);
    case "penalty":
      return shot(outcome, large, use);
    case "keno-express":
      return ball(outcome.number, large, use);
    default:
      return null;
  }
}

// An outcome as a person would say it, in the language of `_`.
export function inWords(game, outcome, _ = (message) => message) {
  switch (game) {
    case "crash":
    case "rocketon":
      return `${outcome.multiplier}×`;
    case "hi-lo":
      return cardWords(outcome, _);
    case "sic-bo":
      return outcome.dice.join(" · ");
    case "penalty":
      return shotWords(outcome, _);
    case "keno-express":
      return _("number %(number)s").replace("%(number)s", outcome.number);
    default:
      return asText(Object.values(outcome)[0]);
  }
}

// Whether the drawing needs the words beside it: of a flight, only the large drawing shows the multiplier.
export function hasCaption(game, { large = false } = {}) {
  return !(large ? FLIGHTS : READABLE).includes(game);
}

// The drawing as an element; null for a game without one. Screen readers read `label`; with an empty one they skip
// the drawing. The outcome that a void round would have had is drawn pale, and struck through.
export function picture(game, outcome, label = "", { large = false, isVoid = false, sheet = SHEET } = {}) {
  const shape = drawing(game, outcome, { large, sheet });
  if (shape === null) return null;
  const element = build(isVoid ? struck(shape) : shape);
  element.setAttribute("class", large ? "picture large" : "picture");
  for (const [name, value] of label ? [["role", "img"], ["aria-label", label]] : [["aria-hidden", "true"]]) {
    element.setAttribute(name, value);
  }
  return element;
}

// The drawing of an outcome that does not count.
export function struck([tag, attributes, ...inside]) {
  const [, , width, height] = attributes.viewBox.split(" ");
  const line = { d: `M0 ${height} ${width} 0`, stroke: INK, "stroke-width": 2, "vector-effect": "non-scaling-stroke" };
  return [tag, attributes, ["g", { opacity: "0.4" }, ...inside], ["path", line]];
}

function build([tag, attributes, ...inside]) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...inside.map((part) => (typeof part === "string" ? part : build(part))));
  return element;
}

function svg(width, height, ...inside) {
  return ["svg", { viewBox: `0 0 ${width} ${height}`, width, height }, ...inside];
}

function text(words, x, y, size, fill, anchor = "middle") {
  return ["text", { x, y, "font-size": size, "font-weight": 700, fill, "text-anchor": anchor }, words];
}

function asText(value) {
  return Array.isArray(value) ? value.join(" · ") : String(value);
}

// Crash and Rocketon (regulation 12.20, 12.26): the multiplier grows by a curve until it stops.

const [LEFT, RIGHT, BOTTOM, TOP] = [64, 530, 340, 64];
const CURVES = 8;

function flight(game, multiplier, large, use) {
  const color = game === "crash" ? "#d9480f" : "#7c5cfc";
  const [path, [x, y]] = flightPath(Number(multiplier));
  const size = large ? 96 : 128;
  const axes = { d: `M${LEFT} ${TOP} ${LEFT} ${BOTTOM} ${RIGHT} ${BOTTOM}`, fill: "none" };
  const pen = { "stroke-linecap": "round", "stroke-linejoin": "round" };
  const inside = [
    ["path", { d: `${path}V${BOTTOM}H${LEFT}z`, fill: color, opacity: "0.16" }],
    ["path", { ...axes, stroke: INK, "stroke-opacity": "0.35", "stroke-width": Math.floor(size / 20) }],
    ["path", { d: path, fill: "none", stroke: color, "stroke-width": size / 8, ...pen }],
    use("burst", x - size / 2, y - size / 2, size, size),
  ];
  if (game === "rocketon") inside.push(use("rocket", x - (size * 3) / 8, y - (size * 3) / 8, (size * 3) / 4, (size * 3) / 4));
  if (large) {
    const words = `${multiplier}×`;
    inside.push(text(words, LEFT + 24, 124, Math.min(84, Math.floor(720 / words.length)), INK, "start"));
  }
  return svg(600, 400, ...inside);
}

// The curve e^t from 1 to where it stopped, in the drawing's units, and its last point.
//
// The drawing's height is the range from 1 to the multiplier, but at least to 2: 1.00 is a point, 1.50 reaches half
// of the height, and everything beyond 2 fills it; the larger, the steeper.
export function flightPath(multiplier) {
  const top = Math.max(multiplier, 2);
  const growth = Math.log(top);
  const end = Math.log(multiplier) / growth;
  const point = (along, height) => {
    const x = LEFT + (RIGHT - LEFT) * along;
    const y = BOTTOM - (BOTTOM - TOP) * height;
    return [Math.floor(x + 0.5), Math.floor(y + 0.5)];
  };
  const height = (along) => (Math.exp(growth * along) - 1) / (top - 1);
  const slope = (along) => (growth * Math.exp(growth * along)) / (top - 1);

  // Bézier curves with the right slope at both ends; they are shorter where the curve is steep.
  const at = Array.from({ length: CURVES + 1 }, (_, i) => end * (1 - (1 - i / CURVES) ** 2));
  const parts = at.slice(1).map((stop, i) => {
    const start = at[i];
    const third = (stop - start) / 3;
    const first = point(start + third, height(start) + third * slope(start));
    const second = point(stop - third, height(stop) - third * slope(stop));
    return [...first, ...second, ...point(stop, height(stop))].join(" ");
  });
  return [`M${LEFT} ${BOTTOM}C${parts.join(" ")}`, point(end, height(end))];
}

// HI LO (12.21): red cards have a heart, black ones a spade, so nobody needs to distinguish colours.

function card(rank, color, large, use) {
  const face = use("card", 0, 0, 100, 140);
  if (color === undefined) {
    return svg(100, 140, face, use("joker", 16, 26, 68, 68), text("Joker", 50, 120, 24, "#3a2a63"));
  }
  const [mark, ink] = color === "red" ? ["heart", RED] : ["spade", BLACK];
  if (!large) return svg(100, 140, face, text(rank, 50, 68, 66, ink), use(mark, 26, 78, 48, 48));
  const corner = [text(rank, 19, 34, 28, ink), use(mark, 10, 40, 18, 18)];
  const turned = { transform: "rotate(180 50 70)" };
  return svg(100, 140, face, ["g", {}, ...corner], ["g", turned, ...corner], use(mark, 24, 44, 52, 52));
}

function cardWords({ card, color }, _) {
  if (color === undefined) return _("Joker");
  return (color === "red" ? _("%(card)s, red") : _("%(card)s, black")).replace("%(card)s", card);
}

// Sic Bo (12.25): three dice, as they were drawn.

function dice(drawn, use) {
  return svg(340, 100, ...drawn.map((die, place) => use(`die-${die}`, place * 120, 0, 100, 100)));
}

// Penalty (12.29): sectors 1 to 8 are the upper row, 9 to 16 the middle, 17 to 24 the lower one.

const [COLUMNS, ROWS] = [8, 3];
const [CELL, CELL_HEIGHT] = [44, 38];

function shot(outcome, large, use) {
  const inside = [use("goal", 0, 0, 440, 170)];
  const isSector = outcome.sector !== undefined;
  const [x, y] = isSector ? corner(outcome.sector) : [];
  if (isSector) {
    const fill = isYellow(outcome.sector) ? "#ffc107" : "#2563c9";
    inside.push(["rect", { x, y, width: CELL, height: CELL_HEIGHT, fill, stroke: BLACK, "stroke-width": 3 }]);
  }
  if (large) inside.push(...Array.from({ length: COLUMNS * ROWS }, (_, at) => sectorNumber(at + 1)));
  if (isSector) inside.push(large ? use("ball", x + 15, y + 10, 26, 26) : use("ball", x + 4, y + 1, 36, 36));
  else if (outcome.result === "bar") inside.push(use("impact", 190, 0, 60, 60), use("ball", 202, 12, 36, 36));
  else inside.push(use("cross", 180, 41, 80, 80), use("ball", 402, 118, 36, 36));
  return svg(440, 170, ...inside);
}

function shotWords({ sector, result }, _) {
  if (sector !== undefined) return _("sector %(number)s").replace("%(number)s", sector);
  return result === "bar" ? _("the bar") : _("failure");
}

function corner(sector) {
  return [44 + ((sector - 1) % COLUMNS) * CELL, 24 + Math.floor((sector - 1) / COLUMNS) * CELL_HEIGHT];
}

// The drawing is chequered, 12 and 12. The regulation does not say which sectors are yellow.
function isYellow(sector) {
  return (((sector - 1) % COLUMNS) + Math.floor((sector - 1) / COLUMNS)) % 2 === 0;
}

function sectorNumber(sector) {
  const [x, y] = corner(sector);
  return text(String(sector), x + 4, y + 13, 12, BLACK, "start");
}

// Keno Express (12.33): one ball of a hundred, from the drum.

function ball(number, large, use) {
  const size = number < 100 ? 38 : 30;
  if (!large) return svg(100, 100, use("keno-ball", 0, 0, 100, 100), text(String(number), 50, 63, size, BLACK));
  const drum = use("keno-drum", 0, 0, 300, 300);
  return svg(440, 310, drum, use("keno-ball", 285, 150, 150, 150), text(String(number), 360, 243, Math.floor((size * 3) / 2), BLACK));
}
