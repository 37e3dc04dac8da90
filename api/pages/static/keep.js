/**
 * The page that a player keeps: it checks proof files from the disk, without any network. Served beside a list of logs
 * (docs/regulator.md), it checks codes as well.
 */

import { started } from "./checking/fault.js";
import { isServed, reachOnly } from "./asking/reach.js";
import "./checking/kept-language.js";
import { findCodes } from "../verifier/player/pasted-code.js";
import { askAll, askOne, decided, listedHere, NoList } from "./asking/listed.js";
import { drawAnswers, sayNotListed, sayOpen } from "./checking/asked.js";
import { element } from "./checking/draw.js";
import { onDrop, readFile } from "./checking/files.js";
import { FOR_FILES, LogKey } from "./checking/key.js";
import { checkOf, sayBetReceipt, sayInsecure, sayUnreadFile, taken } from "./checking/kinds.js";
import { Showing } from "./checking/show.js";
import { signerOf } from "./checking/signer.js";
import { questionAbout } from "./checking/typing.js";
import { _ } from "./words.js";

const at = (id) => document.getElementById(id);
let showing = new Showing({ sheet: "" });
const logKey = new LogKey(FOR_FILES, "", () => bytes !== null && check());
/** The logs of the list beside this page; null without one. */
let logs = null;
let running = 0;
let bytes = null;
let helped = [];
let kind = null;

at("choose").addEventListener("click", () => at("file").click());
at("file").addEventListener("change", () => at("file").files[0] && take(at("file").files[0]));
onDrop(take);
if (isServed) lookBeside().then(started);
else started();

async function take(file) {
  const given = await readFile(file);
  running += 1;
  if (given === null) return showing.tell(sayUnreadFile());
  ({ kind, bytes, helped } = taken(given));
  at("name").textContent = file.name;
  at("signer").textContent = logs === null ? whoSigned(bytes) : "";
  await check();
}

async function check() {
  if (!isSecureContext) return showing.tell(sayInsecure());
  const run = checkOf(kind);
  const log = logs === null ? null : listedSigner(bytes);
  if (run === null) return showing.tell(sayBetReceipt({ name: at("name").textContent, trust: logs === null ? logKey.trust : logs[0].trust }));
  if (logs !== null && log === undefined) return showing.tell(sayNotListed());
  if (logs === null && !logKey.text) return logKey.ask(showing);
  showing.begin();
  const { name, keyId } = signerOf(bytes) ?? { name: "", keyId: "" };
  showing.end(await run(bytes, log?.trust ?? logKey.trust), { helped, key: log?.key ?? `${name}+${keyId}`, log: log?.name });
}

function whoSigned(bytes) {
  const signer = signerOf(bytes);
  if (signer === null) return "";
  return _("The file says it is of the log %(name)s, whose key begins with %(key)s. Compare that with a key that you have from elsewhere.", {
    name: signer.name,
    key: `${signer.name}+${signer.keyId}`,
  });
}

/** A proof and evidence have a checkpoint, in which the log's name is a line. */
function listedSigner(bytes) {
  const lines = new TextDecoder().decode(bytes).split("\n");
  return logs.find(({ name }) => lines.includes(name));
}

/** With a list beside it this page takes codes; with none it is the one from the disk, and reaches nothing either. */
async function lookBeside() {
  try {
    logs = await listedHere();
  } catch (error) {
    if (!(error instanceof NoList)) throw error;
    at("list-trouble").textContent = _("The list of logs beside this page, policies.json, cannot be used, so no code can be checked here: %(why)s", { why: error.message });
    at("list-trouble").hidden = false;
  }
  reachOnly((logs ?? []).map(({ address }) => new URL(address).origin));
  if (logs !== null) takeCodes();
}

function takeCodes() {
  at("headline").textContent = document.title = _("Was the result fixed before the round?");
  at("shown").querySelector(".lead").textContent = _("This page asks the logs that it lists, and believes its own list alone. The code is not sent anywhere: its table and its round are asked for, nothing else of it.");
  showing = new Showing({ sheet: "" });
  at("logs").replaceChildren(...logs.map(({ name, address }) => element("li", {}, element("strong", { translate: "no" }, name), element("p", { class: "soft small digits" }, address))));
  at("ask").hidden = at("listed").hidden = false;
  at("key-card").hidden = true;
  // What a code is asked with stands first.
  at("choose").classList.add("quiet");
  at("ask").addEventListener("submit", (event) => {
    event.preventDefault();
    enter(at("code").value);
  });
  at("code").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    at("ask").requestSubmit();
  });
  addEventListener("hashchange", enterFromAddress);
  enterFromAddress();
}

function enterFromAddress() {
  if (location.hash.length > 1) enter(location.hash.slice(1));
}

async function enter(typed) {
  if (!isSecureContext) return showing.tell(sayInsecure());
  const mine = ++running;
  const { codes, longest, unseen } = findCodes(typed);
  const code = codes[0] ?? longest;
  if (codes.length < 2) at("code").value = code;
  const question = codes.length === 1 ? null : questionAbout(codes, code, unseen, enter);
  at("code").setAttribute("aria-invalid", String(question !== null && codes.length < 2));
  if (question !== null) return showing.tell(...question);
  history.replaceState(null, "", `#${code}`);
  showing.begin();
  let shown;
  await askAll(code, logs, (answers) => {
    const found = decided(answers, logs.length);
    if (mine !== running || found === null || found.one === shown) return;
    shown = found.one;
    if (shown === null) showing.tell(sayOpen(answers), drawAnswers(answers, (log) => checkIn(code, log)));
    else show(shown);
  });
}

async function checkIn(code, log) {
  const mine = ++running;
  showing.begin();
  const answer = await askOne(code, log, { onStep: (step) => mine === running && showing.step("code", step) });
  if (mine === running) show(answer);
}

function show({ log, read, report }) {
  showing.end(report, { read, key: log.key, log: log.name });
}
