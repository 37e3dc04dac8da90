/** What a file is that somebody drops, by its first line. */

import { checkEvidence, checkProof } from "../../verifier/verifier.js";
import { _ } from "../words.js";

const CHECKS = { proof: checkProof, evidence: checkEvidence };
const FIRST_LINES = { "foredraw/v1/fork": "evidence", "foredraw/v1/bet": "bet" };
const LONGEST = 40;

/** `evidence`, `bet`, or `proof` for all else: its check says what a proof has and this has not. */
export function kindOfFile(bytes) {
  const [first] = new TextDecoder().decode(bytes.subarray(0, LONGEST)).split("\n");
  return FIRST_LINES[first] ?? "proof";
}

/** The check of a kind of file that needs nothing else; null where there is none. */
export function checkOf(kind) {
  return CHECKS[kind] ?? null;
}

/** What is said of the receipt of a bet where there is no log that it could be read together with. */
export function sayBetReceipt({ name, vkey }) {
  const command = `foredraw-verify bet ${quoted(name)} --log LOG --key ${vkey || "KEY"}`;
  return {
    state: "unreadable",
    headline: _("This is the receipt of a bet"),
    sentence: _("It shows that the bet was among those that were fixed before the outcome was published. To check it takes the log, so this page cannot; the casino’s page can, and so can the program foredraw-verify, on your own device:"),
    facts: [{ name: _("Command"), value: command, bytes: true }],
  };
}

/** What is said of a file that the browser could not read. */
export function sayUnreadFile() {
  return { state: "unreadable", headline: _("No verdict"), sentence: _("The file could not be read.") };
}

/** A file's name as a shell takes it, whatever is in it. */
function quoted(name) {
  return /^[\w.][\w.-]*$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}
