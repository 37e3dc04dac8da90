/**
 * Runs before anything is drawn: a page that is asked about a code is laid out for the verdict from the first paint,
 * and the proof file of the code's round is asked for while the page's script still loads.
 */

import { ask, EARLY } from "../asking/ask.js";
import { proofPath } from "../asking/path.js";

if (location.hash.length > 1 && location.hash !== "#main") document.documentElement.classList.add("asked");

// Only the service itself makes proof files of its rounds, not whoever serves another log.
const path = new URLSearchParams(location.search).has("log") ? null : proofPath(location.hash.slice(1));
if (path !== null) globalThis[EARLY] = { path, answer: ask(path) };
