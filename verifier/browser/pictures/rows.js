/** An outcome of many things, drawn in rows: each place begins a row, and rows wrap. */

import { PICTURES } from "./data.js";
import { INK, svg, text } from "./shapes.js";
import { drawThing, MORE, widthOf } from "./things.js";
import { placeInWords, placesOf } from "./words.js";

const { rows: ROWS } = PICTURES;

/** The first things of the first places, as high as a line. What is cut off is shown by a sign. */
export function smallRows(looks, outcome) {
  const places = placesOf(looks, outcome);
  if (isOneEach(places)) return inALine(places);
  const rows = places.length === 1 ? rowsOf(places[0]) : places.slice(0, ROWS.rowsOfSmall).map((place) => cut(place, 1));
  const gap = gapOf(ROWS.small);
  const width = Math.max(ROWS.small, ...rows.map((row) => widthOfRow(row, ROWS.small)));
  const shapes = rows.flatMap((row, at) => draw(row, width, at * (ROWS.small + gap), ROWS.small));
  return svg(width, Math.max(1, rows.length) * (ROWS.small + gap) - gap, ...shapes);
}

/** Every thing, with the names of the places if there are several. */
export function largeRows(looks, outcome, _) {
  const places = placesOf(looks, outcome);
  if (isOneEach(places)) return inColumns(places, _);
  const count = places.reduce((sum, { things }) => sum + things.length, 0);
  const size = count <= ROWS.mostFew ? ROWS.few : count <= ROWS.mostSome ? ROWS.some : ROWS.many;
  const shapes = [];
  let top = 0;
  for (const { place, look, things } of places) {
    if (places.length > 1) {
      shapes.push(label(placeInWords(place, _), ROWS.width / 2, top));
      top += ROWS.label;
    }
    for (const row of wrapped(look, things, size)) {
      shapes.push(...draw(row, ROWS.width, top, size));
      top += size + gapOf(size);
    }
    top += gapOf(size);
  }
  return svg(ROWS.width, Math.max(top, 1), ...shapes);
}

function gapOf(size) {
  return Math.floor(size / 12);
}

function isOneEach(places) {
  return places.length > 1 && places.length <= ROWS.inARow && places.every(({ things }) => things.length === 1);
}

/** One thing of each place, side by side. */
function inALine(places) {
  const size = ROWS.small;
  let left = 0;
  const shapes = places.flatMap(({ look, things: [thing] }) => {
    const drawn = drawThing(look, thing, left, 0, size);
    left += widthOf(look, thing, size) + gapOf(size);
    return drawn;
  });
  return svg(left - gapOf(size), size, ...shapes);
}

/** One thing of each place, below the place's name. */
function inColumns(places, _) {
  const size = ROWS.few;
  const gap = Math.floor(size / 4);
  const columns = places.map(({ place, look, things: [thing] }) => {
    const name = placeInWords(place, _);
    const width = widthOf(look, thing, size);
    return { name, look, thing, width, column: Math.max(width, Math.floor((name.length * ROWS.letters * 3) / 4)) };
  });
  const all = columns.reduce((sum, { column }) => sum + column, 0) + gap * (columns.length - 1);
  let left = Math.max(0, Math.floor((ROWS.width - all) / 2));
  const shapes = columns.flatMap(({ name, look, thing, width, column }) => {
    const drawn = drawThing(look, thing, left + Math.floor((column - width) / 2), ROWS.label, size);
    const named = label(name, left + Math.floor(column / 2), 0);
    left += column + gap;
    return [named, ...drawn];
  });
  return svg(Math.max(ROWS.width, all), ROWS.label + size, ...shapes);
}

/** Dice, as they were thrown. */
export function diceInARow(dice) {
  const [size, gap] = [100, 20];
  const shapes = dice.flatMap((die, place) => drawThing("die", String(die), place * (size + gap), 0, size));
  return svg(dice.length * (size + gap) - gap, size, ...shapes);
}

function label(words, middle, top) {
  return text(words, INK, middle, top + ROWS.letters, ROWS.letters);
}

function rowsOf(place) {
  const { look, things } = cut(place, ROWS.rowsOfOne);
  const count = Math.ceil(things.length / ROWS.inARow);
  return Array.from({ length: count }, (_, row) => ({
    look,
    things: things.slice(row * ROWS.inARow, (row + 1) * ROWS.inARow),
  }));
}

function cut({ look, things }, rows) {
  const most = rows * ROWS.inARow;
  return { look, things: things.length <= most ? things : [...things.slice(0, most - 1), MORE] };
}

function* wrapped(look, things, size) {
  let row = [];
  for (const thing of things) {
    if (row.length > 0 && widthOfRow({ look, things: [...row, thing] }, size) > ROWS.width) {
      yield { look, things: row };
      row = [];
    }
    row.push(thing);
  }
  yield { look, things: row };
}

function widthOfRow({ look, things }, size) {
  return things.reduce((sum, thing) => sum + widthOf(look, thing, size) + gapOf(size), 0) - gapOf(size);
}

function draw(row, width, top, size) {
  let x = Math.max(0, Math.floor((width - widthOfRow(row, size)) / 2));
  return row.things.flatMap((thing) => {
    const shapes = drawThing(row.look, thing, x, top, size);
    x += widthOf(row.look, thing, size) + gapOf(size);
    return shapes;
  });
}
