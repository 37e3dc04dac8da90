/**
 * What badges ask the service about rounds. A table's small feed is asked again and again; a round itself only for its
 * commitment, and when the feed no longer lists it as to come or going on. All badges of a page share each answer for
 * a second.
 */

import { SHOWN_AFTER, stoppedAt } from "./stopped.js";

/** For how long an answer is shared, and how long to wait before asking about a round that is going on: milliseconds. */
const FRESH = 1000;
/** How long to wait before asking again about a round that is to come. */
const TO_COME = 5000;
/** How long to wait for a round that is over to be published, and for a service that does not answer: doubled each time. */
const NOT_YET = 1000;
const AFTER_TROUBLE = 5000;
const LONGEST_PAUSE = 60_000;
/** How long to wait for one answer. */
const PATIENCE = 20_000;

/** The answers of the last second, and those that are under way, by address. */
const answers = new Map();

/**
 * Yields what is known of a round, as often as it was asked for: null if nothing is, else the service's answer about
 * the round, with its present `status`; `isFixed`, false while its batch awaits its salt; `stopped`, why nothing goes on
 * at its table, or why there is no answer; and `date`, when the service said so, in milliseconds, or null. One answer
 * that does not come is passed over.
 */
export async function* follow(service, { table, number }, signal) {
  const round = new Followed(service, table, number);
  let [before, seen] = [null, 0];
  for (let times = 0; !signal.aborted; ) {
    const looking = round.look();
    if (before !== null && (await isLate(looking))) yield { ...before, stopped: round.missed };
    const known = await looking;
    if (known !== null) [before, seen] = [known, performance.now()];
    if (known !== null || before === null) yield known;
    else if (performance.now() - seen > SHOWN_AFTER) yield { ...before, stopped: round.missed };
    times = known?.pause === undefined ? times + 1 : 0;
    await pauseAndBeSeen(known?.pause ?? slower(known === null ? AFTER_TROUBLE : NOT_YET, times));
  }
}

async function isLate(looking) {
  const late = Symbol("late");
  return (await Promise.race([looking, new Promise((resolve) => setTimeout(resolve, SHOWN_AFTER, late))])) === late;
}

class Followed {
  #service;
  #address;
  #number;
  #feed = null;
  #round = null;
  /** Why answers do not come, until one does. */
  missed = "connection";

  constructor(service, table, number) {
    this.#service = service;
    this.#address = `v1/tables/${encodeURIComponent(table)}`;
    this.#number = number;
  }

  async look() {
    if (hasEnded(this.#round)) return this.#round;
    const { said, date, missed } = await ask(this.#service, `${this.#address}/live`, "now");
    if (said === null) {
      this.missed = missed;
      return null;
    }
    this.missed = "connection";
    // Of two caches, one may be behind the other.
    if (!(said.as_of < this.#feed?.as_of)) this.#feed = said;
    if (Number(this.#number) > this.#feed.committed_through) return null;
    const place = placeIn(this.#feed, Number(this.#number));
    if (place === null || this.#round === null) {
      const address = `${this.#address}/rounds/${encodeURIComponent(this.#number)}`;
      this.#round = (await ask(this.#service, address, "commitments")).said;
    }
    if (this.#round === null || hasEnded(this.#round)) return this.#round;
    const { salt } = this.#round;
    const stopped = stoppedAt(this.#feed, date ?? this.#feed.as_of);
    return { isFixed: salt === undefined || salt.signature !== undefined, ...this.#round, ...place, stopped, date };
  }
}

/** Whether a round's outcome is public. */
export function hasEnded(round) {
  return round?.round_code !== undefined;
}

/** What a table's feed says of a round that is committed; null if it is over, or will not be played. */
function placeIn({ now, next_round: next, committed_through: committed, fixed_through: fixed = committed, ended }, number) {
  const going = now.find(({ round }) => round === number);
  if (going !== undefined) return { status: going.status, isFixed: true, pause: FRESH };
  return number >= next && !ended ? { status: "committed", isFixed: number <= fixed, pause: TO_COME } : null;
}

/**
 * The service's answer, an object with this key; or null, if there is none, or another one, as of a network's page for
 * its guests; then `missed` says why. And when it was made, in milliseconds, or null if that is not known.
 */
export function ask(service, path, key) {
  const now = performance.now();
  for (const [address, { until }] of answers) if (until <= now) answers.delete(address);
  const address = new URL(path, service).href;
  if (!answers.has(address)) {
    const shared = { until: Infinity, answer: answerAt(address, key) };
    answers.set(address, shared);
    shared.answer.finally(() => (shared.until = now + FRESH));
  }
  return answers.get(address).answer;
}

async function answerAt(address, key) {
  try {
    const answer = await fetch(address, { credentials: "omit", referrerPolicy: "no-referrer", signal: AbortSignal.timeout(PATIENCE) });
    const date = Date.parse(answer.headers.get("Date") ?? "");
    const said = await answer.json();
    const isSaid = answer.ok && key in said;
    return { said: isSaid ? said : null, date: Number.isNaN(date) ? null : date, missed: said.code === "storage-fails" ? "storage" : "connection" };
  } catch {
    return { said: null, date: null, missed: "connection" };
  }
}

/** A pause that grows with the number of times; random, so that badges that lost the service do not return at once. */
function slower(first, times) {
  return Math.min(first * 2 ** (times - 1), LONGEST_PAUSE) * (0.75 + Math.random() / 2);
}

/** Wait, and then until the page is visible. */
async function pauseAndBeSeen(milliseconds) {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  while (document.hidden) await new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
}
