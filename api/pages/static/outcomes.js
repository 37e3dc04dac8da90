/** The outcomes of rounds, as `templates/outcome.html` shows them, too. */

import { handInWords, handTold, hasCaption, outcomeInWords, picture, placeInWords } from "/verifier/pictures/pictures.js";
import { element, number } from "./elements.js";
import { _ } from "./words.js";

/** An outcome in a list: its picture and its words. Of an order in which players decided, its hand. */
export function drawShown(ofTable, { status, outcome: whole, hand = null }) {
  const { looks, outcome } = hand ?? { looks: ofTable, outcome: whole };
  const isVoid = status === "void";
  const words = hand === null ? outcomeInWords(looks, outcome, _) : handInWords(hand, _);
  const drawn = hand?.count === 0 ? null : picture(looks, outcome, "", { _, isVoid });
  return element("span", { class: "outcome" }, ...[drawn].filter(Boolean), ...(isVoid ? struck(words, hand?.count === 0) : [element("strong", {}, words)]));
}

/** The outcome of a round by itself. */
export function drawLarge(looks, { status, outcome, hand = null }) {
  const isVoid = status === "void";
  if (hand !== null) return drawHand(hand, { isVoid });
  const words = outcomeInWords(looks, outcome, _);
  const drawn = picture(looks, outcome, words, { _, large: true, isVoid });
  const figure = drawn === null ? [] : [element("figure", { class: "drawn" }, drawn)];
  if (isVoid) return [...figure, element("p", { class: "outcome big" }, ...struck(words))];
  if (drawn !== null && !hasCaption(looks, words, { large: true })) return figure;
  return [...figure, element("p", { class: "outcome big", "aria-hidden": drawn === null ? false : "true" }, element("strong", {}, words))];
}

/** The words of what does not count, struck through unless there was nothing. */
function struck(words, isNothing = false) {
  return [element("span", { class: "badge void" }, _("void")), " ", element(isNothing ? "span" : "s", { class: "soft" }, words)];
}

/** A hand in its picture, whose word that is, and behind a summary the rest of the order. */
export function drawHand(hand, { isVoid = false, ...options } = {}) {
  const { looks, outcome, count, others, left } = hand;
  const words = outcomeInWords(looks, outcome, _);
  const drawn = count > 0 ? picture(looks, outcome, words, { ...options, _, large: true, isVoid }) : null;
  const inWords = drawn === null && count > 0 ? element("p", { class: "outcome big" }, element("strong", {}, words)) : null;
  return [
    drawn === null ? inWords : element("figure", { class: "drawn" }, drawn),
    isVoid ? element("p", {}, element("span", { class: "badge void" }, _("void"))) : null,
    element("p", {}, [handTold(hand, _), _("The order was fixed before the bets.")].join(" ").trim()),
    others.length > 0 ? element("p", { class: "small" }, _("Given as well, to no hand: %(things)s", { things: others.join(" ") })) : null,
    left > 0 ? drawRest(hand) : null,
  ].filter((part) => part !== null);
}

function drawRest(hand) {
  const lists = [...hand.rest].flatMap(([place, things]) => [hand.rest.size > 1 ? element("h3", {}, placeInWords(place, _)) : null, drawThings(things)]);
  return element("details", {}, element("summary", {}, sayRest(hand)), ...lists.filter((part) => part !== null));
}

function sayRest({ left, isNeedless, hasCards }) {
  const count = number(left);
  if (!isNeedless) return _("The rest of the order: %(count)s", { count });
  return hasCards ? _("Cards that nobody needed: %(count)s", { count }) : _("Nobody needed: %(count)s", { count });
}

function drawThings(things) {
  return element("ol", { class: "plain order" }, ...things.map(({ position, thing }) => element("li", {}, element("span", { class: "soft small" }, position), " ", thing)));
}
