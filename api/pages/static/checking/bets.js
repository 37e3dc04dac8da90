/** Settles a bet on the round that was just checked, from the outcome that the check has shown. */

import { CheckFailed, Unknown, Unreadable } from "../../verifier/basics/errors.js";
import { paytableOf } from "../../verifier/check/paytable.js";
import { isCataloguesPaytable } from "../../verifier/games/catalogue.js";
import { betExamples } from "../../verifier/paytable/examples.js";
import { comparesWithCard, settleBet } from "../../verifier/paytable/settle.js";
import { _, has, learn } from "../words.js";
import { drawValues, element } from "./draw.js";
import { saySentence } from "./say.js";

const WORDS = {
  wins: () => _("The bet wins."),
  loses: () => _("The bet loses."),
  void: () => _("The round is void: the stake is paid back."),
  open: () => _("The bet is still open."),
};
const NOTICES = { wins: "good", loses: "", void: "caution", open: "" };

/**
 * What asks for a bet on a round, whose outcome was checked, of a table with bets. What they pay comes from the log's
 * files; `read` is null if these are not there, and then somebody has to choose the file.
 */
export function drawBets(report, read) {
  const body = element("div", { class: "stack" });
  if (read === null) body.append(...drawFileChoice(report, body));
  else show(report, read, body);
  return body;
}

/** Read and judge what bets pay, and show the form, or why there is none. */
async function show(report, read, body) {
  try {
    body.replaceChildren(...drawForm(report, await paytableOf(report, read)));
  } catch (error) {
    body.replaceChildren(drawNoPaytable(report, error));
  }
}

function drawFileChoice(report, body) {
  const file = element("input", { type: "file", id: "paytable" });
  file.addEventListener("change", async () => {
    const chosen = file.files[0];
    if (chosen) await show(report, async () => new Uint8Array(await chosen.arrayBuffer()), body);
  });
  const words = _("What bets pay is in no proof file. Choose the log’s file %(path)s:", { path: `paytables/${report.paytable}` });
  return [element("label", { for: "paytable" }, words), file];
}

function drawNoPaytable({ table }, error) {
  if (error instanceof Unknown) return element("p", { class: "notice caution" }, saySentence({ code: "paytable", table, what: error.what.join(", ") }));
  if (error instanceof Unreadable) return element("p", { class: "notice caution" }, _("What bets pay could not be read, so no bet is settled here. The verdict on the round does not depend on it."));
  if (!(error instanceof CheckFailed)) throw error;
  const words = _("The file of what bets pay is missing, or not what the table’s record names, so no bet is settled here. The verdict on the round does not depend on it.");
  return element("p", { class: "notice bad" }, words, " ", element("code", { translate: "no" }, error.check));
}

function drawForm(report, paytable) {
  const examples = betExamples(paytable, report.rules);
  const plain = { autocapitalize: "none", autocomplete: "off", spellcheck: "false", required: "" };
  const bet = element("input", { id: "bet-text", maxlength: "64", placeholder: examples[0] ?? "", translate: "no", ...plain });
  const stake = element("input", { id: "stake", inputmode: "numeric", pattern: "[1-9][0-9]{0,11}", value: "100", ...plain });
  const result = element("div", { role: "status" });
  const form = element(
    "form",
    { class: "ask" },
    element("div", {}, element("label", { for: "bet-text" }, _("Bet")), bet),
    element("div", {}, element("label", { for: "stake" }, _("Stake")), stake),
    element("button", {}, _("Show")),
  );
  const isCatalogues = isCataloguesPaytable(report.game, report.declaration, report.paytable);
  let asked = 0;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const mine = ++asked;
    const text = bet.value.trim().replace(/\s+/g, " ");
    const settled = settleBet(paytable, text, report);
    const wins = settled && isCatalogues ? await learnSentence(report, settled.place) : null;
    if (mine === asked) result.replaceChildren(settled === null ? drawRefusal(paytable, text) : drawResult(settled, wins, text, stake.value));
  });
  const codes = examples.flatMap((example) => [" ", element("code", { translate: "no" }, example)]);
  const whose = isCatalogues
    ? _("What bets pay stood in the table’s record before its first round: the catalogue’s paytable of the game.")
    : _("What bets pay stood in the table’s record before its first round: a paytable of the operator’s own.");
  return [
    form,
    element("p", { class: "soft small" }, _("Computed on your device. Bets are written like"), ...codes),
    result,
    element("p", { class: "soft small" }, whose),
  ];
}

/**
 * When bets of an option win, in the page's language: the page to keep has it, elsewhere the service does. Null if it
 * is not known.
 */
async function learnSentence({ game, declaration }, place) {
  const key = `${game} ${place}`;
  if (declaration === null || declaration === undefined) return null;
  if (!has(key)) {
    try {
      const answer = await fetch(`/verify/bets/${game}/${document.documentElement.lang}`);
      if (answer.ok) learn(await answer.json());
    } catch {
      // What became of the bet is known without it.
    }
  }
  return has(key) ? _(key) : null;
}

function drawResult(settled, wins, text, stake) {
  const odds = settled.odds === null ? [] : [{ name: _("Odds"), value: settled.odds }];
  const staked = { name: _("Stake"), value: amount(BigInt(stake), 1n) };
  return element(
    "div",
    { class: `notice ${NOTICES[settled.result]} stack close` },
    element("p", {}, element("strong", {}, WORDS[settled.result]())),
    wins === null ? null : drawMeaning(settled.form, wins, text),
    settled.pays === null ? drawNext(settled.next) : null,
    drawValues([...odds, staked, ...drawPaid(settled.pays, stake)]),
  );
}

/** Nothing is paid for a bet that is open. */
function drawPaid(pays, stake) {
  return pays === null ? [] : [{ name: _("Paid in all"), value: amount(BigInt(stake) * pays[0], pays[1]) }];
}

function drawNext(text) {
  return element("p", {}, _("A later round decides it; in the next one it is written"), " ", element("code", { translate: "no" }, text));
}

/** `number 18 (number N): The ball falls into pocket N, 0 to 36.` */
function drawMeaning(form, wins, text) {
  const code = (written) => element("code", { translate: "no" }, written);
  return element("p", {}, code(text), ...(form === text ? [] : [" (", code(form), ")"]), `: ${wins}`);
}

function drawRefusal(paytable, text) {
  const compares = comparesWithCard(paytable, text);
  const why = compares
    ? _("High and low compare with the card of an earlier round, which was not read here: the program foredraw-verify reads both.")
    : _("Either it is written in another way, or this round did not offer it.");
  return element(
    "div",
    { class: "notice bad stack close" },
    compares ? null : element("p", {}, element("strong", {}, _("There was no such bet in this round."))),
    element("p", {}, why),
  );
}

/**
 * A fraction as the service writes numbers in the page's language: exactly if three decimals suffice, else with a
 * fraction's line.
 */
function amount(n, d) {
  const [group, point] = document.documentElement.lang === "en" ? [",", "."] : ["\u00a0", ","];
  const whole = String(n / d).replace(/\B(?=(?:[0-9]{3})+$)/g, group);
  const rest = n % d;
  if ((rest * 1000n) % d !== 0n) return `${whole} + ${rest}/${d}`;
  const decimals = String((rest * 1000n) / d).padStart(3, "0").replace(/0+$/, "");
  return decimals === "" ? whole : `${whole}${point}${decimals}`;
}
