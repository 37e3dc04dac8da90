// Every English sentence of a verdict, in one place. They say the same as `foredraw-verify`. A page that speaks other
// languages translates them by their codes.
//
// Facts of `proven`, by a code:
//   no-typing-error · checkpoint-signed · table-in-log {game} · rounds-committed {round, last} · lock-and-reveal ·
//   seed-revealed · seed-opens-commitment · outcome-follows · rounds-ahead
// Facts of `proven`, by a proof file:
//   file-form · checkpoint-of-size {size} · records-in-log {records} · records-claimed {names, round, table} · order ·
//   commitments-promised · seeds-open-and-chain · outcome-follows-seeds
// Facts of `notProven`:
//   as-of-checkpoint · what-followed · one-round-only · rounds-between · no-salt · no-witness · one-custodian ·
//   several-names · flight {games} · bets
// Headlines:
//   held-code {round, table, ahead, first} · held-proof {round, table, fixedAt, stage, leadRound, lockedAt, ahead} ·
//   failed {check} · unreadable {path}

/**
 * The English sentence of a fact or a headline.
 * @param {import("./verifier.js").Fact} fact
 * @returns {string}
 */
export function told(fact) {
  throw new Error(`there are no sentences yet: ${fact.code}`);
}

/**
 * The English title of a step.
 * @param {"code"|"proof"} kind
 * @param {string} name
 * @returns {string}
 */
export function stepTitle(kind, name) {
  throw new Error(`there are no titles yet: ${kind} ${name}`);
}

/**
 * The English name of a value.
 * @param {string} label
 * @returns {string}
 */
export function labelText(label) {
  throw new Error(`there are no labels yet: ${label}`);
}
