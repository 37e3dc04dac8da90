/** Shows where in a round code the typing error is, and offers the code that was probably meant. */

import { _ } from "../words.js";
import { element } from "./draw.js";
import { sayTyping } from "./say.js";

/** A typed code, taken out of a link if it is in one, and without the white space that pasting adds. */
export function tidy(typed) {
  return typed.slice(typed.lastIndexOf("#") + 1).replace(/\s/gu, "");
}

/** What is wrong with `code`; `use` is called with the suggestion if the player takes it. */
export function drawTyping(code, error, use) {
  const parts = [element("p", { class: "bad" }, element("strong", {}, sayTyping(error)))];
  if (error.places.length > 0) parts.push(element("code", { class: "typed" }, ...marked(code, error)));
  if (error.suggestion !== null) {
    const button = element("button", { type: "button", class: "quiet" }, _("Use this code"));
    button.addEventListener("click", () => use(error.suggestion));
    parts.push(
      element("p", {}, _("Perhaps this was meant. It is a guess: compare it with the original.")),
      element("code", { class: "typed" }, error.suggestion),
      button,
    );
  }
  return element("div", { class: "stack close" }, ...parts);
}

function marked(code, { kind, places }) {
  const characters = [...code];
  const parts = [];
  let from = 0;
  for (const place of [...places].sort((a, b) => a - b)) {
    const at = Math.min(Math.max(place - 1, from), characters.length);
    parts.push(characters.slice(from, at).join(""));
    if (kind === "missing") parts.push(element("span", { class: "gap" }));
    else parts.push(element("mark", {}, characters[at] ?? ""));
    from = kind === "missing" ? at : at + 1;
  }
  return [...parts, characters.slice(from).join("")];
}
