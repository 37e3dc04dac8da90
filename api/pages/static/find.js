/** Shows only the tables that a reader looks for, while it is typed; without JavaScript the service does. */

import { number } from "./elements.js";
import { _ } from "./words.js";

/** Follow what is typed, if the page has a field for it. */
export function findAsTyped() {
  const field = document.querySelector("#q");
  field?.addEventListener("input", () => find(field.value));
}

function find(asked) {
  const words = asked.split(/[\s-]+/).map(plain);
  let count = 0;
  for (const kind of document.querySelectorAll(".kind")) {
    const rows = [...kind.querySelectorAll("li:has(.name)")];
    for (const row of rows) row.hidden = !words.every((word) => plain(row.querySelector(".name").textContent).includes(word));
    const found = rows.filter((row) => !row.hidden).length;
    kind.hidden = found === 0;
    document.querySelector(`.kinds [href="#${kind.id}"]`).hidden = found === 0;
    count += found;
  }
  document.querySelector("[data-found]").textContent = asked.trim() === "" ? "" : _("Found: %(count)s", { count: number(count) });
}

/** Hyphens and spaces do not count. */
function plain(text) {
  return text.toLowerCase().replace(/[\s-]/g, "");
}
