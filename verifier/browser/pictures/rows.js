// An outcome of many things, drawn in rows: each place begins a row, and rows wrap.

import { INK, svg, text } from "./shapes.js";
import { drawThing, MORE, widthOf } from "./things.js";
import { placeInWords, placesOf } from "./words.js";

const WIDTH = 440;
const SMALL = 70;
const [FEW, MANY] = [3, 20];
const [SIZE_OF_FEW, SIZE, SIZE_OF_MANY] = [120, 70, 42];
const [LABEL, LETTERS] = [30, 20];
const [ROWS_OF_SMALL, ROWS_OF_ONE, IN_A_ROW_OF_SMALL] = [3, 2, 3];

// The first things of the first places, as high as a line. What is cut off is shown by a sign.
export function smallRows(looks, outcome) {
  const places = placesOf(looks, outcome);
  if (isOneEach(places)) return sideBySide(places);
  const rows = places.length === 1 ? rowsOf(places[0]) : places.slice(0, ROWS_OF_SMALL).map((place) => cut(place, 1));
  const gap = gapOf(SMALL);
  const width = Math.max(SMALL, ...rows.map((row) => widthOfRow(row, SMALL)));
  const shapes = rows.flatMap((row, at) => draw(row, width, at * (SMALL + gap), SMALL));
  return svg(width, Math.max(1, rows.length) * (SMALL + gap) - gap, ...shapes);
}

// Every thing, with the names of the places if there are several.
export function largeRows(looks, outcome, _) {
  const places = placesOf(looks, outcome);
  if (isOneEach(places)) return sideBySide(places, _);
  const count = places.reduce((sum, { things }) => sum + things.length, 0);
  const size = count <= FEW ? SIZE_OF_FEW : count <= MANY ? SIZE : SIZE_OF_MANY;
  const shapes = [];
  let top = 0;
  for (const { place, look, things } of places) {
    if (places.length > 1) {
      shapes.push(text(placeInWords(place, _), WIDTH / 2, top + LETTERS, LETTERS, INK));
      top += LABEL;
    }
    for (const row of wrapped(look, things, size)) {
      shapes.push(...draw(row, WIDTH, top, size));
      top += size + gapOf(size);
    }
    top += gapOf(size);
  }
  return svg(WIDTH, Math.max(top, 1), ...shapes);
}

function gapOf(size) {
  return Math.floor(size / 12);
}

function isOneEach(places) {
  return places.length > 1 && places.length <= IN_A_ROW_OF_SMALL && places.every(({ things }) => things.length === 1);
}

// One thing each: small in a row; large in columns, below the names of their places.
function sideBySide(places, _ = null) {
  const isSmall = _ === null;
  const size = isSmall ? SMALL : SIZE_OF_FEW;
  const top = isSmall ? 0 : LABEL;
  const gap = isSmall ? gapOf(size) : Math.floor(size / 4);
  const columns = places.map(({ place, look, things }) =>
    Math.max(widthOf(look, things[0], size), isSmall ? 0 : Math.floor((placeInWords(place, _).length * LETTERS * 3) / 4)),
  );
  const whole = columns.reduce((sum, column) => sum + column, 0) + gap * (columns.length - 1);
  const shapes = [];
  let left = isSmall ? 0 : Math.max(0, Math.floor((WIDTH - whole) / 2));
  places.forEach(({ place, look, things }, at) => {
    const column = columns[at];
    if (!isSmall) shapes.push(text(placeInWords(place, _), left + Math.floor(column / 2), LETTERS, LETTERS, INK));
    const inset = Math.floor((column - widthOf(look, things[0], size)) / 2);
    shapes.push(...drawThing(look, things[0], left + inset, top, size));
    left += column + gap;
  });
  return svg(isSmall ? whole : Math.max(WIDTH, whole), top + size, ...shapes);
}

function rowsOf(place) {
  const { look, things } = cut(place, ROWS_OF_ONE);
  const count = Math.ceil(things.length / IN_A_ROW_OF_SMALL);
  return Array.from({ length: count }, (_, row) => ({
    look,
    things: things.slice(row * IN_A_ROW_OF_SMALL, (row + 1) * IN_A_ROW_OF_SMALL),
  }));
}

function cut({ look, things }, rows) {
  const most = rows * IN_A_ROW_OF_SMALL;
  return { look, things: things.length <= most ? things : [...things.slice(0, most - 1), MORE] };
}

function* wrapped(look, things, size) {
  let row = [];
  for (const thing of things) {
    if (row.length > 0 && widthOfRow({ look, things: [...row, thing] }, size) > WIDTH) {
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
