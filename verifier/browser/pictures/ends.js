// Outcomes that are one thing with a look of its own: a card without a suit, dice, a shot at the goal, a ball from a
// drum.

import { BLACK, RED, svg, text, use } from "./shapes.js";

// A card that has a colour but no suit: red ones have a heart, black ones a spade, so nobody needs to distinguish
// colours.
export function cardOfColor(rank, color, large) {
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

const [COLUMNS, ROWS] = [8, 3];
const [CELL, CELL_HEIGHT] = [44, 38];

// The goal, and where the ball went: sectors 1 to 8 are the upper row, 9 to 16 the middle, 17 to 24 the lower one.
export function shot(outcome, large) {
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

// Dice, as they were thrown.
export function diceInARow(dice) {
  return svg(dice.length * 120 - 20, 100, ...dice.map((die, place) => use(`die-${die}`, place * 120, 0, 100, 100)));
}

// One ball; in the large drawing it comes from the drum.
export function loneBall(number, large) {
  const size = number < 100 ? 38 : 30;
  if (!large) return svg(100, 100, use("keno-ball", 0, 0, 100, 100), text(String(number), 50, 63, size, BLACK));
  const drum = use("keno-drum", 0, 0, 300, 300);
  return svg(440, 310, drum, use("keno-ball", 285, 150, 150, 150), text(String(number), 360, 243, Math.floor((size * 3) / 2), BLACK));
}
