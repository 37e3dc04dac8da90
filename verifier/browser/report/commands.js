// Command lines that compute a step's values again, for a POSIX shell with openssl, xxd and python3. Whatever the log
// contains, they hold only hexadecimal digits, Base64, numbers, and text in single quotes.

import { concat, toHex, utf8 } from "../basics/bytes.js";
import { bigEndian, tag, u64 } from "../basics/hashing.js";
import { base64Text } from "../basics/spelling.js";
import { DRAWS } from "../games/commands.js";
import { ALPHABET, CHECKSUM_SIZE } from "../player/bech32m.js";

const SHA256 = "openssl dgst -sha256 -r | cut -c1-64";
/** DER before the 32 bytes of an Ed25519 public key (RFC 8410). */
const SPKI = Uint8Array.of(0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00);

/** @typedef {{label: string, command: string, prints: string}} Command */

/**
 * Text as one word of a shell.
 * @param {string} text
 * @returns {string}
 */
function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function python(...lines) {
  return `python3 -c ${quoted(lines.join("\n"))}`;
}

/**
 * The payload of a round code.
 * @param {string} text the code
 * @param {Uint8Array} payload
 * @returns {Command}
 */
export function payloadCommand(text, payload) {
  const characters = text.toLowerCase().slice(text.lastIndexOf("1") + 1, -CHECKSUM_SIZE);
  const bits = `b="".join(format("${ALPHABET}".index(c),"05b") for c in "${characters}")`;
  const command = python(bits, 'print("".join(format(int(b[i:i+8],2),"02x") for i in range(0,len(b)-7,8)))');
  return { label: "payload", command, prints: toHex(payload) };
}

/**
 * That the key signed the checkpoint's text.
 * @param {string} text
 * @param {Uint8Array} signature
 * @param {Uint8Array} publicKey
 * @returns {Command}
 */
export function signatureCommand(text, signature, publicKey) {
  const file = (bytes, name) => `printf %s ${base64Text(bytes)} | openssl base64 -d -A > "$d/${name}"`;
  const command = [
    "d=$(mktemp -d)",
    file(utf8(text), "text"),
    file(signature, "signature"),
    file(concat(SPKI, publicKey), "key"),
    'openssl pkeyutl -verify -pubin -keyform DER -inkey "$d/key" -rawin -in "$d/text" -sigfile "$d/signature"',
  ].join("\n");
  return { label: "signature", command, prints: "Signature Verified Successfully" };
}

/**
 * The leaf hash of a record.
 * @param {Uint8Array} bytes its bytes, printable ASCII
 * @param {Uint8Array} hash
 * @param {string} [label] `leaf-hash` by default
 * @returns {Command}
 */
export function leafCommand(bytes, hash, label = "leaf-hash") {
  const command = `printf '\\0%s' ${quoted(new TextDecoder().decode(bytes))} | ${SHA256}`;
  return { label, command, prints: toHex(hash) };
}

/**
 * The leaf hash of a bet's line.
 * @param {Uint8Array} line any bytes
 * @param {Uint8Array} hash
 * @returns {Command}
 */
export function betCommand(line, hash) {
  const command = `(printf '\\0'; printf %s ${base64Text(line)} | openssl base64 -d -A) | ${SHA256}`;
  return { label: "leaf-hash", command, prints: toHex(hash) };
}

/**
 * The root to which a leaf hash and its audit path lead.
 * @param {Uint8Array} leaf
 * @param {number|bigint} index
 * @param {number|bigint} size
 * @param {Uint8Array[]} path
 * @param {Uint8Array} root
 * @returns {Command}
 */
export function rootCommand(leaf, index, size, path, root) {
  let [at, last] = [BigInt(index), BigInt(size) - 1n];
  const sides = path.map((hash) => {
    while (at === last && at % 2n === 0n && at !== 0n) [at, last] = [at / 2n, last / 2n];
    const side = at % 2n === 1n ? "L" : "R";
    [at, last] = [at / 2n, last / 2n];
    return side + toHex(hash);
  });
  const command = python(
    "from hashlib import sha256",
    `r=bytes.fromhex("${toHex(leaf)}")`,
    `for s in "${sides.join(" ")}".split():`,
    " h=bytes.fromhex(s[1:])",
    ' r=sha256(b"\\1"+(h+r if s[0]=="L" else r+h)).digest()',
    "print(r.hex())",
  );
  return { label: "root", command, prints: toHex(root) };
}

/**
 * The anchor to which a seed unrolls.
 * @param {Uint8Array} seed
 * @param {{tableId: Uint8Array, round: number, first: number}} of its round, and the first of its batch
 * @param {Uint8Array} anchor
 * @returns {Command}
 */
export function anchorCommand(seed, { tableId, round, first }, anchor) {
  const command = python(
    "from hashlib import sha256",
    `t=b"foredraw/v1/seed\\0"+bytes.fromhex("${toHex(tableId)}")`,
    `s=bytes.fromhex("${toHex(seed)}")`,
    `for n in range(${round},${first - 1},-1): s=sha256(t+n.to_bytes(8,"big")+s).digest()`,
    "print(s.hex())",
  );
  return { label: "anchor", command, prints: toHex(anchor) };
}

/** The hash of parts that are separate words of the command line. */
function hashCommand(label, parts, hash) {
  return { label, command: `printf %s ${parts.map(toHex).join(" ")} | xxd -r -p | ${SHA256}`, prints: toHex(hash) };
}

/**
 * The commitment to a seed.
 * @param {Uint8Array} seed
 * @param {{tableId: Uint8Array, round: number}} of
 * @param {Uint8Array} digest
 * @returns {Command}
 */
export function commitmentCommand(seed, { tableId, round }, digest) {
  return hashCommand("commitment", [tag("commitment"), tableId, u64(round), seed], digest);
}

/**
 * The salt that a pulse gives.
 * @param {Uint8Array} pulse
 * @param {Uint8Array} salt
 * @returns {Command}
 */
export function saltCommand(pulse, salt) {
  return hashCommand("salt-hash", [pulse], salt);
}

/**
 * The context of a batch's streams.
 * @param {Uint8Array} batchId
 * @param {Uint8Array} salt
 * @param {Uint8Array} context
 * @returns {Command}
 */
export function contextCommand(batchId, salt, context) {
  return hashCommand("context", [tag("context"), batchId, salt], context);
}

/**
 * The bytes of the stream that the draw read.
 * @param {Uint8Array[]} seeds
 * @param {Uint8Array} context
 * @param {number} round
 * @param {Uint8Array} taken
 * @returns {Command}
 */
export function streamCommand(seeds, context, round, taken) {
  const size = taken.length;
  const blocks = Math.ceil(size / 32);
  const command = python(
    "import hmac",
    `m=bytes.fromhex("${toHex(context)}${toHex(bigEndian(round, 8))}")`,
    "x=0",
    `for s in "${seeds.map(toHex).join(" ")}".split():`,
    ` b=b"".join(hmac.digest(bytes.fromhex(s),m+j.to_bytes(4,"big"),"sha256") for j in range(${blocks}))`,
    ` x^=int.from_bytes(b[:${size}],"big")`,
    `print(x.to_bytes(${size},"big").hex())`,
  );
  return { label: "stream", command, prints: toHex(taken) };
}

/**
 * The outcome that the draw derives from the stream's bytes.
 * @param {string} game
 * @param {Record<string, number>} rules
 * @param {Uint8Array} taken
 * @param {Record<string, any>} outcome
 * @returns {Command}
 */
export function drawCommand(game, rules, taken, outcome) {
  const label = "outcome";
  if ("rtp" in rules && Object.keys(outcome).join() === "multiplier") {
    const hundredths = `max(100,min(${rules.cap},${rules.rtp}*2**64//(100*(0x${toHex(taken)}+1))))`;
    return {
      label,
      command: python(`h=${hundredths}`, 'print("%d.%02d"%(h//100,h%100))'),
      prints: outcome.multiplier,
    };
  }
  // Of a declared game, the declaration says how to compute it.
  if (!(game in DRAWS)) return null;
  const { limit, inPython } = DRAWS[game];
  const words = toHex(taken)
    .match(/.{8}/g)
    .filter((word) => parseInt(word, 16) < 2 ** 32 - (2 ** 32 % limit));
  const prints = Object.values(outcome).flat().join(" ");
  return { label, command: python(inPython(words.map((word) => `0x${word}`).join())), prints };
}
