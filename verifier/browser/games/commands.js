// What each game's draw makes of the stream's words, as a command's lines of Python; the numbers are those of SPEC 3.5.

/**
 * @typedef {object} Draw
 * @property {number} limit below which the game draws; a word of the last, cut-off run is refused
 * @property {(words: string) => string} inPython what is printed of the words, which stand with commas between them
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
