// What the checks that read the log have in common (SPEC 8.2, 8.4): its signed checkpoint, and how they tell what held.

import { openCheckpoint } from "./checkpoints.js";
import { readFile } from "./log-files.js";
import { head } from "./report.js";
import { showCheckpoint } from "./show.js";
import { AuthenticTiles } from "./tiles.js";

/** A check whose steps hand on to one another what they have found. */
export class LogCheck {
  /**
   * @param {object} given
   * @param {import("./notes.js").VerifierKey} given.key
   * @param {import("./verifier.js").Read} given.read the log's files
   * @param {import("./verifier.js").Report} given.report what it writes into
   */
  constructor({ key, read, report }) {
    Object.assign(this, { key, read, report });
  }

  /** The step that opens the checkpoint. @param {import("./steps.js").Shown} shown */
  async openCheckpoint(shown) {
    const note = await readFile(this.read, "checkpoint");
    this.checkpoint = await openCheckpoint(note, this.key);
    this.tiles = new AuthenticTiles(this.checkpoint, this.read);
    await this.tiles.checkEdge();
    this.report.log = head(this.checkpoint);
    showCheckpoint(shown, this.checkpoint, note, this.key);
    this.proven("checkpoint-signed", 2);
  }

  /**
   * Something held.
   * @param {string} code of its sentence
   * @param {number} step
   * @param {import("./placed.js").Placed[]} [records] on which it rests
   * @param {Record<string, any>} [values] of the sentence
   */
  proven(code, step, records = [], values = {}) {
    const indexes = records.length ? { records: records.map((each) => Number(each.index)) } : {};
    this.report.proven.push({ code, step, ...values, ...indexes });
  }
}
