// The kinds of steps, a function each (SPEC 3.7).

import { LARGEST_PILE } from "./limits.js";
import { DEALS } from "./deals.js";
import { count, integer, items, label, members, name, value, word } from "./values.js";
import { demand, digits, labelSize, listSize, memberSize } from "./values.js";

const LARGEST_SUM = 2 ** 32;

const total = (numbers) => numbers.reduce((sum, each) => sum + each, 0);
const ownDraws = (given) => (Array.isArray(given) ? 1 : 0);

/** A step that writes one place with at most so many bytes. */
function at(place, weigh, draw, more = {}) {
  return {
    places: [place],
    weigh: (scope) => {
      const { draws = 1, size, taken = 0 } = weigh(scope);
      return { draws, size: size === null ? 0 : memberSize(place, size), taken };
    },
    draw: (drawing) => ({ [place]: draw(drawing) }),
    ...more,
  };
}

function number(place, given) {
  const [low, high] = items(given, 2, 2).map(value);
  const weigh = (scope) => ({ size: digits(scope.range(low, high).most) });
  return at(place, weigh, (drawing) => within(drawing, low, high));
}

function within(drawing, low, high) {
  const least = drawing.value(low);
  return least + drawing.below(drawing.value(high) - least + 1);
}

/** So many draws by a function that `drawn` makes once a round; the results are numbers of so many digits. */
function many(place, given, longest, drawn) {
  const weigh = (scope) => {
    const size = longest(scope);
    const most = scope.note(place, scope.count(given));
    return { draws: most + ownDraws(given), size: listSize(most, size) };
  };
  return at(place, weigh, (drawing) => drawing.times(drawing.count(given), drawn(drawing)));
}

function numbers(place, given) {
  const times = count(items(given, 3, 3)[0]);
  const [low, high] = given.slice(1).map(value);
  const longest = (scope) => digits(scope.range(low, high).most);
  return many(place, times, longest, (drawing) => () => within(drawing, low, high));
}

function one(place, given) {
  const labels = items(items(given, 1, 1)[0], 1).map(label);
  const size = Math.max(...labels.map(labelSize));
  return at(place, () => ({ size }), (drawing) => labels[drawing.below(labels.length)]);
}

function ends(given) {
  const outcomes = items(items(given, 1, 1)[0], 1).map((end) => {
    // An object has places such as "5" first; here they are in the order of their spelling.
    const found = Object.keys(members(end)).sort().map((place) => [name(place), label(end[place])]);
    return demand(found.length > 0, "an outcome with a place", found);
  });
  const sizeOf = (end) => total(end.map(([place, each]) => memberSize(place, labelSize(each))));
  const size = Math.max(...outcomes.map(sizeOf));
  return {
    places: [...new Set(outcomes.flat().map(([place]) => place))],
    weigh: () => ({ draws: 1, size, taken: 0 }),
    draw: (drawing) => Object.fromEntries(outcomes[drawing.below(outcomes.length)]),
  };
}

function flight(place, given) {
  items(given, 0, 0);
  const weigh = (scope) => {
    const [rtp, cap] = [scope.value("rtp"), scope.value("cap")];
    demand(rtp.least >= 1 && rtp.most <= 10_000, "rtp within 1 to 10000", rtp);
    demand(cap.least >= 101 && cap.most <= 1_000_000_000, "cap within 101 to 1000000000", cap);
    return { size: 13 };
  };
  return at(place, weigh, ({ stream, rules }) => {
    const hundredths = stream.multiplier(rules.rtp, rules.cap);
    return `${Math.floor(hundredths / 100)}.${String(hundredths % 100).padStart(2, "0")}`;
  });
}

function reels(place, given) {
  items(given, 0, 0);
  const weigh = (scope) => {
    const { size, member } = scope.family("reel");
    demand(member.least >= 1 && member.most <= LARGEST_SUM, "reels of 1 to 2^32 stops", member);
    const most = scope.note(place, size);
    return { draws: most, size: listSize(most, digits(member.most - 1)) };
  };
  return at(place, weigh, (drawing) => drawing.family("reel").map((length) => drawing.below(length)));
}

/** Pairs of a label, read by `read`, and a weight. */
function segments(given, read) {
  return items(given, 1).map((pair) => {
    const [each, weight] = items(pair, 2, 2);
    return [read(each), value(weight)];
  });
}

function checkSum(scope, turned) {
  const weights = turned.map(([, weight]) => scope.value(weight));
  const [least, most] = [total(weights.map((each) => each.least)), total(weights.map((each) => each.most))];
  demand(least >= 1 && most <= LARGEST_SUM, "weights with a sum of 1 to 2^32", [least, most]);
}

function weightsOf(drawing, turned) {
  return turned.map(([, weight]) => drawing.value(weight));
}

function turn(drawing, turned) {
  return turned[drawing.weighted(weightsOf(drawing, turned))][0];
}

function wheel(place, given) {
  const turned = segments(items(given, 1, 1)[0], label);
  const weigh = (scope) => {
    checkSum(scope, turned);
    return { size: Math.max(...turned.map(([each]) => labelSize(each))) };
  };
  return at(place, weigh, (drawing) => turn(drawing, turned));
}

function wheels(place, given) {
  const times = count(items(given, 2, 2)[0]);
  const turned = segments(given[1], (each) => integer(each));
  const longest = (scope) => {
    checkSum(scope, turned);
    return Math.max(...turned.map(([each]) => digits(each)));
  };
  return many(place, times, longest, (drawing) => {
    const weights = weightsOf(drawing, turned);
    return () => turned[drawing.weighted(weights)][0];
  });
}

function spin(place, given) {
  const turned = segments(items(given, 2, 2)[0], word);
  const again = items(given[1], 0).map(word);
  const isAgain = ([each]) => again.includes(each);
  demand(new Set(again).size === again.length, "different labels", again);
  demand(again.every((each) => turned.some(([own]) => own === each)), "labels of the wheel", again);
  const weigh = (scope) => {
    checkSum(scope, turned);
    const repeated = total(turned.filter(isAgain).map(([, weight]) => scope.value(weight).most));
    const others = total(turned.filter((each) => !isAgain(each)).map(([, weight]) => scope.value(weight).least));
    demand(repeated <= others, "at most half of the weight on what is spun again", [repeated, others]);
    return { size: Math.max(...turned.map(([each]) => labelSize(each))) };
  };
  return at(place, weigh, (drawing) => {
    const labels = [turn(drawing, turned)];
    while (again.includes(labels.at(-1))) labels.push(turn(drawing, turned));
    return labels.join(" ");
  });
}

function field(scope) {
  const { size, member } = scope.family("w");
  const isOne = member.least >= 1 && size.most * member.most <= LARGEST_SUM;
  demand(isOne, "weights from 1, with a sum of at most 2^32", member);
  return size;
}

function chosen(place, given) {
  items(given, 0, 0);
  const weigh = (scope) => ({ size: digits(field(scope).most) });
  return at(place, weigh, (drawing) => 1 + drawing.weighted(drawing.family("w")));
}

function race(place, given) {
  items(given, 0, 0);
  const weigh = (scope) => {
    const most = scope.note(place, field(scope));
    return { draws: most, size: listSize(most, digits(most)) };
  };
  return at(place, weigh, (drawing) => {
    const left = drawing.family("w").map((weight, runner) => ({ weight, runner: runner + 1 }));
    return drawing.times(left.length, () => {
      const next = drawing.weighted(left.map(({ weight }) => weight));
      return left.splice(next, 1)[0].runner;
    });
  }, { kind: "race" });
}

function take(place, given) {
  const howMany = count(items(given, 1, 2)[0]);
  const times = given.length > 1 ? integer(given[1], 1) : 1;
  const weigh = (scope) => {
    demand(scope.room !== null, "a drum or a shoe", "neither");
    const { least, most } = scope.count(howMany);
    scope.note(place, { least: least * times, most: most * times });
    const size = scope.room.things === null ? null : listSize(most * times, scope.room.longest);
    return { draws: most * times + ownDraws(howMany), size, taken: least * times };
  };
  const draw = (drawing) => {
    const things = drawing.times(drawing.count(howMany) * times, () => drawing.take());
    return drawing.pile.isDrum ? things : things.join(" ");
  };
  return at(place, weigh, draw, { takes: true });
}

function pick(place, given) {
  const howMany = count(items(given, 3, 3)[0]);
  const [low, high] = given.slice(1).map(value);
  const weigh = (scope) => {
    const { least, most } = scope.range(low, high);
    const picked = scope.count(howMany);
    const isEnough = picked.least <= most - least + 1 && most - least + 1 <= LARGEST_PILE;
    demand(isEnough, `at most ${LARGEST_PILE} numbers to pick from, and enough of them`, [least, most]);
    const draws = scope.note(place, picked) + ownDraws(howMany);
    return { draws, size: listSize(picked.most, digits(most)) };
  };
  return at(place, weigh, (drawing) => {
    const wanted = drawing.count(howMany);
    const least = drawing.value(low);
    return drawing.stream.sample(drawing.value(high) - least + 1, wanted).map((each) => least + each);
  });
}

const KINDS = Object.freeze({
  __proto__: null,
  number,
  numbers,
  one,
  flight,
  reels,
  wheel,
  wheels,
  spin,
  chosen,
  race,
  take,
  pick,
});

function unknown(places, what) {
  const weigh = (scope) => {
    scope.hide(places);
    return { draws: 0, size: 0, taken: 0 };
  };
  return { places, unknown: what, weigh, draw: () => demand(false, "a known step", what) };
}

/**
 * One step of a declaration's draw.
 * @param {any} found `[place, kind, arguments…]`
 * @returns {import("./scope.js").Step}
 * @throws {import("../basics/errors.js").Malformed}
 */
export function readStep(found) {
  const [place, kind, ...given] = items(found, 2);
  const isAnywhere = place === "*";
  if (!isAnywhere) name(place);
  if (name(kind) in KINDS) return KINDS[kind](name(place), given);
  if (kind !== "ends" && kind !== "deal") return unknown(isAnywhere ? [] : [place], `the kind ${kind}`);
  demand(isAnywhere, "the place *", place);
  if (kind === "ends") return ends(given);
  const deal = name(items(given, 1, 1)[0]);
  return DEALS[deal] ?? unknown([], `the deal ${deal}`);
}
