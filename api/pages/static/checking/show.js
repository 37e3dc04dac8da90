/**
 * Shows a check: while it runs, the name of each step when it has ended; then the verdict, which is the screen, and
 * folded below it everything that it rests on.
 */

import { handOf, handTold, hasCaption, looksOf, outcomeInWords, picture } from "../../verifier/pictures/pictures.js";
import { remarks } from "../../verifier/report/remarks.js";
import { isOutcomeKnown } from "../../verifier/report/report.js";
import { when } from "../times.js";
import { _ } from "../words.js";
import { drawFacts, drawLimits, drawList, drawOrder, drawPrinted, drawShare, drawStep, drawStory, drawValues, element, mark } from "./draw.js";
import { offered } from "./evidence.js";
import { sayDetails, sayHelped, sayLabel, sayOf, sayPrecisely, sayRemark, sayState, sayStep } from "./proven.js";
import { isWhole, saySentence, sayVerdict } from "./say.js";
import { sayClocks, sayHands, sayStory } from "./story.js";

const LONGEST_SHOWN = 60;
const RECORDS = new Set(["table", "batch", "salt", "lock", "reveal", "lead-lock", "lock-after", "lock-before"]);
/** Checks of a round; those of a bet and of evidence have no story. */
const STORIES = new Set(["code", "proof"]);
const DETAILS = new Set(["leaf-hash", "signature", "public-key", "table-prefix", "table-id", "batch-id", "context", "stream", "payload", "pulse", "salt-hash", "signed-by"]);

const at = (id) => document.getElementById(id);

/** The places of a page where a check is shown. */
export class Showing {
  #sheet;
  #pageOf;
  #question = at("headline").textContent;
  #ended = null;
  #focused = null;

  /**
   * `sheet`: the address of the pictures' symbols; empty if the page itself contains them. `pageOf`: the address of a
   * round's own page, by table and round; null if there is none.
   */
  constructor({ sheet, pageOf = () => null }) {
    this.#sheet = sheet;
    this.#pageOf = pageOf;
  }

  /** Show words that need no check, and what can be done about them. */
  tell({ look, headline, meaning, advice, values = [] }, ...below) {
    this.#begin(look, headline, drawWords(meaning, advice), values.length === 0 ? null : drawValues(values), ...below);
    at("headline").focus();
  }

  begin() {
    // A screen reader is told the verdict; if it were told each step, too, it would still speak long afterwards.
    this.#ended = element("ol", { class: "ended plain" });
    this.#begin("working", this.#question, element("p", {}, _("Checking…")), this.#ended);
  }

  /** A step has ended: it is named until the verdict is there, below which the steps stand as a whole. */
  step(kind, step) {
    const words = element("span", {}, sayStep(kind, step).title, " ", element("span", { class: "soft small" }, sayState(step, null)));
    this.#ended.append(element("li", {}, mark(step.state), words));
  }

  /**
   * `logToday`: how many records the log has now, if it was seen to extend the log of a proof file; `helped`: what
   * was added to the file on its way, and left out; `read`: the log's files, if they are there; `key`: the name of
   * the key that was used; `ask`: asks the round's own service what it says of the round; `log`: which of several
   * logs it is about.
   */
  end(report, { logToday = null, helped = [], read = null, key = null, ask = null, log = null }) {
    const { look, headline, facts, limits, meaning, advice } = sayVerdict(report);
    // The check of a bet does not show that the outcome was fixed, and must not look as if it did.
    const showsOutcome = isWhole(report.verdict) && report.outcome !== null && report.kind !== "bet";
    const page = report.table === null || report.round === null ? null : this.#pageOf(report.table, report.round);
    const left = [...leftOpen(report, logToday, helped)];
    this.#say(
      look,
      headline,
      drawWhich(isWhole(report.verdict) ? report : { round: null }, log),
      drawWords(meaning, advice),
      showsOutcome ? element("figure", { class: "outcome-shown" }) : null,
      facts.length === 0 ? null : drawFacts(look, facts),
      report.evidence === null ? null : element("div", { class: "stack close" }, ...offered(report.evidence)),
      limits === null && left.length === 0 ? null : drawLimits(limits ?? left[0].heading, ...left.map(({ heading, sentences }) => drawList(heading, sentences))),
      isWhole(report.verdict) && page !== null ? drawShare(page) : null,
      drawPrinted([
        { name: _("Checked"), value: when(new Date().toISOString()) },
        ...sayProgram(),
        { name: _("The log’s key"), value: key },
        { name: _("Address"), value: location.protocol === "file:" ? null : location.href },
      ]),
    );
    if (showsOutcome) this.#showOutcome(report, ask);
    this.#below(report, { logToday, read: showsOutcome && isOutcomeKnown(report) ? { read } : null });
    if ([document.body, this.#focused].includes(document.activeElement)) at("headline").focus();
  }

  /** What it rests on, folded. */
  #below(report, { logToday, read }) {
    const story = isWhole(report.verdict) && STORIES.has(report.kind) && report.table !== null ? drawn(report) : [];
    const held = report.steps.filter(({ state }) => state === "held").length;
    at("steps-held").textContent = _("%(held)s of %(count)s steps hold", { held, count: report.steps.length });
    fill("story", ...sayPrecisely(report).map((words) => element("p", {}, words)), drawValues([...sayDetails(report, logToday), ...sayProgram()]), ...story);
    fill("steps", ...report.steps.map((step) => drawnStep(report, step)));
    fill("bets", ...(read === null || report.paytable === null ? [] : [askedForBet(report, read.read)]));
  }

  /** The verdict is the screen from now on. */
  #begin(look, headline, ...shown) {
    document.documentElement.classList.add("asked");
    for (const fold of document.querySelectorAll("details.fold")) fold.open = false;
    for (const place of ["story", "steps", "bets"]) fill(place);
    this.#focused = document.activeElement;
    this.#say(look, headline, ...shown);
    scrollTo(0, 0);
  }

  #say(look, headline, ...shown) {
    at("verdict").className = `verdict ${look}`;
    // What is being done is not told: only the verdict is.
    at("said").ariaBusy = String(look === "working");
    at("said").querySelector("svg").replaceWith(mark(look));
    at("headline").textContent = headline;
    at("shown").replaceChildren(...shown.filter((each) => each !== null));
  }

  /** Of an order, what was dealt; that is the service's word, and asked for only when the verdict is there. */
  async #showOutcome(report, ask) {
    const { game, declaration, outcome, order, table, tableId, round } = report;
    const figure = at("shown").querySelector("figure");
    // What was not checked may have any form, so it is shown as it was written.
    const looks = isOutcomeKnown(report) ? looksOf(game, declaration) : new Map();
    const hand = handOf(looks, order);
    if (hand !== null) figure.classList.add("hand");
    this.#draw(figure, report, hand ?? { looks, outcome });
    if (hand === null || ask === null) return;
    const told = await ask(table, round).catch(() => ({}));
    if (told?.table_id === tableId && figure.isConnected) this.#draw(figure, report, handOf(looks, order, told));
  }

  /** Draw it for the room that it has: few things on a short screen, but so large that they can be read. */
  #draw(figure, { status }, { looks, outcome, ...hand }) {
    const isVoid = status === "void";
    const words = outcomeInWords(looks, outcome, _);
    const isSaid = hand.told === undefined && (isVoid || hasCaption(looks, words, { large: true }));
    const caption = element("figcaption", {}, hand.told === undefined ? words : handTold(hand, _));
    const place = element("div");
    figure.replaceChildren(place, ...(isSaid || hand.told !== undefined ? [caption] : []));
    const room = place.getBoundingClientRect();
    const drawn = hand.count === 0 ? null : picture(looks, outcome, isSaid ? "" : words, { _, large: true, room, isVoid, sheet: this.#sheet });
    if (drawn !== null) place.append(drawn);
    else figure.replaceChildren(...(hand.count > 0 ? [element("figcaption", {}, words)] : []), caption);
  }
}

/** Which program this is: its version, and the name of its files' list, by its own word. */
function sayProgram() {
  const { version, manifest } = at("verdict").dataset;
  return [
    { name: _("Program"), value: `Foredraw ${version}` },
    { name: _("Manifest"), value: manifest, bytes: true },
  ];
}

/** Which round it is about, and of which of several logs: a link may come from anywhere. */
function drawWhich({ table, round }, log) {
  const parts = [...(log === null ? [] : [verbatim(log)]), ...(round === null ? [] : [verbatim(table), _("Round %(round)s", { round })])];
  return parts.length === 0 ? null : element("p", { class: "which" }, ...parts.flatMap((part, at) => (at === 0 ? [part] : [" · ", part])));
}

function verbatim(name) {
  return element("span", { translate: "no" }, name);
}

/** Show it in its place, which is hidden with its fold if there is nothing. */
function fill(id, ...shown) {
  at(id).replaceChildren(...shown);
  at(id).closest("details").hidden = shown.length === 0;
}

/** What settles bets is loaded behind the verdict. */
function askedForBet(report, read) {
  const place = element("div");
  import("./bets.js").then(
    ({ drawBets }) => place.replaceWith(drawBets(report, read)),
    () => place.append(_("What bets pay could not be read, so no bet is settled here. The verdict on the round does not depend on it.")),
  );
  return place;
}

function drawWords(meaning, advice) {
  if (meaning === null && advice === null) return null;
  const paragraphs = [meaning, advice].filter((words) => words !== null).map((words) => element("p", {}, words));
  return element("div", { class: "words stack close" }, ...paragraphs);
}

/** What was noticed, what is unknown, and what is not shown. */
function* leftOpen(report, logToday, helped) {
  const noticed = [...helped.map(sayHelped), ...remarks(report, new Date().toISOString()).map(sayRemark)];
  const open = report.notProven.filter(({ code }) => logToday === null || code !== "as-of-checkpoint");
  if (noticed.length > 0) yield { heading: _("Noticed"), sentences: noticed };
  if (report.unknown.length > 0) yield { heading: _("What is unknown here"), sentences: report.unknown.map(saySentence) };
  if (isWhole(report.verdict)) yield { heading: _("What this does not show"), sentences: open.map(saySentence) };
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
  return { name: sayLabel(value), value: value.hex ?? value.text, bytes: value.hex !== undefined || isDetail(value), raw: true };
}
