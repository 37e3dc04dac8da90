/**
 * How a verdict is proven, in precise words: the steps of the check, what is known about the round, and the sentences
 * that every verifier says. It stands folded.
 */

import { labelText, stepTitle } from "../../verifier/words/sentences.js";
import { whoseGame } from "../../verifier/words/whose-game.js";
import { timeParts } from "../times.js";
import { _ } from "../words.js";
import { isWhole, saySentence, typeset } from "./say.js";

/** The title and the plain sentence of a step (SPEC 8.2, 8.6, 8.5 and 8.4). */
export function sayStep(kind, { name, values }) {
  return { title: _(stepTitle(kind, name)), sentence: [STEPS[kind][name](), ...saySalt(values), ...sayWitnessed(values)].join(" ") };
}

/** What a step says besides, if it shows a salt. */
function saySalt(values) {
  const shows = (label) => values.some((value) => value.label === label);
  if (!shows("pulse")) return [];
  return [
    shows("signed-by")
      ? _("The batch named a pulse of a public beacon that was still to come. The beacon signed this pulse; its hash is the salt, on which every result of the batch depends.")
      : _("The batch named a pulse of a beacon that is unknown here. Whether what was published is this pulse could not be checked; its hash is the salt, on which every result of the batch depends."),
  ];
}

/** What a step says besides, if it shows who saw the batch. */
function sayWitnessed(values) {
  if (!values.some((value) => value.label === "witnessed")) return [];
  return [_("As many witnesses as your policy demands had signed the batch ten seconds before that pulse, or earlier, by their own clocks.")];
}

const CHECKPOINT_SENTENCE = () =>
  _("The head of the log is signed with the log’s key. It vouches for every record below it: none can be changed without breaking the signature.");
const OUTCOME_SENTENCE = () =>
  _("The rules of the batch, fed with the seed, give the outcome that was revealed. Anybody can do the same arithmetic.");

const CODE_STEPS = {
  code: () =>
    _("Its last six characters are a checksum over all others, and they fit. The code names the game, the table, the round and the seed of the round."),
  checkpoint: CHECKPOINT_SENTENCE,
  table: () =>
    _("The record that made this table is in the log. It says which game is played, and how many rounds ahead results must be fixed."),
  records: () =>
    _("The log has the batch in which this round was fixed, the lock that ended the betting, and the reveal: in this order."),
  seeds: () =>
    _("The seed in your code is the one that was revealed. Hashed down, round by round, it ends at the anchor that was published with the batch."),
  commitments: () =>
    _("The hash of the seed is the commitment that was published for this round beforehand. Nobody can find another seed with this hash."),
  outcome: OUTCOME_SENTENCE,
  lead: () =>
    _("Two locks show which round was the first to be locked after this one was fixed in the log. The distance between the two rounds is how far ahead this one was fixed."),
};

const PROOF_STEPS = {
  file: () =>
    _("It has the one form that a proof file can have, down to the last character."),
  checkpoint: CHECKPOINT_SENTENCE,
  inclusion: () =>
    _("Each record in the file leads, hash by hash, to the root that was signed. So it stands in the log, at the place that the file names."),
  claims: () =>
    _("They are what the file claims: the table, the batch that fixed the round, and its lock and reveal, as far as the round had come."),
  order: () =>
    _("The records stand in the order that the rules demand, and their times do, too."),
  commitments: () =>
    _("The commitment in the file is the one that the batch record promised for this round."),
  seeds: () =>
    _("The hash of the revealed seed is that commitment; and hashed down, round by round, the seed ends at the anchor that was published with the batch."),
  outcome: OUTCOME_SENTENCE,
};

const EVIDENCE_STEPS = {
  form: () =>
    _("It has the one form that evidence can have: two signed heads of a log, and hashes between them."),
  first: () =>
    _("It is signed with the log’s key: so whoever has that key vouched for these records."),
  second: () =>
    _("It is signed with the same key."),
  hashes: () =>
    _("They show which root the second log had when it was as long as the first: no other root leads to what was signed."),
  contradiction: () =>
    _("That root is not the one that the first head names. A log only grows, so two histories were signed."),
};

const BET_STEPS = {
  receipt: () =>
    _("It has the one form that a receipt can have. The bet’s line leads, hash by hash, to the digest of all bets of the round."),
  checkpoint: CHECKPOINT_SENTENCE,
  table: () =>
    _("The record whose hash the receipt names is in the log."),
  lock: () =>
    _("The log has the lock of this round, which ends the betting."),
  digest: () =>
    _("The lock carries the digest to which this bet leads. Any other line would lead to another one."),
  reveal: () =>
    _("If the round has ended, its reveal stands behind that lock: the bets were fixed before the outcome was public."),
};

const STEPS = { code: CODE_STEPS, proof: PROOF_STEPS, evidence: EVIDENCE_STEPS, bet: BET_STEPS };

/** What is said of custodians (SPEC 5.9). */
const CUSTODY = new Set(["custody-notes", "releases", "releases-unknown-to-others-in-round", "demands-no-witnesses"]);

/** How a step ended, in a word or two. If the round has not ended, the last steps have nothing to check. */
export function sayState({ state }, verdict) {
  if (state === "skipped" && isWhole(verdict)) return _("only after the round");
  return { held: _("holds"), failed: _("does not hold"), skipped: _("not reached") }[state];
}

/** The verdict in the sentences that every verifier says. */
export function sayPrecisely({ verdict, headline, failure, waysOn }) {
  if (verdict === "failed") return [typeset(_("What must hold does not: %(meaning)s.", { meaning: _(failure.meaning) }))];
  if (verdict === "not-shown") return waysOn.map(saySentence);
  return ["held", "unknown"].includes(verdict) ? [saySentence(headline)] : [];
}

/** What is known about the round, or about what is wrong, as names and values. */
export function sayDetails(report, logToday) {
  const details = isWhole(report.verdict) ? aboutRound(report, logToday) : aboutTrouble(report);
  return details.filter(({ value }) => value !== null && value !== undefined).map((detail) => ({ ...detail, value: String(detail.value) }));
}

function aboutRound(report, logToday) {
  return [
    { name: _("Table"), value: report.table && `${report.table} · ${report.log?.origin ?? ""}` },
    { name: _("Game"), value: report.table && whoseGame(report, _) },
    { name: _("Round"), value: report.round },
    { name: _("Bet"), value: report.bet && (report.bet.line ?? report.bet.hex) },
    { name: _("Place"), value: report.bet && _("%(place)s of %(count)s", { place: report.bet.index + 1, count: report.bet.count }) },
    { name: _("Status"), value: sayStatus(report) },
    { name: _("Reason"), value: report.reason },
    ...(report.kind === "bet" ? sayTimes(report) : []),
    ...report.witnesses.map(({ name, at }) => ({ name: _("Log seen by"), value: `${name} · `, time: at })),
    { name: _("Witnesses that any two quorums share"), value: report.shared },
    ...sayCustody(report),
    { name: _("Log today"), value: logToday && _("continues the log of the file: records %(size)s", { size: logToday }) },
  ];
}

function aboutTrouble({ verdict, failure, unreadable }) {
  if (failure === null) return [{ name: _("File"), value: unreadable.path }, { name: _("Why"), value: unreadable.why }];
  return [
    { name: _("Failed check"), value: verdict === "failed" ? failure.check : null },
    { name: _("Record"), value: failure.index },
    { name: _("Where"), value: failure.where },
    { name: _("Expected"), value: failure.expected },
    { name: _("Found"), value: failure.found },
  ];
}

/**
 * Who vouched for the round's batch, and by what each of them releases seeds: only if the policy has keys of
 * custodians.
 */
function sayCustody({ verdict, proven }) {
  const shown = isWhole(verdict) ? proven.filter(({ code }) => CUSTODY.has(code)) : [];
  return shown.map((fact) => ({ name: _("Custodians"), value: saySentence(fact) }));
}

/** Of a bet; for a round there is its story. */
function sayTimes({ lockedAt, revealedAt }) {
  const times = [{ name: _("Locked"), time: lockedAt }, { name: _("Revealed"), time: revealedAt }];
  return times.filter(({ time }) => time !== null).map((each) => ({ ...each, value: "" }));
}

function sayStatus({ stage, status }) {
  return { played: _("played"), void: _("void") }[status] ?? { committed: _("fixed, not yet locked"), locked: _("locked, not yet revealed") }[stage] ?? null;
}

/** A remark: what was noticed, although no check is about it. */
export function sayRemark({ newest, now, ...fact }) {
  return saySentence({ ...fact, newest: inWords(newest), now: inWords(now) });
}

function inWords(time) {
  const { local, utc } = timeParts(time);
  return local === null ? utc : `${local} (${utc})`;
}

/** What was added to a file on its way, and left out. */
export function sayHelped(what) {
  switch (what) {
    case "byte-order-mark":
      return _("The file began with a byte order mark, which was left out: an editor may have added it.");
    case "line-ends":
      return _("The file had line ends of Windows, which were put right: a program on its way may have changed them.");
    case "no-line-feed":
      return _("The file had lost the line feed at its end, which was put back.");
    default:
      return _("The file had empty lines at its end, which were left out.");
  }
}

/** The name of a value or of what a command computes; `of` says whose it is if a step shows several. */
export function sayLabel({ label, of }) {
  const name = _(labelText(label) ?? label);
  return of === undefined ? name : `${name} · ${sayOf(of)}`;
}

/** Whose a value is: a record's by its place, or a custodian's. */
export function sayOf(of) {
  const record = /^record ([0-9]+)$/.exec(of);
  return record === null ? of : _("record %(index)s", { index: record[1] });
}
