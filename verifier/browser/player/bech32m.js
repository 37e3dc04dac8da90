// Bech32m (BIP 350), without a witness version and without the limit of 90 characters (SPEC 6).

/** The character of each group of five bits. */
export const ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";

/** Characters of a checksum. */
export const CHECKSUM_SIZE = 6;

const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
const FINAL = 0x2bc830a3;

/**
 * The remainder of the division by the code's polynomial, XORed with the final constant.
 * @param {string} prefix the human-readable part, in lower case
 * @param {number[]} groups of five bits, including the checksum's
 * @returns {number} 0 if the checksum holds
 */
export function residue(prefix, groups) {
  const codes = Array.from(prefix, (character) => character.charCodeAt(0));
  return polymod([...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31), ...groups]) ^ FINAL;
}

/**
 * The remainder after one more group. A remainder has 30 bits.
 * @param {number} rest
 * @param {number} group
 * @returns {number}
 */
export function step(rest, group) {
  const top = rest >>> 25;
  let next = ((rest & 0x1ffffff) << 5) ^ group;
  for (let bit = 0; bit < 5; bit += 1) if ((top >> bit) & 1) next ^= GENERATOR[bit];
  return next;
}

function polymod(groups) {
  return groups.reduce(step, 1);
}

/**
 * @param {string} prefix
 * @param {Uint8Array} payload
 * @returns {string} in lower case
 */
export function encode(prefix, payload) {
  const groups = toGroups(payload);
  const rest = residue(prefix, [...groups, 0, 0, 0, 0, 0, 0]);
  const checksum = Array.from({ length: CHECKSUM_SIZE }, (_, at) => (rest >>> (5 * (CHECKSUM_SIZE - 1 - at))) & 31);
  return `${prefix}1${[...groups, ...checksum].map((group) => ALPHABET[group]).join("")}`;
}

function toGroups(payload) {
  const bits = Array.from(payload, (value) => value.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{1,5}/g) ?? []).map((group) => parseInt(group.padEnd(5, "0"), 2));
}

/**
 * @param {number[]} groups without the checksum's
 * @returns {?Uint8Array} `null` if more than four bits are left over, or if one of them is not zero
 */
export function toBytes(groups) {
  const bytes = [];
  let [rest, bits] = [0, 0];
  for (const group of groups) {
    rest = (rest << 5) | group;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push(rest >> bits);
      rest &= (1 << bits) - 1;
    }
  }
  return bits > 4 || rest !== 0 ? null : Uint8Array.from(bytes);
}
