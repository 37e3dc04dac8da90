/** The page of a round: one press copies its code, and the page loads again when the round has moved on. */

import { followTable } from "./live.js";
import { localTimes } from "./times.js";
import { _ } from "./words.js";

const page = document.querySelector("[data-round]");
const { table: name, status } = page.dataset;
const round = Number(page.dataset.round);

localTimes();

for (const button of document.querySelectorAll("[data-copy]")) {
  const told = document.querySelector("[data-copied]");
  button.hidden = navigator.clipboard === undefined;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      told.textContent = _("Copied.");
    } catch {
      told.textContent = _("The browser did not allow it: select the code and copy it.");
    }
  });
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
