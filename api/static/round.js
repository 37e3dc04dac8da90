/** The page of a round: its code is copied with one press. */

import { _ } from "./words.js";

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
