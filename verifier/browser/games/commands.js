// Each game's draw, from the words of the stream, as lines of Python for a command; the numbers are those of SPEC
// 3.5.

/**
 * @typedef {object} Draw
 * @property {number} limit the game draws below it; words of the last, incomplete run of remainders are skipped
 * @property {(words: string) => string} inPython prints the outcome of the words, which are separated by commas
 */

/** @type {Readonly<Record<string, Draw>>} */
export const DRAWS = Object.freeze({
  "__proto__": null,
  "hi-lo": {
    limit: 25,
    inPython: (w) => `w=[${w}]\nc=w[0]%25\nprint("Joker" if c==24 else "23456789JQKA"[c//2]+" "+["red","black"][c%2])`,
  },
  "keno-express": { limit: 100, inPython: (w) => `print([${w}][0]%100+1)` },
  "penalty": { limit: 26, inPython: (w) => `c=[${w}][0]%26\nprint(c+1 if c<24 else ["bar","failure"][c-24])` },
  "sic-bo": { limit: 6, inPython: (w) => `print(*[w%6+1 for w in [${w}]])` },
});
