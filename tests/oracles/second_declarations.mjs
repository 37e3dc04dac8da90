// Declared games, for the tests: outcomes by the browser's interpreter, which no page uses yet.

import { toHex } from "../../verifier/browser/basics/bytes.js";
import { ForedrawError } from "../../verifier/browser/basics/errors.js";
import { Declaration } from "../../verifier/browser/declared/declaration.js";
import { PACKS } from "../../verifier/browser/declared/packs.js";
import { Unknown } from "../../verifier/browser/basics/errors.js";
import { Stream } from "../../verifier/browser/draws/stream.js";

const bytes = (hex) => new Uint8Array(Buffer.from(hex, "hex"));

/** What is made of a declaration: a verdict, or an outcome for each case, null where its rules are refused. */
function declared({ hex, cases = [] }) {
  let declaration;
  const started = performance.now();
  try {
    declaration = Declaration.parse(bytes(hex));
  } catch (error) {
    if (error instanceof Unknown) return { verdict: "unknown", what: error.what };
    throw error;
  }
  const outcomes = cases.map((each) => outcome(declaration, each));
  return { flight: declaration.hasFlight, outcomes, milliseconds: performance.now() - started };
}

function outcome(declaration, { rules, seeds, context, round }) {
  try {
    declaration.checkRules(rules);
  } catch (error) {
    if (error instanceof ForedrawError) return null;
    throw error;
  }
  const stream = Stream.of(seeds.map(bytes), bytes(context), round);
  return { outcome: declaration.outcome(stream, rules), next: toHex(stream.take(4)) };
}

export const DECLARED_OPERATIONS = { declared, packs: () => ({ packs: PACKS }) };
