/** Shows where in a round code the typing error is, and offers the code that was probably meant. */

import { locateTypingError } from "../../verifier/player/typing-error.js";
import { _ } from "../words.js";
import { element, leadingTo } from "./draw.js";
import { said } from "./say.js";

/**
 * What is asked about a text that is not one code, and what is drawn below that; `use` is called with the answer. Null
 * if there is nothing to ask.
 */
export function questionAbout(codes, longest, unseen, use) {
  if (codes.length > 1) return [sayChoice(), drawChoice(codes, use)];
  const wrong = locateTypingError(longest);
  return wrong === null ? null : [sayTypingError(wrong), drawTyping(longest, wrong, unseen, use), leadingTo("code", _("Enter it again"))];
}

/** Which of several codes is meant; `use` is called with it. */
function drawChoice(codes, use) {
  const choices = codes.map((code) => element("li", { class: "stack close" }, element("code", { class: "typed" }, code), choice(code, _("Check this code"), use)));
  return element("ul", { class: "plain stack close", id: "typing" }, ...choices);
}

/** What is asked if a text has several codes. */
function sayChoice() {
  return said("question", _("There are several codes in this text. Which one is to be checked?"));
}

/** What is said of a code with a typing error. */
function sayTypingError(error) {
  return said("question", _("This is not a whole round code."), { meaning: sayTyping(error) });
}

function choice(code, words, use) {
  const button = element("button", { type: "button", class: "quiet" }, words);
  button.addEventListener("click", () => use(code));
  return button;
}

/**
 * What is wrong with `code`, beside which there were characters that nobody can see; `use` is called with the
 * suggestion if the player takes it.
 */
function drawTyping(code, error, unseen, use) {
  const parts = [];
  if (error.places.length > 0) parts.push(element("code", { class: "typed" }, ...marked(code, error)));
  if (unseen.length > 0) parts.push(element("p", {}, _("Characters that nobody can see were left out: %(names)s.", { names: unseen.join(", ") })));
  if (error.suggestion !== null) {
    parts.push(
      element("p", {}, _("Perhaps this was meant. It is a guess: compare it with the original.")),
      element("code", { class: "typed" }, error.suggestion),
      choice(error.suggestion, _("Use this code"), use),
    );
  }
  return element("div", { class: "stack close", id: "typing" }, ...parts);
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

/** Where a code was mistyped, in one sentence. */
function sayTyping({ kind, places, missing }) {
  const [at, other] = places;
  switch (kind) {
    case "empty":
      return _("Enter a round code first.");
    case "mixed-case":
      return _("Upper and lower case are mixed. A code is in one of them.");
    case "no-game":
      return _("A code begins with the name of its game and a 1, such as crash1…");
    case "character":
      return _("No code has the marked characters.");
    case "length":
      if (missing === null || missing === 0) return _("The code is too short or too long.");
      return missing > 0 ? _("Characters are missing: %(count)s.", { count: missing }) : _("There are too many characters: %(count)s.", { count: -missing });
    case "substitution":
      return places.length === 1
        ? _("Character %(at)s or so is wrong.", { at })
        : _("Characters %(at)s and %(other)s or so are wrong.", { at, other });
    case "transposition":
      return _("Characters %(at)s and %(other)s or so are swapped.", { at, other: other ?? at + 1 });
    case "missing":
      return _("A character is missing before character %(at)s or so.", { at });
    case "extra":
      return _("Character %(at)s or so is too many.", { at });
    default:
      return _("More than one character is wrong; compare the code with the original.");
  }
}
