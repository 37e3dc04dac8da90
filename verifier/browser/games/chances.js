// The chance that an open bet wins where it depends on the rules: of races and of rallies.

const WHOLE = 10_000n;

/** The chance of the orders of the first runners that win: a fraction. Who is drawn leaves, with its weight. */
export function orders({ figure, rules }, wins) {
  const depth = Number(/-([0-9]+)$/.exec(figure[1])?.[1] ?? 1);
  const weights = Array.from({ length: rules.runners }, (_, at) => BigInt(rules[`w${at + 1}`]));
  const total = weights.reduce((sum, each) => sum + each, 0n);
  // The fractions have many denominators; all are kept as one fraction.
  let found = [0n, 1n];
  const walk = (order, left, n, d) => {
    if (order.length === depth) {
      if (wins({ order })) found = added(found, [n, d]);
      return;
    }
    for (const [at, weight] of weights.entries()) {
      if (!order.includes(at + 1)) walk([...order, at + 1], left - weight, n * weight, d * left);
    }
  };
  walk([], total, 1n, 1n);
  return found;
}

function added([n, d], [more, of]) {
  const sum = n * of + more * d;
  const by = divisor(sum, d * of);
  return [sum / by, (d * of) / by];
}

function divisor(one, other) {
  return other === 0n ? one : divisor(other, one % other);
}

/** The chance of the rallies that win. */
export function lawOfPoints({ rules }, wins) {
  let found = 0n;
  for (const [points, weight] of rallies(rules.a)) {
    if (wins({ points })) found += weight;
  }
  return [found, WHOLE ** MOST_POINTS];
}

const MOST_POINTS = 17n;
let listed = { a: null, rallies: [] };

/**
 * All rallies with their weights: points up to seven, or further until somebody is two ahead or has nine. There are
 * thousands, and many bets of one table are priced by them, so the last list is kept.
 */
function rallies(a) {
  if (listed.a === a) return listed.rallies;
  const found = [];
  const walk = (points, ofA, ofB, weight) => {
    const [ahead, by] = [Math.max(ofA, ofB), Math.abs(ofA - ofB)];
    if (ahead >= 9 || (ahead >= 7 && by >= 2)) {
      // All are brought to the same number of points.
      found.push([points, weight * WHOLE ** (MOST_POINTS - BigInt(points.length))]);
      return;
    }
    walk(`${points}A`, ofA + 1, ofB, weight * BigInt(a));
    walk(`${points}B`, ofA, ofB + 1, weight * (WHOLE - BigInt(a)));
  };
  walk("", 0, 0, 1n);
  listed = { a, rallies: found };
  return found;
}
