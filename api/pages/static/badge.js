/**
 * <foredraw-round table="crash-1" round="1042">: a round's commitment before its reveal, and afterwards its outcome,
 * checked in the player's browser. Any site can embed it: see docs/badge.md.
 *
 * The page that embeds it is not ours: this module reads nothing but the element's attributes, and draws into the
 * element's own shadow tree, with createElement and textContent only. Words and pictures are not fetched: the served
 * script begins with them, as the constant CARRIED, so the hash of the script that a page names covers them, too.
 */

import { Malformed } from "../verifier/basics/errors.js";
import { checkCode } from "../verifier/check/code.js";
import { handInWords, handOf, handTold, looksOf, outcomeInWords, picture } from "../verifier/pictures/pictures.js";
import { isOutcomeKnown } from "../verifier/report/report.js";
import { fetchLog } from "../verifier/sources/fetch-log.js";
import { whoseGame } from "../verifier/words/whose-game.js";
import { ask, follow, hasEnded } from "./badge_service.js";
import { sayAhead } from "./checking/ahead.js";
import { whatIsWrong } from "./checking/faults.js";
import { SHOWN_AFTER, whyStopped } from "./stopped.js";

const { url } = import.meta;
/** The service, if this script came from there; null if it is part of another script, or lies elsewhere. */
const HOME = /^https?:\/\/[^/]+\/(?=scripts\/badge(?:\/[^/]+)?\.js(?:\?|$))/.exec(url)?.[0] ?? null;
/** `key` is an alias: frameworks keep an attribute of that name for themselves, and it never arrives. */
const ATTRIBUTES = ["table", "round", "vkey", "key", "policy", "log", "lang", "service"];
const SVG = "http://www.w3.org/2000/svg";
const MARKS = { held: "M6 12.5l4 4 8-9", failed: "M7 7l10 10M17 7L7 17", void: "M9.5 7L6 10.5l3.5 3.5M6.5 10.5h7.3a3.7 3.7 0 0 1 0 7.4h-2.3", "nothing-known": "M9 9.2a3 3 0 1 1 4.3 2.9c-.9.5-1.3 1.1-1.3 2.2M12 17.4v.1", sandbox: "M9 5.5h6M10.5 5.5v4.2L7 16.5a1 1 0 0 0 .9 1.5h8.2a1 1 0 0 0 .9-1.5l-3.5-6.8V5.5", unknown: "M7 12h.1M12 12h.1M17 12h.1", committed: "M12 7v5l3.5 2", fixed: "M8.5 11V8.5a3.5 3.5 0 0 1 7 0V11M7 11h10v7H7z" };

/** The verdicts that say nothing about the round. */
const NOTHING_KNOWN = ["unreadable", "mistyped", "not-shown"];
/**
 * How far an answer's `Date` may stay behind, in milliseconds: by the time that this page was open, and by this
 * device's clock.
 */
const BEHIND = 30_000;
const BEHIND_BY_THE_CLOCK = 300_000;
/** The room for a picture in a narrow badge. */
const ROOM = { width: 280, height: 112 };

/**
 * The commitments that this page's badges have shown, by service, table and round: neither a new element nor an
 * attribute forgets them.
 */
const promises = new Map();
/**
 * By service the greatest `Date` of its answers less this page's own time: what has come from the service itself at
 * least once.
 */
const newest = new Map();

class ForedrawRound extends HTMLElement {
  static observedAttributes = ATTRIBUTES;

  #running = null;
  #told = null;

  constructor() {
    super();
    this.attachShadow({ mode: "open" }).adoptedStyleSheets = [STYLE];
    // Until there is something to show: the text inside the element, which the page wrote for a badge that never
    // starts.
    this.shadowRoot.append(element("slot"));
  }

  connectedCallback() {
    // What a page has set before this script came hides the accessors.
    for (const name of ATTRIBUTES.filter((each) => Object.hasOwn(this, each))) {
      const value = this[name];
      delete this[name];
      this[name] = value;
    }
    this.#start();
  }

  disconnectedCallback() {
    this.#running?.abort();
  }

  attributeChangedCallback(_name, before, now) {
    if (this.isConnected && before !== now) this.#start();
  }

  /** Start again with the present attributes. They arrive one by one, so the start waits until all are there. */
  #start() {
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    queueMicrotask(() => {
      if (!running.signal.aborted) this.#run(running.signal).catch((error) => this.#fail(error, running.signal));
    });
  }

  async #run(signal) {
    const [round, service, _] = [this.#place, this.#service, wordsOf(this.#language)];
    const promise = `${service} ${round.table} ${round.number}`;
    // Browsers check nothing on a page that came over http, and no other network helps.
    if (!globalThis.isSecureContext) return this.#show(_, round, insecure(_));
    // A framework may set the others later.
    if ([round.table, round.number, service].includes("")) return this.#show(_, round, unknown(_));
    let ended = null;
    for await (const known of follow(service, round, signal)) {
      if (signal.aborted) return;
      if (hasEnded(known)) {
        ended ??= performance.now();
        const report = await this.#check(known, round, service, signal);
        if (signal.aborted) return;
        // A reveal is published a moment before a checkpoint covers it.
        if (report.failure?.check !== "code-round") {
          this.#show(_, round, outcomeOf(_, report, promises.get(promise) ?? null));
          // A log that could not be read, or is behind, may be there the next time.
          if (NOTHING_KNOWN.includes(report.verdict)) continue;
          return;
        }
      } else if (known !== null && !promises.has(promise)) promises.set(promise, known.commitments);
      this.#show(_, round, known === null ? unknown(_) : { ...coming(_, ended === null ? known : unpublished(known, ended)), old: old(_, service, known.date) });
    }
  }

  /** The badge itself has failed, so what it showed before is not a verdict either. */
  #fail(error, signal) {
    console.error(error);
    if (signal.aborted) return;
    this.shadowRoot.replaceChildren(element("slot"));
    const _ = wordsOf(this.#language);
    this.#show(_, this.#place, { state: "nothing-known", headline: _("This badge has a fault: there is no verdict."), text: _("Nothing is known about the round. Load the page again.") });
  }

  get #place() {
    return { table: this.table, number: this.round };
  }

  get #language() {
    return this.lang || document.documentElement.lang;
  }

  /** Where the service is, with a slash at its end; empty, with a message for the page's author, if nobody says so. */
  get #service() {
    const given = this.service || HOME;
    if (given !== null && URL.canParse(given, document.baseURI)) return new URL(given, document.baseURI).href.replace(/\/*$/, "/");
    console.error('foredraw-round: this script did not come from a Foredraw service, so the element needs service="https://…", the address of one');
    return "";
  }

  async #check(said, { table, number }, service, signal) {
    const { round_code: code } = said;
    const log = this.log || new URL("log", service);
    const trust = await this.#trust(service);
    // Of a policy with several logs, the one with this address is meant.
    const address = new URL(log, document.baseURI).href;
    const report = await checkCode(code, { ...trust, address, read: fetchLog(log, { signal }), table }).catch(withoutTrust);
    const isOther = ["held", "unknown", "sandbox"].includes(report.verdict) && String(report.round) !== number;
    return { ...report, said, code, isOther, isOfTheService: trust.isOfTheService, page: new URL("verify", service).href };
  }

  /**
   * The page's own policy, or its key; only without both the key that the service names, and then the badge says so.
   * An attribute that is there, and empty, gives no leave to take the service's.
   */
  async #trust(service) {
    if (this.policy !== "") return { policy: this.policy, isOfTheService: false };
    const vkey = ["vkey", "key", "policy"].map((name) => this.getAttribute(name)).find((each) => each !== null);
    return { vkey: vkey ?? (await ask(service, "v1/log/key", "vkey")).said?.vkey ?? "", isOfTheService: vkey === undefined };
  }

  #show(_, { table, number }, { state, headline, text, proof = [], digits = null, whoseKey = null, old = null, drawn = null, link = null }) {
    const name = _("Round %(round)s of %(table)s").replace("%(round)s", number).replace("%(table)s", table);
    const card = element("section", { class: state, "aria-label": name });
    card.append(
      element("p", { class: "name" }, name),
      element("div", { class: "words" }, mark(state), element("div", { role: "status" }, element("p", { class: "headline" }, headline), element("p", {}, text))),
    );
    if (drawn !== null) card.append(drawn);
    for (const caution of [whoseKey, old]) if (caution !== null) card.append(element("p", { class: "caution" }, caution));
    if (proof.length > 0) card.append(folded(_, proof, digits));
    if (link !== null) card.append(element("p", {}, element("a", { href: link.href, target: "_blank", rel: "noopener" }, link.text)));
    const [before] = this.shadowRoot.children;
    if (this.shadowRoot.children.length === 1 && alike(before, card)) become(before, card);
    else this.shadowRoot.replaceChildren(card);
    this.#tell({ table, round: Number(number), state });
  }

  /** Tell the page which mark is shown, if it is another one than before. The outcome is not told: nobody pays by it. */
  #tell(detail) {
    const told = Object.values(detail).join(" ");
    if (told === this.#told) return;
    this.#told = told;
    this.dispatchEvent(new CustomEvent("foredraw-verdict", { detail, bubbles: true, composed: true }));
  }
}

// Each attribute is a property, too, as frameworks expect: what is `null` or `undefined` is taken away.
for (const name of ATTRIBUTES) {
  Object.defineProperty(ForedrawRound.prototype, name, {
    configurable: true,
    enumerable: true,
    get() {
      return this.getAttribute(name) ?? "";
    },
    set(value) {
      if (value === null || value === undefined) this.removeAttribute(name);
      else this.setAttribute(name, value);
    },
  });
}

/** Precise words, and a commitment, which can be read and copied without a mouse. */
function folded(_, proof, digits) {
  const words = proof.map((each) => element("p", {}, each));
  return element("details", {}, element("summary", {}, _("How this is proven")), ...words, ...(digits === null ? [] : [element("code", {}, digits)]));
}

function alike(one, other) {
  return one.nodeType === other.nodeType && one.nodeName === other.nodeName;
}

/** Change only what differs: a selection stays, an opened commitment stays open, and nothing is announced again. */
function become(shown, wanted) {
  if (shown.isEqualNode(wanted)) return;
  if (shown.nodeType === Node.TEXT_NODE) {
    shown.data = wanted.data;
    return;
  }
  for (const { name, value } of wanted.attributes) if (shown.getAttribute(name) !== value) shown.setAttribute(name, value);
  for (const { name } of [...shown.attributes]) if (name !== "open" && !wanted.hasAttribute(name)) shown.removeAttribute(name);
  const parts = [...wanted.childNodes];
  for (const [at, part] of parts.entries()) {
    const before = shown.childNodes[at];
    if (before === undefined) shown.append(part);
    else if (alike(before, part)) become(before, part);
    else before.replaceWith(part);
  }
  while (shown.childNodes.length > parts.length) shown.lastChild.remove();
}

/** What to show about a round that has not ended, and while nothing goes on at its table. */
function coming(_, { stopped, ...round }) {
  if (stopped === undefined) return going(_, round);
  const text = stopped === "connection" ? _("Not connected. Trying again.") : whyStopped(stopped, _);
  return { ...going(_, round), text };
}

function going(_, { status, commitments, isFixed }) {
  const [digits] = commitments;
  const proof = [_("This commitment was published for the round beforehand; its result is checked against it.")];
  const fixed = { state: "fixed", headline: _("Fixed, and still to come"), proof, digits };
  const awaited = { ...fixed, state: "committed", headline: _("This result is not fixed yet.") };
  switch (status) {
    case "open":
      return { ...fixed, text: _("Bets are taken now. After the round, the result is checked here.") };
    case "locked":
      return { ...fixed, text: _("Betting is over. The result comes next, and is checked here.") };
    case "unused":
      return { ...fixed, headline: _("Never played"), text: _("The table takes no more rounds.") };
    default:
      return { ...(isFixed === false ? awaited : fixed), text: _("After the round, the result is checked here.") };
  }
}

/** A round that has ended, but whose result is not in the published log yet, looks as it did before. */
function unpublished(known, ended) {
  return { ...known, status: "locked", stopped: known.stopped ?? (performance.now() - ended < SHOWN_AFTER ? undefined : "publication") };
}

function insecure(_) {
  return { state: "nothing-known", headline: _("There is no verdict: this page came over http."), text: _("Checking needs https: open the page with https.") };
}

function unknown(_) {
  return { state: "nothing-known", headline: _("Nothing is known yet"), text: _("Its result is not fixed yet, or its service does not answer.") };
}

/**
 * What to show about a round that has ended, and was checked. `promised`: the commitments that this element showed
 * before.
 */
function outcomeOf(_, report, promised) {
  const link = { href: `${report.page}#${report.code}`, text: _("See every step") };
  if (NOTHING_KNOWN.includes(report.verdict)) {
    return { state: "nothing-known", ...sayNothingKnown(_, report), link };
  }
  const isKept = promised === null || promised.join() === report.commitments.join();
  if (report.verdict === "failed" || report.isOther || !isKept) {
    const failed = { state: "failed", headline: _("The check failed."), link };
    if (report.verdict !== "failed") return { ...failed, text: _("The code is of another round, or not of what this badge showed before.") };
    const { failure } = report;
    return { ...failed, text: _(whatIsWrong(failure)), proof: [_("What must hold does not: %(meaning)s.").replace("%(meaning)s", _(failure.meaning))] };
  }
  const isVoid = report.status === "void";
  const shown = shownOf(report);
  return {
    state: isVoid && report.verdict === "held" ? "void" : report.verdict,
    headline: isVoid ? _("This round does not count.") : inWords(_, shown),
    text: [...sayWhole(_, report), ...(shown.told === undefined ? [] : [handTold(shown, _)])].join(" ").trim(),
    proof: [whoseGame(report, _)],
    whoseKey: report.isOfTheService ? _("The key is the service’s own word: this page did not name one.") : null,
    drawn: shown.count === 0 ? null : drawn(_, shown, isVoid),
    link: report.order.length === 0 ? link : { ...link, text: _("See every step, and the order by position") },
  };
}

/** What a check has shown that did not fail. */
function sayWhole(_, report) {
  const { verdict, status, reason } = report;
  if (verdict === "sandbox") return [_("A test, not a real round."), _("Makers of games try things out here. It proves nothing.")];
  if (verdict === "unknown") return [_("Not everything can be checked here."), _("Everything that can be checked here is right. That accuses nobody.")];
  if (status !== "void") return [_("Nobody changed this result."), sayAhead(report, _), _("Checked on this device, not by us.")];
  return [_("A bet on it alone is paid back; one that goes on, as in Craps, stays."), _("The reason in the record: “%(reason)s”").replace("%(reason)s", () => reason)];
}

/** Why nothing was checked: that accuses nobody. */
function sayNothingKnown(_, { verdict, unreadable }) {
  if (verdict === "mistyped") return { headline: _("This is not a whole round code."), text: _("That says nothing about anybody.") };
  if (verdict === "not-shown") return { headline: _("This round is not shown here."), text: _("That says nothing about anybody.") };
  const headline = unreadable.isForeign ? _("There is no verdict: the key does not fit.") : _("There is no verdict: a file could not be read.");
  return { headline, text: _("Nothing is known about the round, and nobody has been shown to cheat.") };
}

/** If the key is not a key, or the policy not a policy, nothing is known. */
function withoutTrust(error) {
  if (!(error instanceof Malformed)) throw error;
  return { verdict: "unreadable", failure: null, unreadable: { isForeign: true } };
}

/**
 * What is shown of a report's outcome: of an order what was dealt, as the service says. If the outcome was not checked,
 * it may have any form, and is shown as it was written.
 */
function shownOf(report) {
  const looks = isOutcomeKnown(report) ? looksOf(report.game, report.declaration) : new Map();
  return handOf(looks, report.order, report.said) ?? { looks, outcome: report.outcome };
}

function inWords(_, shown) {
  return shown.told === undefined ? outcomeInWords(shown.looks, shown.outcome, _) : handInWords(shown, _);
}

function drawn(_, shown, isVoid) {
  const holder = element("div", { class: "picture" });
  const drawing = picture(shown.looks, shown.outcome, inWords(_, shown), { _, large: true, room: ROOM, isVoid, sheet: "" });
  if (drawing !== null) holder.append(symbols(), drawing);
  return holder;
}

/** The symbols that pictures use: a shadow tree can only use its own. */
function symbols() {
  const holder = document.createElementNS(SVG, "svg");
  holder.setAttribute("class", "sheet");
  holder.append(...CARRIED.shapes.map(shape));
  return holder;
}

function shape([name, attributes, children]) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.map(shape));
  return made;
}

/** What to say of an answer that something keeps, such as a service worker of this page; null if it is none. */
function old(_, service, date) {
  if (typeof date !== "number") return null;
  const time = date - performance.now();
  newest.set(service, Math.max(newest.get(service) ?? time, time));
  if (newest.get(service) - time < BEHIND && Date.now() - date < BEHIND_BY_THE_CLOCK) return null;
  return _("This answer is old (%(time)s): a service worker or a cache has kept it, or this device’s clock is wrong.").replace("%(time)s", utc(date));
}

function utc(date) {
  return `${new Date(date).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** The words of a language; English if we do not have it. */
function wordsOf(tag) {
  const messages = CARRIED.words[tag.slice(0, 2).toLowerCase()] ?? {};
  return (message) => messages[message] ?? message;
}

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function mark(state) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "mark");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", MARKS[state]);
  svg.append(path);
  return svg;
}

/** A constructed stylesheet: the embedding page's policy need not allow a style element. */
const STYLE = new CSSStyleSheet();
STYLE.replaceSync(`
  :host {
    display: grid; grid-template-columns: minmax(0, 1fr); max-width: 24rem;
    --text: var(--foredraw-text, light-dark(#171a21, #eceef4));
    --soft: var(--foredraw-soft, light-dark(#565d6d, #a7aebf));
    --surface: var(--foredraw-surface, light-dark(#fff, #191c24));
    --line: var(--foredraw-line, light-dark(#dde1ea, #2c313d));
    --accent: var(--foredraw-accent, light-dark(#2f4fc4, #a9b9ff));
    --good: var(--foredraw-good, light-dark(#11713f, #6fd39b));
    --bad: var(--foredraw-bad, light-dark(#b3201c, #ff9a92));
    --caution: var(--foredraw-caution, light-dark(#825300, #f0bd62));
  }
  :host([hidden]) { display: none }
  section {
    /* Nothing of the page's style comes in by inheritance. Our languages are written from left to right, and so are outcomes. */
    all: initial; direction: ltr; unicode-bidi: isolate; color-scheme: inherit;
    display: grid; gap: 12px; align-content: start; padding: 16px; border: 1px solid var(--line); border-radius: var(--foredraw-radius, 12px);
    background: var(--surface); color: var(--text);
    font: 1rem/1.5 var(--foredraw-font, system-ui, "Segoe UI", Roboto, "Noto Sans", "Noto Sans Armenian", sans-serif);
  }
  section { border-top: 4px solid var(--state) }
  .fixed, .committed { --state: var(--accent) }
  .held { --state: var(--good) }
  .failed { --state: var(--bad) }
  .void, .nothing-known { --state: var(--caution) }
  .unknown, .sandbox { --state: var(--accent) }
  p { margin: 0; overflow-wrap: anywhere }
  .name { color: var(--soft); font-size: .875rem; font-variant-numeric: tabular-nums }
  .caution { color: var(--caution); font-size: .875rem }
  .words { display: flex; gap: 12px }
  .headline { font-size: 1.25rem; line-height: 1.3; font-weight: 700; font-variant-numeric: tabular-nums }
  .mark {
    flex: none; width: 32px; height: 32px; border-radius: 50%; background: var(--state);
    fill: none; stroke: var(--surface); stroke-width: 2; stroke-linecap: round; stroke-linejoin: round;
  }
  .failed .mark { border-radius: 8px }
  div.picture > :not(.sheet) { display: block; height: 112px; width: auto; max-width: 100%; margin: 0 auto }
  .sheet { display: none }
  details { color: var(--soft); font-size: .875rem }
  summary { min-height: 44px; display: flex; align-items: center; cursor: pointer }
  summary::before { content: "▸"; margin-right: .5em }
  details[open] summary::before { content: "▾" }
  summary:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px }
  details code { overflow-wrap: anywhere; user-select: all; font: inherit }
  .digits { font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .875rem; color: var(--soft) }
  a { display: inline-flex; align-items: center; min-height: 44px; color: var(--accent); text-underline-offset: .2em }
  a:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px }
`);

// A page may load the badge twice, from two places or in two versions: the first stays.
if (customElements.get("foredraw-round") === undefined) customElements.define("foredraw-round", ForedrawRound);
