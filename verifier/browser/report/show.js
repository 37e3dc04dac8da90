// What several steps show: a checkpoint, a record with its place in the tree, a salt, a draw.

import { sameBytes } from "../basics/bytes.js";
import { parseHex } from "../basics/spelling.js";
import { secondsText } from "../basics/times.js";
import { contextOf, Stream } from "../draws/stream.js";
import { splitNote } from "../log/notes.js";
import { nameText } from "../policy/policy.js";
import { spelled } from "../declared/spelling.js";
import { pulseOf, saltOf } from "../records/salts.js";
import * as commands from "./commands.js";

/**
 * @param {import("./steps.js").Shown} shown
 * @param {import("../log/checkpoints.js").Checkpoint} checkpoint
 * @param {Uint8Array} note
 * @param {import("../log/notes.js").VerifierKey} key
 */
export function showCheckpoint(shown, { origin, size, root }, note, key) {
  const { text, signatures } = splitNote(note);
  const own = signatures.find((each) => each.name === key.name && sameBytes(each.keyId, key.keyId));
  shown.text("origin", origin);
  shown.text("size", size);
  shown.hex("root", root);
  shown.text("checkpoint-text", text);
  shown.hex("signature", own.signature);
  shown.hex("public-key", key.publicKey);
  shown.command(commands.signatureCommand(text, own.signature, key.publicKey));
}

/**
 * @param {import("./steps.js").Shown} shown
 * @param {string} label
 * @param {import("../round/placed.js").Placed} placed
 * @param {{checkpoint: import("../log/checkpoints.js").Checkpoint, inclusionPath: (index: bigint) =>
 *   Promise<Uint8Array[]>}} tree
 */
export async function showRecord(shown, label, { index, bytes, leaf }, tree) {
  const path = await tree.inclusionPath(index);
  const of = `record ${index}`;
  shown.text(label, new TextDecoder().decode(bytes), of);
  shown.hex("leaf-hash", leaf, of);
  shown.command(commands.leafCommand(bytes, leaf), of);
  shown.command(commands.rootCommand(leaf, index, tree.checkpoint.size, path, tree.checkpoint.root), of);
}

/**
 * @param {import("./steps.js").Shown} shown
 * @param {import("../round/placed.js").Placed} batch
 * @param {import("../round/placed.js").Placed} salt of this batch
 * @param {?import("../beacon/chain.js").Beacon} beacon whose pulse it was checked to be; `null` if that is unknown
 */
export function showSalt(shown, { record: batch }, { record, index }, beacon) {
  const of = `record ${index}`;
  const [pulse, salt] = [pulseOf(record), saltOf(record)];
  shown.text("beacon-round", batch.beacon, of);
  if (beacon !== null) shown.text("signed-by", beacon.hash, of);
  shown.hex("pulse", pulse, of);
  shown.hex("salt-hash", salt, of);
  shown.command(commands.saltCommand(pulse, salt), of);
}

/**
 * @param {import("./steps.js").Shown} shown
 * @param {import("../round/placed.js").Placed} batch
 * @param {Uint8Array} file the proof that witnesses saw the batch
 * @param {import("../policy/witnessed.js").Witnessed} witnessed what it says
 */
export function showWitnessed(shown, { leaf, index }, file, { head: { checkpoint }, seen, path }) {
  for (const { witness, time } of seen) shown.text("witnessed-by", secondsText(time), nameText(witness.name));
  shown.text("witnessed", new TextDecoder().decode(file));
  shown.command(commands.rootCommand(leaf, index, checkpoint.size, path, checkpoint.root), `record ${index}`);
}

/**
 * @param {import("./steps.js").Shown} shown
 * @param {import("../records/record.js").LogRecord} reveal
 * @param {{name: string, game: import("../games/games.js").Game, rules: Record<string, number>, batchId: Uint8Array, salt: Uint8Array}} batch rules that were
 *   checked
 */
export function showDraw(shown, { seeds: texts, round, outcome: found }, { name, game, rules, batchId, salt }) {
  const seeds = texts.map((seed) => parseHex(seed));
  const context = contextOf(batchId, salt);
  const stream = Stream.of(seeds, context, round);
  const outcome = game.outcome(stream, rules);
  const taken = Stream.of(seeds, context, round).take(stream.taken);
  shown.text("rules", spelled(rules));
  shown.hex("batch-id", batchId);
  shown.hex("context", context);
  shown.command(commands.contextCommand(batchId, salt, context));
  shown.hex("stream", taken);
  shown.command(commands.streamCommand(seeds, context, round, taken));
  shown.text("computed", spelled(outcome));
  shown.text("outcome", spelled(found));
  const draw = commands.drawCommand(name, rules, taken, outcome);
  if (draw !== null) shown.command(draw);
}
