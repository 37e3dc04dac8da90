// The order that a round fixed, thing by thing: what a declared game deals while its players decide (SPEC 3.6,
// `moves`).

import { gameOf } from "./games.js";

/**
 * A card, a bone, a number: where it is in the order, from 1; the place that it belongs to; and what it is.
 * @typedef {{position: number, place: string, thing: string | number}} Thing
 */

/**
 * The order goes through the places as they are drawn, and through each from its first thing to its last.
 * @param {{game: string, declaration?: object}} table its record
 * @param {Record<string, string | number | number[]>} outcome that was checked
 * @returns {Thing[]} none unless the game is declared, and its players decide after the lock
 */
export function orderOf(table, outcome) {
  const game = gameOf(table);
  if (!game.hasFlight || table.declaration === undefined) return [];
  const drawn = game.places.filter((place) => Object.hasOwn(outcome, place));
  return drawn
    .flatMap((place) => thingsOf(outcome[place]).map((thing) => ({ place, thing })))
    .map((each, at) => ({ position: at + 1, ...each }));
}

function thingsOf(value) {
  if (typeof value === "string") return value === "" ? [] : value.split(" ");
  return [value].flat();
}
