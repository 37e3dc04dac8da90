/** A file that was dropped, as it was written; and what kind it is, by its first line. */

import { asItWasWritten } from "../../verifier/player/helped-file.js";
import { checkProof } from "../../verifier/check/proof.js";
import { _ } from "../words.js";
import { said } from "./say.js";

const CHECKS = {
  proof: checkProof,
  evidence: async (...given) => (await import("../../verifier/forks/evidence.js")).checkEvidence(...given),
};
const KINDS = { fork: "evidence", bet: "bet" };
const LONGEST = 40;

/** `evidence`, `bet`, or `proof` for anything else: the check of a proof says what is missing. */
function kindOfFile(bytes) {
  const [first] = new TextDecoder().decode(bytes.subarray(0, LONGEST)).split("\n");
  // Whatever its version: the check says which one it knows.
  const [, kind] = /^foredraw\/v[0-9]+\/([a-z-]+)$/.exec(first) ?? [];
  return KINDS[kind] ?? "proof";
}

/**
 * A file as it was written, its kind, and what was added to it on its way; of what accuses somebody, every byte
 * counts.
 */
export function taken(given) {
  const { bytes, helped } = asItWasWritten(given);
  const kind = kindOfFile(bytes);
  return kind === "evidence" ? { kind, bytes: given, helped: [] } : { kind, bytes, helped };
}

/** The check of a kind of file, if it needs nothing but the key; null if it needs the log. */
export function checkOf(kind) {
  return CHECKS[kind] ?? null;
}

/** What is shown about the receipt of a bet on a page without a log, which its check needs. */
export function sayBetReceipt({ name, trust: { vkey, policy } }) {
  const trust = policy === undefined ? `--key ${vkey || "KEY"}` : "--policy FILE";
  const command = `foredraw-verify bet ${quoted(name)} --log LOG ${trust}`;
  const words = said("question", _("This is the receipt of a bet."), {
    meaning: _("It shows that the bet was among those that were fixed before the outcome was published. To check it takes the log, so this page cannot; the casino’s page can, and so can the program foredraw-verify, on your own device:"),
  });
  return { ...words, values: [{ name: _("Command"), value: command, bytes: true }] };
}

/** What is shown about a file that the browser could not read. */
export function sayUnreadFile() {
  return said("question", _("There is no verdict: the file could not be read."));
}

/**
 * What is shown instead of a check on a page that came over http: browsers compute nothing there that could be
 * trusted.
 */
export function sayInsecure() {
  return said("question", _("There is no verdict: this page came over http."), { advice: _("Checking needs https: open the page with https.") });
}

/** A file's name as one word of a shell, whatever it contains. */
function quoted(name) {
  return /^[\w.][\w.-]*$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}
