// What the checks that read a log share (SPEC 8.2, 8.4): they open its checkpoint, and report what held.

import { AuthenticTiles } from "../log/tiles.js";
import { openHead } from "../policy/head.js";
import { cosigners, tellHead } from "../report/report.js";
import { showCheckpoint } from "../report/show.js";
import { readFile } from "../sources/log-files.js";

/** A check whose steps pass on to one another what they have found. */
export class LogCheck {
  /**
   * @param {object} given
   * @param {import("../policy/policy.js").Policy} given.policy
   * @param {import("../log/tiles.js").Read} given.read the log's files
   * @param {import("../report/report.js").Report} given.report it is filled in
   */
  constructor({ policy, read, report }) {
    Object.assign(this, { policy, read, report });
  }

  /** The step that opens the checkpoint. @param {import("../report/steps.js").Shown} shown */
  async openCheckpoint(shown) {
    const note = await readFile(this.read, "checkpoint");
    const opened = await openHead(note, this.policy);
    this.checkpoint = opened.checkpoint;
    this.tiles = new AuthenticTiles(this.checkpoint, this.read);
    await this.tiles.checkEdge();
    tellHead(this.report, opened);
    showCheckpoint(shown, this.checkpoint, note, this.policy.log);
    if (this.policy.quorum === null) this.proven("checkpoint-signed", 2);
    else this.proven("checkpoint-cosigned", 2, [], { names: cosigners(this.report) });
  }

  /**
   * Report what held.
   * @param {string} code of its sentence
   * @param {number} step
   * @param {import("../round/placed.js").Placed[]} [records] that show it
   * @param {Record<string, any>} [values] for the sentence
   */
  proven(code, step, records = [], values = {}) {
    const indexes = records.length ? { records: records.map((each) => Number(each.index)) } : {};
    this.report.proven.push({ code, step, ...values, ...indexes });
  }
}
