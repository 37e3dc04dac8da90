// Poker hands, and the hands of 21 Bet.

import { numberOf, sum } from "./numbers.js";

const RANKS = "23456789TJQKA";
const SIZES = [3, 5, 6, 7];
const BEST = 21;

const rankOf = (card) => String(card)[0];

/** How often each is there, in the order in which they come. */
export function timesOf(values) {
  const times = new Map();
  for (const each of values) times.set(each, (times.get(each) ?? 0) + 1);
  return times;
}

/**
 * The best poker class: of three cards among the classes of three, of five to seven among those of five.
 * @param {Array<string|number>} things
 * @param {string} high ranks whose pair is a high one
 * @returns {string} empty for another number of things
 */
export function classOf(things, high) {
  if (!SIZES.includes(things.length)) return "";
  const size = Math.min(things.length, 5);
  const cards = things.map(String);
  const suits = timesOf(cards.map((card) => card.at(-1)));
  const ranks = timesOf(cards.map(rankOf));
  const flush = new Set(cards.filter((card) => suits.get(card.at(-1)) >= size).map(rankOf));
  const times = [...ranks.values(), 0].toSorted((one, other) => other - one);
  const pairs = [...ranks.keys()].filter((rank) => ranks.get(rank) > 1);
  const isSuited = isStraight(flush, size);
  const isRoyal = [...(size === 5 ? "TJQKA" : "QKA")].every((rank) => flush.has(rank));
  if (isSuited) return isRoyal ? "royal flush" : "straight flush";
  if (times[0] === 4) return "four";
  if (size === 5 && times[0] === 3 && times[1] > 1) return "full house";
  if (flush.size > 0) return "flush";
  if (isStraight(ranks, size)) return "straight";
  if (times[0] === 3) return "three";
  if (size === 5 && pairs.length > 1) return "two pairs";
  if (pairs.length === 0) return "high card";
  return high.includes(pairs[0]) ? "high pair" : "pair";
}

/** Whether so many ranks follow one another; an ace may be low. */
function isStraight(ranks, size) {
  const line = [...`A${RANKS}`].map((rank) => (ranks.has(rank) ? "x" : " "));
  return line.join("").includes("x".repeat(size));
}

/** The sum, in which one ace counts 10 more where that is not over 21. */
export function pointsOf(cards, worth) {
  const total = sum(cards.map((card) => numberOf(worth(card))));
  return cards.some((card) => rankOf(card) === "A") && total <= BEST - 10 ? total + 10 : total;
}

/**
 * 21 Bet: who wins, and what of the winner bets ask.
 * @param {{first: any[], second: any[]}} hands
 * @param {(card: string|number) => string|number} worth
 */
export function duel(hands, worth) {
  const sides = Object.entries(hands).map(([name, cards]) => {
    const isGolden = cards.map(rankOf).join() === "A,A";
    const points = isGolden ? BEST : pointsOf(cards, worth);
    return { name, cards: cards.length, golden: Number(isGolden), points, isBust: points > BEST };
  });
  const bust = Number(sides.some(({ isBust }) => isBust));
  const [first, second] = sides;
  const winner = isBetter(first, second) ? first : isBetter(second, first) ? second : null;
  if (winner === null) return { winner: "draw", cards: 0, points: 0, golden: 0, bust };
  return { ...winner, winner: winner.name, bust };
}

function isBetter(one, other) {
  if (one.isBust !== other.isBust) return other.isBust;
  return one.golden === other.golden ? one.points > other.points : one.golden > other.golden;
}
