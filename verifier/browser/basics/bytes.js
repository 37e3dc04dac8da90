// Bytes, texts and hexadecimal digits. Bytes are a Uint8Array everywhere; text is encoded in UTF-8.

const HEX = Array.from({ length: 256 }, (_, value) => value.toString(16).padStart(2, "0"));

/**
 * The parts one after the other: `||` in SPEC.
 * @param {...Uint8Array} parts
 * @returns {Uint8Array}
 */
export function concat(...parts) {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/**
 * @param {Uint8Array} first
 * @param {Uint8Array} second
 * @returns {boolean} whether they are the same bytes. It is not constant-time: nothing here is secret
 */
export function sameBytes(first, second) {
  return first.length === second.length && first.every((value, at) => value === second[at]);
}

/**
 * @param {Uint8Array} bytes
 * @returns {string} lower-case hexadecimal digits
 */
export function toHex(bytes) {
  let text = "";
  for (const value of bytes) text += HEX[value];
  return text;
}

/**
 * @param {string} text
 * @returns {Uint8Array} in UTF-8
 */
export function utf8(text) {
  return new TextEncoder().encode(text);
}

/**
 * @param {Uint8Array} bytes
 * @returns {?string} `null` if they are not UTF-8. A byte order mark is a character like any other
 */
export function utf8Text(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
