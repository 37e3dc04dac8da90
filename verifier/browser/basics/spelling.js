// Numbers and bytes as text, each in its one spelling (SPEC 4.1, 5.1). Any other spelling is `Malformed`.

import { toHex } from "./bytes.js";
import { Malformed, quote } from "./errors.js";

const LARGEST_DECIMAL = 2n ** 63n - 1n;

/**
 * @param {string} text lower-case hexadecimal digits, two for each byte
 * @param {number} [size] bytes; 32 by default
 * @param {string} [what] what it should have been
 * @returns {Uint8Array}
 * @throws {Malformed}
 */
export function parseHex(text, size = 32, what = "hash") {
  if (text.length !== 2 * size || !/^[0-9a-f]*$/.test(text)) {
    throw new Malformed(what, `${2 * size} lower-case hexadecimal digits`, quote(text));
  }
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at += 1) bytes[at] = parseInt(text.slice(2 * at, 2 * at + 2), 16);
  return bytes;
}

/**
 * @param {string} text decimal, without sign or leading zero
 * @param {string} [what] what it should have been
 * @returns {bigint} below 2⁶³
 * @throws {Malformed}
 */
export function parseDecimal(text, what = "number") {
  if (!/^(?:0|[1-9][0-9]{0,18})$/.test(text) || BigInt(text) > LARGEST_DECIMAL) {
    throw new Malformed(what, "a number below 2^63 in decimal", quote(text));
  }
  return BigInt(text);
}

/**
 * @param {string} text RFC 4648, section 4: padded, with zero padding bits, and not empty
 * @param {string} [what] what it should have been
 * @returns {Uint8Array}
 * @throws {Malformed}
 */
export function parseBase64(text, what = "bytes") {
  if (text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text)) {
    const bytes = decoded(text);
    if (bytes !== null && base64Text(bytes) === text) return bytes;
  }
  throw new Malformed(what, "Base64 in its one spelling", quote(text));
}

/**
 * @param {string} text Base64 of 32 bytes
 * @param {string} [what] what it should have been
 * @returns {Uint8Array}
 * @throws {Malformed}
 */
export function parseBase64Hash(text, what = "hash") {
  const bytes = parseBase64(text, what);
  if (bytes.length !== 32) throw new Malformed(what, "32 bytes", toHex(bytes.subarray(0, 40)));
  return bytes;
}

/**
 * @param {Uint8Array} bytes
 * @returns {string} RFC 4648, section 4
 */
export function base64Text(bytes) {
  let text = "";
  for (const value of bytes) text += String.fromCharCode(value);
  return btoa(text);
}

function decoded(text) {
  try {
    return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  } catch {
    return null;
  }
}
