// What a check found out, as it grows (`Report` in verifier.js).

import { toHex } from "../basics/bytes.js";
import { CheckFailed, Unreadable } from "../basics/errors.js";

/**
 * @param {"code"|"proof"|"evidence"|"bet"} kind
 * @returns {Report}
 */
export function newReport(kind) {
  return {
    kind,
    verdict: "unreadable",
    steps: [],
    log: null,
    table: null,
    tableId: null,
    game: null,
    rules: null,
    round: null,
    bet: null,
    batch: null,
    stage: null,
    status: null,
    reason: null,
    outcome: null,
    seeds: [],
    commitments: [],
    committed: null,
    opened: null,
    locked: null,
    revealed: null,
    fixedAt: null,
    lead: null,
    roundsAhead: null,
    firstAfter: null,
    proven: [],
    notProven: [],
    headline: { code: "unreadable", path: "" },
    failure: null,
    unreadable: null,
    typing: null,
  };
}

/**
 * Write into a report what went wrong.
 * @param {Report} report
 * @param {Error} error one of the protocol's; any other is thrown on
 */
export function reportError(report, error) {
  if (error instanceof CheckFailed) {
    const { check, meaning, index, where, expected, found } = error;
    report.verdict = "failed";
    report.failure = { check, meaning, index, where, expected, found };
    report.headline = { code: "failed", check };
  } else if (error instanceof Unreadable) {
    report.verdict = "unreadable";
    report.unreadable = { path: error.path, why: error.why };
    report.headline = { code: "unreadable", path: error.path };
  } else {
    throw error;
  }
  report.notProven = [];
}

/**
 * What the records say of the round.
 * @param {Report} report
 * @param {object} found
 * @param {import("../round/placed.js").Placed} [found.table]
 * @param {import("../round/placed.js").Placed} [found.batch]
 * @param {import("../round/placed.js").Placed} [found.lock]
 * @param {import("../round/placed.js").Placed} [found.reveal]
 */
export function tellRound(report, { table, batch, lock, reveal }) {
  if (table) {
    const { table: name, game, lead } = table.record;
    Object.assign(report, { table: name, tableId: toHex(table.leaf), game, lead });
  }
  if (batch) {
    const { batch: number, committed, rules } = batch.record;
    Object.assign(report, { batch: number, rules, committed, fixedAt: Number(batch.index), stage: "committed" });
  }
  if (lock) {
    const { opened = null, locked, reason = null } = lock.record;
    Object.assign(report, { opened, locked, reason, stage: "locked" });
  }
  if (reveal) {
    const { status, reason = report.reason, outcome, seeds, revealed } = reveal.record;
    Object.assign(report, { status, reason, outcome, seeds, revealed, stage: "ended" });
  }
}

/** @param {import("../log/checkpoints.js").Checkpoint} checkpoint */
export function head({ origin, size, root }) {
  return { origin, size: Number(size), root: toHex(root) };
}
