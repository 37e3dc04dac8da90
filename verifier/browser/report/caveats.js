// What a verdict could not check: a part of every one that held (SPEC 8.1).

import { GAMES } from "../games/games.js";

/**
 * @param {string} game
 * @param {number} custodians how many the table has
 * @param {import("../policy/policy.js").Policy} policy by which the checkpoint was accepted
 * @returns {import("./report.js").Fact[]}
 */
export function caveats(game, custodians, policy) {
  const flight = GAMES[game].hasFlight ? [{ code: "flight", games: [game] }] : [];
  const seeds = { code: custodians === 1 ? "one-custodian" : "several-names" };
  const names = policy.custodians.map(({ name }) => name).join(" and ");
  const notes = names === "" ? [] : [{ code: "custodian-notes", names }];
  return [{ code: "no-salt" }, aboutWitnesses(policy), ...notes, seeds, ...flight, { code: "bets" }];
}

function aboutWitnesses({ quorum }) {
  if (quorum === null) return { code: "no-witness" };
  return quorum.leastShared === 0 ? { code: "witnessed-apart" } : { code: "witnessed", shared: quorum.leastShared };
}
