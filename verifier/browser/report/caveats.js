// What a verdict could not check: a part of every one that held (SPEC 8.1); and what this verifier does not know.

import { gameOf, newerThanThis } from "../games/games.js";
import { isSalted } from "../records/salts.js";

/**
 * @param {import("../records/record.js").LogRecord} table
 * @param {import("../policy/policy.js").Policy} policy by which the checkpoint was accepted
 * @returns {import("./report.js").Fact[]}
 */
export function caveats(table, policy) {
  const { game, custodians } = table;
  const acting = table.declaration === undefined ? "flight" : "moves";
  const flight = gameOf(table).hasFlight ? [{ code: acting, games: [game] }] : [];
  const isNamed = (name) => policy.custodians.some((each) => each.name === name);
  const several = custodians.every(isNamed) ? [] : [{ code: "several-names" }];
  const seeds = custodians.length === 1 ? [{ code: "one-custodian" }] : several;
  const salt = isSalted(table) ? aboutSalt(policy) : { code: "no-salt" };
  const others = policy.quorum === null ? [] : [{ code: "several-logs" }];
  return [salt, aboutWitnesses(policy), ...others, ...seeds, ...flight, { code: "bets" }];
}

function aboutSalt({ quorum }) {
  if (quorum === null) return { code: "salt-by-clock" };
  return { code: quorum.leastShared === 0 ? "salt-witnessed-apart" : "salt-witnessed" };
}

function aboutWitnesses({ quorum }) {
  if (quorum === null) return { code: "no-witness" };
  return quorum.leastShared === 0 ? { code: "witnessed-apart" } : { code: "witnessed", shared: quorum.leastShared };
}

/**
 * @param {import("../records/record.js").LogRecord} table
 * @param {import("../records/salts.js").Beacons} beacons those that are known
 * @param {?import("../records/record.js").LogRecord} [batch] of a round whose outcome was to be checked
 * @returns {import("./report.js").Fact[]} what is unknown to this verifier: the table's beacon, or what is drawn
 */
export function unknownOf(table, beacons, batch = null) {
  const beacon = beacons.knows(table) ? [] : [{ code: "beacon", table: table.table, beacon: table.salt }];
  const what = batch && newerThanThis(table, batch.rules);
  return what ? [...beacon, { code: "game", table: table.table, what }] : beacon;
}
