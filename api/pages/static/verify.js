/**
 * The page /verify: takes a code or a file (a proof, a bet's receipt, evidence), checks it in this browser, and shows
 * every step. What the verdict on a code does not need is imported when it is.
 */

import { started } from "./checking/fault.js";
import { findCodes } from "../verifier/player/pasted-code.js";
import { filesOf } from "./asking/files.js";
import { checkRound, proofOf } from "./asking/round.js";
import { onDrop, readFile } from "./checking/files.js";
import { LogKey } from "./checking/key.js";
import { checkOf, sayInsecure, sayUnreadFile, taken } from "./checking/kinds.js";
import { isWhole } from "./checking/say.js";
import { Showing } from "./checking/show.js";
import { checkpointOf } from "./checking/signer.js";
import { _ } from "./words.js";

const at = (id) => document.getElementById(id);
const { log, key: pageKey } = at("ask").dataset;
/** Only the service itself makes proof files of its rounds, not whoever serves another log. */
const isOwnLog = log === "/log";
/** Of another log nobody knows where its rounds have their pages. */
const pageOf = (table, round) => (isOwnLog ? new URL(`/tables/${encodeURIComponent(table)}/rounds/${round}`, location.href).href : null);
/** What this service says of a round. */
const askService = async (table, round) => (await fetch(`/v1/tables/${encodeURIComponent(table)}/rounds/${round}`)).json();
const showing = new Showing({ sheet: "/static/pictures.svg", pageOf });
const logKey = new LogKey(log, pageKey, () => again?.());
let again = null;
let running = 0;

at("ask").inert = false;
at("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  enter(at("code").value);
});
at("code").addEventListener("keydown", (event) => {
  // A code has one line, so Enter means: check it.
  if (event.key === "Enter" && !event.shiftKey) {
    event.preventDefault();
    at("ask").requestSubmit();
  }
});
at("choose").addEventListener("click", () => at("file").click());
at("file").addEventListener("change", () => at("file").files[0] && checkFile(at("file").files[0]));
onDrop(checkFile);
addEventListener("hashchange", enterFromAddress);
if (at("tries") !== null && !asked()) import("./checking/tries.js").then(({ offerRounds }) => offerRounds(at("tries"), enter));
at("scan").hidden = !navigator.mediaDevices?.getUserMedia;
at("scan").addEventListener("click", scanCode);
started();
// Until the page was there, an element's name looked like a code.
document.documentElement.classList.toggle("asked", asked());
enterFromAddress();

function enterFromAddress() {
  if (asked()) enter(unescaped(location.hash.slice(1)));
}

/** Whether there is a code in the address; an element's name is none: somebody went to the content. */
function asked() {
  return location.hash.length > 1 && at(location.hash.slice(1)) === null;
}

/** An address that cannot be decoded is taken as it is: a mistyped code. */
function unescaped(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function enter(typed) {
  const mine = ++running;
  const { codes, longest, unseen } = findCodes(typed);
  const code = codes[0] ?? longest;
  if (codes.length < 2) at("code").value = code;
  const question = codes.length === 1 ? null : (await import("./checking/typing.js")).questionAbout(codes, code, unseen, enter);
  if (mine !== running) return;
  at("code").setAttribute("aria-invalid", String(question !== null && codes.length < 2));
  if (question !== null) return showing.tell(...question);
  history.replaceState(null, "", `#${code}`);
  run("code", async (options) => checkRound(code, isOwnLog ? await proofOf(code) : null, { ...options, logName: logKey.logName }));
}

async function checkFile(file) {
  const mine = ++running;
  at("code").removeAttribute("aria-invalid");
  const given = await readFile(file);
  if (mine !== running) return;
  // The address is printed with the verdict, so it names no other round than the file's.
  history.replaceState(null, "", location.pathname + location.search);
  if (given === null) return showing.tell(sayUnreadFile());
  const { kind, bytes, helped } = taken(given);
  const check = kind === "bet" ? checkBet : checkOf(kind);
  run(kind, (options) => check(bytes, options), kind === "proof" ? checkpointOf(bytes) : null, helped);
}

async function checkBet(...given) {
  const { checkBet: check } = await import("../verifier/check/bet.js");
  return check(...given);
}

async function run(kind, check, ofFile = null, helped = []) {
  if (!isSecureContext) return showing.tell(sayInsecure());
  const mine = ++running;
  again = () => run(kind, check, ofFile, helped);
  if (!logKey.text) return logKey.ask(showing);
  const read = filesOf(log);
  showing.begin();
  const onStep = (step) => mine === running && showing.step(kind, step);
  const report = await check({ ...logKey.trust, read, onStep });
  const logToday = ofFile !== null && isWhole(report.verdict) ? await logKey.confrontFile(read, ofFile) : null;
  if (mine !== running) return;
  // A file may be of another log.
  const ask = kind === "code" && isOwnLog ? askService : null;
  showing.end(report, { logToday, helped, read, key: logKey.name, ask });
  // Only a log whose checkpoint this key has signed is compared with the one that was seen before.
  if ((kind === "code" || kind === "bet") && report.log !== null) await logKey.confront(read, report.note);
}

async function scanCode() {
  const dialog = at("camera");
  const stop = new AbortController();
  const close = () => stop.abort();
  dialog.addEventListener("close", close, { once: true });
  at("stop").onclick = () => dialog.close();
  at("camera-trouble").textContent = "";
  dialog.showModal();
  const { NoReader, scan } = await import("./checking/scan.js");
  try {
    const code = await scan(dialog.querySelector("video"), stop.signal);
    dialog.close();
    if (code !== null) enter(code);
  } catch (error) {
    at("camera-trouble").textContent =
      error instanceof NoReader
        ? _("The script that reads QR codes did not arrive. Type the code instead, or try again.")
        : _("There is no camera, or this page may not use it.");
  }
}
