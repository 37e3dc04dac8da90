// The fields under the curve BLS12-381: Fp of 381 bits, and Fp2 = Fp[u]/(u² + 1).
//
// Nothing in this folder runs in constant time. It must not be used with secrets: it only verifies, and computes only
// with public values.
//
// An element of Fp is a BigInt between -P and P: `%` keeps the sign, and only `mod` makes it unique. An element of
// Fp2 is an array [a, b], for a + b·u. What is called wide is a sum of products that is not reduced yet.

/** The field's prime. It is 3 modulo 4. */
export const P = 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn;

/**
 * @param {bigint} n
 * @returns {bigint} the same, from 0 to P - 1
 */
export function mod(n) {
  const rest = n % P;
  return rest < 0n ? rest + P : rest;
}

/**
 * @param {bigint} base
 * @param {bigint} exponent not negative
 * @returns {bigint} from 0 to P - 1
 */
export function power(base, exponent) {
  let result = 1n;
  for (const bit of exponent.toString(2)) {
    result = (result * result) % P;
    if (bit === "1") result = (result * base) % P;
  }
  return mod(result);
}

/**
 * @param {bigint} n
 * @returns {bigint} 1/n, and 0 if n is 0, as RFC 9380 defines it
 */
export function inverse(n) {
  let [a, b, x, y] = [P, mod(n), 0n, 1n];
  while (b > 0n) {
    const quotient = a / b;
    [a, b, x, y] = [b, a - quotient * b, y, x - quotient * y];
  }
  return a === 1n ? x : 0n;
}

/**
 * @param {bigint} n
 * @returns {bigint} from 0 to P - 1: a root of n if n is a square, and otherwise a root of -n
 */
export function rootOfPlusOrMinus(n) {
  return power(n, (P + 1n) / 4n);
}

export const add = (x, y) => [x[0] + y[0], x[1] + y[1]];

export const subtract = (x, y) => [x[0] - y[0], x[1] - y[1]];

export const double = (x) => [2n * x[0], 2n * x[1]];

export const conjugate = (x) => [x[0], -x[1]];

/** x·(1 + u); 1 + u has no square root or cube root in Fp2, so the larger field and the twist are made with it. */
export const timesXi = (x) => [x[0] - x[1], x[0] + x[1]];

export const reduce = (x) => [x[0] % P, x[1] % P];

/** x·y, wide. */
export function wideProduct(x, y) {
  const first = x[0] * y[0];
  const second = x[1] * y[1];
  return [first - second, (x[0] + x[1]) * (y[0] + y[1]) - first - second];
}

/** x², wide. */
export function wideSquare(x) {
  return [(x[0] + x[1]) * (x[0] - x[1]), 2n * x[0] * x[1]];
}

export const multiply = (x, y) => reduce(wideProduct(x, y));

export const square = (x) => reduce(wideSquare(x));

/** x·n, with n in Fp. */
export const scale = (x, n) => [(x[0] * n) % P, (x[1] * n) % P];

export const equal = (x, y) => (x[0] - y[0]) % P === 0n && (x[1] - y[1]) % P === 0n;

/** 1/x, and 0 if x is 0. */
export function inverse2(x) {
  return scale(conjugate(x), inverse(x[0] * x[0] + x[1] * x[1]));
}

/** x to a power that is not negative. */
export function power2(x, exponent) {
  let result = [1n, 0n];
  for (const bit of exponent.toString(2)) {
    result = square(result);
    if (bit === "1") result = multiply(result, x);
  }
  return result;
}

/** A square root of x (Adj and Rodríguez-Henríquez, ePrint 2012/685, algorithm 9); `null` if there is none. */
export function squareRoot2(x) {
  const a = power2(x, (P - 3n) / 4n);
  const candidate = multiply(a, x);
  const ofOrder2 = multiply(a, candidate);
  const root = equal(ofOrder2, [-1n, 0n])
    ? [-candidate[1], candidate[0]]
    : multiply(power2(add(ofOrder2, [1n, 0n]), (P - 1n) / 2n), candidate);
  return equal(square(root), x) ? root : null;
}
