// The optimal ate pairing of BLS12-381, as far as it is needed to decide one equation: whether e(p, q) = e(s, t) for
// points p and s of G1, and points q and t of G2 that never change.

import { negative, X } from "./curve.js";
import { add, inverse, P, reduce, scale, subtract, wideProduct } from "./field.js";
import { conjugate, cyclotomicSquare, frobenius, inverse as inverse12, isOne, multiply, square } from "./tower.js";

const ZERO = [0n, 0n];
const STEPS = X.toString(2).slice(1);

/**
 * Whether e(p, q) = e(s, t).
 * @param {{x: bigint, y: bigint, z: bigint}} p of G1, not infinity
 * @param {bigint[][][]} linesOfQ
 * @param {{x: bigint, y: bigint, z: bigint}} s of G1, not infinity
 * @param {bigint[][][]} linesOfT
 * @returns {boolean}
 */
export function pairingsAreEqual(p, linesOfQ, s, linesOfT) {
  return isOne(finalPower(millerLoop(p, linesOfQ, negative(s), linesOfT)));
}

/**
 * The product of both pairings before the final exponentiation: the lines of q at p times those of t at s, doubled
 * and added. The sign of the curve's parameter, -X, would only conjugate it, and the conjugate of 1 is 1.
 */
function millerLoop(p, linesOfQ, s, linesOfT) {
  const [atP, atS] = [place(p), place(s)];
  let line = 0;
  const step = (value) => {
    const next = multiply(value, product(at(atP, linesOfQ[line]), at(atS, linesOfT[line])));
    line += 1;
    return next;
  };
  let value = [[1n, 0n], ZERO, ZERO, ZERO, ZERO, ZERO];
  for (const bit of STEPS) {
    value = step(square(value));
    if (bit === "1") value = step(value);
  }
  return value;
}

/** x/y and 1/y of a point: nothing else of it is needed. */
function place({ x, y, z }) {
  const ofY = inverse(y);
  return { slope: (-x * z * ofY) % P, offset: (((z * z) % P) * z * ofY) % P };
}

/**
 * A line of the twist at a point of the curve. There, Y - slope·X + offset is y - slope·x/w + offset/w³; times w³/y,
 * which the final exponentiation maps to 1, it is offset/y - (slope·x/y)·w² + w³.
 * @returns {bigint[][]} the coefficients of w⁰ and w²; that of w³ is 1
 */
function at(point, [slope, offset]) {
  return [scale(offset, point.offset), scale(slope, point.slope)];
}

/** (a + b·w² + w³)·(c + d·w² + w³) */
function product([a, b], [c, d]) {
  const ac = wideProduct(a, c);
  const bd = wideProduct(b, d);
  const cross = subtract(wideProduct(add(a, b), add(c, d)), add(ac, bd));
  return [add(reduce(ac), [1n, 1n]), ZERO, reduce(cross), add(a, c), reduce(bd), add(b, d)];
}

/**
 * The value to the power 3·(p¹² - 1)/r, which is 1 if and only if the value to (p¹² - 1)/r is, because 3 does not
 * divide r. 3·(p⁴ - p² + 1)/r = (x - 1)²·(x + p)·(x² + p² - 1) + 3 with x = -X (Hayashida, Hayasaka and Teruya,
 * ePrint 2020/875).
 */
function finalPower(value) {
  // The power p⁶ - 1, then p² + 1; from here on the conjugate is the inverse.
  const unitary = multiply(conjugate(value), inverse12(value));
  const base = multiply(frobenius(frobenius(unitary)), unitary);
  const first = lessOne(lessOne(base));
  const second = multiply(conjugate(toX(first)), frobenius(first));
  const third = multiply(toX(toX(second)), multiply(frobenius(frobenius(second)), conjugate(second)));
  return multiply(third, multiply(cyclotomicSquare(base), base));
}

/** The power x - 1 = -(X + 1). */
const lessOne = (value) => conjugate(multiply(toX(value), value));

function toX(value) {
  let result = value;
  for (const bit of STEPS) {
    result = cyclotomicSquare(result);
    if (bit === "1") result = multiply(result, value);
  }
  return result;
}
