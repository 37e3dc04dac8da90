// Cosignatures of witnesses (SPEC 5.7).

import { toHex, utf8 } from "../basics/bytes.js";
import { CheckFailed } from "../basics/errors.js";
import { Ed25519Key } from "../log/notes.js";

const TIME_SIZE = 8;
const TIME_LIMIT = 2n ** 63n;

/** A witness's verifier key. */
export class WitnessKey extends Ed25519Key {
  static TYPE = 0x04;

  /**
   * When this witness cosigned a note.
   * @param {{text: string, signatures: import("../log/notes.js").Signature[]}} note
   * @returns {Promise<bigint[]>} seconds since 1970, one for each of its lines
   * @throws {CheckFailed} `note-signature`, if one of them does not verify
   */
  async timesOn({ text, signatures }) {
    return Promise.all(this.ownOf(signatures).map((each) => this.#timeOf(each, text)));
  }

  async #timeOf(cosignature, text) {
    const time = cosignature.subarray(0, TIME_SIZE).reduce((sum, value) => sum * 256n + BigInt(value), 0n);
    const message = utf8(`cosignature/v1\ntime ${time}\n${text}`);
    if (time >= TIME_LIMIT || !(await this.verifies(cosignature.subarray(TIME_SIZE), message))) {
      const expected = `a cosignature of ${this.name}+${toHex(this.keyId)}`;
      throw new CheckFailed("note-signature", { expected, found: "one that does not verify" });
    }
    return time;
  }
}
