/**
 * Shows a check while it runs: the name of each step when it has ended; then the verdict, and all steps with their
 * values.
 */

import { hasCaption, looksOf, outcomeInWords, picture } from "../../verifier/pictures/pictures.js";
import { remarks } from "../../verifier/report/remarks.js";
import { isOutcomeKnown } from "../../verifier/report/report.js";
import { _ } from "../words.js";
import { drawBets } from "./bets.js";
import { drawList, drawOrder, drawStep, drawStory, drawVerdict, element, mark } from "./draw.js";
import { offered } from "./evidence.js";
import { sayDetails, sayHelped, sayLabel, sayOf, sayPrecisely, sayRemark, sayState, sayStep } from "./proven.js";
import { isWhole, said, saySentence, sayVerdict } from "./say.js";
import { sayClocks, sayHands, sayStory } from "./story.js";

const LONGEST_SHOWN = 60;
const RECORDS = new Set(["table", "batch", "salt", "lock", "reveal", "lead-lock", "lock-after", "lock-before"]);
/** Checks of a round; those of a bet and of evidence have no story. */
const STORIES = new Set(["code", "proof"]);
const DETAILS = new Set(["leaf-hash", "signature", "public-key", "table-prefix", "table-id", "batch-id", "context", "stream", "payload", "pulse", "salt-hash", "signed-by"]);

/** The places of a page where a check is shown. */
export class Showing {
  #verdict;
  #bets;
  #story;
  #steps;
  #notProven;
  #sheet;
  #ended = null;

  /** `sheet`: the address of the pictures' symbols; empty if the page itself contains them. */
  constructor({ verdict, bets, story, steps, notProven, sheet }) {
    this.#verdict = verdict;
    this.#bets = bets;
    this.#story = story;
    this.#steps = steps;
    this.#notProven = notProven;
    this.#sheet = sheet;
  }

  clear() {
    for (const place of [this.#verdict, this.#bets, this.#story, this.#steps, this.#notProven]) place.replaceChildren();
  }

  /** Show words that need no check. */
  tell(words) {
    this.clear();
    this.#verdict.append(drawVerdict(words));
  }

  begin() {
    this.tell(said("working", _("Checking…"), { meaning: _("The log’s files are read and every step is computed in your browser.") }));
    // A screen reader is told the verdict; if it were told each step, too, it would still speak long afterwards.
    this.#ended = element("ol", { class: "ended plain", "aria-live": "off" });
    this.#verdict.firstElementChild.append(this.#ended);
  }

  /** A step has ended: it is named until the verdict is there, below which the steps stand as a whole. */
  step(kind, step) {
    const words = element("span", {}, sayStep(kind, step).title, " ", element("span", { class: "soft small" }, sayState(step, null)));
    this.#ended.append(element("li", {}, mark(step.state), words));
  }

  /**
   * `logToday`: how many records the log has now, if it was seen to extend the log of a proof file; `helped`: what
   * was added to the file on its way, and left out; `read`: the log's files, if they are there.
   */
  end(report, { logToday = null, helped = [], read = null }) {
    this.#steps.replaceChildren(...report.steps.map((step) => drawnStep(report, step)));
    const held = isWhole(report.verdict);
    // The check of a bet does not show that the outcome was fixed, and must not look as if it did.
    const showsOutcome = held && report.outcome !== null && report.kind !== "bet";
    const open = report.notProven.filter(({ code }) => logToday === null || code !== "as-of-checkpoint");
    this.#verdict.replaceChildren(
      drawVerdict({
        ...sayVerdict(report),
        picture: showsOutcome ? this.#picture(report) : null,
        precisely: sayPrecisely(report),
        details: sayDetails(report, logToday),
      }),
    );
    if (report.evidence !== null) this.#verdict.firstElementChild.append(...offered(report.evidence));
    this.#bets.replaceChildren(...[showsOutcome && isOutcomeKnown(report) ? drawBets(report, read) : null].filter((drawn) => drawn !== null));
    this.#story.replaceChildren(...(held && STORIES.has(report.kind) && report.table !== null ? drawn(report) : []));
    const noticed = [...helped.map(sayHelped), ...remarks(report, new Date().toISOString()).map(sayRemark)];
    this.#notProven.replaceChildren(
      ...(noticed.length ? [drawList(_("Noticed"), noticed)] : []),
      ...(report.unknown.length ? [drawList(_("What is unknown here"), report.unknown.map(saySentence))] : []),
      ...(held ? [drawList(_("What this does not show"), open.map(saySentence))] : []),
    );
  }

  #picture(report) {
    const { game, declaration, outcome, status } = report;
    // What was not checked may have any form, so it is shown as it was written.
    const looks = isOutcomeKnown(report) ? looksOf(game, declaration) : new Map();
    const words = outcomeInWords(looks, outcome, _);
    const isVoid = status === "void";
    const spoken = isVoid || hasCaption(looks, words, { large: true }) ? "" : words;
    const drawn = picture(looks, outcome, spoken, { _, large: true, isVoid, sheet: this.#sheet });
    return element("figure", {}, drawn, drawn !== null && spoken !== "" ? null : element("figcaption", {}, words));
  }
}

function drawnStep({ kind, verdict }, step) {
  return drawStep({
    state: step.state,
    ...sayStep(kind, step),
    word: sayState(step, verdict),
    values: step.values.map(atFirst).filter((value) => value !== null),
    bytes: step.values.filter(isDetail).map(named),
    commands: step.how.map((each) => ({ name: sayLabel(each), command: each.command, prints: each.prints })),
  });
}

/** How the round of a report came about, and the order that its players' decisions moved along. */
function drawn(report) {
  const story = drawStory({ heading: _("How it came about"), events: sayStory(report), clocks: sayClocks(report) });
  return report.order.length === 0 ? [story] : [story, drawOrder(sayHands(report))];
}

/**
 * A value as it is shown at first; for a record, its place in the log. Null for what is behind "show me the bytes".
 */
function atFirst(value) {
  if (isRecord(value)) return { name: sayLabel({ label: value.label }), value: sayOf(value.of) };
  return isDetail(value) ? null : named(value);
}

function isDetail(value) {
  return DETAILS.has(value.label) || isRecord(value) || (value.text?.length ?? 0) > LONGEST_SHOWN;
}

function isRecord({ label }) {
  return RECORDS.has(label);
}

function named(value) {
  return { name: sayLabel(value), value: value.hex ?? value.text, bytes: value.hex !== undefined || isDetail(value) };
}
