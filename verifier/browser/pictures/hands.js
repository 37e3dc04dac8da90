/**
 * What was dealt of the order of a round in which players decide: the hands that its engine has named, or the things
 * that it was given; if neither is known, how the order begins.
 */

import { PICTURES } from "./data.js";
import { entry } from "./drawn.js";
import { thingInWords } from "./things.js";
import { outcomeInWords } from "./words.js";

/** If nothing is known of a round, an order of so many things is shown whole, and of a longer one so many things. */
const [SHOWN_WHOLE, SHOWN_FIRST] = [12, 8];
/** What a service accepts of an engine (docs/http.md). */
const MOST_HANDS = 16;
const NAME = /^[a-z0-9 -]{1,32}$/;

/**
 * @typedef {object} Hand what is shown of an order: `looks` and `outcome` are drawn, and said, as those of a round are
 * @property {"dealt" | "given" | "order"} told
 * @property {Map<string, string>} looks
 * @property {Record<string, (string | number)[]>} outcome
 * @property {number} count how many things are shown
 * @property {string[]} others what was given, and lies in no hand
 * @property {Map<string, {position: number, thing: string}[]>} rest what else there is in the order, by place
 * @property {number} left how many things that are
 * @property {boolean} isNeedless whether nobody asked for them
 * @property {boolean} hasCards whether there is nothing but cards in the order
 */

/**
 * @param {Map<string, string>} looks
 * @param {{position: number, place: string, thing: string | number}[]} order
 * @param {object} [said] by the service: how many things were given, and who was dealt which positions; what cannot be
 *   is left out
 * @returns {?Hand} null if the order is one thing, or none
 */
export function handOf(looks, order, said = {}) {
  if (order.length <= 1) return null;
  const given = Number.isInteger(said.given) && said.given >= 0 && said.given <= order.length ? said.given : null;
  const isDealt = areHands(said.dealt, order.length);
  const unknown = order.length <= SHOWN_WHOLE ? order.length : SHOWN_FIRST;
  const hands = isDealt ? byFirst(said.dealt, order) : byPlace(order.slice(0, given ?? unknown));
  const shown = new Set([...hands.values()].flat().map(({ position }) => position));
  const left = order.filter(({ position }) => !shown.has(position));
  const rest = left.filter(({ position }) => position > (given ?? 0));
  const inWords = ({ place, thing }) => thingInWords(lookAt(looks, place), String(thing));
  return {
    told: isDealt ? "dealt" : given === null ? "order" : "given",
    looks: new Map([...hands].map(([name, things]) => [name, lookOf(looks, things)])),
    outcome: Object.fromEntries([...hands].map(([name, things]) => [name, things.map(({ thing }) => thing)])),
    count: shown.size,
    others: left.filter(({ position }) => position <= (given ?? 0)).map(inWords),
    rest: new Map([...byPlace(rest)].map(([place, things]) => [place, things.map((each) => ({ position: each.position, thing: inWords(each) }))])),
    left: rest.length,
    isNeedless: given !== null,
    hasCards: order.every(({ place }) => looks.get(place) === "card"),
  };
}

/** What is in a hand; dots stand for what is not shown of an order, unless nobody asked for it. */
export function handInWords({ told, looks, outcome, count, left }, _) {
  if (count === 0) return _("nothing was given");
  return outcomeInWords(looks, outcome, _) + (told === "order" && left > 0 ? " …" : "");
}

/** Whose word it is that this was dealt; empty for an order that is shown whole. */
export function handTold({ told, count, left, hasCards }, _) {
  if (told === "dealt") return _("The game says that it dealt like this.");
  if (told === "order") return left > 0 ? _("The order begins like this.") : "";
  if (count === 0) return _("The service says that nothing was given.");
  const words = hasCards
    ? _("The service says that these cards were given, in this order: %(count)s.")
    : _("The service says that these were given, in this order: %(count)s.");
  return words.replace("%(count)s", count);
}

/** Whether this names hands of an order: each position once. */
function areHands(dealt, last) {
  if (typeof dealt !== "object" || dealt === null || Array.isArray(dealt)) return false;
  const hands = Object.entries(dealt);
  const positions = Object.values(dealt).flat();
  const isHand = ([name, hand]) => NAME.test(name) && Array.isArray(hand) && hand.length > 0;
  const isPosition = (each) => Number.isInteger(each) && each >= 1 && each <= last;
  return hands.length > 0 && hands.length <= MOST_HANDS && hands.every(isHand) && positions.every(isPosition) && new Set(positions).size === positions.length;
}

function byFirst(dealt, order) {
  const hands = Object.entries(dealt).sort(([, [one]], [, [other]]) => one - other);
  return new Map(hands.map(([name, positions]) => [name, positions.map((position) => order[position - 1])]));
}

function byPlace(things) {
  const found = new Map();
  for (const each of things) found.set(each.place, [...(found.get(each.place) ?? []), each]);
  return found;
}

/** The look that all of these things have, each by itself. */
function lookOf(looks, things) {
  const [look, ...others] = new Set(things.map(({ place }) => lookAt(looks, place)));
  return others.length === 0 && entry(PICTURES.things, look) !== undefined ? look : "word";
}

function lookAt(looks, place) {
  return looks.get(place) ?? "word";
}
