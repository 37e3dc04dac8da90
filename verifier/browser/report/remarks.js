// Remarks: what a verdict mentions although no check is about it, such as a time in the future (SPEC 8.1).

/** How far two honest clocks may be apart, in milliseconds. */
const TOLERANCE = 10 * 60 * 1000;

/**
 * A remark is never a failure, because the wrong clock may be the verifier's. The present is an argument: no check
 * reads a clock.
 * @param {import("./report.js").Report} report of a check that held
 * @param {string} now the present, spelled like a TIME: `new Date().toISOString()`
 * @returns {import("./report.js").Fact[]} `round-of-the-future` with `newest` and `now`, or nothing
 */
export function remarks({ verdict, committedAt, salt, lockedAt, revealedAt }, now) {
  const newest = revealedAt ?? lockedAt ?? salt?.saltedAt ?? committedAt;
  if (!["held", "unknown", "sandbox"].includes(verdict) || newest === null || Date.parse(newest) <= Date.parse(now) + TOLERANCE) return [];
  return [{ code: "round-of-the-future", newest, now }];
}
