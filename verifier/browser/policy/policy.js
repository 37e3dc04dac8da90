// Policies: the text in which a verifier says whom it believes (SPEC 5.7).

import { Beacon } from "../beacon/chain.js";
import { sameBytes, utf8, utf8Text } from "../basics/bytes.js";
import { Malformed, quote } from "../basics/errors.js";
import { LARGEST_POLICY, MOST_IN_POLICY } from "../basics/limits.js";
import { VerifierKey } from "../log/notes.js";
import { WitnessKey } from "./cosignatures.js";
import { Group, Witness } from "./quorum.js";

const NONE = "none";
export const CUSTODIAN = /^[a-z0-9-]{1,32}$/;
export const THRESHOLD = /^[1-9][0-9]{0,3}$/;
/** The lines, by their first word, and how many words may follow that. */
export const FORMS = {
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
 * What a policy file says: the same about each of the logs that it names.
 * @typedef {Omit<Policy, "log"> & {logs: {key: VerifierKey, url: ?string}[]}} Policies
 */

/**
 * Whom a check is told to believe: a policy, or a bare key, which is the policy that asks for no witness.
 * @typedef {object} Trust
 * @property {string} [vkey] the log's verifier key, `name+id+key`
 * @property {string} [policy] the text of a policy, in the place of the key
 * @property {string} [logName] which of several logs of the policy is meant
 * @property {string} [address] the log's, which chooses the line with this address
 */

/**
 * @param {Trust} trust
 * @returns {Policy}
 * @throws {Malformed}
 */
export function policyOf({ vkey, policy, logName, address }) {
  if (policy !== undefined) return chosen(parsePolicies(utf8(policy)), { logName, address });
  return { log: VerifierKey.parse(vkey), quorum: null, witnesses: [], custodians: [], beacons: [] };
}

/**
 * Whom to believe about a file that somebody gave: its checkpoint's first line chooses among several logs.
 * @param {Trust} trust
 * @param {Uint8Array} note the checkpoint
 * @returns {Policy}
 * @throws {Malformed}
 */
export function policyOfNote({ vkey, policy, logName, address }, note) {
  if (policy === undefined || logName !== undefined) return policyOf({ vkey, policy, logName, address });
  const policies = parsePolicies(utf8(policy));
  const [origin] = new TextDecoder().decode(note).split("\n");
  return of(policies, policies.logs.find(({ key }) => key.name === origin) ?? policies.logs[0]);
}

/**
 * @param {Uint8Array} bytes
 * @returns {Policy} one that names one log
 * @throws {Malformed} which names the line
 */
export function parsePolicy(bytes) {
  return chosen(parsePolicies(bytes), {});
}

/**
 * @param {Uint8Array} bytes
 * @returns {Policies}
 * @throws {Malformed} which names the line
 */
export function parsePolicies(bytes) {
  if (bytes.length > LARGEST_POLICY) refuse(`at most ${LARGEST_POLICY} bytes`, `${bytes.length} bytes`);
  const reader = new Reader();
  linesOf(bytes).forEach((line, at) => {
    try {
      const words = wordsOf(line);
      if (words.length > 0) reader.read(words);
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      const what = error.what === "policy" ? "" : `, ${error.what}`;
      throw new Malformed(`policy, line ${at + 1}${what}`, error.expected, error.found);
    }
  });
  return reader.whole();
}

/** The only log, or the one of this name or address. */
function chosen(policies, { logName = null, address = null }) {
  const named = policies.logs.filter(({ key }) => logName === null || key.name === logName);
  const found = named.length === 1 ? named : named.filter(({ url }) => address !== null && isSame(url, address));
  if (found.length !== 1) {
    const names = policies.logs.map(({ key }) => key.name).join(", ");
    throw new Malformed("log", `one of the policy's logs: ${names}`, quote(logName ?? address ?? "none"));
  }
  return of(policies, found[0]);
}

function isSame(url, address) {
  return url !== null && url.replace(/\/+$/, "") === address.replace(/\/+$/, "");
}

function of({ logs: _, ...rest }, { key }) {
  return { log: key, ...rest };
}

/**
 * @param {Uint8Array} bytes a policy
 * @returns {string[]} its lines; names are opaque, so each byte is a character here
 */
export function linesOf(bytes) {
  return Array.from(bytes, (value) => String.fromCharCode(value)).join("").split("\n");
}

/**
 * @param {string} line
 * @returns {string[]} its words; none of an empty line or a comment
 * @throws {Malformed}
 */
export function wordsOf(line) {
  // eslint-disable-next-line no-control-regex
  if (/[\x00-\x08\x0b-\x1f\x7f]/.test(line)) refuse("no control characters but tabs", quote(line));
  const words = line.split(/[ \t]+/).filter((word) => word !== "");
  return words.length > 0 && words[0].startsWith("#") ? [] : words;
}

/**
 * @param {string[]} words a line
 * @throws {Malformed} if it begins with no word of a policy, or has too few or too many
 */
export function checkWords([kind, ...rest]) {
  if (!Object.hasOwn(FORMS, kind)) refuse(`one of ${Object.keys(FORMS).join(", ")}`, quote(kind));
  const { form, least, most } = FORMS[kind];
  if (rest.length < least || rest.length > most) refuse(form, quote([kind, ...rest].join(" ")));
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
  #logs = [];
  #quorum = [];
  #members = new Map();
  #grouped = new Set();
  #groups = [];
  #witnesses = [];
  #custodians = [];
  #beacons = [];

  read([kind, ...rest]) {
    checkWords([kind, ...rest]);
    this[kind](...rest);
  }

  whole() {
    if (this.#logs.length === 0) refuse(`one line: ${FORMS.log.form}`, "none");
    if (this.#quorum.length === 0) refuse(`one line: ${FORMS.quorum.form}`, "none");
    const isLogs = ({ key: { publicKey } }) => this.#logs.some(({ key }) => sameBytes(key.publicKey, publicKey));
    if (this.#witnesses.some(isLogs)) refuse("witnesses with keys of their own", "a log's");
    // Every log's own custodian has the same name.
    if (this.#custodians.length > 0 && this.#logs.length > 1) refuse("one log, for it has custodians", `${this.#logs.length} logs`);
    return {
      logs: this.#logs,
      quorum: this.#quorum[0],
      witnesses: this.#witnesses,
      custodians: this.#custodians,
      beacons: this.#beacons,
    };
  }

  log(vkey, url = null) {
    checkRoom(this.#logs);
    const key = VerifierKey.parse(vkey);
    const isKnown = (other) => other.key.name === key.name || sameBytes(other.key.publicKey, key.publicKey);
    if (this.#logs.some(isKnown)) refuse("each log once, with a key of its own", `that of ${key.name} again`);
    this.#logs.push({ key, url });
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
    if (!CUSTODIAN.test(name)) refuse("a custodian's name: 1 to 32 of a-z, 0-9 and -", quote(name));
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
  if (!THRESHOLD.test(text) || Number(text) > members) {
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
