// The things at a place of an outcome, and the picture of one of them.

import { BLACK, BLUE, box, GREEN, GREY, INK, RED, text, use, WHITE } from "./shapes.js";

const SUITS = { c: "club", d: "diamond", h: "heart", s: "spade" };
const SIGNS = { c: "♣", d: "♦", h: "♥", s: "♠" };
const CARD = /^([0-9A-Z])([cdhs])$/;
const JOKERS = { "__proto__": null, "Xx": "", "Xr": "red", "Xb": "black" };
const RED_POCKETS = new Set([1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36]);
const SPLIT = new Set(["card", "bone", "colored-ball", "thing", "segment"]);
const [NUMBERED, LONGEST_NUMBER] = [new Set(["ball", "runner", "stop"]), 4];
const WIDEST = 440;

// Stands for the things that a small drawing leaves out.
export const MORE = "…";

// Each thing as it is written in the outcome.
export function thingsOf(look, value) {
  if (Array.isArray(value)) return value.map(String);
  if (look === "point") return [...String(value)];
  return SPLIT.has(look) && value !== "" ? String(value).split(" ") : [String(value)];
}

// One thing as a person would write it: `Q♥`, `10♠`, `17`.
export function thingInWords(look, thing) {
  if (look !== "card") return thing;
  if (thing in JOKERS) return `Joker ${JOKERS[thing]}`.trimEnd();
  const found = CARD.exec(thing);
  return found === null ? thing : `${rankOf(found[1])}${SIGNS[found[2]]}`;
}

function rankOf(rank) {
  return rank === "T" ? "10" : rank;
}

// How wide a thing's picture is if it is `size` high.
export function widthOf(look, thing, size) {
  const drawn = drawnAs(look, thing);
  if (SQUARE.has(drawn)) return size;
  if (WORDS.has(drawn)) return Math.min(WIDEST, Math.max(size, part(thing.length * size * 9, 32) + part(size, 2)));
  return part(size * 5, 7);
}

// The picture of a thing, with its left upper corner at x, y.
export function drawThing(look, thing, x, y, size) {
  return DRAWN[drawnAs(look, thing)](thing, x, y, size);
}

// A thing that does not fit into the picture of its look is written as a word.
function drawnAs(look, thing) {
  if (thing === MORE) return "more";
  const isCard = thing in JOKERS || CARD.test(thing);
  if ((look === "card" && !isCard) || (NUMBERED.has(look) && thing.length > LONGEST_NUMBER)) return "word";
  return look in DRAWN ? look : "word";
}

function part(number, divisor) {
  return Math.floor(number / divisor);
}

function die(thing, x, y, size) {
  return [use(`die-${thing}`, x, y, size, size)];
}

function ball(thing, x, y, size) {
  const letters = Math.min(part(size * 3, 8), part(size * 7, 8 * thing.length));
  const number = text(thing, x + part(size, 2), y + part(size, 2) + part(letters * 3, 8), letters, BLACK);
  return [use("keno-ball", x, y, size, size), number];
}

// A number and r or b: red ones are round, blue ones square.
function coloredBall(thing, x, y, size) {
  const isRed = thing.endsWith("r");
  const shape = box(x + 1, y + 1, size - 2, size - 2, part(size, isRed ? 2 : 6), isRed ? RED : BLUE);
  return [shape, inside(thing.slice(0, -1), x, y, size, size, WHITE)];
}

function pocket(thing, x, y, size) {
  const fill = thing === "0" || thing === "00" ? GREEN : RED_POCKETS.has(Number(thing)) ? RED : BLACK;
  return [box(x + 1, y + 1, size - 2, size - 2, part(size, 6), fill), inside(thing, x, y, size, size, WHITE)];
}

function card(thing, x, y, size) {
  const width = part(size * 5, 7);
  const face = use("card", x, y, width, size);
  if (thing in JOKERS) {
    const mark = part(size * 3, 7);
    const name = text("Joker", x + part(width, 2), y + part(size * 6, 7), part(size, 5), thing === "Xr" ? RED : BLACK);
    return [face, use("joker", x + part(width - mark, 2), y + part(size, 5), mark, mark), name];
  }
  const [rank, suit] = [rankOf(thing[0]), thing[1]];
  const mark = part(size * 3, 8);
  const letters = part(size * (rank.length === 1 ? 3 : 2), 7) + part(size, 14);
  return [
    face,
    text(rank, x + part(width, 2), y + part(size * 15, 32), letters, suit === "d" || suit === "h" ? RED : BLACK),
    use(SUITS[suit], x + part(width - mark, 2), y + part(size * 9, 16), mark, mark),
  ];
}

// A domino bone.
function bone(thing, x, y, size) {
  const width = part(size * 5, 7);
  const letters = part(size * 3, 8);
  const half = (written, at) => text(written, x + part(width, 2), at + part(letters * 3, 8), letters, BLACK);
  return [
    box(x + 1, y + 1, width - 2, size - 2, part(size, 10), WHITE),
    ["path", { d: `M${x + 4} ${y + part(size, 2)}H${x + width - 4}`, stroke: GREY, "stroke-width": 2 }],
    half(thing.slice(0, 1), y + part(size, 4)),
    half(thing.slice(1), y + part(size * 3, 4)),
  ];
}

// A piece of a wheel under its pointer.
function segment(thing, x, y, size) {
  const tip = x + part(widthOf("segment", thing, size), 2);
  const eighth = part(size, 8);
  return [...word(thing, x, y, size), ["path", { d: `M${tip - eighth} ${y}h${eighth * 2}l-${eighth} ${part(size, 6)}z`, fill: INK }]];
}

// Whatever has words and no picture.
function word(thing, x, y, size) {
  const [width, top] = [widthOf("word", thing, size), part(size, 6)];
  const letters = Math.min(part(size * 3, 8), part((width - part(size, 4)) * 8, 5 * Math.max(1, thing.length)));
  return [
    box(x + 1, y + top, width - 2, size - top - 1, part(size, 5), "none", INK),
    text(thing, x + part(width, 2), y + part(size * 7, 12) + part(letters * 3, 8), letters, INK),
  ];
}

// A number on a saddle-cloth.
function runner(thing, x, y, size) {
  const cloth = `M${x + 1} ${y + 1}h${size - 2}v${part(size * 2, 3)}q-${part(size, 2) - 1} ${part(size, 2)} -${size - 2} 0z`;
  const shape = ["path", { d: cloth, fill: WHITE, stroke: GREY, "stroke-width": 2 }];
  return [shape, inside(thing, x, y - part(size, 16), size, size, BLACK)];
}

// A reel's window.
function stop(thing, x, y, size) {
  const width = part(size * 5, 7);
  const lines = `M${x + 2} ${y + part(size, 5)}h${width - 4}M${x + 2} ${y + part(size * 4, 5)}h${width - 4}`;
  return [
    box(x + 1, y + 1, width - 2, size - 2, part(size, 10), WHITE),
    ["path", { d: lines, stroke: GREY }],
    inside(thing, x, y, width, size, BLACK),
  ];
}

// A point of one side: the first side's stand high, the other's low.
function point(thing, x, y, size) {
  const [width, half, isHigh] = [part(size * 5, 7), part(size, 2), thing === "A"];
  return [
    box(x + 1, y + (isHigh ? 1 : half), width - 2, half - 1, part(size, 10), isHigh ? WHITE : BLACK),
    inside(thing, x, y + (isHigh ? 0 : half), width, half, isHigh ? BLACK : WHITE),
  ];
}

function more(thing, x, y, size) {
  return [inside(thing, x, y, part(size * 5, 7), size, INK)];
}

// Words in the middle, as large as they fit.
function inside(words, x, y, width, height, fill) {
  const size = Math.min(part(height * 7, 16), part(width * 5, 4 * Math.max(1, words.length)));
  return text(words, x + part(width, 2), y + part(height, 2) + part(size * 3, 8), size, fill);
}

const DRAWN = { "__proto__": null, die, ball, "colored-ball": coloredBall, pocket, card, bone, segment, word, runner, stop, point, more };
const SQUARE = new Set(["die", "ball", "colored-ball", "pocket", "runner"]);
const WORDS = new Set(["segment", "word"]);
