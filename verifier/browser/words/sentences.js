// The sentences of a verdict, as `foredraw-verify` prints them, and the names of steps and values. All are templates,
// which pages in other languages translate.

import { TEMPLATES } from "./templates.js";

/** Marks what a page translates. */
const _ = (/** @type {string} */ text) => text;

/** Values that are written with separated thousands. */
const COUNTS = new Set(["ahead", "count", "size"]);

/** The sentences of a headline, by its code. */
const HEADLINES = {
  "__proto__": null,
  "held-code": (fact) => [fixedAhead(fact, "fixed-ahead"), ...(fact.isDrawn ? ["from-what-was-fixed"] : [])],
  "held-proof": (fact) => [
    fact.ahead === null ? notAhead(fact) : fixedAhead(fact, "fixed-at-least-ahead"),
    ...(fact.stage !== "ended" ? ["not-to-its-end"] : fact.isDrawn ? ["from-what-was-fixed"] : []),
  ],
  "held-bet": ({ isPublic }) => [isPublic ? "bet-before-outcome" : "bet-fixed"],
};

/** Nothing in the file shows how far ahead. */
function notAhead({ awaitsSalt }) {
  return awaitsSalt ? "awaits-salt" : "fixed-in-log";
}

/** A table's first rounds were fixed less than the lead ahead, because no round came before: no number is named. */
function fixedAhead({ first, ahead, lead }, otherwise) {
  if (first > 1) return otherwise;
  return ahead < lead ? "fixed-before-first" : "fixed-ahead-of-first";
}

/**
 * A fact or a headline in words. Facts of `proven` begin in lower case and have no full stop, because they are items
 * of a list. The records that show a fact are not mentioned.
 * @param {import("../report/report.js").Fact} fact
 * @param {(template: string, values: Record<string, *>) => string} [say] fills a template; a page's own
 *   function translates it first
 * @returns {string}
 */
export function sentence(fact, say = fill) {
  const codes = HEADLINES[fact.code]?.(fact) ?? [fact.code];
  return codes.map((code) => say(TEMPLATES[code], valuesOf(fact, say))).join(" ");
}

/**
 * The last line of a verdict, in English, as `foredraw-verify` prints it.
 * @param {import("../report/report.js").Report} report
 * @returns {string}
 */
export function verdictLine({ kind, verdict, headline }) {
  if (verdict === "unknown") {
    const except = headline.code === "nothing-checked" ? "" : `${TEMPLATES["except-unknown"]} `;
    return fill(TEMPLATES.unknown, { verdict: `${except}${sentence(headline)}` });
  }
  if (verdict === "sandbox") return fill(TEMPLATES.sandbox, { verdict: TEMPLATES["proves-nothing"] });
  if (verdict !== "held") return sentence(headline);
  return fill(TEMPLATES[kind === "evidence" ? "proven" : "held"], { verdict: sentence(headline) });
}

/** All codes that `sentence` knows. */
export const FACTS = Object.freeze([...Object.keys(HEADLINES), ...Object.keys(TEMPLATES)]);

function valuesOf({ records, names, games, vouched, others, quorum, ...values }, say) {
  if (records) values.records = records.join(", ");
  if (names) values.names = !Array.isArray(names) ? names : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
  if (games) values.games = joined(games, say);
  if (vouched) values.names = joined(vouched, say);
  if (others) values.others = joined(others, say);
  if (quorum) values.quorum = quorumInWords(quorum, say);
  return values;
}

function joined(several, say) {
  return several.reduce((before, last) => say(TEMPLATES.and, { before, last }));
}

/** @param {import("../report/report.js").NamedQuorum} quorum */
function quorumInWords(quorum, say) {
  if (typeof quorum === "string") return quorum;
  const { threshold, members, unnamed } = quorum;
  const named = members.map((each) => (typeof each === "string" ? each : `(${quorumInWords(each, say)})`));
  const others = unnamed === 0 ? [] : [say(TEMPLATES[unnamed === 1 ? "unnamed-witness" : "unnamed-witnesses"], { unnamed })];
  const all = [...named, ...others].join(", ");
  return threshold === null ? all : say(TEMPLATES["quorum-of"], { threshold, members: all });
}

function fill(template, values) {
  return template.replace(/%\((\w+)\)s/g, (_whole, name) => {
    return COUNTS.has(name) ? grouped(values[name]) : String(values[name]);
  });
}

function grouped(number) {
  return String(number).replace(/\B(?=(?:[0-9]{3})+$)/g, ",");
}

const TITLES = {
  code: {
    code: _("The code has no typing error"),
    checkpoint: _("The log is signed"),
    table: _("The table stands in the log"),
    records: _("Fixed first, then locked, then revealed"),
    seeds: _("The seed is the one that was promised"),
    commitments: _("The seed opens the commitment"),
    outcome: _("The outcome follows from the seed"),
    lead: _("How many rounds ahead"),
  },
  proof: {
    file: _("The file is a proof"),
    checkpoint: _("The log is signed"),
    inclusion: _("Its records stand in the log"),
    claims: _("They are the records of this round"),
    order: _("Fixed first, then locked, then revealed"),
    commitments: _("The commitment is the promised one"),
    seeds: _("The seed opens the commitment"),
    outcome: _("The outcome follows from the seed"),
  },
  evidence: {
    form: _("The file is evidence"),
    first: _("The first head is signed"),
    second: _("The second head is signed"),
    hashes: _("The hashes belong to the second head"),
    contradiction: _("Both cannot be one log"),
  },
  bet: {
    receipt: _("The file is the receipt of a bet"),
    checkpoint: _("The log is signed"),
    table: _("The table stands in the log"),
    lock: _("The betting has ended"),
    digest: _("The bet is one of those that were fixed"),
    reveal: _("The outcome came later"),
  },
};

/**
 * The English title of a step.
 * @param {"code"|"proof"|"evidence"|"bet"} kind
 * @param {string} name
 * @returns {string}
 */
export function stepTitle(kind, name) {
  return TITLES[kind][name];
}

const LABELS = {
  "anchor": _("Anchor, published with the batch"),
  "batch": _("Record of the batch"),
  "batch-id": _("Id of the batch"),
  "beacon-round": _("Round of the beacon"),
  "bet": _("Bet"),
  "bets": _("Bets of the round"),
  "checkpoint-text": _("Signed text"),
  "commitment": _("Commitment, published ahead"),
  "computed": _("Outcome, computed here"),
  "context": _("Context of the stream"),
  "digest": _("Digest in the lock"),
  "first-after": _("First round locked after it was fixed"),
  "game": _("Game"),
  "lead-lock": _("Lock that shows how far ahead"),
  "lead-round": _("Round that shows how far ahead"),
  "leaf-hash": _("Hash of the record"),
  "lock": _("Record of the lock"),
  "lock-after": _("First lock after the batch"),
  "lock-before": _("Last lock before the batch"),
  "origin": _("Log"),
  "outcome": _("Outcome, as it was revealed"),
  "payload": _("Content of the code"),
  "pulse": _("Pulse of the beacon"),
  "public-key": _("The log’s public key"),
  "reveal": _("Record of the reveal"),
  "root": _("Root of the tree"),
  "round": _("Round"),
  "rounds-ahead": _("Rounds ahead"),
  "rules": _("Rules of the batch"),
  "salt": _("Record of the salt"),
  "salt-hash": _("Salt, the hash of the pulse"),
  "sections": _("Parts of the file"),
  "seed": _("Seed"),
  "signature": _("Signature"),
  "signed-by": _("Signed by the beacon"),
  "size": _("Records"),
  "stream": _("Bytes that the draw takes"),
  "table": _("Record of the table"),
  "table-id": _("Id of the table"),
  "table-name": _("Table"),
  "table-prefix": _("Beginning of the table’s id"),
  "witnessed": _("The proof that witnesses saw the batch"),
  "witnessed-by": _("Seen by the witness"),
  "time-of-batch": _("Fixed"),
  "time-of-lock": _("Locked"),
  "time-of-reveal": _("Revealed"),
  "time-of-salt": _("Salted"),
  "time-of-table": _("Table made"),
};

/**
 * The English name of a value or of what a command computes.
 * @param {string} label
 * @returns {string}
 */
export function labelText(label) {
  return LABELS[label];
}
