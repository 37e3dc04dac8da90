/** The page of a round: one press sends it on or copies its code, and it loads again when the round has moved on. */

import { followTable } from "./live.js";
import { copy, offerToShare } from "./share.js";
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
  followTable(
    name,
    page.dataset.now,
    (table) => {
      if (hasMovedOn(table)) location.reload();
    },
    () => {},
  );
}

function hasMovedOn(table) {
  const now = table.now.find((each) => each.round === round);
  if (now !== undefined) return now.status !== status;
  return status !== "committed" || round < table.next_round || table.ended;
}
