// Asks the browser's verifier, in Node, whether logs in folders extend what was seen of them: one question per line,
// as JSON.

import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";

import { Unreadable } from "../../../verifier/browser/basics/errors.js";
import { checkHistory } from "../../../verifier/browser/verifier.js";

for await (const line of createInterface({ input: process.stdin })) {
  const { folder, seen, refuses, ...trust } = JSON.parse(line);
  const read = (path) => readFile(`${folder}/${path}`).catch((error) => {
    if (error.code !== "ENOENT") throw error;
    if (refuses) throw new Unreadable(path, "the server answers 403");
    return null;
  });
  process.stdout.write(`${JSON.stringify(await checkHistory(seen, { ...trust, read }))}\n`);
}
