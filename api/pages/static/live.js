/** A live feed, requested once a second while the page is visible. */

import { SHOWN_AFTER } from "./stopped.js";

const EVERY = 1000;
const PATIENCE = 8000;
const LONGEST_PAUSE = 30_000;
/**
 * By how much an answer may be older than what the page shows, in milliseconds, and be left out: caches answer for
 * the service, each at its own time. What is older than that comes from a service whose clock was set back.
 */
const LAG = 10_000;

/**
 * Follow all tables that are in the feed, on a page that was made at `madeAt`: `told` is given them by name, and the
 * number of records.
 */
export function followAll(madeAt, told, missed) {
  follow("/v1/live", madeAt, ({ tables, records }) => told(new Map(tables.map((table) => [table.table, whole(table)])), records), missed);
}

/** Follow one table. If `told` returns false, it is told the same again. */
export function followTable(name, madeAt, told, missed) {
  follow(`/v1/tables/${name}/live`, madeAt, (table) => told(whole(table)), missed);
}

function whole(table) {
  return { fixed_through: table.committed_through, ...table };
}

/**
 * Calls `told` with what the feed at an address says, whenever something has changed since the page was made, and
 * `missed` when it changes why there is no answer: undefined while there is one, `storage` if the service cannot read
 * it, else `connection`. A hidden page requests nothing; without an answer, requests become less frequent.
 */
function follow(address, madeAt, told, missed) {
  let known = "";
  let newest = Date.parse(madeAt);
  let why = null;
  let failures = 0;
  let timer;
  let isAsking = false;

  async function ask() {
    clearTimeout(timer);
    if (document.hidden || isAsking) return;
    isAsking = true;
    const begun = performance.now();
    const late = setTimeout(() => failures === 0 && note("connection"), SHOWN_AFTER);
    try {
      const answer = await fetch(address, { signal: AbortSignal.timeout(PATIENCE) });
      if (!answer.ok) throw new Error((await answer.json()).code);
      // What is no feed, a network's page for instance, throws here, and is not remembered: it is no answer of the
      // service.
      const { as_of: asOf, ...feed } = await answer.json();
      if (typeof asOf !== "number") throw new Error("no feed");
      failures = 0;
      // Of an answer that the browser had kept, and that still holds, the service has only renewed the `Date`.
      const at = Math.max(asOf, Date.parse(answer.headers.get("Date")) || 0);
      const isNewer = at > newest || at < newest - LAG;
      const said = JSON.stringify(feed);
      if (isNewer && (said === known || (await told(feed)) !== false)) {
        known = said;
        newest = at;
      }
      note(undefined);
    } catch (error) {
      failures += 1;
      note(error.message === "storage-fails" ? "storage" : "connection");
    }
    clearTimeout(late);
    isAsking = false;
    timer = setTimeout(ask, Math.max(0, pause() - (performance.now() - begun)));
  }

  // Random, so that pages which lost the service at the same moment do not return at the same moment.
  function pause() {
    return failures === 0 ? EVERY : Math.min(LONGEST_PAUSE, EVERY * 2 ** failures) * (0.75 + Math.random() / 2);
  }

  function note(now) {
    if (now !== why) missed((why = now));
  }

  document.addEventListener("visibilitychange", ask);
  addEventListener("online", ask);
  ask();
}

/** The service's clock, in milliseconds: `atStart` is what it showed when the page was made. */
export function clockOf(atStart) {
  const [navigation] = performance.getEntriesByType("navigation");
  // How long the page was cached before it was sent; browsers only expose it on secure connections.
  const kept = navigation.serverTiming?.find(({ name }) => name === "kept")?.duration ?? 0;
  const ahead = Date.parse(atStart) + kept - (performance.timeOrigin + navigation.responseStart);
  // By a clock that nobody sets while the page is open.
  return () => performance.timeOrigin + performance.now() + ahead;
}
