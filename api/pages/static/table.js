/** Keeps the page of a table up to date: the feed's values replace those that the service has sent. */

import { handOf } from "/verifier/pictures/pictures.js";
import { element, number } from "./elements.js";
import { badge, progress, sayTogether, standing } from "./going_on.js";
import { clockOf, followTable } from "./live.js";
import { drawLarge, drawShown } from "./outcomes.js";
import { sight } from "./sights.js";
import { localTimes } from "./times.js";
import { _ } from "./words.js";

const page = document.querySelector("[data-table]");
const { table: name } = page.dataset;
const looks = new Map(JSON.parse(page.dataset.looks));
const here = `/tables/${name}`;
const madeAt = page.dataset.clock;
const clock = clockOf(madeAt);
const motion = matchMedia("(prefers-reduced-motion: no-preference)");
const FRAME = 80;
const shownAtFirst = Number(document.querySelector("[data-last]").dataset.last);
/** Rounds whose outcomes are not in the feed, by their numbers. */
const fetched = new Map();
let table = null;
let missed;
let drawn = null;
let shownNow = "";

localTimes();

followTable(name, madeAt, update, (why) => {
  missed = why;
  if (table !== null) tick();
  else if (missed !== undefined) sayTogether([], missed);
});

setInterval(() => {
  if (!document.hidden && table !== null) tick();
}, FRAME);

async function update(told) {
  if (told.ended && page.dataset.ended === undefined) {
    location.reload();
    return true;
  }
  const results = await Promise.all(told.last.map(resultOf));
  if (results.includes(null)) return false;
  table = { ...told, last: told.last.map((ended, at) => ({ ...ended, ...results[at] })) };
  showLast();
  showComing();
  showHistory();
  tick();
  return true;
}

/**
 * The outcome of a round that has ended. Where players decide after the lock, the feed has none, and the round is asked
 * for it and for what was dealt; null if a cache still answers with the round as it was before.
 */
async function resultOf({ round, outcome }) {
  if (outcome !== undefined || round <= shownAtFirst) return { outcome };
  if (!fetched.has(round)) fetched.set(round, await (await fetch(`/v1${here}/rounds/${round}`)).json());
  const said = fetched.get(round);
  if (said.outcome !== undefined) return { outcome: said.outcome, hand: handOf(looks, said.order ?? [], said) };
  fetched.delete(round);
  return null;
}

function roundLink(round) {
  return element("a", { href: `${here}/rounds/${round}` }, _("Round %(round)s", { round: number(round) }));
}

/** Show each round that goes on, or the next one; the first is drawn. */
function showNow({ kind, why }, moment) {
  const { now, next_round: next, ended } = table;
  const items = now.map((round) => {
    const time = element("span", { class: "soft small number", "data-time": true, hidden: why !== undefined });
    return element("li", { class: "row" }, roundLink(round.round), badge(standing(table, page.dataset.afterLock, moment, missed, round).kind), time);
  });
  if (items.length === 0 && !ended) items.push(element("li", { class: "row" }, roundLink(next), badge(kind)));
  document.querySelector("[data-now]").replaceChildren(...items);
  if (drawn?.kind === kind && drawn.round === now[0]?.round) return;
  drawn = { kind, round: now[0]?.round, ...sight(kind) };
  document.querySelector("[data-sight]").replaceChildren(drawn.element);
}

/** Show how the table stands, and the time of each round: a ring empties, a curve rises, seconds count. */
function tick() {
  const moment = clock();
  const stands = standing(table, page.dataset.afterLock, moment, missed);
  const state = JSON.stringify([stands, table.now, table.next_round]);
  if (state !== shownNow) {
    shownNow = state;
    showNow(stands, moment);
  }
  sayTogether([stands], missed);
  if (stands.why !== undefined) return;
  const times = document.querySelectorAll("[data-now] [data-time]");
  table.now.forEach((round, at) => {
    const elapsed = Math.max(0, moment - Date.parse(round.locked_at ?? round.opened_at));
    const { words, part } = progress(table, round, elapsed);
    if (times[at].textContent !== words) times[at].textContent = words;
    if (at === 0) drawn.show(motion.matches ? elapsed : 4000, part);
  });
}

function showLast() {
  const [last] = table.last;
  const place = document.querySelector("[data-last]");
  if (last === undefined || place.dataset.last === String(last.round)) return;
  place.dataset.last = last.round;
  place.replaceChildren(...drawLarge(looks, last));
  const link = document.querySelector("[data-last-link]");
  link.replaceChildren(roundLink(last.round));
  link.firstChild.className = "button quiet";
}

function showComing() {
  const first = (table.now.at(-1)?.round ?? table.next_round - 1) + 1;
  const rows = table.coming.map(({ round, commitment }) =>
    element("li", {}, element("a", { href: `${here}/rounds/${round}` }, number(round)), element("code", {}, `${commitment}…`)),
  );
  document.querySelector("[data-coming]")?.replaceChildren(...rows);
  const ahead = document.querySelector("[data-ahead]");
  if (ahead === null) return;
  ahead.textContent = number(Math.max(0, table.fixed_through - first + 1));
  document.querySelector("[data-through]").textContent = number(table.fixed_through);
}

/** New rounds come first on the newest page; if some were missed, the page is loaded again. */
function showHistory() {
  const history = document.querySelector("[data-newest]");
  if (history === null || table.last.length === 0) return;
  const list = history.querySelector("ol");
  const newest = Number(list?.firstElementChild.dataset.round ?? 0);
  const fresh = table.last.filter(({ round }) => round > newest);
  if (list === null || (fresh.length > 0 && fresh.at(-1).round > newest + 1)) {
    location.reload();
    return;
  }
  list.prepend(...fresh.map(historyItem));
  while (list.children.length > Number(history.dataset.newest)) list.lastElementChild.remove();
}

function historyItem(ended) {
  const { round } = ended;
  const label = element("span", { class: "soft small number" }, _("Round %(round)s", { round: number(round) }));
  const link = element("a", { class: "card", href: `${here}/rounds/${round}` }, label, " ", drawShown(looks, ended));
  return element("li", { "data-round": round, class: "new" }, link);
}
