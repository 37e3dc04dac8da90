/** The page that a player keeps: it checks proof files from the disk, without any network. */

import { started } from "./checking/fault.js";
import "./checking/kept-language.js";
import { onDrop, readFile } from "./checking/files.js";
import { FOR_FILES, LogKey } from "./checking/key.js";
import { checkOf, sayBetReceipt, sayInsecure, sayUnreadFile, taken } from "./checking/kinds.js";
import { Showing } from "./checking/show.js";
import { signerOf } from "./checking/signer.js";
import { _ } from "./words.js";

const at = (id) => document.getElementById(id);
const showing = new Showing({ sheet: "" });
const logKey = new LogKey(FOR_FILES, "", () => bytes !== null && check());
let bytes = null;
let helped = [];
let kind = null;

at("choose").addEventListener("click", () => at("file").click());
at("file").addEventListener("change", () => at("file").files[0] && take(at("file").files[0]));
onDrop(take);
started();

async function take(file) {
  const given = await readFile(file);
  if (given === null) return showing.tell(sayUnreadFile());
  ({ kind, bytes, helped } = taken(given));
  at("name").textContent = file.name;
  at("signer").textContent = whoSigned(bytes);
  await check();
}

async function check() {
  if (!isSecureContext) return showing.tell(sayInsecure());
  const run = checkOf(kind);
  if (run === null) return showing.tell(sayBetReceipt({ name: at("name").textContent, trust: logKey.trust }));
  if (!logKey.text) return logKey.ask(showing);
  showing.begin();
  const { name, keyId } = signerOf(bytes) ?? { name: "", keyId: "" };
  showing.end(await run(bytes, logKey.trust), { helped, key: `${name}+${keyId}` });
}

function whoSigned(bytes) {
  const signer = signerOf(bytes);
  if (signer === null) return "";
  return _("The file says it is of the log %(name)s, whose key begins with %(key)s. Compare that with a key that you have from elsewhere.", {
    name: signer.name,
    key: `${signer.name}+${signer.keyId}`,
  });
}
