/** The live feed (`GET /v1/live`), asked for once a second while the page is seen. */

const EVERY = 1000;
const PATIENCE = 8000;
const LONGEST_PAUSE = 30_000;

/**
 * Calls `told` with the feed's tables by name whenever something has changed, and `connected` with true or false when that
 * changes. A page that is hidden asks nothing; one that gets no answer asks ever less often.
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
      failures = 0;
      note(true);
      if (text !== known) {
        known = text;
        const feed = JSON.parse(text);
        told(new Map(feed.tables.map((table) => [table.table, table])), feed.records);
      }
    } catch {
      failures += 1;
      note(false);
    }
    isAsking = false;
    timer = setTimeout(ask, Math.max(0, pause() - (performance.now() - begun)));
  }

  // Whoever lost the service at the same moment does not come back at the same moment.
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

/** The service's present, in milliseconds: `atStart` is what its clock said when it made the page. */
export function clockOf(atStart) {
  const [navigation] = performance.getEntriesByType("navigation");
  // For how long the page was kept before it was sent; browsers tell it where the connection is secure.
  const kept = navigation.serverTiming?.find(({ name }) => name === "kept")?.duration ?? 0;
  const ahead = Date.parse(atStart) + kept - (performance.timeOrigin + navigation.responseStart);
  return () => Date.now() + ahead;
}
