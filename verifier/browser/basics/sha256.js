// SHA-256 (FIPS 180-4) and HMAC (RFC 2104), synchronous: a call of WebCrypto costs tens of microseconds before it
// hashes anything, and unrolling a chain takes 65,536 hashes, each of the result of the previous one.

const BLOCK = 64;
const FIRST_PRIMES = [];
for (let n = 2; FIRST_PRIMES.length < 64; n += 1) if (FIRST_PRIMES.every((p) => n % p)) FIRST_PRIMES.push(n);

// The first 32 bits after the point, computed in integers: that floating point is exact enough would need an
// argument.
const START = Int32Array.from(FIRST_PRIMES.slice(0, 8), (p) => Number(BigInt.asIntN(32, root(p, 2n))));
const ROUNDS = Int32Array.from(FIRST_PRIMES, (p) => Number(BigInt.asIntN(32, root(p, 3n))));

const words = new Int32Array(64);
const tail = new Uint8Array(2 * BLOCK);

/**
 * @param {Uint8Array} data
 * @returns {Uint8Array} 32 bytes
 */
export function sha256(data) {
  const state = START.slice();
  const whole = data.length - (data.length % BLOCK);
  for (let at = 0; at < whole; at += BLOCK) compress(state, data, at);
  const rest = data.length - whole;
  const end = rest + 9 > BLOCK ? 2 * BLOCK : BLOCK;
  tail.fill(0, rest, end);
  tail.set(data.subarray(whole));
  tail[rest] = 0x80;
  putLength(tail, end - 8, data.length);
  for (let at = 0; at < end; at += BLOCK) compress(state, tail, at);
  return bigEndian(state);
}

/**
 * @param {Uint8Array} key at most 64 bytes, as are all keys of this protocol
 * @param {Uint8Array} message
 * @returns {Uint8Array} 32 bytes, HMAC-SHA256
 */
export function hmacSha256(key, message) {
  if (key.length > BLOCK) throw new TypeError("keys of more than 64 bytes are not used");
  const inner = new Uint8Array(BLOCK + message.length).fill(0x36, 0, BLOCK);
  const outer = new Uint8Array(BLOCK + 32).fill(0x5c, 0, BLOCK);
  for (let at = 0; at < key.length; at += 1) {
    inner[at] ^= key[at];
    outer[at] ^= key[at];
  }
  inner.set(message, BLOCK);
  outer.set(sha256(inner), BLOCK);
  return sha256(outer);
}

function compress(state, data, at) {
  const w = words;
  for (let t = 0, i = at; t < 16; t += 1, i += 4) {
    w[t] = (data[i] << 24) | (data[i + 1] << 16) | (data[i + 2] << 8) | data[i + 3];
  }
  for (let t = 16; t < 64; t += 1) {
    const x = w[t - 15];
    const y = w[t - 2];
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[t] = (w[t - 16] + s0 + w[t - 7] + s1) | 0;
  }
  // One by one: destructuring runs an iterator, which costs as much as half a block.
  let a = state[0];
  let b = state[1];
  let c = state[2];
  let d = state[3];
  let e = state[4];
  let f = state[5];
  let g = state[6];
  let h = state[7];
  for (let t = 0; t < 64; t += 1) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUNDS[t] + w[t]) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}

function putLength(buffer, at, bytes) {
  const high = Math.floor(bytes / 0x20000000);
  const low = (bytes << 3) >>> 0;
  for (let i = 0; i < 4; i += 1) {
    buffer[at + i] = high >>> (24 - 8 * i);
    buffer[at + 4 + i] = low >>> (24 - 8 * i);
  }
}

function bigEndian(state) {
  const digest = new Uint8Array(32);
  for (let i = 0; i < 8; i += 1) {
    digest[4 * i] = state[i] >>> 24;
    digest[4 * i + 1] = state[i] >>> 16;
    digest[4 * i + 2] = state[i] >>> 8;
    digest[4 * i + 3] = state[i];
  }
  return digest;
}

/** ⌊p^(1/degree) · 2³²⌋, by bisection. */
function root(p, degree) {
  const power = BigInt(p) << (32n * degree);
  let [low, high] = [0n, 1n << 48n];
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** degree <= power) low = middle;
    else high = middle;
  }
  return low;
}
