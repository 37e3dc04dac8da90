// The packs (SPEC 3.8).

const SIXTY_UNEVEN = { __proto__: null, 3: [2, 4], 6: [4, 2] };

function cards(ranks, ...jokers) {
  return [...[...ranks].flatMap((rank) => [..."cdhs"].map((suit) => rank + suit)), ...jokers];
}

function times(number, thing) {
  return new Array(number).fill(thing);
}

function sixty() {
  return [..."0123456789"].flatMap((digit) => {
    const [red, blue] = SIXTY_UNEVEN[digit] ?? [3, 3];
    return [...times(red, `${digit}r`), ...times(blue, `${digit}b`)];
  });
}

function bones() {
  const halves = [0, 1, 2, 3, 4, 5, 6];
  return halves.flatMap((low) => halves.slice(low).map((high) => `${low}${high}`));
}

/** @type {Readonly<Record<string, string[]>>} */
export const PACKS = Object.freeze({
  "__proto__": null,
  "french": cards("23456789TJQKA"),
  "joker": cards("23456789TJQKA", "Xx"),
  "two-jokers": cards("23456789TJQKA", "Xr", "Xb"),
  "short": cards("6789TJQKA"),
  "piquet": cards("789TJQKA"),
  "belote": cards("9TJQKA"),
  "thirty-two": cards("6789TJQK"),
  "bet-win": cards("12345MVCDR", "Xx", "Xx", "Xx", "Xx"),
  "fruits": [...times(3, "plum"), ...times(3, "cherry"), ...times(3, "lemon"), "7"],
  "sixty": sixty(),
  "bones": bones(),
});
