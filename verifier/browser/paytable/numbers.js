// Exact numbers: whole ones, which are BigInt only where a Number would not be exact; and fractions of two BigInt.

/**
 * A whole number, however large.
 * @typedef {number|bigint} Whole
 */

const NUMBER = /^(?:0|[1-9][0-9]{0,8})$/;

/** @returns {Whole} the number in its one form */
export function whole(number) {
  return BigInt.asIntN(54, number) === number ? Number(number) : number;
}

/**
 * @param {Array<Whole>} numbers
 * @returns {Whole}
 */
export function sum(numbers) {
  return whole(numbers.reduce((total, each) => total + BigInt(each), 0n));
}

/** @returns {Whole} what counts as a number: whole ones, also as words; all else is 0 */
export function numberOf(value) {
  if (typeof value !== "string") return value;
  return NUMBER.test(value) ? Number(value) : 0;
}

/** Fractions of two BigInt. */
export function plus([n, d], [more, of]) {
  return reduced([n * of + more * d, d * of]);
}

export function reduced([n, d]) {
  const by = divisor(n, d);
  return [n / by, d / by];
}

function divisor(one, other) {
  let [larger, smaller] = [one, other];
  while (smaller !== 0n) [larger, smaller] = [smaller, larger % smaller];
  return larger;
}

/** `1.5`; `8/3` where decimals do not end. */
export function printed(fraction) {
  const [n, d] = reduced(fraction);
  return decimals(n, d) ?? `${n}/${d}`;
}

function decimals(n, d) {
  const scaled = n * 10n ** 9n;
  if (scaled % d !== 0n) return null;
  const digits = String(scaled / d).padStart(10, "0");
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`.replace(/\.?0+$/, "");
}
