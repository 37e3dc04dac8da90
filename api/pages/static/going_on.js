/** What happens at tables now, in words: their states, since when, and why nothing goes on. */

import { element, number } from "./elements.js";
import { SHOWN_AFTER, stoppedAt, whyStopped } from "./stopped.js";
import { _ } from "./words.js";

const PLAYED = ["open", "flight", "play", "locked"];
const STOPPED = ["paused", "halted", "closed"];
const LOOKS = { open: "open", flight: "locked", play: "locked", locked: "locked", waiting: "caution", paused: "caution", halted: "halted" };

/** When a page last showed a round that was played: between two rounds it is live, too. */
let played = -SHOWN_AFTER;

/**
 * How a table stands at a moment of the service's clock, by one of its rounds, if there is one: `kind` is open, flight,
 * play, locked, next, waiting, paused, halted or closed; and `why` says why nothing goes on, if so.
 *
 * `afterLock` is what a locked round of this table is: in flight, in play, or just locked. `missed` is why the service
 * does not answer, if it does not.
 */
export function standing(table, afterLock, moment, missed, round = table.now[0]) {
  const why = missed ?? stoppedAt(table, moment);
  if (why !== undefined) return { kind: STOPPED.includes(why) ? why : "waiting", why };
  if (round === undefined) return { kind: "next" };
  return { kind: round.status === "open" ? "open" : afterLock };
}

/** A state as a badge. */
export function badge(kind) {
  return element("span", { class: `badge ${LOOKS[kind] ?? ""}` }, inWords(kind));
}

function inWords(kind) {
  switch (kind) {
    case "open":
      return _("open for bets");
    case "flight":
      return _("in flight");
    case "play":
      return _("in play");
    case "locked":
      return _("bets are closed");
    case "waiting":
      return _("waiting…");
    case "paused":
      return _("paused");
    case "halted":
      return _("halted");
    case "closed":
      return _("closed");
    default:
      return _("comes next");
  }
}

/**
 * Say of all tables of a page whether one is played now, else how they stand; and why nothing goes on anywhere, if that
 * is the same for all. Returns whether it was said.
 */
export function sayTogether(standings, missed) {
  const kinds = new Set(standings.map(({ kind }) => kind));
  const now = performance.now();
  if (PLAYED.some((kind) => kinds.has(kind))) played = now;
  else if (!kinds.has("next")) played = -SHOWN_AFTER;
  sayLive(missed, now - played < SHOWN_AFTER, kinds);
  const why = missed ?? whyTogether(standings);
  say("[data-why]", why === undefined || why === "connection" ? "" : whyStopped(why, _));
  return why !== undefined;
}

function whyTogether(standings) {
  const [why, ...others] = new Set(standings.map((each) => each.why));
  return others.length === 0 ? why : undefined;
}

function sayLive(missed, isPlayed, kinds) {
  const place = document.querySelector("[data-live]");
  const [look, words] = liveness(missed, isPlayed, kinds);
  place.className = `badge ${look}`;
  say("[data-live]", words);
}

function liveness(missed, isPlayed, kinds) {
  if (missed === "connection") return ["bad", _("Not connected. Trying again.")];
  if (isPlayed) return ["good", _("Live")];
  const kind = ["waiting", "next", "paused", "halted", "closed"].find((each) => kinds.has(each)) ?? "next";
  return kind === "next" ? ["", _("no round now")] : [LOOKS[kind] ?? "", inWords(kind)];
}

/** Only what differs is written: it is read aloud. */
function say(place, words) {
  const found = document.querySelector(place);
  if (found.textContent !== words) found.textContent = words;
  found.hidden = words === "";
}

/**
 * The progress of a round, `elapsed` milliseconds after it was opened or locked: in words, and the part that is left.
 *
 * Only the engine knows when it will lock an open round, so the estimate is the duration of the last one.
 */
export function progress(table, round, elapsed) {
  const left = round.status === "open" && table.betting_ms ? table.betting_ms - elapsed : undefined;
  return {
    words:
      left > 0
        ? _("for about %(seconds)s s more", { seconds: number(Math.ceil(left / 1000)) })
        : _("for %(seconds)s s", { seconds: number(Math.floor(elapsed / 1000)) }),
    part: left === undefined ? 1 : Math.max(0, left / table.betting_ms),
  };
}
