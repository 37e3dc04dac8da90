// The games: six that are known by their names (SPEC 3.5), and those that tables declare (3.6). All are drawn from
// data.

import { utf8 } from "../basics/bytes.js";
import { Malformed, Unknown } from "../basics/errors.js";
import { Declaration } from "../declared/declaration.js";
import { spelled } from "../declared/spelling.js";

const NEWEST_RULES = 1;

/**
 * @typedef {object} Game
 * @property {number} lead the smallest that a table of this game may have
 * @property {boolean} hasFlight whether players act after the lock
 * @property {string[]} places what an outcome may have, in the order in which it is drawn
 * @property {?Declaration} declaration what it declares; `null` if this program does not know all of it
 * @property {string[]} unknown what of its declaration this program does not know; then it has neither rules nor outcomes
 * @property {(rules: Record<string, number>) => void} checkRules throws `Malformed` unless they are the parameters
 * @property {(stream: import("../draws/stream.js").Stream, rules: Record<string, number>) => object} outcome
 */

const FLIGHT = { draw: [["multiplier", "flight"]], moves: 1, rules: { cap: [101, 1_000_000_000], rtp: [1, 10_000] } };
const CARDS = [..."23456789JQKA"].flatMap((card) => ["red", "black"].map((color) => ({ card, color })));
const SECTORS = Array.from({ length: 24 }, (_, at) => ({ sector: at + 1 }));
const KICKS = [...SECTORS, { result: "bar" }, { result: "failure" }];

/** @type {Readonly<Record<string, Game>>} */
export const GAMES = Object.freeze({
  "__proto__": null,
  "crash": drawn(10, FLIGHT),
  "hi-lo": drawn(10, { draw: [["*", "ends", [...CARDS, { card: "Joker" }]]] }),
  "keno-express": drawn(2, { draw: [["number", "number", 1, 100]] }),
  "penalty": drawn(10, { draw: [["*", "ends", KICKS]] }),
  "rocketon": drawn(10, FLIGHT),
  "sic-bo": drawn(5, { draw: [["dice", "numbers", 3, 1, 6]] }),
});

/** @type {WeakMap<object, Game>} by the table's record */
const OF_TABLES = new WeakMap();

/**
 * @param {{game: string, declaration?: object}} table its record
 * @returns {Game}
 * @throws {Malformed} what declares no game, or one that has a name already
 */
export function gameOf(table) {
  if (!OF_TABLES.has(table)) OF_TABLES.set(table, find(table));
  return OF_TABLES.get(table);
}

/**
 * Whether this program can say what a game draws under these rules; what it cannot is newer (SPEC 4.9).
 * @param {Game} game
 * @param {Record<string, number>} rules
 * @returns {boolean}
 */
export function isKnown(game, rules) {
  return game.unknown.length === 0 && (rules.version ?? NEWEST_RULES) <= NEWEST_RULES;
}

/**
 * @param {{game: string, declaration?: object}} table its record
 * @param {Record<string, number>} rules
 * @returns {?string} in words what is newer than this program, if anything is
 */
export function newerThanThis(table, rules) {
  const game = gameOf(table);
  if (isKnown(game, rules)) return null;
  return game.unknown.join(", ") || `version ${rules.version} of the rules of ${table.game}`;
}

function find({ game, declaration }) {
  if (declaration === undefined && game in GAMES) return GAMES[game];
  if (declaration === undefined) throw new Malformed("declaration", `one, as ${game} has no rules without`, "none");
  if (game in GAMES) throw new Malformed("declaration", `none, as ${game} is known by its name`, "one");
  try {
    refuseLater(declaration);
    return drawn(1, declaration);
  } catch (error) {
    if (!(error instanceof Unknown)) throw error;
    return { lead: 1, hasFlight: "moves" in declaration, places: [], declaration: null, unknown: error.what, checkRules() {}, outcome() {} };
  }
}

/** A declaration that names a later vocabulary is unknown as a whole; its spelling is that of its record. */
function refuseLater({ version }) {
  if (typeof version === "number" && version > 1) throw new Unknown([`declarations of version ${version}`]);
}

function drawn(lead, declared) {
  const game = Declaration.parse(utf8(spelled(declared)));
  return {
    lead,
    hasFlight: game.hasFlight,
    places: game.places,
    declaration: game,
    unknown: [],
    checkRules: (rules) => game.checkRules(rules),
    outcome: (stream, rules) => game.outcome(stream, rules),
  };
}
