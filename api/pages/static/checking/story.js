/**
 * How a round came about, as a line in time: what was fixed when, who saw it, and what followed, each with what
 * proves it.
 */

import { QUICKNET } from "../../verifier/beacon/chain.js";
import { looksOf, placeInWords, thingInWords } from "../../verifier/pictures/pictures.js";
import { _ } from "../words.js";

/** Where everybody can get the pulses of quicknet. */
const RELAY = `https://api.drand.sh/${QUICKNET.hash}/public/`;

/**
 * @typedef {object} Event
 * @property {string} title
 * @property {boolean} done whether it is shown to have happened
 * @property {?string} [when] a TIME
 * @property {?string} [sentence]
 * @property {{name: string, when: string}[]} [witnesses]
 * @property {?{name: string, text: string}} [proof] what shows it, to be looked at
 * @property {?{name: string, href: string}} [link] where else it is
 */

/**
 * The events of a round that was checked by its code or its proof file, in their order.
 * @param {import("../../verifier/verifier.js").Report} report of a check that is whole
 * @returns {Event[]}
 */
export function sayStory(report) {
  const { committedAt, openedAt, lockedAt, revealedAt, pulse } = report;
  const shows = recordsOf(report);
  return [
    {
      title: pulse === null ? _("Fixed") : _("Committed"),
      done: true,
      when: committedAt,
      sentence: pulse === null ? null : _("The seeds were fixed. The outcomes also depend on a pulse of a beacon."),
      proof: shows("batch"),
    },
    ...(pulse === null ? [] : [sayWitnessed(report), sayPulse(report, shows("salt"))]),
    ...(openedAt === null ? [] : [{ title: _("Opened for bets"), done: true, when: openedAt }]),
    { title: _("Locked: no more bets"), done: lockedAt !== null, when: lockedAt, proof: shows("lock") },
    { title: _("Revealed"), done: revealedAt !== null, when: revealedAt, proof: shows("reveal") },
  ];
}

/**
 * The order that players' decisions moved along, place by place.
 * @param {import("../../verifier/verifier.js").Report} report
 * @returns {{place: string, things: {position: number, thing: string}[]}[]}
 */
export function sayHands({ game, declaration, order }) {
  const looks = looksOf(game, declaration);
  return [...new Set(order.map(({ place }) => place))].map((place) => ({
    place: placeInWords(place, _),
    things: order
      .filter((each) => each.place === place)
      .map(({ position, thing }) => ({ position, thing: thingInWords(looks.get(place), String(thing)) })),
  }));
}

/** By whose clocks these times are. */
export function sayClocks({ batchWitnessed, pulse }) {
  if (pulse?.at == null) return _("The order of the records is proven by the log. The times are by the operator’s clock.");
  return batchWitnessed === null
    ? _("The order of the records is proven by the log. The time of the pulse is the beacon’s; all others are by the operator’s clock.")
    : _("The order of the records is proven by the log. The times of the witnesses and of the pulse are by their own clocks, all others by the operator’s.");
}

function sayWitnessed({ batchWitnessed, steps }) {
  const title = _("Witnessed");
  if (batchWitnessed === null) {
    const sentence = _("Not checked. Use a policy in the place of the key: it names the witnesses who must have seen this before the pulse existed.");
    return { title, done: false, sentence };
  }
  return {
    title,
    done: true,
    sentence: _("These outsiders had signed it before the pulse existed, by their own clocks."),
    witnesses: batchWitnessed.witnesses.map(({ name, at }) => ({ name, when: at })),
    proof: { name: _("What they signed"), text: valueOf(steps, "witnessed").text },
  };
}

function sayPulse({ pulse: { round, at }, salt, steps }, proof) {
  const title = _("The beacon’s pulse");
  if (salt === null) return { title, done: false, when: at, sentence: _("Round %(round)s of the beacon is still to come.", { round }) };
  if (at === null) {
    const sentence = _("Round %(round)s of a beacon that is unknown here: whether this was its pulse could not be checked.", { round });
    return { title, done: false, when: salt.saltedAt, sentence, proof };
  }
  const signedBy = valueOf(steps, "signed-by").text;
  return {
    title,
    done: true,
    when: at,
    sentence: _("Round %(round)s of the beacon was mixed into every outcome of the batch.", { round }),
    proof,
    link: signedBy === QUICKNET.hash ? { name: _("The same pulse, from the beacon itself"), href: `${RELAY}${round}` } : null,
  };
}

/** The first record of a kind that the steps show: of several batches, the round's own. */
function recordsOf({ steps }) {
  return (label) => {
    const found = valueOf(steps, label);
    return found === null ? null : { name: _("position %(position)s in the log", { position: found.of.split(" ")[1] }), text: found.text };
  };
}

function valueOf(steps, label) {
  return steps.flatMap(({ values }) => values).find((value) => value.label === label) ?? null;
}
