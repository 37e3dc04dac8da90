// What bets on each game pay: the winning options of the regulation, written from docs/bets.md.
//
// Odds are whole thousandths, and so is what is paid per unit of the stake: half of a cash-out at 1.01 has three
// decimals, and nothing has more.

const WHOLE = 1000;
const SMALLEST_CASH_OUT = 101;
const RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "J", "Q", "K", "A"];
const HUNDREDTHS = "([1-9][0-9]{0,7}\\.[0-9]{2})";
const COMPARED = ["hi", "lo"];
const FLIGHT = new RegExp(`^(?:cashout ${HUNDREDTHS}|half ${HUNDREDTHS}(?: cashout ${HUNDREDTHS})?)$`);

// What HI and LO pay after each card, in thousandths; 0 if the bet is not offered.
const HIGH = [1090, 1200, 1330, 1500, 1710, 2000, 2400, 3000, 4000, 6000, 12_000, 0];
const LOW = [0, 12_000, 6000, 4000, 3000, 2400, 2000, 1710, 1500, 1330, 1200, 1090];
// What the total of three dice pays, from 4 on.
const SUMS = [60, 30, 17, 12, 8, 6, 6, 6, 6, 8, 12, 17, 30, 60];
const KENO_RETURN = 9600;
const KENO_LEAST = 101;

/**
 * @typedef {object} Settled
 * @property {"wins"|"loses"|"void"} result
 * @property {?string} odds of a bet that wins, as the regulation writes them: `x 1.5` or `30:1`
 * @property {number} thousandths what is paid in all, per unit of the stake
 */

/**
 * Settle a bet on a round that has ended.
 * @param {string} game
 * @param {string} text the bet's one spelling, such as `sum 10`
 * @param {object} round
 * @param {object} round.outcome
 * @param {"played"|"void"} round.status
 * @param {Record<string, number>} round.rules those of the batch
 * @param {?string} [round.before] the card that `hi` and `lo` compare with: that of the last played round whose card
 *   is not a Joker; `null` if there is none
 * @returns {?Settled} `null` if there is no such bet, or if this round did not offer it
 */
export function settleBet(game, text, { outcome, status, rules, before = null }) {
  const oddsOf = BETS[game]?.oddsOf(text, rules, before) ?? null;
  if (oddsOf === null) return null;
  if (status === "void") return { result: "void", odds: null, thousandths: WHOLE };
  const odds = oddsOf(outcome);
  if (odds === null) return { result: "loses", odds: null, thousandths: 0 };
  const { value, isBeside } = odds;
  return { result: "wins", odds: print(odds), thousandths: isBeside ? value + WHOLE : value };
}

/**
 * Examples of how the game's bets are written; they need nothing but the outcome.
 * @param {string} game
 * @returns {string[]} none for a game whose bets are not known
 */
export function betExamples(game) {
  return BETS[game]?.examples ?? [];
}

/**
 * Whether a bet compares with the card of an earlier round.
 * @param {string} game
 * @param {string} text
 * @returns {boolean}
 */
export function comparesWithCard(game, text) {
  return BETS[game]?.compared?.includes(text) ?? false;
}

/** `x 12` multiplies the stake; `30:1` is paid in addition to it. Values are thousandths. */
const times = (value) => ({ value, isBeside: false });
const toOne = (value) => ({ value: value * WHOLE, isBeside: true });
const wins = (odds, isWon) => (outcome) => (isWon(outcome) ? odds : null);

function print({ value, isBeside }) {
  const text = (value / WHOLE).toFixed(3).replace(/\.?0+$/, "");
  return isBeside ? `${text}:1` : `x ${text}`;
}

const BETS = {
  "__proto__": null,
  "crash": {
    oddsOf: (text, rules) => (text.startsWith("half") ? null : flight(text, rules)),
    examples: ["cashout 1.50", "cashout 2.00"],
  },
  "rocketon": { oddsOf: flight, examples: ["cashout 2.00", "half 1.50", "half 1.50 cashout 3.00"] },
  "hi-lo": { oddsOf: card, examples: ["red", "2-9", "card 7", "joker"], compared: COMPARED },
  "sic-bo": { oddsOf: dice, examples: ["small", "sum 10", "pair 3", "any triple"] },
  "penalty": { oddsOf: kick, examples: ["sector 14", "yellow", "upper row", "bar"] },
  "keno-express": { oddsOf: number, examples: ["lower 50", "higher 51", "range 10-37"] },
};

function flight(text, { cap }) {
  const found = FLIGHT.exec(text);
  if (found === null) return null;
  const [cash, half, then] = found.slice(1).map((each) => (each === undefined ? undefined : hundredths(each)));
  const steps = [cash, half, then].filter((step) => step !== undefined);
  if (steps[0] < SMALLEST_CASH_OUT || steps.at(-1) < steps[0] || steps.at(-1) > cap) return null;
  return ({ multiplier }) => {
    const reached = hundredths(multiplier);
    if (reached < steps[0]) return null;
    if (cash !== undefined) return times(cash * 10);
    return times((half + (then !== undefined && reached >= then ? then : 0)) * 5);
  };
}

const hundredths = (text) => Number(text.replace(".", ""));

function card(text, rules, before) {
  if (COMPARED.includes(text)) return compared(text, before);
  const one = /^card (.)$/.exec(text);
  if (one !== null) return RANKS.includes(one[1]) ? wins(times(12_000), (drawn) => drawn.card === one[1]) : null;
  const place = (drawn) => RANKS.indexOf(drawn.card);
  switch (text) {
    case "2-9":
      return wins(times(1500), (drawn) => place(drawn) >= 0 && place(drawn) <= 7);
    case "J-A":
      return wins(times(3000), (drawn) => place(drawn) >= 8);
    case "K-A":
      return wins(times(6000), (drawn) => place(drawn) >= 10);
    case "joker":
      return wins(times(24_000), (drawn) => drawn.card === "Joker");
    case "red":
    case "black":
      return wins(times(2000), (drawn) => drawn.color === text);
    default:
      return null;
  }
}

function compared(text, before) {
  const from = RANKS.indexOf(before);
  const odds = from < 0 ? 0 : (text === "hi" ? HIGH : LOW)[from];
  if (odds === 0) return null;
  // A Joker has no place among the ranks, and is neither high nor low.
  const isWon = text === "hi" ? (place) => place > from : (place) => place >= 0 && place < from;
  return wins(times(odds), (drawn) => isWon(RANKS.indexOf(drawn.card)));
}

function dice(text) {
  const total = (thrown) => thrown.reduce((sum, die) => sum + die, 0);
  const isTriple = (thrown) => new Set(thrown).size === 1;
  const of = (odds, isWon) => wins(toOne(odds), ({ dice: thrown }) => isWon(thrown));
  if (text === "small") return of(1, (thrown) => total(thrown) <= 10 && !isTriple(thrown));
  if (text === "big") return of(1, (thrown) => total(thrown) >= 11 && !isTriple(thrown));
  if (text === "any triple") return of(30, isTriple);
  const count = (thrown, face) => thrown.filter((die) => die === face).length;
  const [, kind, face] = /^(triple|pair|number) ([1-6])$/.exec(text) ?? [];
  if (kind === "triple") return of(180, (thrown) => count(thrown, Number(face)) === 3);
  if (kind === "pair") return of(10, (thrown) => count(thrown, Number(face)) >= 2);
  if (kind === "number") {
    return ({ dice: thrown }) => {
      const shown = count(thrown, Number(face));
      return shown === 0 ? null : toOne(shown);
    };
  }
  const [, sum] = /^sum ([4-9]|1[0-7])$/.exec(text) ?? [];
  if (sum !== undefined) return of(SUMS[Number(sum) - 4], (thrown) => total(thrown) === Number(sum));
  const [, one, other] = /^combination ([1-6]) ([1-6])$/.exec(text) ?? [];
  if (one === undefined || one >= other) return null;
  return of(5, (thrown) => thrown.includes(Number(one)) && thrown.includes(Number(other)));
}

function kick(text) {
  const [, sector] = /^sector ([1-9]|1[0-9]|2[0-4])$/.exec(text) ?? [];
  if (sector !== undefined) return wins(times(24_000), (end) => end.sector === Number(sector));
  if (text === "bar" || text === "failure") return wins(times(24_000), (end) => end.result === text);
  const row = ["upper row", "middle row", "bottom row"].indexOf(text);
  const rowOf = (end) => Math.floor((end.sector - 1) / 8);
  if (row >= 0) return wins(times(3000), (end) => rowOf(end) === row);
  if (text !== "yellow" && text !== "blue") return null;
  // Like a chessboard, sector 1 yellow. The bar and a failure have no colour.
  const isBlue = (end) => (rowOf(end) + ((end.sector - 1) % 8)) % 2;
  return wins(times(2000), (end) => isBlue(end) === (text === "blue" ? 1 : 0));
}

function number(text) {
  const [, side, end] = /^(lower|higher) ([1-9][0-9]?|100)$/.exec(text) ?? [];
  if (side === "lower") return drawn(Number(end), (found) => found <= Number(end));
  if (side === "higher") return drawn(101 - Number(end), (found) => found >= Number(end));
  const [, kind, ...ends] = /^(range|outside) ([1-9][0-9]?)-([1-9][0-9]?|100)$/.exec(text) ?? [];
  const [low, high] = ends.map(Number);
  if (kind === undefined || low >= high) return null;
  if (kind === "range") return drawn(high + 1 - low, (found) => found >= low && found <= high);
  return drawn(low + 101 - high, (found) => found <= low || found >= high);
}

/** A bet that wins with `winning` of the hundred numbers. */
function drawn(winning, isWon) {
  const odds = Math.floor(KENO_RETURN / winning);
  return odds < KENO_LEAST ? null : wins(times(odds * 10), (outcome) => isWon(outcome.number));
}
