/** What happens at a table now, in words: its state, and for how long. */

import { element, number } from "./elements.js";
import { _ } from "./words.js";

/**
 * The state of a round in progress, or of a table without one: open, flight, play, locked, next, halted or closed.
 *
 * `afterLock` is what a locked round of this table is: in flight, in play, or just locked.
 */
export function kindOf(table, round, afterLock) {
  if (table.ended) return "closed";
  if (table.halted) return "halted";
  if (round === undefined) return "next";
  if (round.status === "open") return "open";
  return afterLock;
}

/** A state as a badge. */
export function badge(kind) {
  const look = { open: "open", flight: "locked", play: "locked", locked: "locked", halted: "halted" }[kind] ?? "";
  return element("span", { class: `badge ${look}` }, inWords(kind));
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
    case "halted":
      return _("halted");
    case "closed":
      return _("closed");
    default:
      return _("comes next");
  }
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
