/** An outcome in a few words: its places and its things. */

import { WORDS } from "./data.js";
import { thingInWords, thingsOf } from "./things.js";

const SHOWN = 20;

/** Each place that has something. */
export function placesOf(looks, outcome) {
  const known = [...looks.keys()].filter((place) => Object.hasOwn(outcome, place));
  const others = Object.keys(outcome).sort().filter((place) => !looks.has(place));
  return [...known, ...others]
    .map((place) => ({ place, look: lookOf(looks, place), things: thingsOf(lookOf(looks, place), outcome[place]) }))
    .filter(({ things }) => things.length > 0);
}

function lookOf(looks, place) {
  return looks.get(place) ?? "word";
}

/** The name of a place. */
export function placeInWords(place, translate) {
  return WORDS.has(place) ? translate(place) : place.replaceAll("-", " ");
}

/**
 * An outcome as a person would say it: `pocket 17`, `1 · 5 · 2`, `player 6♠ 2♦, banker 9♥ K♠`. If there is one place
 * with several things, they need no name.
 */
export function outcomeInWords(looks, outcome, translate = (message) => message) {
  const [place, look] = [...looks][0] ?? [];
  if (looks.size === 1 && (look === "flight" || look === "rocket")) return `${outcome[place]}×`;
  if (isOnly("colored-card", looks)) return cardOfColor(outcome, translate);
  if (isOnly("goal", looks)) return shot(outcome, translate);
  const places = placesOf(looks, outcome);
  if (places.length === 1 && places[0].things.length > 1) return inWords(places[0], translate);
  return places.map((place) => `${placeInWords(place.place, translate)} ${inWords(place, translate)}`).join(", ");
}

function isOnly(look, looks) {
  return looks.size === 2 && [...looks.values()].every((each) => each === look);
}

function inWords({ look, things }, _) {
  const words = things.map((thing) => thingInWords(look, thing)).map((word) => (WORDS.has(word) ? _(word) : word));
  const between = look === "card" || look === "bone" ? " " : look === "point" ? "" : " · ";
  const shown = words.slice(0, SHOWN).join(between);
  if (words.length <= SHOWN) return shown;
  // A function, because an operator's own words may have "$&", which means something in a replacement.
  return _("%(things)s and %(count)s more").replace("%(count)s", words.length - SHOWN).replace("%(things)s", () => shown);
}

function cardOfColor({ card, color }, _) {
  if (color === undefined) return _("Joker");
  return (color === "red" ? _("%(card)s, red") : _("%(card)s, black")).replace("%(card)s", card);
}

function shot({ sector, result }, _) {
  if (sector !== undefined) return _("sector %(number)s").replace("%(number)s", sector);
  return result === "bar" ? _("the bar") : _("failure");
}
