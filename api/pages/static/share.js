/** Sends a page on, or a text: in the device's own way if it has one, else by way of the clipboard. */

import { _ } from "./words.js";

/** Make a button share an address; `told` says what became of it. The button stays hidden if the browser can do neither. */
export function offerToShare(button, url, told) {
  const canShare = typeof navigator.share === "function";
  button.textContent = canShare ? _("Share") : _("Copy the link");
  button.hidden = !canShare && navigator.clipboard === undefined;
  button.addEventListener("click", () => (canShare ? share(url) : copy(url, told)));
}

async function share(url) {
  try {
    await navigator.share({ title: document.title, url });
  } catch {
    // The reader has thought better of it.
  }
}

/** Copy a text, and say so. */
export async function copy(text, told) {
  try {
    await navigator.clipboard.writeText(text);
    told.textContent = _("Copied.");
  } catch {
    told.textContent = _("The browser did not allow it: select the text and copy it.");
  }
}
