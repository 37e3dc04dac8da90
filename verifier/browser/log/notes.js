// C2SP signed notes and verifier keys (SPEC 5.1).

import { concat, sameBytes, toHex, utf8, utf8Text } from "../basics/bytes.js";
import { CheckFailed, Malformed, NotThisLogs, quote, Unreadable } from "../basics/errors.js";
import { LARGEST_NOTE, MOST_SIGNATURES } from "../basics/limits.js";
import { sha256 } from "../basics/sha256.js";
import { base64Text, parseBase64, parseHex } from "../basics/spelling.js";
import { checkPublicKey, hasSmallR } from "./ed25519.js";

const KEY_ID_SIZE = 4;
const DASH = "\u2014 ";

/** A public key as `name+id+key`. Its type, the first byte of what is encoded, says what the key signs. */
export class Ed25519Key {
  /** @type {number} */
  static TYPE;
  #imported = null;

  constructor(name, keyId, publicKey) {
    this.name = name;
    this.keyId = keyId;
    this.publicKey = publicKey;
  }

  /**
   * @param {string} text
   * @returns {Ed25519Key} of the class that is asked
   * @throws {Malformed}
   */
  static parse(text) {
    const parts = /^([\x21-\x2a\x2c-\x7e]+)\+([^+]*)\+(.*)$/.exec(text);
    if (parts === null) throw new Malformed("verifier key", "name+id+key", quote(text));
    const keyId = parseHex(parts[2], KEY_ID_SIZE, "key id");
    const key = parseBase64(parts[3], "key");
    if (key[0] !== this.TYPE) {
      const type = toHex(Uint8Array.of(this.TYPE));
      throw new Malformed("verifier key", `an Ed25519 key after the byte ${type}`, toHex(key.subarray(0, 40)));
    }
    checkPublicKey(key.subarray(1));
    const expected = sha256(concat(utf8(`${parts[1]}\n`), key)).subarray(0, KEY_ID_SIZE);
    if (!sameBytes(expected, keyId)) throw new Malformed("verifier key", `the id ${toHex(expected)}`, parts[2]);
    return new this(parts[1], keyId, key.subarray(1));
  }

  /** @returns {string} as it is parsed */
  toString() {
    const typed = concat(Uint8Array.of(this.constructor.TYPE), this.publicKey);
    return `${this.name}+${toHex(this.keyId)}+${base64Text(typed)}`;
  }

  /**
   * @param {Signature[]} signatures of a note
   * @returns {Uint8Array[]} those in the lines with this key's name and id
   */
  ownOf(signatures) {
    const own = signatures.filter((each) => each.name === this.name && sameBytes(each.keyId, this.keyId));
    return own.map((each) => each.signature);
  }

  /**
   * @param {Uint8Array} signature
   * @param {Uint8Array} message
   * @returns {Promise<boolean>} whether the signature is this key's (SPEC 5.1)
   * @throws {Unreadable} if this browser has no Ed25519: then nothing is known
   */
  async verifies(signature, message) {
    if (hasSmallR(signature)) return false;
    this.#imported ??= imported(this.publicKey);
    const key = await this.#imported;
    return crypto.subtle.verify("Ed25519", key, signature, message);
  }
}

/** A log's verifier key. Its name is the log's origin. */
export class VerifierKey extends Ed25519Key {
  static TYPE = 0x01;
}

async function imported(publicKey) {
  try {
    return await crypto.subtle.importKey("raw", publicKey, "Ed25519", false, ["verify"]);
  } catch (error) {
    const why = "this browser has no Ed25519 here; browsers of 2025 and later have it, on pages over https";
    throw new Unreadable("signature", `${why} (${error.name})`);
  }
}

/**
 * @typedef {object} Signature a line below a note's text
 * @property {string} name
 * @property {Uint8Array} keyId 4 bytes
 * @property {Uint8Array} signature
 */

/**
 * Split a note; nothing is verified.
 * @param {Uint8Array} bytes
 * @returns {{text: string, signatures: Signature[]}} the text ends in a line feed
 * @throws {CheckFailed} `note-form`
 */
export function splitNote(bytes) {
  if (bytes.length > LARGEST_NOTE) refuse(`at most ${LARGEST_NOTE} bytes`, `${bytes.length} bytes`);
  const note = utf8Text(bytes);
  if (note === null) refuse("UTF-8", "other bytes");
  // eslint-disable-next-line no-control-regex
  if (/[\x00-\x09\x0b-\x1f]/.test(note)) refuse("no control characters but the line feed", quote(note));
  const split = note.lastIndexOf("\n\n");
  if (split < 0 || !note.endsWith("\n")) refuse("a text, an empty line, and lines of signatures", quote(note));
  const lines = note.slice(split + 2, -1).split("\n");
  if (lines.length > MOST_SIGNATURES) refuse(`at most ${MOST_SIGNATURES} signatures`, `${lines.length}`);
  return { text: note.slice(0, split + 1), signatures: lines.map(parseSignature) };
}

function parseSignature(line) {
  const parts = line.startsWith(DASH) ? line.slice(DASH.length).split(" ") : [];
  if (parts.length !== 2 || !/^[^+\p{White_Space}]+$/u.test(parts[0])) {
    refuse("an em dash, a name and a signature, one space apart", quote(line));
  }
  const both = signatureBytes(parts[1]);
  if (both.length <= KEY_ID_SIZE) refuse("a key id and a signature", quote(line));
  return { name: parts[0], keyId: both.subarray(0, KEY_ID_SIZE), signature: both.subarray(KEY_ID_SIZE) };
}

function signatureBytes(text) {
  try {
    return parseBase64(text, "signature");
  } catch (error) {
    refuse(error.expected, error.found);
  }
}

/**
 * The text of a note that the key has signed. Signatures with another name or id are ignored.
 * @param {Uint8Array} bytes
 * @param {VerifierKey} key
 * @returns {Promise<string>} it ends in a line feed
 * @throws {CheckFailed} `note-form`, `note-signature`
 */
export async function openNote(bytes, key) {
  const { text, signatures } = splitNoteOf(bytes, key);
  const own = key.ownOf(signatures);
  const message = utf8(text);
  const verdicts = await Promise.all(own.map((each) => key.verifies(each, message)));
  const expected = `a signature of ${key.name}+${toHex(key.keyId)}`;
  if (own.length === 0) throw new NotThisLogs("note-signature", { expected, found: "none" });
  if (!verdicts.every(Boolean)) {
    throw new CheckFailed("note-signature", { expected, found: "one that does not verify" });
  }
  return text;
}

/** Something that is no note, and has no line that begins like one of the key's, is not this log's at all. */
function splitNoteOf(bytes, key) {
  try {
    return splitNote(bytes);
  } catch (error) {
    if (!(error instanceof CheckFailed) || hasLineOf(bytes, key)) throw error;
    throw new NotThisLogs(error.check, { expected: error.expected, found: error.found });
  }
}

function hasLineOf(bytes, key) {
  const text = new TextDecoder().decode(bytes);
  const rests = text.split(`\n${DASH}${key.name} `).slice(1);
  return rests.some((rest) => keyIdOf(rest) === toHex(key.keyId));
}

function keyIdOf(line) {
  try {
    return toHex(parseBase64(line.slice(0, 8), "key id").subarray(0, KEY_ID_SIZE));
  } catch {
    return null;
  }
}

function refuse(expected, found) {
  throw new CheckFailed("note-form", { expected, found });
}
