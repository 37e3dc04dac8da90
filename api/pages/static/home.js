/** Keeps the home page up to date: the feed's values replace those in the cards that the service has sent. */

import { hasCaption, outcomeInWords, picture } from "/verifier/pictures/pictures.js";
import { element, number } from "./elements.js";
import { findAsTyped } from "./find.js";
import { badge, progress, sayTogether, standing } from "./going_on.js";
import { clockOf, followAll } from "./live.js";
import { sight } from "./sights.js";
import { whyStopped } from "./stopped.js";
import { _ } from "./words.js";

const cards = new Map();
const FRAME_MILLISECONDS = 80;
const motion = matchMedia("(prefers-reduced-motion: no-preference)");
const madeAt = document.querySelector("[data-now]").dataset.now;
const now = clockOf(madeAt);
let missed;

for (const card of document.querySelectorAll("[data-table]")) {
  cards.set(card.dataset.table, { element: card, outcomes: Number(card.dataset.outcomes), looks: new Map(JSON.parse(card.dataset.looks)), table: null, shown: null, sight: null });
}

findAsTyped();

followAll(madeAt, update, (why) => {
  missed = why;
  tick();
});

setInterval(() => {
  if (!document.hidden) tick();
}, FRAME_MILLISECONDS);

function update(tables, records) {
  document.querySelector("[data-records]").textContent = number(records);
  const place = document.querySelector("[data-all-ahead]");
  // Those of tables that are not in the feed are as the page was made with them.
  place.textContent = number([...tables.values()].reduce((sum, table) => sum + aheadOf(table), Number(place.dataset.ofOthers)));
  for (const [name, card] of cards) {
    const table = tables.get(name);
    if (table === undefined || JSON.stringify(table) === JSON.stringify(card.table)) continue;
    card.table = table;
    showOutcomes(card);
    showAhead(card);
  }
  tick();
}

/** Show how all tables stand, and the time of each. */
function tick() {
  const moment = now();
  const known = [...cards.values()].filter(({ table }) => table !== null);
  if (known.length === 0 && cards.size > 0 && missed === undefined) return;
  const standings = known.map((card) => standing(card.table, card.element.dataset.afterLock, moment, missed));
  // A closed table says so itself.
  const isSaid = sayTogether(standings.filter(({ why }) => why !== "closed"), missed);
  known.forEach((card, at) => {
    const { kind, why } = standings[at];
    showNow(card, kind, why);
    if (card.sight === null) return;
    if (why === undefined) showTime(card, moment);
    else put(card, "time", isSaid || why === "closed" ? "" : whyStopped(why, _));
  });
}

/** The rounds in progress: of two, the older is drawn, and the younger only named. A row has room for the state alone. */
function showNow(card, kind, why) {
  const { table, shown } = card;
  const [first, second] = why === undefined ? table.now : table.now.slice(0, 1);
  const shownRound = first?.round ?? (table.ended ? null : table.next_round);
  if (shown?.kind === kind && shown.round === shownRound && shown.second === second?.round) return;
  card.shown = { kind, round: shownRound, second: second?.round };
  put(card, "state", badge(kind));
  const place = card.element.querySelector("[data-sight]");
  if (place === null) return;
  if (shown?.kind !== kind || shown.round !== shownRound) {
    card.sight = sight(kind);
    place.replaceChildren(card.sight.element);
  }
  put(card, "round", shownRound === null ? "" : _("Round %(round)s", { round: number(shownRound) }));
  put(card, "second", second ? _("Round %(round)s takes bets already.", { round: number(second.round) }) : "");
}

/** Show the time: a ring empties, a curve rises, seconds count. */
function showTime(card, moment) {
  const { table } = card;
  const [round] = table.now;
  if (round === undefined) return put(card, "time", "");
  const elapsed = Math.max(0, moment - Date.parse(round.locked_at ?? round.opened_at));
  const { words, part } = progress(table, round, elapsed);
  put(card, "time", words);
  card.sight.show(motion.matches ? elapsed : 4000, part);
}

/** New outcomes come first; the others stay the same elements, so that the focus stays where it is. */
function showOutcomes({ element: card, table, outcomes, looks }) {
  const strip = card.querySelector("[data-strip]");
  const shown = new Map([...strip.children].map((item) => [item.dataset.round, item]));
  const last = table.last.slice(0, outcomes);
  const isNew = shown.size > 0;
  const items = last.map((ended) => shown.get(String(ended.round)) ?? outcomeItem(table.table, looks, ended, isNew));
  if (items.some((item, at) => strip.children[at] !== item) || strip.children.length !== items.length) {
    const focused = document.activeElement;
    strip.replaceChildren(...items);
    if (strip.contains(focused)) focused.focus();
  }
  card.querySelector("[data-none]")?.toggleAttribute("hidden", items.length > 0);
}

function outcomeItem(table, looks, { round, status, outcome }, isNew) {
  const isVoid = status === "void";
  const words = outcome === undefined ? "" : outcomeInWords(looks, outcome, _);
  const label = labelOf(number(round), words, isVoid);
  const drawn = outcome === undefined ? null : picture(looks, outcome, "", { _, isVoid });
  const inside = [drawn, caption(looks, round, words, isVoid, drawn)].filter(Boolean);
  const link = element("a", { href: `/tables/${table}/rounds/${round}`, "aria-label": label, title: label }, ...inside);
  return element("li", { "data-round": round, class: isNew ? "new" : false }, link);
}

/** What is read aloud; without words where players decide after the lock: the feed has no outcome, a whole order of cards. */
function labelOf(round, words, isVoid) {
  if (words === "") return _("Round %(round)s", { round });
  return isVoid ? _("Round %(round)s: void, %(outcome)s", { round, outcome: words }) : _("Round %(round)s: %(outcome)s", { round, outcome: words });
}

/** The words beside a small picture that needs them, or in its place; a round's number alone would look like an outcome. */
function caption(looks, round, words, isVoid, drawn) {
  if (isVoid) return element("span", { class: "void" }, _("void"));
  if (words === "") return element("span", { class: "number" }, _("Round %(round)s", { round: number(round) }));
  return drawn === null || hasCaption(looks, words) ? element("span", {}, words) : null;
}

function showAhead({ element: card, table }) {
  if (card.querySelector("[data-ahead]") === null) return;
  card.querySelector("[data-over]").hidden = !table.ended;
  card.querySelector("[data-running]").hidden = table.ended;
  card.querySelector("[data-ahead]").textContent = number(aheadOf(table));
}

function firstToCome({ now, next_round: next }) {
  return (now.at(-1)?.round ?? next - 1) + 1;
}

/** How many rounds are fixed and still to come; none if the table has ended, because they are never played. */
function aheadOf(table) {
  return table.ended ? 0 : Math.max(0, table.fixed_through - firstToCome(table) + 1);
}

function put(card, name, content) {
  const place = card.element.querySelector(`[data-${name}]`);
  if (typeof content !== "string") place.replaceChildren(content);
  else if (place.textContent !== content) place.textContent = content;
}
