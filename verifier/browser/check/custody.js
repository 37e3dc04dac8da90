// What the custodians whose keys the policy has said of a round's batch (SPEC 5.9).

import { toHex } from "../basics/bytes.js";
import { checkCustody, custodyPath, policyPathIn } from "../policy/custody.js";
import { nameText } from "../policy/policy.js";
import { Witness } from "../policy/quorum.js";

/**
 * @param {(name: string) => Promise<{note: ?Uint8Array, policy: ?Uint8Array}>} said what each of them said
 * @param {object} check of a round
 * @param {import("../round/placed.js").Placed} check.table
 * @param {import("../round/placed.js").Placed} check.batch
 * @param {import("../policy/policy.js").Policy} check.policy
 * @returns {Promise<import("../report/report.js").Fact[]>} what was shown, in the table's order
 * @throws {CheckFailed} `custody-note`
 */
export async function checkCustodians(said, { table, batch, policy }) {
  const { custodians } = table.record;
  const released = [];
  for (const name of custodians) {
    const custodian = policy.custodians.find((each) => each.name === name);
    if (custodian !== undefined) {
      released.push(await checkCustody(await said(name), { table, batch }, custodian, policy.log));
    }
  }
  if (released.length === 0) return { facts: [], unknown: [] };
  const vouched = released.map(({ name }) => name);
  const known = released.filter(({ policies }) => policies !== null);
  const newer = released.filter(({ policies }) => policies === null);
  return {
    facts: [{ code: "custody-notes", vouched }, ...known.map((each) => releaseOf(each, custodians, policy))],
    unknown: newer.map(({ name }) => ({ code: "newer-custody", name })),
  };
}

/**
 * @param {import("../log/tiles.js").Read} read the log's files
 * @param {Uint8Array} batchId
 * @returns {(name: string) => Promise<{note: ?Uint8Array, policy: ?Uint8Array}>} what the log has of a custodian for the batch
 */
export function saidInLog(read, batchId) {
  return async (name) => {
    const note = await read(custodyPath(batchId, name));
    const path = note === null ? null : policyPathIn(note);
    return { note, policy: path === null ? null : await read(path) };
  };
}

/** By what a custodian releases seeds. Of one round, only an audit excludes that an earlier lock showed it. */
function releaseOf({ name, policies: { quorum } }, custodians, policy) {
  if (quorum === null) return { code: "demands-no-witnesses", name };
  const own = new Map(policy.witnesses.map((each) => [toHex(each.key.publicKey), nameText(each.name)]));
  const others = custodians.filter((each) => each !== name);
  const strangers = new Set(witnessesOf(quorum).filter(({ key }) => !own.has(toHex(key.publicKey))));
  const told = { name, quorum: namedBy(quorum, own) };
  if (quorum.isMetBy(strangers) || others.length === 0) return { code: "releases", ...told };
  return { code: "releases-unknown-to-others-in-round", ...told, others };
}

function witnessesOf(member) {
  return member instanceof Witness ? [member] : member.members.flatMap(witnessesOf);
}

/**
 * A quorum by the names that the reader's own policy has; nothing of the custodian's file is shown as it stands.
 * @returns {import("../report/report.js").NamedQuorum}
 */
function namedBy(member, own) {
  if (member instanceof Witness) return own.get(toHex(member.key.publicKey)) ?? { threshold: null, members: [], unnamed: 1 };
  const isNamed = (each) => !(each instanceof Witness) || own.has(toHex(each.key.publicKey));
  const members = member.members.filter(isNamed).map((each) => namedBy(each, own));
  return { threshold: member.threshold, members, unnamed: member.members.length - members.length };
}
