/**
 * The log's key, or a policy in its place: which one is used, where it comes from, and what this browser remembers of
 * the log.
 */

import { Malformed } from "../../verifier/basics/errors.js";
import { policyOf, policyOfNote } from "../../verifier/policy/policy.js";
import { _ } from "../words.js";
import { drawValues, element, leadingTo } from "./draw.js";
import { offered, savedFile } from "./evidence.js";
import { forget, recall, remember } from "./remembered.js";
import { said, saySentence } from "./say.js";

/** The address of a page without a log. What it remembers is kept under it. */
export const FOR_FILES = "file";
const at = (id) => document.getElementById(id);

/** The key of the log at one address, its place on the page, and its memory. */
export class LogKey {
  #address;
  #isForFiles;
  #pageText;
  #changed;
  #memory;

  /**
   * `address` is the log's; `FOR_FILES` for a page without a log, whose files name theirs. `pageText`: the key or the
   * policy that came with the page; empty if none did. `changed` is called when another one is used.
   */
  constructor(address, pageText, changed) {
    this.#address = address;
    this.#isForFiles = address === FOR_FILES;
    this.#pageText = pageText;
    this.#changed = changed;
    this.#memory = this.#rememberedOf(address);
    at("own-key").inert = false;
    at("own-key").addEventListener("submit", (event) => {
      event.preventDefault();
      // What nobody can see is pasted along.
      this.#use(at("own").value.replace(/\p{Cf}/gu, "").trim());
    });
    at("forget").addEventListener("click", () => {
      forget(address);
      this.#memory = null;
      at("own").value = "";
      at("alarm").replaceChildren();
      this.#show();
    });
    this.#show();
    this.#compare();
  }

  /**
   * The key or the policy to check with: the player's own, else the one remembered, else the page's; empty if there
   * is none.
   */
  get text() {
    if (this.#memory === null) return this.#pageText;
    // The operator may exchange its policy; only another key is a reason to hold on to what the page brought before.
    const isPages = !this.#memory.own && this.#pageText && this.#keyOf(this.#memory.vkey) === this.#keyOf(this.#pageText);
    return isPages ? this.#pageText : this.#memory.vkey;
  }

  /** The same, as the checks take it. */
  get trust() {
    return this.#trustOf(this.text);
  }

  /** What people call the key: the log's name, and the key's own. */
  get name() {
    return this.#keyOf(this.text).split("+", 2).join("+");
  }

  /** The name of the log whose key it is. */
  get logName() {
    return this.#policyOf(this.text).log.name;
  }

  /** Ask for a key: without one, nothing can be checked. `showing` is where the verdict would be. */
  ask(showing) {
    showing.tell(said("question", _("Give the log’s key first: without it nothing can be checked.")), leadingTo("own", _("Enter the key")));
  }

  /**
   * Compare the log with the checkpoint that this browser saw last, and remember the newer one.
   * @param {import("../../verifier/verifier.js").Read} read
   * @param {?string} [ofProof] the signed checkpoint of a proof file from just now, which was seen as well
   */
  async confront(read, ofProof = null) {
    if ((await this.#confrontSeen(this.#memory?.checkpoint ?? null, read)) && ofProof !== null) await this.#confrontSeen(ofProof, read);
  }

  /** Returns whether the log continues what was seen. */
  async #confrontSeen(seen, read) {
    const history = await this.#historyOf(seen, read);
    if (history.verdict === "failed") {
      this.#alarm(_("The log does not continue the one that this browser saw before: its history was rewritten, or somebody is shown another log."), history);
    }
    if (history.verdict === "unreadable" && history.evidence !== null) this.#smaller(history.evidence);
    if (history.verdict !== "held") return false;
    const { own = false, since = today() } = this.#memory ?? {};
    this.#memory = { vkey: this.text, own, since, checkpoint: history.checkpoint };
    remember(this.#address, this.#memory);
    this.#show(history.size);
    return true;
  }

  /**
   * Compare the log with the checkpoint of a proof file.
   * @param {import("../../verifier/verifier.js").Read} read
   * @param {string} note the signed checkpoint
   * @returns {Promise<?number>} how many records the log has now; null if it does not extend the file's log, or cannot be read
   */
  async confrontFile(read, note) {
    const history = await this.#historyOf(note, read);
    if (history.verdict === "failed") {
      this.#alarm(_("The log of this page does not continue the log of the file: its history was rewritten, or somebody is shown another log."), history);
    }
    return history.size;
  }

  async #historyOf(seen, read) {
    const later = await import("../../verifier/forks/history.js").catch(() => null);
    // A script that does not arrive is like a log that does not: the verdict stays.
    return later === null ? { verdict: "unreadable", evidence: null, size: null } : later.checkHistory(seen, { ...this.trust, read });
  }

  /**
   * What is remembered about a log; null if the remembered key is not a key, because nothing can be checked with it.
   */
  #rememberedOf(address) {
    const memory = recall(address);
    try {
      if (memory !== null) this.#policyOf(memory.vkey);
      return memory;
    } catch {
      return null;
    }
  }

  /**
   * Of a policy with several logs, the one with the address of this page's log is meant; of files, each says it
   * itself.
   */
  #trustOf(text) {
    if (!isPolicy(text)) return { vkey: text };
    return this.#isForFiles ? { policy: text } : { policy: text, address: new URL(this.#address, document.baseURI).href };
  }

  #policyOf(text) {
    const trust = this.#trustOf(text);
    return this.#isForFiles ? policyOfNote(trust, new Uint8Array()) : policyOf(trust);
  }

  /** The log's key, also of a policy. */
  #keyOf(text) {
    return String(this.#policyOf(text).log);
  }

  #use(text) {
    try {
      this.#policyOf(text);
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      at("own-trouble").textContent = isPolicy(text)
        ? _("This policy cannot be used: %(why)s", { why: error.message })
        : _("This is not a log’s key. It looks like casino.example/log+1a2b3c4d+A…, in one line.");
      return;
    }
    at("own-trouble").textContent = "";
    const seen = this.#memory !== null && this.#keyOf(this.#memory.vkey) === this.#keyOf(text) ? this.#memory.checkpoint : null;
    this.#memory = { vkey: text, own: true, since: today(), checkpoint: seen };
    remember(this.#address, this.#memory);
    this.#show();
    this.#compare();
    this.#changed();
  }

  #show(size = null) {
    at("forget").hidden = this.#memory === null;
    at("memory").replaceChildren(...this.#remembered(size));
    at("whose-key").hidden = this.#memory?.own === true;
  }

  #remembered(size) {
    if (this.#memory === null) return [];
    const { own, since, vkey } = this.#memory;
    const ownOne = isPolicy(vkey) ? _("Your own policy is used, since %(day)s.", { day: since }) : _("Your own key is used, since %(day)s.", { day: since });
    const parts = [own ? ownOne : _("This browser remembers the log’s key since %(day)s.", { day: since })];
    if (size !== null) parts.push(" ", _("The log still continues what it was then: records %(size)s.", { size }));
    return parts;
  }

  #compare() {
    if (!this.#pageText || this.#keyOf(this.text) === this.#keyOf(this.#pageText)) return at("alarm").replaceChildren();
    const words = this.#memory.own
      ? _("The key on this page is not the one that you gave. Yours is used.")
      : _("This page shows another key than on %(day)s. The one that was remembered is used.", { day: this.#memory.since });
    this.#warn(words, [element("p", {}, _("If no new key was announced in a way that you trust, do not trust this page."))]);
  }

  #alarm(headline, { failure, evidence }) {
    const advice = evidence === null ? [element("p", {}, saySentence({ code: failure.means }))] : offered(evidence);
    const proof = element("details", {}, element("summary", {}, _("How this is proven")), drawValues([{ name: _("Expected"), value: failure.expected }, { name: _("Found"), value: failure.found }]));
    this.#warn(headline, [...advice, proof]);
  }

  /** It may be an old copy, and accuses nobody. */
  #smaller(pair) {
    const parts = [
      element("p", {}, element("strong", {}, _("This log is smaller than the one that this browser saw before."))),
      element("p", {}, _("It may be an older copy, and nobody has been shown to cheat: no file shows whether it begins what was seen. If it stays so, keep both signed heads of the log, and ask the operator.")),
      element("p", {}, savedFile(pair, "button", _("Save both heads"))),
    ];
    at("alarm").replaceChildren(element("div", { class: "notice caution stack close" }, ...parts));
  }

  #warn(headline, parts) {
    at("alarm").replaceChildren(element("div", { class: "notice bad stack close" }, element("p", {}, element("strong", {}, headline)), ...parts));
  }
}

/** Whether this is a policy: that has two lines at least, and a key has one. */
function isPolicy(text) {
  return text.includes("\n");
}

function today() {
  return new Date().toISOString().slice(0, 10);
}
