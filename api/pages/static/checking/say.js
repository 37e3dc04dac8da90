/** What a check found out, in plain words of the page's language. The verifier gives codes and values; here they become sentences. */

import { _ } from "../words.js";

/** The title and the plain sentence of a step (SPEC 8.2, 8.6, 8.5 and 8.4). */
export function sayStep(kind, name) {
  return STEPS[kind][name]();
}

const CHECKPOINT_SENTENCE = () =>
  _("The head of the log is signed with the log’s key. It vouches for every record below it: none can be changed without breaking the signature.");
const OUTCOME_STEP = () => ({
  title: _("The outcome follows from the seed"),
  sentence: _("The rules of the batch, fed with the seed, give the outcome that was revealed. Anybody can do the same arithmetic."),
});

const CODE_STEPS = {
  code: () => ({
    title: _("The code has no typing error"),
    sentence: _("Its last six characters are a checksum over all others, and they fit. The code names the game, the table, the round and the seed of the round."),
  }),
  checkpoint: () => ({ title: _("The log is signed"), sentence: CHECKPOINT_SENTENCE() }),
  table: () => ({
    title: _("The table stands in the log"),
    sentence: _("The record that made this table is in the log. It says which game is played, and how many rounds ahead results must be fixed."),
  }),
  records: () => ({
    title: _("Fixed first, then locked, then revealed"),
    sentence: _("The log has the batch in which this round was fixed, the lock that ended the betting, and the reveal: in this order."),
  }),
  seeds: () => ({
    title: _("The seed is the one that was promised"),
    sentence: _("The seed in your code is the one that was revealed. Hashed down, round by round, it ends at the anchor that was published with the batch."),
  }),
  commitments: () => ({
    title: _("The seed opens the commitment"),
    sentence: _("The hash of the seed is the commitment that was published for this round beforehand. Nobody can find another seed with this hash."),
  }),
  outcome: OUTCOME_STEP,
  lead: () => ({
    title: _("How many rounds ahead"),
    sentence: _("Two locks show which round was the first to be locked after this one was fixed in the log. The distance between the two rounds is how far ahead this one was fixed."),
  }),
};

const PROOF_STEPS = {
  file: () => ({
    title: _("The file is a proof"),
    sentence: _("It has the one form that a proof file can have, down to the last character."),
  }),
  checkpoint: () => ({ title: _("The log is signed"), sentence: CHECKPOINT_SENTENCE() }),
  inclusion: () => ({
    title: _("Its records stand in the log"),
    sentence: _("Each record in the file leads, hash by hash, to the root that was signed. So it stands in the log, at the place that the file names."),
  }),
  claims: () => ({
    title: _("They are the records of this round"),
    sentence: _("They are what the file claims: the table, the batch that fixed the round, and its lock and reveal, as far as the round had come."),
  }),
  order: () => ({
    title: _("Fixed first, then locked, then revealed"),
    sentence: _("The records stand in the order that the rules demand, and their times do, too."),
  }),
  commitments: () => ({
    title: _("The commitment is the promised one"),
    sentence: _("The commitment in the file is the one that the batch record promised for this round."),
  }),
  seeds: () => ({
    title: _("The seed opens the commitment"),
    sentence: _("The hash of the revealed seed is that commitment; and hashed down, round by round, the seed ends at the anchor that was published with the batch."),
  }),
  outcome: OUTCOME_STEP,
};

const EVIDENCE_STEPS = {
  form: () => ({
    title: _("The file is evidence"),
    sentence: _("It has the one form that evidence can have: two signed heads of a log, and hashes between them."),
  }),
  first: () => ({
    title: _("The first head is signed"),
    sentence: _("It is signed with the log’s key: so whoever has that key vouched for these records."),
  }),
  second: () => ({
    title: _("The second head is signed"),
    sentence: _("It is signed with the same key."),
  }),
  hashes: () => ({
    title: _("The hashes belong to the second head"),
    sentence: _("They show which root the second log had when it was as long as the first: no other root leads to what was signed."),
  }),
  contradiction: () => ({
    title: _("Both cannot be one log"),
    sentence: _("That root is not the one that the first head names. A log only grows, so two histories were signed."),
  }),
};

const BET_STEPS = {
  receipt: () => ({
    title: _("The file is the receipt of a bet"),
    sentence: _("It has the one form that a receipt can have. The bet’s line leads, hash by hash, to the digest of all bets of the round."),
  }),
  checkpoint: () => ({ title: _("The log is signed"), sentence: CHECKPOINT_SENTENCE() }),
  table: () => ({
    title: _("The table stands in the log"),
    sentence: _("The record whose hash the receipt names is in the log."),
  }),
  lock: () => ({
    title: _("The betting has ended"),
    sentence: _("The log has the lock of this round, which ends the betting."),
  }),
  digest: () => ({
    title: _("The bet is one of those that were fixed"),
    sentence: _("The lock carries the digest to which this bet leads. Any other line would lead to another one."),
  }),
  reveal: () => ({
    title: _("The outcome came later"),
    sentence: _("If the round has ended, its reveal stands behind that lock: the bets were fixed before the outcome was public."),
  }),
};

const STEPS = { code: CODE_STEPS, proof: PROOF_STEPS, evidence: EVIDENCE_STEPS, bet: BET_STEPS };

/** How a step ended, in a word or two. Of a round that has not ended, the last ones have nothing to check. */
export function sayState({ state }, verdict) {
  if (state === "skipped" && verdict === "held") return _("only after the round");
  return { held: _("holds"), failed: _("does not hold"), skipped: _("not reached") }[state];
}

/** What was not shown, one sentence for each code of `notProven`. */
export function sayNotProven(fact) {
  return NOT_PROVEN[fact.code](fact);
}

const NOT_PROVEN = {
  "as-of-checkpoint": () =>
    _("The file shows the log as it was when the file was made. Whether today’s log still continues that one, only a look into the log tells."),
  "what-followed": () =>
    _("Whether the round had come further by then: whoever made the file may have left out later records."),
  "one-round-only": () =>
    _("The other rounds. Only this round’s records were read. A second record that contradicts one of them is excluded only by an audit of the whole log."),
  "rounds-between": () =>
    _("The rounds in between. How many of them were played, and not given up, an audit tells."),
  "no-salt": () =>
    _("That the operator did not try many seeds before it published one. This table mixes no outside random value into its seeds."),
  "no-witness": () =>
    _("The hours on the log’s clock: they are the operator’s word, the order is not. And that everybody is shown this same log: compare it with what others see."),
  "one-custodian": () =>
    _("That nobody looked ahead. One custodian holds all seeds: the party that runs it could know results before their rounds. It could, for instance, play costly rounds while nobody bets, or close a table before one."),
  "several-names": () =>
    _("That the custodians are different people. They are only names here; that they sit on different machines is the operator’s word."),
  flight: ({ games }) =>
    _("What the engine’s operator did during the flight. In %(games)s whoever runs the engine knows the result while players still decide. Only bets with an automatic cash-out are safe from that.", { games: [games].flat().join(", ") }),
  "bet-meaning": () =>
    _("What the bet’s line means, whether it won, and what was paid: the line is the engine’s own text."),
  "bet-alone": () => _("That the outcome was fixed beforehand: the round’s code shows that, or its proof file."),
  "whose-key": () => _("That the key is the operator’s: that you must know from elsewhere."),
  "which-is-true": () => _("Which of the two histories is the true one, and to whom each was shown."),
  bets: () =>
    _("Your bet and its payment. A receipt of the bet, from the game, shows that it was among those that were fixed."),
};

/** What was noticed without a check behind it. */
export function sayRemark({ newest, now }) {
  return _("The newest record of this round is of %(newest)s, and the clock of your device shows %(now)s. One of the two is wrong; the verdict depends on neither.", { newest: moment(newest), now: moment(now) });
}

/** The verdict of a report: large words, one sentence, and what to do with it. */
export function sayVerdict(report) {
  if (report.verdict === "held") return sayHeld(report);
  return report.verdict === "failed" ? sayFailed(report.failure) : sayUnreadable(report);
}

function sayHeld(report) {
  if (report.kind === "evidence") {
    return {
      headline: _("Proven: two histories were signed"),
      sentence: _("Whoever has the key of %(origin)s signed two logs of %(size)s records that cannot both be true.", { origin: report.headline.origin, size: report.headline.size }),
      advice: _("Keep this file, and show it to the regulator. It convinces everybody who has the log’s key."),
    };
  }
  if (report.kind === "bet") {
    const { round, table, bet, stage } = report;
    return {
      headline: _("Your bet was fixed in time"),
      sentence:
        stage === "ended"
          ? _("It is one of the bets of round %(round)s of %(table)s that were fixed before the outcome was published (bets: %(count)s).", { round, table, count: bet.count })
          : _("It is one of the bets of round %(round)s of %(table)s that are fixed; the outcome is not published yet (bets: %(count)s).", { round, table, count: bet.count }),
      advice: _("Compare the line with the bet that you made. Then check the round’s code."),
    };
  }
  const values = { round: report.round, table: report.table, ahead: report.roundsAhead, first: report.firstAfter };
  if (report.stage !== "ended") {
    return {
      headline: _("Fixed; the file ends before the round does"),
      sentence: _("The result of round %(round)s of %(table)s is fixed in the log. It cannot be changed unnoticed: whoever holds this file can show what was fixed.", values),
      advice: _("Keep the file. After the round, check it again together with the code."),
    };
  }
  return {
    headline: report.status === "void" ? _("Fixed beforehand; the round is void") : _("Fixed before the round"),
    sentence: [sayAhead(report, values), _("Its outcome follows from what was fixed.")].join(" "),
    advice:
      report.status === "void"
        ? _("A void round counts for nothing: if you had bet on it, compare what you got back with your stake.")
        : _("Compare the outcome shown here with the one by which you were paid."),
  };
}

function sayAhead(report, values) {
  if (report.roundsAhead === null) return _("Round %(round)s of %(table)s was fixed before it was locked.", values);
  // No round before a table's first ones could show the lead, so theirs is less than the table promises.
  if (report.firstAfter === 1 && report.roundsAhead < report.lead) return _("Round %(round)s of %(table)s was fixed before the table’s first round was locked.", values);
  if (report.firstAfter === 1) return _("Round %(round)s of %(table)s was fixed before the table’s first round was locked (rounds ahead: %(ahead)s).", values);
  if (report.kind === "proof") return _("Round %(round)s of %(table)s was fixed before round %(first)s was locked (rounds ahead: at least %(ahead)s).", values);
  return _("Round %(round)s of %(table)s was fixed before round %(first)s was locked (rounds ahead: %(ahead)s).", values);
}

const BAD_INPUT = ["code-checksum", "code-form", "proof-form", "commitment-path", "bet-form", "fork-form"];
const BAD_COPY = ["note-form", "note-signature", "checkpoint-form", "checkpoint-origin", "tile", "bundle", "inclusion", "round-records", "commitments-file"];

function sayFailed(failure) {
  const sentence = _("What must hold does not: %(meaning)s.", { meaning: _(failure.meaning) });
  if (failure.check === "code-round") {
    return {
      headline: _("This round has not ended"),
      sentence: _("The log, as it is served here, has no reveal of this round. A code exists only after its round: either the round ended a moment ago, or this copy of the log is old, or the code is made up."),
      advice: _("Try again in a minute, and with another copy of the log. If it stays so, do not trust whoever gave you the code."),
    };
  }
  if (failure.check === "code-checksum" || failure.check === "code-form") {
    return {
      headline: _("This is not a round code"),
      sentence: _("A character is wrong, missing or too many. That says nothing about the round."),
      advice: _("Compare it with the original, or scan it."),
    };
  }
  if (failure.check === "code-seed") {
    return {
      headline: _("The code is not of this round"),
      sentence: _("The log has another seed for this round than the code. A code is not signed: either it is made up, or this is not the log that it came from."),
      advice: _("Compare it with the code that the game shows. If the game itself gave it to you, keep it and show it to the regulator."),
    };
  }
  if (failure.check === "lead-committed" && failure.index === null) {
    return {
      headline: _("The files do not show how far ahead it was fixed"),
      sentence,
      advice: _("The files that lead to the log’s records are not signed: they may be old or damaged, and this accuses nobody. Try again, and with another copy of the log. If it stays so, ask for an audit of the whole log."),
    };
  }
  if (failure.check === "code-table" || failure.check === "code-game") {
    return {
      headline: _("Not a code of this log"),
      sentence,
      advice: _("The code may be of another casino, whose log you can name under “Another log”; or it is made up."),
    };
  }
  if (failure.check === "fork-proof" || failure.check === "fork-roots") {
    return {
      headline: _("The file proves no fork"),
      sentence,
      advice: _("It accuses nobody: anybody can put such a file together."),
    };
  }
  if (failure.check === "bet-round") {
    return {
      headline: _("The log has no lock of this round"),
      sentence,
      advice: _("Either the betting is not over, or this copy of the log is old, or the receipt is of another log. Try again after the round. If it stays so, do not trust whoever gave you the receipt."),
    };
  }
  if (failure.check === "bet-digest") {
    return {
      headline: _("The bet is not among those that were fixed"),
      sentence,
      advice: _("A receipt is not signed: it is the word of whoever gave it to you. If that was the game, keep it and show it to the regulator."),
    };
  }
  if (BAD_INPUT.includes(failure.check)) {
    return {
      headline: _("The file is damaged, or made up"),
      sentence,
      advice: _("This says nothing about the round. Get the file again."),
    };
  }
  if (BAD_COPY.includes(failure.check)) {
    return {
      headline: _("Refused: not what the log’s key signed"),
      sentence,
      advice: _("It may be the fault of the copy, the server, or the key that was used. Compare the key, and get the files by another way. If it stays so, keep what you have and show it to the regulator."),
    };
  }
  return {
    headline: _("Refused: a rule is broken"),
    sentence,
    advice: _("The operator signed this. Keep the code and a proof file of the round, and show them to the regulator."),
  };
}

function sayUnreadable({ kind, unreadable }) {
  if (kind === "evidence") {
    return {
      headline: _("No verdict"),
      sentence: _("The file has two signed heads of the log, but no hashes between them: that proves nothing by itself."),
      advice: _("It is worth keeping: whoever signed both must be able to give the hashes."),
    };
  }
  return {
    headline: _("No verdict"),
    sentence: _("A file of the log could not be read: %(path)s. Nothing is known, and nobody has been shown to cheat.", unreadable),
    advice: _("Try again in a moment, or from another network."),
  };
}

/** What is known of the round, as names and values. */
export function sayFacts(report, logToday) {
  const facts = [
    { name: _("Table"), value: report.table && `${report.table} · ${report.log?.origin ?? ""}` },
    { name: _("Round"), value: report.round },
    { name: _("Bet"), value: report.bet && (report.bet.line ?? report.bet.hex) },
    { name: _("Place"), value: report.bet && _("%(place)s of %(count)s", { place: report.bet.index + 1, count: report.bet.count }) },
    { name: _("Status"), value: sayStatus(report) },
    { name: _("Reason"), value: report.reason },
    { name: _("Fixed at"), value: moment(report.committed) },
    { name: _("Opened"), value: moment(report.opened) },
    { name: _("Locked"), value: moment(report.locked) },
    { name: _("Revealed"), value: moment(report.revealed) },
    { name: _("Log today"), value: logToday && _("continues the log of the file: records %(size)s", { size: logToday }) },
  ];
  return facts.filter(({ value }) => value !== null && value !== undefined).map(({ name, value }) => ({ name, value: String(value) }));
}

/** A record's time to the second; the steps show it as the record has it. Not every browser knows how Armenian writes dates. */
function moment(time) {
  return time === null ? null : `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`;
}

function sayStatus({ stage, status }) {
  return { played: _("played"), void: _("void") }[status] ?? { committed: _("fixed, not yet locked"), locked: _("locked, not yet revealed") }[stage] ?? null;
}

/** Where a code was mistyped, or null where nothing can be said. */
export function sayTyping({ kind, places, missing }) {
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

/** The name of a value or of what a command computes; `of` says whose it is where a step shows several. */
export function sayLabel({ label, of }) {
  const name = (LABELS[label] ?? (() => label))();
  return of === undefined ? name : `${name} · ${sayOf(of)}`;
}

/** Whose a value is: a record's by its place, or a custodian's. */
export function sayOf(of) {
  const record = /^record ([0-9]+)$/.exec(of);
  return record === null ? of : _("record %(index)s", { index: record[1] });
}

const LABELS = {
  anchor: () => _("Anchor, published with the batch"),
  batch: () => _("Record of the batch"),
  bet: () => _("Bet"),
  bets: () => _("Bets of the round"),
  digest: () => _("Digest in the lock"),
  "batch-id": () => _("Id of the batch"),
  "checkpoint-text": () => _("Signed text"),
  commitment: () => _("Commitment, published ahead"),
  computed: () => _("Outcome, computed here"),
  context: () => _("Context of the stream"),
  "first-after": () => _("First round locked after it was fixed"),
  game: () => _("Game"),
  "lead-lock": () => _("Lock that shows how far ahead"),
  "lead-round": () => _("Round that shows how far ahead"),
  "leaf-hash": () => _("Hash of the record"),
  lock: () => _("Record of the lock"),
  "lock-after": () => _("First lock after the batch"),
  "lock-before": () => _("Last lock before the batch"),
  origin: () => _("Log"),
  outcome: () => _("Outcome, as it was revealed"),
  payload: () => _("Content of the code"),
  "public-key": () => _("The log’s public key"),
  reveal: () => _("Record of the reveal"),
  root: () => _("Root of the tree"),
  round: () => _("Round"),
  "rounds-ahead": () => _("Rounds ahead"),
  rules: () => _("Rules of the batch"),
  sections: () => _("Parts of the file"),
  seed: () => _("Seed"),
  signature: () => _("Signature"),
  size: () => _("Records"),
  stream: () => _("Bytes that the draw takes"),
  table: () => _("Record of the table"),
  "table-id": () => _("Id of the table"),
  "table-name": () => _("Table"),
  "table-prefix": () => _("Beginning of the table’s id"),
  "time-of-batch": () => _("Fixed"),
  "time-of-lock": () => _("Locked"),
  "time-of-reveal": () => _("Revealed"),
  "time-of-table": () => _("Table made"),
};
