/**
 * What the things at each place of a game's outcome look like: by the kind that draws them, never by the game's name.
 *
 * A declaration (SPEC 3.6) says what is drawn; a look is what a person sees of it: a die, a ball, a card.
 */

import { PICTURES } from "./data.js";
import { entry } from "./drawn.js";

const { looks: RULES } = PICTURES;
const POCKETS = ["00", ...Array.from({ length: 37 }, (_, number) => String(number))];

/**
 * The looks by place, in the order in which they are shown; none for a game without a declaration that is not known.
 * A place that is missing has the look "word". A map, because an object has places such as "5" before all others.
 */
export function looksOf(game, declaration = null) {
  if (declaration === null) return new Map(Object.entries(entry(RULES.games, game) ?? {}));
  return new Map(declaration.draw.flatMap((step) => looks(step, declaration)));
}

function looks([place, kind, ...given], declaration) {
  if (kind === "deal") return Object.entries(entry(RULES.deals, given[0]) ?? {});
  return kind === "ends" ? ofEnds(given[0]) : [[place, look(kind, given, declaration)]];
}

function look(kind, given, { shoe }) {
  switch (kind) {
    case "number":
    case "numbers":
      return entry(RULES.ranges, given.slice(-2).join(" ")) ?? "ball";
    case "one": {
      const labels = new Set(given[0].map(String));
      return labels.size === POCKETS.length && POCKETS.every((label) => labels.has(label)) ? "pocket" : "segment";
    }
    case "take":
      if (shoe !== undefined) return typeof shoe[1] === "string" ? (entry(RULES.packs, shoe[1]) ?? "card") : "thing";
  }
  return entry(RULES.kinds, kind) ?? "word";
}

/**
 * Of outcomes that are listed whole: some lists have looks of their own, if each of their outcomes can be drawn so.
 */
function ofEnds(ends) {
  const spelled = ends.map((end) => JSON.stringify(end, Object.keys(end).sort()));
  for (const [pattern, own] of RULES.ends) {
    if (spelled.every((end) => new RegExp(`^${pattern}$`).test(end))) return Object.entries(own);
  }
  return ends.flatMap((end) => Object.keys(end).sort()).map((place) => [place, "word"]);
}
