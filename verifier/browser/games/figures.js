// Figures: what a bet looks at in an outcome. games/bets.json names them; docs/bets.md says what bets are.
//
// A figure is data, `["sum", "dice"]`: its kind, and arguments. It is computed of things: a selection names a place of the
// outcome, perhaps which of its things, `balls 2+1`, `balls 1-5`, `balls -1`; `letters points` are the letters of a word.

const SELECTION = /^(letters )?([a-z0-9-]+)(?: (-?[0-9+]+)(?:-([0-9]+))?)?$/;
const RANKS = "23456789TJQKA";

/** Whether a value is one of `values`: listed ones, and ranges with `from` and `to`. */
export function isAmong(value, values) {
  return values.some((each) => {
    if (typeof each !== "object") return each === value;
    return typeof value === "number" && (each.from ?? -Infinity) <= value && value <= (each.to ?? Infinity);
  });
}

/**
 * The value of a figure.
 * @param {Array} figure without letters
 * @param {object} outcome
 * @param {object} tables what counts of things, by name
 * @returns {number|string}
 */
export function valueOf(figure, outcome, tables) {
  const [kind, ...parts] = figure;
  const of = (part) => valueOf(part, outcome, tables);
  if (kind === "minus") return of(parts[0]) - of(parts[1]);
  if (kind === "both") return `${of(parts[0])}|${of(parts[1])}`;
  if (kind === "holds") return parts.filter(([part, values]) => isAmong(of(part), values.in)).length;
  const [selection, ...given] = parts;
  const read = (thing, by) => reading(thing, by, tables);
  return LEAVES[kind]({ found: things(selection, outcome), read, outcome }, ...given);
}

/** What a selection selects, in order. */
function things(selection, outcome) {
  if (Array.isArray(selection)) return selection.flatMap((each) => things(each, outcome));
  const [, letters, place, first, last] = SELECTION.exec(selection);
  const all = thingsOf(outcome[place] ?? "", letters !== undefined);
  if (first === undefined) return all;
  const from = sum(first.split("+"));
  return from < 0 ? all.slice(from).slice(0, 1) : all.slice(from - 1, Number(last ?? from));
}

function thingsOf(content, isOfLetters) {
  if (typeof content === "number") return [content];
  if (Array.isArray(content)) return content;
  if (isOfLetters) return [...content];
  return content === "" ? [] : content.split(" ");
}

/** What counts of a thing: itself, its rank, its suit, or what a table says of one of these. */
function reading(thing, by, tables) {
  if (by === undefined || by === null) return thing;
  const text = String(thing);
  if (by === "rank") return text[0];
  if (by === "suit") return text.at(-1);
  const [[key, values]] = Object.entries(tables[by]);
  const name = key === "thing" ? text : reading(text, key, tables);
  return Object.hasOwn(values, name) ? values[name] : "";
}

function most(numbers) {
  const times = new Map();
  for (const each of numbers) times.set(each, (times.get(each) ?? 0) + 1);
  return [...times.values()].toSorted((one, other) => other - one);
}

const sum = (numbers) => numbers.reduce((total, each) => total + Number(each), 0);

const LEAVES = {
  value: ({ found, read }, by) => (found.length > 0 ? read(found[0], by) : ""),
  word: ({ found, read }, by) => found.map((each) => read(each, by)).join(""),
  sum: ({ found, read }, by, modulo = 0) => {
    const total = sum(found.map((each) => read(each, by)));
    return modulo === 0 ? total : total % modulo;
  },
  tally: ({ found, read }, values, by) => found.filter((each) => isAmong(read(each, by), values.in)).length,
  length: ({ found }) => found.length,
  points: ({ found, read }, by) => points(found, (each) => read(each, by)),
  duel: ({ found, read, outcome }, opponent, by, of) => {
    const hands = { first: found, second: things(opponent, outcome) };
    return duel(hands, (each) => read(each, by))[of];
  },
  distinct: ({ found, read }, by) => new Set(found.map((each) => read(each, by))).size,
  most: ({ found, read }, by) => most(found.map((each) => read(each, by)))[0] ?? 0,
  done: ({ found }, values) => {
    const places = values.in.map((each) => found.indexOf(each) + 1);
    return places.includes(0) ? 0 : Math.max(...places);
  },
  hand: ({ found }, high = "") => hand(found, high),
  hundredths: ({ found }) => Number(found[0].replace(".", "")),
  inorder: ({ found }, wanted) => Number(found.join(" ") === wanted.join(" ")),
  match: ({ found: [first, ...others], read }, by) => {
    const same = others.find((each) => each[0] === first[0]);
    return same === undefined ? "" : read(same, by);
  },
  beyond: ({ found, read }, by, side) => {
    const [first, ...others] = found.map((each) => read(each, by));
    return others.filter((each) => (each - first) * side > 0).length;
  },
  between: ({ found, read }, by) => {
    const [one, other, third] = found.map((each) => read(each, by));
    const [low, high] = [Math.min(one, other), Math.max(one, other)];
    if (low === high) return third === low ? "third" : "pair";
    if (high === low + 1) return third === low - 1 || third === high + 1 ? "sequence" : "neighbours";
    return low < third && third < high ? "between" : "outside";
  },
  path: ({ found, read }, by) => {
    const worths = found.map((each) => read(each, by));
    const dealer = worths.slice(0, 2).filter((each) => each !== "");
    if (dealer.length === 0) return "win";
    const joker = dealer.at(-1) <= 5 ? 0 : 11;
    const [one, other, player] = worths.map((each) => (each === "" ? joker : each));
    const [low, high] = [Math.min(one, other), Math.max(one, other)];
    return (low <= player && player < high) || (low === player && player === high) ? "win" : "lose";
  },
  ahead: ({ found }) => {
    const three = found.find((each, at) => found.slice(0, at + 1).filter((other) => other === each).length === 3);
    return found[0] + three + found.at(-1);
  },
  lit: ({ found, outcome }, number, lucky, multipliers) => {
    if (sum(found) !== number) return 0;
    const at = outcome[lucky].indexOf(number);
    return at < 0 ? 1 : outcome[multipliers][at];
  },
  chain: ({ found }, label) => {
    if (found.at(-1) !== label) return 0;
    return found.slice(0, -1).reduce((product, each) => product * Number(each.replace("x", "")), 1);
  },
};

/** The sum, in which one ace counts 10 more where that is not over 21. */
function points(cards, worth) {
  const total = sum(cards.map(worth));
  return cards.some((card) => card[0] === "A") && total <= 11 ? total + 10 : total;
}

/** 21 Bet: who wins, and what of the winner bets ask. */
function duel(hands, worth) {
  const sides = Object.entries(hands).map(([name, cards]) => {
    const isGolden = cards.map((card) => card[0]).join("") === "AA";
    return { name, cards, isGolden, points: isGolden ? 21 : points(cards, worth) };
  });
  const bust = Number(sides.some((side) => side.points > 21));
  const rank = ({ isGolden, points: total }) => (total > 21 ? 0 : total + 100 * Number(isGolden));
  const [one, other] = sides;
  if (rank(one) === rank(other)) return { winner: "draw", cards: 0, points: 0, golden: 0, bust };
  const winner = rank(one) > rank(other) ? one : other;
  return { winner: winner.name, cards: winner.cards.length, points: winner.points, golden: Number(winner.isGolden), bust };
}

/** The best poker class of three cards, or of five out of more. */
function hand(cards, high) {
  const size = Math.min(cards.length, 5);
  const ranks = cards.map((card) => card[0]);
  const suits = cards.map((card) => card[1]);
  const suited = ranks.filter((_, at) => suits.filter((suit) => suit === suits[at]).length >= size);
  const times = [...most(ranks), 0];
  const pair = RANKS.split("").find((rank) => ranks.filter((each) => each === rank).length > 1);
  const isFlush = suited.length > 0;
  if (isFlush && isStraight(suited, size)) {
    return ["A", "K", "Q", "J", "T"].slice(0, size).every((rank) => suited.includes(rank)) ? "royal flush" : "straight flush";
  }
  if (times[0] === 4) return "four";
  if (size === 5 && times[0] === 3 && times[1] > 1) return "full house";
  if (isFlush) return "flush";
  if (isStraight(ranks, size)) return "straight";
  if (times[0] === 3) return "three";
  if (size === 5 && times[1] === 2) return "two pairs";
  if (pair === undefined) return "high card";
  return high.includes(pair) ? "high pair" : "pair";
}

function isStraight(ranks, size) {
  const line = `A${RANKS}`.split("").map((rank) => (ranks.includes(rank) ? "x" : " "));
  return line.join("").includes("x".repeat(size));
}
