// Fp12 = Fp2[w]/(w⁶ - (1 + u)), which has the values of a pairing.
//
// An element is an array of six elements of Fp2, the coefficients of w⁰ to w⁵. The even powers are an element of
// Fp6 = Fp2[v]/(v³ - (1 + u)) with v = w², and so are the odd ones: x = even + odd·w.

import { add, conjugate as conjugate2, equal, inverse2, multiply as multiply2, P, power2 } from "./field.js";
import { reduce, subtract, timesXi, wideProduct, wideSquare } from "./field.js";

const ONE = [[1n, 0n], [0n, 0n], [0n, 0n], [0n, 0n], [0n, 0n], [0n, 0n]];

/** w^p = FROBENIUS[1]·w, and so on. */
const FROBENIUS = [[1n, 0n], power2([1n, 1n], (P - 1n) / 6n)];
while (FROBENIUS.length < 6) FROBENIUS.push(multiply2(FROBENIUS[1], FROBENIUS.at(-1)));

/** x·y by Karatsuba's method: 3 products in Fp6, each of 6 in Fp2, each of 3 in Fp. */
export function multiply(x, y) {
  const [xEven, xOdd, yEven, yOdd] = [even(x), odd(x), even(y), odd(y)];
  const evens = product6(xEven, yEven);
  const odds = product6(xOdd, yOdd);
  const both = product6(add6(xEven, xOdd), add6(yEven, yOdd));
  return joined(add6(evens, timesV(odds)), subtract6(both, add6(evens, odds)));
}

/** x². */
export function square(x) {
  const [xEven, xOdd] = [even(x), odd(x)];
  const cross = product6(xEven, xOdd);
  const both = product6(add6(xEven, xOdd), add6(xEven, timesV(xOdd)));
  return joined(subtract6(both, add6(cross, timesV(cross))), add6(cross, cross));
}

/**
 * x² if x to the power p⁴ - p² + 1 is 1, at half the cost (Granger and Scott, ePrint 2009/565): x is A + B·w + C·w²
 * with A, B and C in Fp2[w³], and its conjugate, which is its inverse, brings their squares into three equations.
 */
export function cyclotomicSquare(x) {
  const [a0, a3] = squareOfPair(x[0], x[3]);
  const [b1, b4] = squareOfPair(x[1], x[4]);
  const [c2, c5] = squareOfPair(x[2], x[5]);
  return [
    lessTwice(a0, x[0]),
    moreTwice(timesXi(c5), x[1]),
    lessTwice(b1, x[2]),
    moreTwice(a3, x[3]),
    lessTwice(c2, x[4]),
    moreTwice(b4, x[5]),
  ];
}

/** x to the power p⁶: its odd coefficients change sign. */
export function conjugate(x) {
  return x.map((c, k) => (k % 2 ? [-c[0], -c[1]] : c));
}

/** x to the power p. */
export function frobenius(x) {
  return x.map((c, k) => multiply2(conjugate2(c), FROBENIUS[k]));
}

/** 1/x of an x that is not 0. */
export function inverse(x) {
  // n = x·conj(x) is in Fp6; its norm is in Fp2.
  const conjugated = conjugate(x);
  const toP2 = frobenius(frobenius(multiply(x, conjugated)));
  const others = multiply(toP2, frobenius(frobenius(toP2)));
  const almost = multiply(conjugated, others);
  const norm = multiply(x, almost)[0];
  return almost.map((c) => multiply2(c, inverse2(norm)));
}

/** Whether x is 1. */
export function isOne(x) {
  return x.every((c, k) => equal(c, ONE[k]));
}

const even = (x) => [x[0], x[2], x[4]];

const odd = (x) => [x[1], x[3], x[5]];

const joined = (evens, odds) => [0, 1, 2].flatMap((k) => [reduce(evens[k]), reduce(odds[k])]);

const add6 = (x, y) => [add(x[0], y[0]), add(x[1], y[1]), add(x[2], y[2])];

const subtract6 = (x, y) => [subtract(x[0], y[0]), subtract(x[1], y[1]), subtract(x[2], y[2])];

const timesV = (x) => [timesXi(x[2]), x[0], x[1]];

/** x·y in Fp6, wide. */
function product6(x, y) {
  const p0 = wideProduct(x[0], y[0]);
  const p1 = wideProduct(x[1], y[1]);
  const p2 = wideProduct(x[2], y[2]);
  const p01 = subtract(wideProduct(add(x[0], x[1]), add(y[0], y[1])), add(p0, p1));
  const p02 = subtract(wideProduct(add(x[0], x[2]), add(y[0], y[2])), add(p0, p2));
  const p12 = subtract(wideProduct(add(x[1], x[2]), add(y[1], y[2])), add(p1, p2));
  return [add(p0, timesXi(p12)), add(p01, timesXi(p2)), add(p02, p1)];
}

/** (x + y·w³)², the coefficients of w⁰ and w³, wide. */
function squareOfPair(x, y) {
  const xx = wideSquare(x);
  const yy = wideSquare(y);
  return [add(xx, timesXi(yy)), subtract(wideSquare(add(x, y)), add(xx, yy))];
}

const lessTwice = (squared, x) => reduce([3n * squared[0] - 2n * x[0], 3n * squared[1] - 2n * x[1]]);

const moreTwice = (squared, x) => reduce([3n * squared[0] + 2n * x[0], 3n * squared[1] + 2n * x[1]]);
