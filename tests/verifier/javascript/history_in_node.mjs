// Asks the browser's verifier, in Node, whether logs in folders extend what was seen of them: one question per line, as JSON.

import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";

import { checkHistory } from "../../../verifier/browser/verifier.js";

for await (const line of createInterface({ input: process.stdin })) {
  const { folder, seen, ...trust } = JSON.parse(line);
  const read = (path) => readFile(`${folder}/${path}`).catch((error) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  process.stdout.write(`${JSON.stringify(await checkHistory(seen, { ...trust, read }))}\n`);
}
