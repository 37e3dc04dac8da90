// Every English sentence of a verdict, in one place. They say the same as `foredraw-verify`. A page that speaks other
// languages translates them by their codes.

const AUDIT_ALONE =
  "Only this round's records were read: a second record that contradicts one of them, or the play of other rounds," +
  " is excluded by an audit of the whole log alone.";
const WITNESS =
  "No witness: the order of the log is proven, the hours on its clock are the operator's word, and so is whether a" +
  " round that was given up had been opened. The operator could show another log to somebody else: compare" +
  " checkpoints.";

/** A fact with its values, by its code. */
const SENTENCES = {
  "__proto__": null,

  // What a check of a code proves (SPEC 8.2).
  "no-typing-error": () => "the code has no typing error",
  "checkpoint-signed": () => "the checkpoint is signed by the log's key",
  "table-in-log": ({ game }) => `the table stands in the log, and its game is ${game}`,
  "rounds-committed": ({ round, last }) =>
    `rounds ${round} to ${last} were committed before round ${round} was locked`,
  "lock-and-reveal": () => "lock and reveal stand in the log, in this order",
  "seed-revealed": () => "the code's seed is the one that was revealed, and hashes to the batch's anchor",
  "seed-opens-commitment": () => "the seed opens the commitment that was published for the round",
  "outcome-follows": () => "the outcome is what the rules of the batch make of the seed",
  "rounds-ahead": ({ first }) => `the commitment stood in the log before round ${first} was locked`,

  // What a check of a proof file proves (SPEC 8.6).
  "file-form": () => "the file has the form of a proof",
  "checkpoint-of-size": ({ size }) => `its checkpoint, of ${grouped(size)} records, is signed by the log's key`,
  "records-in-log": ({ records }) => `its records stand in the log, as records ${records.join(", ")}`,
  "records-claimed": ({ names, round, table }) => `they are the ${listed(names)} of round ${round} of ${table}`,
  "order": () => "they stand in the order that the rules demand, and so do their times",
  "commitments-promised": () => "the commitments are those that the batch record promises for the round",
  "seeds-open-and-chain": () => "the revealed seeds open the commitments, and hash to the batch's anchors",
  "outcome-follows-seeds": () => "the outcome is what the rules of the batch make of the seeds",

  // What a check of a bet's receipt proves (SPEC 8.4).
  "bet-form": () => "the receipt has its form, and leads from the bet to a digest",
  "table-of-bet": ({ table }) => `the table stands in the log: ${table}`,
  "lock-of-bet": ({ round }) => `the lock of round ${round} stands in the log`,
  "digest-carried": ({ count }) => `that lock carries the digest: this bet is one of its ${count}`,
  "published-after": () => "the outcome was published after that lock",
  "not-published": () => "the outcome has not been published yet",

  // What was not checked.
  "as-of-checkpoint": () =>
    "The file shows the log as of its checkpoint: whether the log still extends that, `foredraw-verify receipt`" +
    " checks against the log itself.",
  "what-followed": () =>
    "Whether the round had come further by then: later records may be missing in a file, whoever made it.",
  "one-round-only": () => AUDIT_ALONE,
  "rounds-between": () =>
    "The rounds between were not read: how many of them were played, and not given up, an audit tells.",
  "no-salt": () =>
    "No salt: nothing keeps an operator from trying many seeds before committing a batch, and keeping one that" +
    " suits it.",
  "no-witness": () => WITNESS,
  "one-custodian": () =>
    "One custodian: the party that runs it can know outcomes ahead, and could, for instance, play costly rounds while" +
    " nobody bets, or close a table before one.",
  "several-names": () =>
    "Several custodians are only names here: that they are different people, on different machines, is the" +
    " operator's word.",
  "flight": ({ games }) =>
    `In ${games.join(" and ")} whoever runs the engine knows the outcome during the flight: only bets with an` +
    " automatic cash-out, fixed in the digest, are safe from that.",
  "bets": () => "The digests of bets were not checked: players can check their own bet with its receipt.",

  "bet-meaning": () =>
    "What the bet's line means, whether it won, and what was paid: the line is the engine's own text.",
  "bet-alone": () => "Whether the outcome was fixed in advance: the commands `code` and `proof` show that.",

  "whose-key": () => "The key: that it is the operator's, you must know from elsewhere.",
  "which-is-true": () => "Which of the two histories is the true one, and to whom each was shown.",

  // Remarks.
  "round-of-the-future": ({ newest, now }) =>
    `The newest record of this round has the time ${newest}, and the clock of this computer shows ${now}. One of the` +
    " two clocks is wrong; no check depends on either.",

  // The verdict.
  "held-code": ({ round, table, ahead, first, lead }) =>
    `Held: round ${round} of ${table} was fixed ${aheadInWords(ahead, first, lead)}, and its outcome follows from what` +
    " was fixed.",
  "held-proof": (fact) => `Held: ${fixed(fact)}${rest(fact)}`,
  "held-bet": ({ round, table, count, isPublic }) =>
    `Held: this bet is one of the ${grouped(count)} that the lock of round ${round} of ${table} fixed,` +
    ` ${isPublic ? "before the outcome was published" : "and the outcome is not published yet"}.`,
  "fork-proven": ({ origin, size }) =>
    `Proven: whoever has the key of ${origin} signed two histories of ${size === 1 ? "1 record" : `${grouped(size)} records`}` +
    " that cannot both be its log.",
  "failed": ({ check }) => `FAILED: ${check}`,
  "unreadable": () => "COULD NOT BE READ: no verdict",
};

/**
 * The English sentence of a fact or a headline. Those of `proven` begin small and have no full stop, so that they
 * stand in a list; the records that a fact rests on are not in it.
 * @param {import("./verifier.js").Fact} fact
 * @returns {string}
 */
export function told(fact) {
  return SENTENCES[fact.code](fact);
}

/** All codes that `told` knows. */
export const FACTS = Object.freeze(Object.keys(SENTENCES));

/** Of a table's first rounds no number is named: no round before them could show the lead, and theirs is less. */
function aheadInWords(ahead, first, lead) {
  const before = first === 1 ? "before the table's first round was locked" : `before round ${first} was locked`;
  return ahead >= lead ? `${rounds(ahead)} ahead, ${before}` : before;
}

function fixed({ round, table, fixedAt, leadRound, lockedAt, ahead }) {
  const stood = `the result of round ${round} of ${table} stood fixed at record ${fixedAt}`;
  if (lockedAt === null) return `${stood}; the file has no lock that would show how far ahead`;
  const locked = `round ${leadRound} was locked at ${lockedAt}`;
  if (leadRound > 1) return `${stood}; ${locked}, so it was fixed at least ${rounds(ahead)} ahead`;
  return `${stood}; ${locked}, so it was fixed before the table's first round`;
}

function rest({ stage }) {
  if (stage === "ended") return ", and its outcome follows from what was fixed.";
  return ". The file does not show its end: keep it as a receipt.";
}

function rounds(count) {
  return count === 1 ? "1 round" : `${grouped(count)} rounds`;
}

function grouped(number) {
  return String(number).replace(/\B(?=(?:[0-9]{3})+$)/g, ",");
}

function listed(names) {
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

const TITLES = {
  code: {
    code: "The code",
    checkpoint: "The checkpoint",
    table: "The table",
    records: "The records",
    seeds: "The seeds",
    commitments: "The commitments",
    outcome: "The outcome",
    lead: "The lead",
  },
  proof: {
    file: "The file",
    checkpoint: "The checkpoint",
    inclusion: "The records stand in the log",
    claims: "They are what they are claimed to be",
    order: "Their order",
    commitments: "The commitments",
    seeds: "The seeds",
    outcome: "The outcome",
  },
  evidence: {
    form: "The file",
    first: "The first checkpoint",
    second: "The second checkpoint",
    hashes: "The hashes lead to the second one's root",
    contradiction: "The contradiction",
  },
  bet: {
    receipt: "The receipt",
    checkpoint: "The checkpoint",
    table: "The table",
    lock: "The lock",
    digest: "The digest",
    reveal: "The reveal",
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
  "anchor": "Anchor, published with the batch",
  "batch": "Batch record",
  "batch-id": "Batch id",
  "bet": "Bet",
  "bets": "Bets of the round",
  "checkpoint-text": "Signed text",
  "commitment": "Commitment, published ahead",
  "computed": "Outcome, computed here",
  "context": "Context of the stream",
  "digest": "Digest in the lock",
  "first-after": "First round locked after the batch",
  "game": "Game",
  "lead-lock": "Lock record of the round that shows the lead",
  "lead-round": "Round that shows the lead",
  "leaf-hash": "Leaf hash",
  "lock": "Lock record",
  "lock-after": "First lock after the batch",
  "lock-before": "Last lock before the batch",
  "origin": "Log",
  "outcome": "Outcome",
  "payload": "Payload of the code",
  "public-key": "The log's public key",
  "reveal": "Reveal record",
  "root": "Root",
  "round": "Round",
  "rounds-ahead": "Rounds ahead",
  "rules": "Rules of the batch",
  "sections": "Sections of the file",
  "seed": "Seed",
  "signature": "Signature",
  "size": "Records",
  "stream": "Bytes of the stream that the draw takes",
  "table": "Table record",
  "table-id": "Table id",
  "table-name": "Table",
  "table-prefix": "Beginning of the table's id",
  "time-of-batch": "Committed",
  "time-of-lock": "Locked",
  "time-of-reveal": "Revealed",
  "time-of-table": "Created",
};

/**
 * The English name of a value or of what a command computes.
 * @param {string} label
 * @returns {string}
 */
export function labelText(label) {
  return LABELS[label];
}
