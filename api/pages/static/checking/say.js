/**
 * The verdict of a check, as it is said to a player: how it looks, one short sentence, and what was checked or what it
 * means. What a program would print, word for word, stands folded: `proven.js` has it.
 */

import { sentence } from "../../verifier/words/sentences.js";
import { _ } from "../words.js";
import { sayAhead } from "./ahead.js";
import { whatIsWrong } from "./faults.js";

const LONGEST_BET = 60;

/**
 * @typedef {object} Said
 * @property {"held"|"void"|"failed"|"question"|"unknown"|"sandbox"|"waiting"} look only `held` has a tick
 * @property {string} headline one short sentence
 * @property {{words: string, times: {words: string, time: string}[]}[]} facts what was checked, at most three; `words`
 *   are empty where the times say it
 * @property {?string} limits what this does not show, in one line
 * @property {?string} meaning what the headline means
 * @property {?string} advice what to do
 */

/** @returns {Said} */
export function said(look, headline, { facts = [], limits = null, meaning = null, advice = null } = {}) {
  return { look, headline, facts, limits, meaning, advice };
}

/**
 * The verdict of a report.
 * @param {import("../../verifier/verifier.js").Report} report
 * @returns {Said}
 */
export function sayVerdict(report) {
  return VERDICTS[report.verdict](report);
}

const VERDICTS = {
  "held": (report) => HELD[report.kind](report),
  "unknown": sayUnknown,
  "sandbox": saySandbox,
  "failed": sayFailed,
  "unreadable": sayUnreadable,
  "mistyped": sayMistyped,
  "not-shown": sayNotShown,
};

const HELD = { code: sayRound, proof: sayRound, bet: sayBet, evidence: sayEvidence };

/** Whether everything was checked that could be. */
export function isWhole(verdict) {
  return ["held", "unknown", "sandbox"].includes(verdict);
}

/** A fact in the words that all verifiers share. */
export function saySentence(fact) {
  return typeset(sentence(fact, _));
}

/** Words for a terminal, in the typography of a page. */
export function typeset(text) {
  return text.replaceAll("'", "’").replaceAll("`", "");
}

function sayRound(report) {
  if (report.stage !== "ended") return sayReceipt(report);
  if (report.status === "void") return sayVoid([whyVoid(report), ofVoid(report), here()]);
  return said("held", _("Nobody changed this result."), {
    facts: [fact(sayAhead(report, _)), closedAndPublished(report), here()],
    limits: _("It does not show that you were paid rightly."),
  });
}

/** How a round that counts for nothing is said, whatever was checked of it. */
function sayVoid(facts) {
  return said("void", _("This round does not count."), {
    facts,
    meaning: _("A bet on it alone is paid back; one that goes on, as in Craps, stays."),
    limits: _("It does not show whether the reason is true, or what you got back."),
  });
}

/** Of a file that was made before its round had ended: what came later may be missing from it. */
function sayReceipt({ stage, headline, ...report }) {
  const advice = _("After the round, check this file again, together with the code.");
  if (stage === "locked") {
    const facts = [fact(sayAhead(report, _)), { words: "", times: [closed(report)] }, here()];
    return said("waiting", _("Betting was closed. The result is not in this file."), { facts, advice });
  }
  if (headline.awaitsSalt) {
    const meaning = _("It also depends on a random number that outsiders publish later, and which was not there yet.");
    return said("waiting", _("This result was not fixed yet."), { meaning, advice });
  }
  const meaning = _("Nobody can change the result unnoticed. The file was made before betting was closed.");
  return said("waiting", _("This result is fixed. The round comes later."), { meaning, advice });
}

/** The receipt of a bet; that no result is found does not show that there is none. */
function sayBet(report) {
  const { bet, status, revealedAt } = report;
  const { line, index, count } = bet;
  const values = { line, place: index + 1, count };
  const isShort = line !== null && line.length <= LONGEST_BET;
  const place = isShort ? _("Your bet: “%(line)s”, number %(place)s of %(count)s.", values) : _("Your bet is number %(place)s of %(count)s.", values);
  if (status === "void") return sayVoid([fact(place), whyVoid(report), ofVoid(report)]);
  const limits = _("It does not show that the result was fixed, or that the bet was paid rightly.");
  return revealedAt === null
    ? said("waiting", _("Your bet is in. No result is shown yet."), { facts: [fact(place), { words: "", times: [closed(report)] }, here()], limits })
    : said("held", _("Your bet was in before the result."), { facts: [fact(place), closedAndPublished(report), here()], limits });
}

function sayEvidence() {
  return said("failed", _("Two histories were signed."), {
    meaning: _("Whoever has the log’s key signed both, and they cannot both be true."),
    advice: _("Keep this file, and show it to the regulator. It convinces everybody who has the log’s key."),
  });
}

function sayUnknown({ headline, stage, status }) {
  if (headline.code === "nothing-checked") {
    return said("unknown", _("This is newer than the program that checks it."), { meaning: _("So nothing was checked. That accuses nobody.") });
  }
  const ends = status === "void" ? [_("The record says that this round does not count.")] : stage === "ended" ? [] : [_("The file ends before the round does.")];
  const meaning = [_("Everything that can be checked here is right. That accuses nobody."), ...ends].join(" ");
  return said("unknown", _("Not everything can be checked here."), { meaning });
}

function saySandbox() {
  return said("sandbox", _("A test, not a real round."), {
    meaning: _("Makers of games try things out here. It proves nothing."),
    advice: _("If somebody took a stake for this round, keep the code, and show it to the regulator."),
  });
}

function sayMistyped() {
  return said("question", _("This is not a whole round code."), {
    meaning: _("A character is wrong, missing or too many. That says nothing about the round."),
    advice: _("Compare it with the original, or scan it."),
  });
}

/** Nobody signs what a log's files are found by, so this accuses nobody. */
function sayNotShown({ kind, stage, lockedAt }) {
  const meaning = _("That says nothing about anybody.");
  if (stage === "committed") return said("waiting", _("This file ends before its round was played."), { meaning, advice: _("Check the code alone, or ask for the file again.") });
  if (stage === "locked") {
    const facts = [{ words: "", times: [closed({ lockedAt })] }];
    return said("waiting", _("Betting is closed. No result is shown yet."), { facts, meaning, advice: _("Try again in a minute.") });
  }
  return said("question", stage === "ended" ? _("Not everything about this round is shown here.") : kind === "bet" ? _("The round of this bet is not shown here.") : _("This round is not shown here."), {
    meaning,
    advice: _("Try again in a minute. If it stays so, ask whoever gave you the code or the file whether it is from here."),
  });
}

function sayFailed({ failure }) {
  return said("failed", _(whatIsWrong(failure)), { advice: saySentence({ code: failure.means }) });
}

function sayUnreadable({ kind, unreadable }) {
  if (unreadable.isForeign) {
    return said("question", _("There is no verdict: the key does not fit."), {
      meaning: _("This is not signed by the key that is used here: it belongs to another log, or is no log at all. Nobody has been shown to cheat."),
      advice: _("Compare the log’s key, and its address."),
    });
  }
  if (kind === "evidence") {
    return said("question", _("There is no verdict: the file proves nothing by itself."), {
      meaning: _("It has two signed heads of the log, but no hashes between them."),
      advice: _("It is worth keeping: whoever signed both must be able to give the hashes."),
    });
  }
  return said("question", _("There is no verdict: a file could not be read."), {
    meaning: _("Nothing is known about the round, and nobody has been shown to cheat."),
    advice: _("Try again in a moment, or from another network."),
  });
}

function fact(words) {
  return { words, times: [] };
}

function here() {
  return fact(_("Checked on this device, not by us."));
}

function closedAndPublished(report) {
  return { words: "", times: [closed(report), { words: _("Result published"), time: report.revealedAt }] };
}

function closed({ lockedAt }) {
  return { words: _("Bets closed"), time: lockedAt };
}

function whyVoid({ reason }) {
  return fact(_("The reason in the record: “%(reason)s”", { reason }));
}

/** Whether it had been opened, and whether bets were closed when it was given up. */
function ofVoid(report) {
  const { openedAt, isGivenUp, lockedAt, revealedAt } = report;
  const opened = { words: _("Opened for bets"), time: openedAt };
  const calledOff = (time) => ({ words: _("Called off"), time });
  if (!isGivenUp) return { words: _("It was called off after the bets were closed."), times: [closed(report), calledOff(revealedAt)] };
  if (openedAt === null) return { words: _("It was called off before it was opened for bets."), times: [calledOff(lockedAt)] };
  return { words: _("It was opened for bets, and called off before they were closed."), times: [opened, calledOff(lockedAt)] };
}
