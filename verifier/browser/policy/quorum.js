// Quorums: which witnesses suffice, and what any two choices of them share (SPEC 5.7). A member is a witness or a
// group, and no member is in two groups, so a quorum is a tree.

/** @typedef {Witness|Group} Member */

/** An outside party that cosigns checkpoints. */
export class Witness {
  /**
   * @param {string} name opaque bytes as text: a character for each byte
   * @param {import("./cosignatures.js").WitnessKey} key
   */
  constructor(name, key) {
    this.name = name;
    this.key = key;
    /** How many witnesses suffice, how many two choices share, and how many must be missing: the smallest numbers. */
    this.least = 1;
    this.leastShared = 1;
    this.leastMissing = 1;
  }

  /**
   * @param {Set<Witness>} cosigned
   * @returns {boolean}
   */
  isMetBy(cosigned) {
    return cosigned.has(this);
  }
}

/** At least `threshold` of its members. */
export class Group {
  /**
   * @param {string} name
   * @param {number} threshold from 1 to the number of members
   * @param {Member[]} members
   */
  constructor(name, threshold, members) {
    this.name = name;
    this.threshold = threshold;
    this.members = members;
    this.least = smallest(members, "least", threshold);
    this.leastShared = smallest(members, "leastShared", 2 * threshold - members.length);
    this.leastMissing = smallest(members, "leastMissing", members.length - threshold + 1);
  }

  /**
   * @param {Set<Witness>} cosigned
   * @returns {boolean}
   */
  isMetBy(cosigned) {
    return this.members.filter((member) => member.isMetBy(cosigned)).length >= this.threshold;
  }
}

/** The sum of the `count` smallest numbers of this name. */
function smallest(members, name, count) {
  const numbers = members.map((member) => member[name]).sort((one, other) => one - other);
  return numbers.slice(0, Math.max(0, count)).reduce((sum, number) => sum + number, 0);
}
