// The names of the files of a log's tree (SPEC 5.2).

/** Hashes of a full tile, records of a full bundle. */
export const WIDTH = 256;

/**
 * @param {bigint} number
 * @returns {string} groups of three digits, all but the last after an `x`: 1234067 is `x001/x234/067`
 */
export function numberPath(number) {
  const digits = String(number);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, "0").match(/.{3}/g);
  return groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join("/");
}

/**
 * Files that are named after a hash stand in folders of two digits, so that no folder gets too many names.
 * @param {string} folder
 * @param {string} name in hexadecimal digits
 * @returns {string} such as `commitments/48/48045e…`
 */
export function hashedPath(folder, name) {
  return `${folder}/${name.slice(0, 2)}/${name}`;
}

/**
 * @param {number|"entries"} kind a level, or the records
 * @param {bigint} number
 * @param {number} width 1 to 256
 * @returns {string}
 */
export function tilePath(kind, number, width) {
  return `tile/${kind}/${numberPath(number)}${width < WIDTH ? `.p/${width}` : ""}`;
}

/**
 * @param {bigint} size of the log
 * @param {number} level
 * @param {bigint} number
 * @returns {number} how many hashes tile `number` of that level has; 0 if there is no such tile
 */
export function tileWidth(size, level, number) {
  const left = (size >> BigInt(8 * level)) - number * BigInt(WIDTH);
  return left <= 0n ? 0 : Number(left < BigInt(WIDTH) ? left : BigInt(WIDTH));
}
