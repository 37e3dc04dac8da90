/** The page of a round: one press sends it on or copies its code, and it loads again when the round has moved on. */

import { badge, standing } from "./going_on.js";
import { clockOf, followTable } from "./live.js";
import { copy, offerToShare } from "./share.js";
import { whyStopped } from "./stopped.js";
import { localTimes } from "./times.js";
import { _ } from "./words.js";

const page = document.querySelector("[data-round]");
const { table: name, status } = page.dataset;
const round = Number(page.dataset.round);

localTimes();

for (const button of document.querySelectorAll("[data-share]")) {
  offerToShare(button, location.origin + location.pathname, button.nextElementSibling);
}
for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = navigator.clipboard === undefined;
  button.addEventListener("click", () => copy(document.getElementById(button.dataset.copy).textContent, button.nextElementSibling));
}

if (["committed", "open", "locked"].includes(status)) {
  const clock = clockOf(page.dataset.now);
  const place = document.querySelector("[data-why]");
  let table = null;
  let missed;
  const say = () => {
    if (table === null && missed === undefined) return;
    const { kind, why } = standing(table ?? { now: [] }, page.dataset.afterLock, clock(), missed, { status });
    const words = why === undefined ? "" : why === "connection" ? _("Not connected. Trying again.") : whyStopped(why, _);
    if (place.textContent === words) return;
    place.textContent = words;
    place.hidden = words === "";
    if (status === "locked") document.querySelector("h1 + .badge").replaceWith(badge(kind));
  };
  followTable(
    name,
    page.dataset.now,
    (now) => {
      if (hasMovedOn(now)) location.reload();
      table = now;
      say();
    },
    (why) => {
      missed = why;
      say();
    },
  );
  // What waits is said when it has waited for a while.
  setInterval(say, 1000);
}

function hasMovedOn(table) {
  const now = table.now.find((each) => each.round === round);
  if (now !== undefined) return now.status !== status;
  return status !== "committed" || round < table.next_round || table.ended;
}
