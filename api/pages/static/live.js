/** The live feed (`GET /v1/live`), requested once a second while the page is visible. */

const EVERY = 1000;
const PATIENCE = 8000;
const LONGEST_PAUSE = 30_000;

/**
 * Calls `told` with the feed's tables by name, each with `fixed_through`, and the number of records whenever
 * something has changed, and `connected` with true or false when that changes. A hidden page requests nothing;
 * without an answer, requests become less frequent.
 */
export function follow(told, connected) {
  let known = "";
  let isConnected;
  let failures = 0;
  let timer;
  let isAsking = false;

  async function ask() {
    clearTimeout(timer);
    if (document.hidden || isAsking) return;
    isAsking = true;
    const begun = performance.now();
    try {
      const answer = await fetch("/v1/live", { signal: AbortSignal.timeout(PATIENCE) });
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      const text = await answer.text();
      // What is no feed, a network's page for instance, throws here, and is not remembered: it is no answer of the
      // service.
      const feed = text === known ? null : parse(text);
      failures = 0;
      note(true);
      if (feed !== null) {
        known = text;
        told(feed.tables, feed.records);
      }
    } catch {
      failures += 1;
      note(false);
    }
    isAsking = false;
    timer = setTimeout(ask, Math.max(0, pause() - (performance.now() - begun)));
  }

  // Random, so that pages which lost the service at the same moment do not return at the same moment.
  function pause() {
    return failures === 0 ? EVERY : Math.min(LONGEST_PAUSE, EVERY * 2 ** failures) * (0.75 + Math.random() / 2);
  }

  function note(now) {
    if (now !== isConnected) connected((isConnected = now));
  }

  document.addEventListener("visibilitychange", ask);
  addEventListener("online", ask);
  ask();
}

function parse(text) {
  const { tables, records } = JSON.parse(text);
  return { tables: new Map(tables.map((table) => [table.table, { fixed_through: table.committed_through, ...table }])), records };
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
