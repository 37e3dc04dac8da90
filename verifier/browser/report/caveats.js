// What a verdict could not check: a part of every one that held (SPEC 8.1).

import { GAMES } from "../games/games.js";

/**
 * @param {string} game
 * @param {number} custodians how many the table has
 * @returns {import("./report.js").Fact[]}
 */
export function caveats(game, custodians) {
  const flight = GAMES[game].hasFlight ? [{ code: "flight", games: [game] }] : [];
  const seeds = { code: custodians === 1 ? "one-custodian" : "several-names" };
  return [{ code: "no-salt" }, { code: "no-witness" }, seeds, ...flight, { code: "bets" }];
}
