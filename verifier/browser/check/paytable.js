// What bets pay, from the log's files (SPEC 5.10): of each table for an audit, of one table if a bet is asked about.

import { Unknown } from "../basics/errors.js";
import { paytablePath, readPaytable } from "../paytable/read.js";

/**
 * Read what the bets of a round's table pay.
 * @param {{game: string, declaration?: ?object, paytable: string}} table its record, or the report of a check of its round
 * @param {import("../log/tiles.js").Read} read the log's files
 * @returns {Promise<import("../paytable/read.js").Paytable>}
 * @throws {import("../basics/errors.js").CheckFailed} `paytable-file`, `paytable-form`
 * @throws {Unknown} what is newer than this program
 * @throws {import("../basics/errors.js").Unreadable}
 */
export async function paytableOf(table, read) {
  return readPaytable(await read(paytablePath(table.paytable)), table);
}

/**
 * Judge the file of each table that names one.
 * @param {object[]} tables their records
 * @param {import("../log/tiles.js").Read} read
 * @returns {Promise<import("../report/report.js").Fact[]>} those whose bets are newer than this program
 * @throws {import("../basics/errors.js").CheckFailed} `paytable-file`, `paytable-form`
 * @throws {import("../basics/errors.js").Unreadable}
 */
export async function checkPaytables(tables, read) {
  const unknown = [];
  for (const record of tables.filter(({ paytable }) => paytable !== undefined)) {
    try {
      await paytableOf(record, read);
    } catch (error) {
      if (!(error instanceof Unknown)) throw error;
      unknown.push({ code: "paytable", table: record.table, what: error.what.join(", ") });
    }
  }
  return unknown;
}
