/**
 * What the page to keep can reach. Its own policy allows any log, for it has the same bytes wherever it is opened; so
 * it is narrowed here, which a browser never takes back: to nothing at all if the page was opened from a disk.
 */

/** Whether a web server gave this page out, beside which there may be a list of logs. */
export const isServed = /^https?:$/.test(location.protocol);

/** From now on nothing but these origins can be reached. */
export function reachOnly(origins) {
  const policy = document.createElement("meta");
  policy.httpEquiv = "Content-Security-Policy";
  policy.content = `connect-src ${origins.length === 0 ? "'none'" : origins.join(" ")}`;
  document.head.append(policy);
}

if (!isServed) reachOnly([]);
