/** Draws a check into a page, with createElement and textContent only: what a log contains is never markup. */

import { _ } from "../words.js";
import { offerToShare } from "../share.js";
import { when as timeOf } from "../times.js";

const SVG = "http://www.w3.org/2000/svg";
const QUESTION = "M9 9.2a3 3 0 1 1 4.3 2.9c-.9.5-1.3 1.1-1.3 2.2M12 17.4v.1";
/** What stands beside the words of a verdict or a step, each in a shape of its own: colour is never alone. */
const MARKS = {
  held: "M6 12.5l4 4 8-9",
  void: "M9.5 7L6 10.5l3.5 3.5M6.5 10.5h7.3a3.7 3.7 0 0 1 0 7.4h-2.3",
  failed: "M7 7l10 10M17 7L7 17",
  question: QUESTION,
  unknown: "M7 12h.1M12 12h.1M17 12h.1",
  sandbox: "M9 5.5h6M10.5 5.5v4.2L7 16.5a1 1 0 0 0 .9 1.5h8.2a1 1 0 0 0 .9-1.5l-3.5-6.8V5.5",
  waiting: "M8 6h8M8 18h8M9 6c0 3.5 6 5 6 12M15 6c0 3.5-6 5-6 12",
  skipped: "M8 12h8",
  working: "M12 7v5l3 2",
};
/** What stands beside a fact: something fixed, something that the record says, times, this device. */
const SIGNS = {
  fixed: "M7 11V8.5a5 5 0 0 1 10 0V11M6 11h12v8H6z",
  said: "M6.5 3.5h8l3 3v14h-11zM9.5 11h5M9.5 15h5",
  times: "M12 7v5l3.5 2M12 3.5a8.5 8.5 0 1 0 .01 0",
  here: "M8 3.5h8v17H8zM11 17.5h2",
};
const COPIED_MS = 1500;

/** An element with attributes and children. A child is an element, a text, or null for none. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** The sign of a state. Screen readers skip it: the words beside it say the same. */
export function mark(state) {
  return drawn(MARKS[state], `mark ${state}`);
}

function drawn(d, looks) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", looks);
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", d);
  svg.append(path);
  return svg;
}

/** What was checked of a round, each fact with a sign. */
export function drawFacts(look, facts) {
  const signOf = ({ times }, at) => (times.length > 0 ? "times" : at === facts.length - 1 ? "here" : look === "void" ? "said" : "fixed");
  return element("ul", { class: "shows plain" }, ...facts.map((fact, at) => element("li", {}, drawn(SIGNS[signOf(fact, at)], "sign"), drawFact(fact))));
}

function drawFact({ words, times }) {
  const items = times.map(({ words: what, time }) => element("div", {}, element("dt", {}, what), element("dd", {}, timeOf(time))));
  return element("div", {}, words === "" ? null : element("p", {}, words), items.length === 0 ? null : element("dl", { class: "times" }, ...items));
}

/** What is left open, in one line that unfolds into all of it. */
export function drawLimits(line, ...lists) {
  const words = element("span", {}, line, " ", element("span", { class: "more" }, _("More")));
  return element("details", { class: "limits" }, element("summary", {}, words), element("div", { id: "not-proven" }, ...lists));
}

/** What a print-out says besides: names with their values, of which some may be unknown. */
export function drawPrinted(pairs) {
  const known = pairs.filter(({ value }) => value !== null);
  return element("div", { class: "printed" }, drawValues(known));
}

/** A button that shares an address, and what became of that. */
export function drawShare(url) {
  const button = element("button", { type: "button", class: "quiet" });
  const told = element("span", { class: "soft small", role: "status" });
  offerToShare(button, url, told);
  return element("p", { class: "row share" }, button, told);
}

/**
 * Names with their values, of which some have a time; a value with `bytes` is set as hexadecimal digits are, and a
 * `raw` one is in no language.
 */
export function drawValues(pairs) {
  const rows = pairs.map(({ name, value, time = null, bytes = false, raw = false }) => {
    const looks = { ...(bytes ? { class: "digits" } : {}), ...(raw ? { translate: "no" } : {}) };
    return element("div", {}, element("dt", {}, name), element("dd", looks, value, time === null ? null : timeOf(time)));
  });
  return element("dl", { class: "values" }, ...rows);
}

/**
 * One step: its title, a plain sentence, its values, and behind "show me the bytes" its hashes and how to compute
 * them again.
 */
export function drawStep({ state, title, sentence, word, values, bytes, commands }) {
  return element(
    "li",
    { class: state },
    mark(state),
    element(
      "div",
      { class: "step" },
      element("h3", {}, title, " ", element("span", { class: "state" }, word)),
      element("p", {}, sentence),
      values.length === 0 ? null : drawValues(values),
      bytes.length + commands.length === 0 ? null : drawBytes(bytes, commands),
    ),
  );
}

function drawBytes(bytes, commands) {
  return element(
    "details",
    {},
    element("summary", {}, _("Show me the bytes")),
    element("div", { class: "bytes" }, bytes.length === 0 ? null : drawValues(bytes), ...commands.map(drawCommand)),
  );
}

function drawCommand({ name, command, prints }) {
  return element(
    "div",
    { class: "recompute" },
    element("h4", {}, name),
    element("div", { class: "command" }, element("pre", { tabindex: "0" }, element("code", {}, command)), copyButton(command)),
    element("p", {}, _("It must print:"), " ", element("code", { class: "digits" }, prints)),
  );
}

/** A button that copies `text`, and says so. */
export function copyButton(text) {
  const button = element("button", { type: "button", class: "quiet copy" }, _("Copy"));
  button.addEventListener("click", async () => {
    button.textContent = await copied(text);
    setTimeout(() => (button.textContent = _("Copy")), COPIED_MS);
  });
  return button;
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return _("Copied");
  } catch {
    // There is no clipboard over plain HTTP, and a reader may forbid it.
    return _("Not copied");
  }
}

/** A button that leads to a field, which may be folded. */
export function leadingTo(id, words) {
  const button = element("button", { type: "button" }, words);
  button.addEventListener("click", () => {
    const field = document.getElementById(id);
    field.closest("details").open = true;
    field.focus();
  });
  return button;
}

/** Events in their order; `clocks` says by whose clocks their times are. */
export function drawStory({ heading, events, clocks }) {
  return element(
    "section",
    { class: "stack" },
    element("h3", {}, heading),
    element("ol", { class: "plain line" }, ...events.map(drawEvent)),
    element("p", { class: "soft small" }, clocks),
  );
}

/** Things with their positions, place by place; if there is one place, it needs no name. */
export function drawOrder(hands) {
  return element(
    "section",
    { class: "stack close" },
    element("h3", {}, _("The order, by position")),
    element("p", {}, _("This order was fixed before the bets. The players’ decisions moved along it, and changed nothing in it.")),
    element(
      "details",
      {},
      element("summary", {}, _("Show the order")),
      ...hands.flatMap(({ place, things }) => [hands.length === 1 ? null : element("h4", {}, place), drawThings(things)]).filter((drawn) => drawn !== null),
    ),
  );
}

function drawThings(things) {
  const item = ({ position, thing }) => element("li", {}, element("span", { class: "soft small" }, position), " ", thing);
  return element("ol", { class: "plain order" }, ...things.map(item));
}

function drawEvent({ title, done, when = null, sentence = null, witnesses = [], proof = null, link = null }) {
  return element(
    "li",
    done ? { class: "done" } : {},
    element("h4", {}, title),
    sentence === null ? null : element("p", {}, sentence),
    witnesses.length === 0 ? null : element("ul", { class: "plain witnesses" }, ...witnesses.map(drawWitness)),
    when === null || proof !== null ? null : element("p", { class: "soft small" }, timeOf(when)),
    proof === null ? null : drawProof(proof, when),
    link === null ? null : element("p", { class: "small" }, element("a", { href: link.href, rel: "noreferrer" }, link.name)),
  );
}

function drawProof({ name, text }, when) {
  return element(
    "details",
    { class: "record" },
    element("summary", {}, element("span", {}, ...(when === null ? [] : [timeOf(when), " · "]), name)),
    element("pre", { tabindex: "0" }, element("code", { translate: "no" }, text)),
  );
}

function drawWitness({ name, when }) {
  return element("li", {}, element("strong", { translate: "no" }, name), " ", element("span", { class: "soft small" }, timeOf(when)));
}

/** A list of sentences under a heading. */
export function drawList(heading, sentences) {
  return element(
    "section",
    { class: "told" },
    element("h2", {}, heading),
    element("ul", {}, ...sentences.map((sentence) => element("li", {}, sentence))),
  );
}
