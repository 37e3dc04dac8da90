// What the modules make of paytables, for the tests: whether they accept a file, and what became of bets by it.

import { readFileSync } from "node:fs";

import { toHex, utf8 } from "../../verifier/browser/basics/bytes.js";
import { CheckFailed, Malformed, Unknown } from "../../verifier/browser/basics/errors.js";
import { sha256 } from "../../verifier/browser/basics/sha256.js";
import { GAMES, gameOf } from "../../verifier/browser/games/games.js";
import { readPaytable } from "../../verifier/browser/paytable/read.js";
import { betExamples, settleBet } from "../../verifier/browser/verifier.js";

let latest = {};

/** The table's bets; a file is read once, however many bets are asked for. */
function read(game, declaration, file) {
  if (latest.file !== file || latest.game !== game || latest.declaration !== declaration) {
    const bytes = utf8(file);
    const declared = declaration ? JSON.parse(declaration) : undefined;
    latest = { game, declaration, file, paytable: readPaytable(bytes, { game, declaration: declared, paytable: toHex(sha256(bytes)) }) };
  }
  return latest.paytable;
}

/** The result of each bet for each outcome; null for a bet that does not exist. */
function settlements({ game, declaration, file, rules, before = [], texts, outcomes, status = "played" }) {
  const paytable = read(game, declaration, file);
  const settle = (text, outcome) => {
    const settled = settleBet(paytable, text, { outcome, status, rules, before });
    return settled && [settled.result, settled.odds, settled.pays === null ? settled.next : settled.pays.join("/")];
  };
  return { settled: texts.map((text) => outcomes.map((outcome) => settle(text, outcome))) };
}

const inHouse = (path) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), "utf8"));

/** The same by the paytable of a game of the catalogue, as a result and a fraction. */
function bets({ game, rules, before, texts, outcomes }) {
  const [, , file] = inHouse("tests/vectors/paytables.json").find(([name]) => name === game);
  const { game: _, lead, section, ...declared } = inHouse("games/catalogue.json").games.find((line) => line.game === game);
  const declaration = game in GAMES ? null : JSON.stringify(declared);
  const { settled } = settlements({ game, declaration, file, rules, before: before === null ? [] : [{ card: before }], texts, outcomes });
  return { settled: settled.map((row) => row.map((found) => found && [found[0], found[2]?.split("/") ?? null])) };
}

function examples({ game, declaration, file, rules }) {
  return { examples: betExamples(read(game, declaration, file), rules) };
}

/** Whether each file is a paytable of a game that is declared so, and how many milliseconds that took. */
function judged({ game, declaration, files }) {
  // The declaration is read once, as it is of a table whose record was checked.
  const table = { game, declaration: declaration ? JSON.parse(declaration) : undefined };
  if (table.declaration) gameOf(table);
  return { judged: files.map((hex) => judge(new Uint8Array(Buffer.from(hex, "hex")), table)) };
}

function judge(bytes, table) {
  const named = { ...table, paytable: toHex(sha256(bytes)) };
  const began = performance.now();
  const taken = () => performance.now() - began;
  try {
    readPaytable(bytes, named);
    return ["held", null, taken()];
  } catch (error) {
    if (error instanceof CheckFailed) return ["failed", error.check, taken(), error.message];
    if (error instanceof Unknown) return ["unknown", error.what, taken()];
    if (error instanceof Malformed) return ["no game", error.message, taken()];
    throw error;
  }
}

export const PAYTABLE_OPERATIONS = { bets, examples, judged, settlements };
