/** What is shown where the log's key signed two histories: the file that proves it, to be saved. */

import { element } from "./draw.js";
import { _ } from "../words.js";

/** Paragraphs with a link to the evidence. */
export function offered(evidence) {
  return [
    element("p", {}, _("Both were signed. Keep this file and show it to the regulator: it proves what happened, to everybody who has the key.")),
    element("p", {}, savedFile(evidence, "button danger", _("Save the evidence"))),
  ];
}

/** A link that saves two signed checkpoints. */
export function savedFile(text, looks, words) {
  const href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  return element("a", { class: looks, href, download: "foredraw-fork.txt" }, words);
}
