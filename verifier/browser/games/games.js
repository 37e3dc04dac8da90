// The games of version 1: what each draws from the stream, and its outcome (SPEC 3.5).

const RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "J", "Q", "K", "A"];
const COLOURS = ["red", "black"];
const FLIGHT = { cap: [101, 1_000_000_000], rtp: [1, 10_000] };

/**
 * @typedef {object} Game
 * @property {number} lead the smallest that a table of this game may have
 * @property {boolean} hasFlight whether players act after the lock
 * @property {Record<string, [number, number]>} parameters of its rules except `version`, with their ranges
 * @property {(stream: import("../draws/stream.js").Stream, rules: Record<string, number>) => object} outcome
 */

/** @type {Readonly<Record<string, Game>>} */
export const GAMES = Object.freeze({
  "__proto__": null,
  "crash": { lead: 10, hasFlight: true, parameters: FLIGHT, outcome: flight },
  "hi-lo": { lead: 10, hasFlight: false, parameters: {}, outcome: card },
  "keno-express": { lead: 2, hasFlight: false, parameters: {}, outcome: (s) => ({ number: s.below(100) + 1 }) },
  "penalty": { lead: 10, hasFlight: false, parameters: {}, outcome: kick },
  "rocketon": { lead: 10, hasFlight: true, parameters: FLIGHT, outcome: flight },
  "sic-bo": { lead: 5, hasFlight: false, parameters: {}, outcome: (s) => ({ dice: [die(s), die(s), die(s)] }) },
});

function flight(stream, rules) {
  const hundredths = stream.multiplier(rules.rtp, rules.cap);
  const cents = String(hundredths % 100).padStart(2, "0");
  return { multiplier: `${Math.floor(hundredths / 100)}.${cents}` };
}

function card(stream) {
  const drawn = stream.below(25);
  return drawn === 24 ? { card: "Joker" } : { card: RANKS[Math.floor(drawn / 2)], color: COLOURS[drawn % 2] };
}

function kick(stream) {
  const drawn = stream.below(26);
  if (drawn < 24) return { sector: drawn + 1 };
  return { result: drawn === 24 ? "bar" : "failure" };
}

function die(stream) {
  return stream.below(6) + 1;
}
