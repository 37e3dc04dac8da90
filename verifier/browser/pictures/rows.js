/** An outcome of many things, drawn in rows that wrap: each place has its own, below its name. */

import { PICTURES } from "./data.js";
import { INK, svg, text } from "./shapes.js";
import { drawThing, MORE, widthOf } from "./things.js";
import { placeInWords, placesOf } from "./words.js";

const { rows: ROWS } = PICTURES;

/** @typedef {{look: string, thing: string}[]} Row things side by side */
/** @typedef {{name: string, rows: Row[], width: number}} Group what stands at a place; the only one has no name */

/**
 * The first things of a place or two, as high as a line, and how many more there are; null for more places, unless one
 * line has room for all.
 */
export function smallRows(looks, outcome) {
  const rows = rowsOfSmall(placesOf(looks, outcome).map(({ look, things }) => rowOf(look, things)));
  if (rows === null) return null;
  const step = ROWS.small + gapOf(ROWS.small);
  const width = Math.max(ROWS.small, ...rows.map((row) => widthOfRow(row, ROWS.small)));
  const shapes = rows.flatMap((row, at) => draw(row, 0, width, at * step, ROWS.small));
  return svg(width, Math.max(1, rows.length) * step - gapOf(ROWS.small), ...shapes);
}

/**
 * All things as large as there is room, or the first ones and how many more there are; null if there is no room for a
 * thing of each place.
 */
export function largeRows(looks, outcome, _, highest) {
  const places = placesOf(looks, outcome).map(({ place, look, things }) => ({ name: placeInWords(place, _), row: rowOf(look, things) }));
  const found = arranged(places.length > 1 ? places : places.map(({ row }) => ({ name: "", row })), highest);
  if (found === null) return null;
  const { size, lines } = found;
  const shapes = [];
  let top = 0;
  for (const line of lines) {
    let left = Math.max(0, Math.floor((ROWS.width - widthOfLine(line)) / 2));
    for (const group of line) {
      shapes.push(...drawGroup(group, left, top, size));
      left += group.width + ROWS.label;
    }
    top += heightOf([line], size) + 2 * gapOf(size);
  }
  return svg(ROWS.width, Math.max(1, heightOf(lines, size)), ...shapes);
}

function rowOf(look, things) {
  return things.map((thing) => ({ look, thing }));
}

function rowsOfSmall(places) {
  if (places.length === 1) return cutSmall(places[0], ROWS.rowsOfSmall);
  const together = places.flat();
  if (together.length === places.length && wrappedSmall(together).length <= 1) return [together];
  return places.length <= ROWS.rowsOfSmall ? places.flatMap((row) => cutSmall(row, 1)) : null;
}

function cutSmall(row, rows) {
  for (let most = rows * ROWS.inARow; most > 0; most--) {
    const wrapped = wrappedSmall(beginning(row, most));
    if (wrapped.length <= rows) return wrapped;
  }
  return [];
}

function wrappedSmall(row) {
  return wrapped(row, ROWS.small, ROWS.widestSmall, ROWS.inARow);
}

/**
 * The largest size at which one line holds everything, if that is large enough; else the largest at which everything
 * fits; else the smallest.
 */
function arranged(places, highest) {
  const tried = ROWS.sizes.map((size) => ({ size, lines: linesOf(places, size) }));
  const fitting = tried.filter(({ size, lines }) => heightOf(lines, size) <= highest);
  return fitting.find(({ size, lines }) => size >= ROWS.leastOfLine && isOneRow(lines)) ?? fitting[0] ?? cut(places, highest);
}

/** As many things of each place as there is room for. */
function cut(places, highest) {
  const size = ROWS.sizes.at(-1);
  let kept = null;
  for (let most = 1; most < Math.max(...places.map(({ row }) => row.length)); most++) {
    const lines = linesOf(places.map(({ name, row }) => ({ name, row: beginning(row, most) })), size);
    if (heightOf(lines, size) > highest) break;
    kept = { size, lines };
  }
  return kept;
}

function beginning(row, most) {
  return row.length <= most ? row : [...row.slice(0, most - 1), { look: MORE, thing: `+${row.length - most + 1}` }];
}

/** The groups side by side as far as there is room. */
function linesOf(places, size) {
  const lines = [];
  for (const { name, row } of places) {
    const rows = wrapped(row, size, ROWS.width, row.length);
    const group = { name, rows, width: Math.max(widthOfLabel(name), ...rows.map((each) => widthOfRow(each, size))) };
    const last = lines.at(-1);
    if (last !== undefined && widthOfLine([...last, group]) <= ROWS.width) last.push(group);
    else lines.push([group]);
  }
  return lines;
}

function wrapped(row, size, widest, most) {
  const rows = [];
  for (const each of row) {
    const last = rows.at(-1);
    if (last !== undefined && last.length < most && widthOfRow([...last, each], size) <= widest) last.push(each);
    else rows.push([each]);
  }
  return rows;
}

function isOneRow(lines) {
  return lines.length <= 1 && lines.flat().every(({ rows }) => rows.length <= 1);
}

function heightOf(lines, size) {
  const gap = gapOf(size);
  const heights = lines.map((line) => (line[0].name ? ROWS.label : 0) + Math.max(...line.map(({ rows }) => rows.length)) * (size + gap) - gap);
  return heights.reduce((sum, height) => sum + height, 0) + 2 * gap * Math.max(0, lines.length - 1);
}

function widthOfLine(line) {
  return line.reduce((sum, { width }) => sum + width, 0) + ROWS.label * (line.length - 1);
}

function widthOfLabel(name) {
  return Math.min(ROWS.width, Math.floor((name.length * ROWS.letters * 3) / 4));
}

function widthOfRow(row, size) {
  return row.reduce((sum, { look, thing }) => sum + widthOf(look, thing, size) + gapOf(size), 0) - gapOf(size);
}

function gapOf(size) {
  return Math.floor(size / 12);
}

function drawGroup({ name, rows, width }, left, top, size) {
  const letters = Math.min(ROWS.letters, Math.floor((ROWS.width * 4) / (3 * name.length)));
  const label = name === "" ? [] : [text(name, INK, left + Math.floor(width / 2), top + ROWS.letters, letters)];
  const below = top + (name === "" ? 0 : ROWS.label);
  return [...label, ...rows.flatMap((row, at) => draw(row, left, width, below + at * (size + gapOf(size)), size))];
}

/** A row in the middle of a width; one that is too wide is one long word, which is made smaller. */
function draw(row, left, width, top, size) {
  let x = left + Math.max(0, Math.floor((width - widthOfRow(row, size)) / 2));
  return row.flatMap(({ look, thing }) => {
    const shapes = drawThing(look, thing, x, top, size);
    x += widthOf(look, thing, size) + gapOf(size);
    return shapes;
  });
}
