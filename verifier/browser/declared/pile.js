// A drum or a shoe while a round is drawn: one sample that is read on (SPEC 3.6).

/** Its things come in a random order, each at the cost of one draw. */
export class Pile {
  #stream;
  #size;
  #things;
  #taken = 0;
  #moved = new Map();

  /**
   * @param {import("../draws/stream.js").Stream} stream
   * @param {number} size
   * @param {(at: number) => string | number} things by their number, from 0
   * @param {boolean} isDrum whether they are numbers
   */
  constructor(stream, size, things, isDrum) {
    this.#stream = stream;
    this.#size = size;
    this.#things = things;
    this.isDrum = isDrum;
  }

  /** @returns {number} how many things have not been taken */
  get left() {
    return this.#size - this.#taken;
  }

  /** Put everything back. */
  shuffle() {
    this.#taken = 0;
    this.#moved = new Map();
  }

  /** @returns {string | number} the next thing */
  next() {
    const own = this.#taken;
    const other = own + this.#stream.below(this.left);
    const drawn = this.#moved.get(other) ?? other;
    this.#moved.set(other, this.#moved.get(own) ?? own);
    this.#taken += 1;
    return this.#things(drawn);
  }
}
