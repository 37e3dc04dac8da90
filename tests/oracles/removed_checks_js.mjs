// Answers all vectors with a switch at each check, then again without each check those that it refused
// (removed_checks_js.py).

import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [program, vectors, checks] = process.argv.slice(2);
const refused = Array.from({ length: Number(checks) }, () => new Set());
let off = -1;
let current = null;

function note(number) {
  if (off < 0) refused[number].add(current);
}

globalThis.__switches = {
  /** The value of a condition for a refusal, unless its check is off. */
  refuses(number, holds) {
    if (!holds || number === off) return false;
    note(number);
    return holds;
  },
  /** What a check returns, unless it is off. */
  run(number, check) {
    if (number === off) return undefined;
    const refuse = (error) => {
      note(number);
      throw error;
    };
    try {
      const found = check();
      return found instanceof Promise ? found.catch(refuse) : found;
    } catch (error) {
      return refuse(error);
    }
  },
};

const { answer } = await import(pathToFileURL(program));
const exact = (value) => JSON.stringify(value, (_key, each) => (typeof each === "bigint" ? `${each}n` : each));

async function answered(request) {
  current = request;
  try {
    return exact(await answer(structuredClone(request)));
  } catch {
    // It goes on with what it should have refused: no answer is a wrong one.
    return null;
  }
}

// What one check left open may fail later, when nobody waits for it.
process.on("unhandledRejection", () => {});
const named = new Map();
const expected = new Map();
for (const { name, ...request } of JSON.parse(await readFile(vectors, "utf8")).flat()) {
  named.set(request, name);
  expected.set(request, await answered(request));
}
const wrong = [];
for (const [number, requests] of refused.entries()) {
  off = number;
  const found = [];
  for (const request of requests) {
    if ((await answered(request)) !== expected.get(request)) found.push(named.get(request));
  }
  wrong.push(found);
}
process.stdout.write(JSON.stringify(wrong));
