// Policies: the text in which a verifier says whom it believes (SPEC 5.7).

import { Beacon } from "../beacon/chain.js";
import { sameBytes, utf8, utf8Text } from "../basics/bytes.js";
import { Malformed, quote } from "../basics/errors.js";
import { LARGEST_POLICY, MOST_IN_POLICY } from "../basics/limits.js";
import { VerifierKey } from "../log/notes.js";
import { WitnessKey } from "./cosignatures.js";
import { Group, Witness } from "./quorum.js";

const NONE = "none";
/** The lines, by their first word, and how many words may follow that. */
const FORMS = {
  log: { form: "log VKEY [URL]", least: 1, most: 2 },
  witness: { form: "witness NAME VKEY [URL]", least: 2, most: 3 },
  group: { form: "group NAME all|any|K MEMBER...", least: 3, most: Infinity },
  quorum: { form: "quorum NAME|none", least: 1, most: 1 },
  custodian: { form: "custodian NAME VKEY [URL]", least: 2, most: 3 },
  beacon: { form: "beacon HASH PERIOD GENESIS KEY GROUP-HASH ID", least: 6, most: 6 },
};

/**
 * Whom a verifier believes about one log.
 * @typedef {object} Policy
 * @property {VerifierKey} log
 * @property {?import("./quorum.js").Member} quorum `null` if no witness is demanded
 * @property {Witness[]} witnesses all that are named, in the order of their lines
 * @property {{name: string, key: VerifierKey}[]} custodians
 * @property {Beacon[]} beacons
 */

/**
 * Whom a check is told to believe: a policy, or a bare key, which is the policy that asks for no witness.
 * @typedef {object} Trust
 * @property {string} [vkey] the log's verifier key, `name+id+key`
 * @property {string} [policy] the text of a policy, in the place of the key
 */

/**
 * @param {Trust} trust
 * @returns {Policy}
 * @throws {Malformed}
 */
export function policyOf({ vkey, policy }) {
  if (policy !== undefined) return parsePolicy(utf8(policy));
  return { log: VerifierKey.parse(vkey), quorum: null, witnesses: [], custodians: [], beacons: [] };
}

/**
 * @param {Uint8Array} bytes
 * @returns {Policy}
 * @throws {Malformed} which names the line
 */
export function parsePolicy(bytes) {
  if (bytes.length > LARGEST_POLICY) refuse(`at most ${LARGEST_POLICY} bytes`, `${bytes.length} bytes`);
  const reader = new Reader();
  // Names are opaque: each byte is a character here.
  const lines = Array.from(bytes, (value) => String.fromCharCode(value)).join("").split("\n");
  lines.forEach((line, at) => {
    try {
      reader.read(line);
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      const what = error.what === "policy" ? "" : `, ${error.what}`;
      throw new Malformed(`policy, line ${at + 1}${what}`, error.expected, error.found);
    }
  });
  return reader.whole();
}

/**
 * A name of a policy, for people.
 * @param {string} name
 * @returns {string} as UTF-8, if it is that
 */
export function nameText(name) {
  return utf8Text(Uint8Array.from(name, (character) => character.charCodeAt(0))) ?? name;
}

class Reader {
  #log = null;
  #quorum = [];
  #members = new Map();
  #grouped = new Set();
  #groups = [];
  #witnesses = [];
  #custodians = [];
  #beacons = [];

  read(line) {
    // eslint-disable-next-line no-control-regex
    if (/[\x00-\x08\x0b-\x1f\x7f]/.test(line)) refuse("no control characters but tabs", quote(line));
    const words = line.split(/[ \t]+/).filter((word) => word !== "");
    if (words.length === 0 || words[0].startsWith("#")) return;
    const [kind, ...rest] = words;
    if (!Object.hasOwn(FORMS, kind)) refuse(`one of ${Object.keys(FORMS).join(", ")}`, quote(kind));
    const { form, least, most } = FORMS[kind];
    if (rest.length < least || rest.length > most) refuse(form, quote(line));
    this[kind](...rest);
  }

  whole() {
    if (this.#log === null) refuse(`one line: ${FORMS.log.form}`, "none");
    if (this.#quorum.length === 0) refuse(`one line: ${FORMS.quorum.form}`, "none");
    if (this.#witnesses.some(({ key }) => sameBytes(key.publicKey, this.#log.publicKey))) {
      refuse("witnesses with keys of their own", "the log's");
    }
    return {
      log: this.#log,
      quorum: this.#quorum[0],
      witnesses: this.#witnesses,
      custodians: this.#custodians,
      beacons: this.#beacons,
    };
  }

  log(vkey) {
    if (this.#log !== null) refuse("one log", "a second one");
    this.#log = VerifierKey.parse(vkey);
  }

  witness(name, vkey) {
    checkRoom(this.#witnesses);
    const witness = new Witness(name, WitnessKey.parse(vkey));
    const other = this.#witnesses.find(({ key }) => sameBytes(key.publicKey, witness.key.publicKey));
    if (other !== undefined) refuse("a key that no other witness has", `the key of ${quote(other.name)}`);
    this.#define(name, witness);
    this.#witnesses.push(witness);
  }

  group(name, threshold, ...names) {
    checkRoom(this.#groups);
    const members = names.map((each) => this.#member(each));
    for (const each of names) {
      if (this.#grouped.has(each)) refuse("each member in one group, and once", quote(each));
      this.#grouped.add(each);
    }
    const group = new Group(name, numberOf(threshold, members.length), members);
    this.#define(name, group);
    this.#groups.push(group);
  }

  quorum(name) {
    if (this.#quorum.length > 0) refuse("one quorum", "a second one");
    this.#quorum.push(name === NONE ? null : this.#member(name));
  }

  custodian(name, vkey) {
    if (!/^[a-z0-9-]{1,32}$/.test(name)) refuse("a custodian's name: 1 to 32 of a-z, 0-9 and -", quote(name));
    checkRoom(this.#custodians);
    const key = VerifierKey.parse(vkey);
    for (const other of this.#custodians) {
      if (other.name === name || sameBytes(other.key.publicKey, key.publicKey)) {
        refuse("each custodian once, with a key of its own", `that of ${other.name} again`);
      }
    }
    this.#custodians.push({ name, key });
  }

  beacon(...words) {
    checkRoom(this.#beacons);
    const beacon = Beacon.parse(words.join(" "));
    if (this.#beacons.some(({ hash }) => hash === beacon.hash)) refuse("each beacon once", `${beacon.hash} again`);
    this.#beacons.push(beacon);
  }

  #define(name, member) {
    if (name === NONE || this.#members.has(name)) refuse("a new name, and not none", quote(name));
    this.#members.set(name, member);
  }

  #member(name) {
    const member = this.#members.get(name);
    if (member === undefined) refuse("the name of a witness or group of an earlier line", quote(name));
    return member;
  }
}

function numberOf(text, members) {
  if (text === "all") return members;
  if (text === "any") return 1;
  if (!/^[1-9][0-9]{0,3}$/.test(text) || Number(text) > members) {
    refuse(`all, any, or a number from 1 to ${members}, the number of members`, quote(text));
  }
  return Number(text);
}

function checkRoom(lines) {
  if (lines.length === MOST_IN_POLICY) refuse(`at most ${MOST_IN_POLICY} lines of this kind`, "one more");
}

function refuse(expected, found) {
  throw new Malformed("policy", expected, found);
}
