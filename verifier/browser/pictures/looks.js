// What the things at each place of a game's outcome look like: by the kind that draws them, never by the game's name.
//
// A declaration (SPEC 3.6) says what is drawn; a look is what a person sees of it: a die, a ball, a card.

const DEALT = {
  "__proto__": null,
  "punto-banco": { player: "card", banker: "card" },
  "twenty-one": { first: "card", second: "card" },
  "andar-bahar": { joker: "card", first: "word", bahar: "card", andar: "card" },
  "thirty-two": { "player-8": "card", "player-9": "card", "player-10": "card", "player-11": "card" },
  "monopoly": { spins: "segment", dice: "die" },
  "rally": { points: "point" },
};
const OF_KIND = {
  "__proto__": null,
  "wheel": "segment",
  "wheels": "segment",
  "spin": "segment",
  "chosen": "segment",
  "race": "runner",
  "reels": "stop",
  "pick": "ball",
  "flight": "flight",
};
const OF_PACK = { "__proto__": null, "fruits": "thing", "sixty": "colored-ball", "bones": "bone" };
const RANGES = { "__proto__": null, "1 2": "word", "1 6": "die", "0 36": "pocket" };
const RANKS = new Set("23456789JQKA");
const POCKETS = new Set([...Array.from({ length: 37 }, (_, number) => String(number)), "00"]);

// The games whose tables have no declaration.
const OLD = {
  "__proto__": null,
  "crash": { multiplier: "flight" },
  "rocketon": { multiplier: "rocket" },
  "hi-lo": { card: "colored-card" },
  "sic-bo": { dice: "die" },
  "penalty": { sector: "goal", result: "goal" },
  "keno-express": { number: "ball" },
};

// The looks by place, in the order in which they are shown; none for a game without a declaration that is not known. A
// place that is missing has the look "word". A map, because an object has places such as "5" before all others.
export function looksOf(game, declaration = null) {
  if (declaration === null) return new Map(Object.entries(OLD[game] ?? {}));
  return new Map(declaration.draw.flatMap((step) => looks(step, declaration)));
}

function looks([place, kind, ...given], declaration) {
  if (kind === "deal") return Object.entries(DEALT[given[0]] ?? {});
  return kind === "ends" ? ofEnds(given[0]) : [[place, look(kind, given, declaration)]];
}

function look(kind, given, { shoe }) {
  switch (kind) {
    case "number":
    case "numbers":
      return RANGES[given.slice(-2).join(" ")] ?? "ball";
    case "one": {
      const labels = new Set(given[0].map(String));
      return labels.size === POCKETS.size && [...labels].every((label) => POCKETS.has(label)) ? "pocket" : "segment";
    }
    case "take":
      if (shoe === undefined) return "ball";
      return typeof shoe[1] === "string" ? (OF_PACK[shoe[1]] ?? "card") : "thing";
    default:
      return OF_KIND[kind] ?? "word";
  }
}

// Of outcomes that are listed whole: two lists have a look of their own, if each of their outcomes can be drawn so.
function ofEnds(ends) {
  if (ends.every(isCard)) return [["card", "colored-card"]];
  if (ends.every(isShot)) return [["sector", "goal"], ["result", "goal"]];
  return ends.flatMap((end) => Object.keys(end).sort()).map((place) => [place, "word"]);
}

function isCard({ card, color, ...others }) {
  if (Object.keys(others).length > 0) return false;
  if (color === undefined) return card === "Joker";
  return RANKS.has(card) && (color === "red" || color === "black");
}

function isShot({ sector, result, ...others }) {
  if (Object.keys(others).length > 0) return false;
  if (sector === undefined) return result === "bar" || result === "failure";
  return result === undefined && Number.isInteger(sector) && sector >= 1 && sector <= 24;
}
