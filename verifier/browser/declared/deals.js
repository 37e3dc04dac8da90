// The deals: what no kind can say (SPEC 3.8).

import { demand } from "./values.js";

const BACCARAT = { __proto__: null, A: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7, 8: 8, 9: 9, T: 0, J: 0, Q: 0, K: 0 };
/** By the banker's points, the player's third cards on which it draws one. */
const BANKER = ["0123456789", "0123456789", "0123456789", "012345679", "234567", "4567", "67", ""];
const TWENTY_ONE = { __proto__: null, 6: 6, 7: 7, 8: 8, 9: 9, T: 10, J: 2, Q: 3, K: 4, A: 11 };
const THIRTY_TWO = { __proto__: null, 6: 6, 7: 7, 8: 8, 9: 9, T: 10, J: 11, Q: 12, K: 13 };
const MONOPOLY = [["1", 22], ["2", 15], ["5", 7], ["10", 4], ["chance", 2], ["2-rolls", 3], ["4-rolls", 1]];

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
const hand = (cards) => cards.join(" ");

function puntoBanco(drawing) {
  const [player, banker] = [[], []];
  const points = (cards) => sum(cards.map(([rank]) => BACCARAT[rank])) % 10;
  for (const cards of [player, banker, player, banker]) cards.push(drawing.take());
  if (points(player) < 8 && points(banker) < 8) {
    let isDrawn = points(banker) <= 5;
    if (points(player) <= 5) {
      player.push(drawing.take());
      isDrawn = BANKER[points(banker)].includes(String(BACCARAT[player[2][0]]));
    }
    if (isDrawn) banker.push(drawing.take());
  }
  return { banker: hand(banker), player: hand(player) };
}

function twentyOne(drawing) {
  const points = (cards) => {
    const all = sum(cards.map(([rank]) => TWENTY_ONE[rank]));
    const aces = cards.filter(([rank]) => rank === "A").length;
    return all - 10 * Math.min(aces, Math.max(0, Math.ceil((all - 21) / 10)));
  };
  const first = [drawing.take(), drawing.take()];
  const second = [drawing.take(), drawing.take()];
  const isGolden = (cards) => cards.every(([rank]) => rank === "A");
  if (!isGolden(first) && !isGolden(second)) {
    for (const cards of [first, second, first, second, first, second]) {
      if (points(cards) < 17 && points(first) <= 21 && points(second) <= 21) cards.push(drawing.take());
    }
  }
  return { first: hand(first), second: hand(second) };
}

function andarBahar(drawing) {
  const joker = drawing.take();
  const first = drawing.below(2);
  const sides = [[], []];
  for (let side = first, card; card?.[0] !== joker[0]; side = 1 - side) {
    card = drawing.take();
    sides[side].push(card);
  }
  return { andar: hand(sides[0]), bahar: hand(sides[1]), first: ["andar", "bahar"][first], joker };
}

function thirtyTwo(drawing) {
  const players = [8, 9, 10, 11].map((number) => ({ number, cards: [], total: number }));
  let tied = players;
  while (tied.length > 1) {
    if (drawing.pile.left < tied.length) drawing.pile.shuffle();
    for (const player of tied) {
      const card = drawing.take();
      player.cards.push(card);
      player.total += THIRTY_TWO[card[0]];
    }
    const highest = Math.max(...players.map(({ total }) => total));
    tied = players.filter(({ total }) => total === highest);
  }
  return Object.fromEntries(players.map(({ number, cards }) => [`player-${number}`, hand(cards)]));
}

function monopoly(drawing) {
  const spin = () => MONOPOLY[drawing.weighted(MONOPOLY.map(([, weight]) => weight))][0];
  const spins = [spin()];
  while (spins.at(-1) === "chance") spins.push(spin());
  const dice = [];
  for (let rolls = spins.at(-1).endsWith("-rolls") ? Number(spins.at(-1)[0]) : 0; rolls > 0; ) {
    const [one, other] = drawing.times(2, () => drawing.below(6) + 1);
    dice.push(one, other);
    if (one !== other) rolls -= 1;
  }
  return { dice, spins: hand(spins) };
}

function rally(drawing) {
  const won = { A: 0, B: 0 };
  let points = "";
  const isOver = (own, others) => own >= 9 || (own >= 7 && own >= others + 2);
  while (!isOver(won.A, won.B) && !isOver(won.B, won.A)) {
    const winner = drawing.below(10_000) < drawing.rules.a ? "A" : "B";
    won[winner] += 1;
    points += winner;
  }
  return { points };
}

/** A deal of cards, from a shoe of one pack; `isWhole` if it may take all of them. */
function ofCards(pack, draw, places, draws, size, isWhole = false) {
  const weigh = ({ room }) => {
    demand(room !== null && room.pack === pack, `a shoe of the pack ${pack}`, room?.pack ?? "none");
    const more = isWhole ? room.things : 0;
    return { draws: draws + more, size: size + 3 * more, taken: 0 };
  };
  return { places, takes: true, isDeal: true, weigh, draw };
}

/** @type {Readonly<Record<string, import("./scope.js").Step>>} */
export const DEALS = Object.freeze({
  "__proto__": null,
  "punto-banco": ofCards("french", puntoBanco, ["banker", "player"], 6, 40),
  "twenty-one": ofCards("short", twentyOne, ["first", "second"], 10, 60),
  "andar-bahar": ofCards("french", andarBahar, ["andar", "bahar", "first", "joker"], 0, 60, true),
  "thirty-two": ofCards("thirty-two", thirtyTwo, ["player-8", "player-9", "player-10", "player-11"], 0, 60, true),
  "monopoly": { places: ["dice", "spins"], weigh: () => ({ draws: 9, size: 50, taken: 0 }), draw: monopoly },
  "rally": {
    kind: "rally",
    places: ["points"],
    weigh: (scope) => scope.value("a") && { draws: 17, size: 30, taken: 0 },
    draw: rally,
  },
});
