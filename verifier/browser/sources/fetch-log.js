// The files of a log over HTTP, from a server that is not trusted: it may answer late, or without end.

import { quote, Unreadable } from "../basics/errors.js";
import { HASH_SIZE } from "../basics/hashing.js";
import {
  LARGEST_BATCH,
  LARGEST_CUSTODY_NOTE,
  LARGEST_NEWER_PAYTABLE,
  LARGEST_NOTE,
  LARGEST_POLICY,
  LARGEST_RECORD,
  LARGEST_TLOG_PROOF,
  MOST_CUSTODIANS,
} from "../basics/limits.js";
import { WIDTH } from "../log/tile-paths.js";
import { ROUNDS_PER_FILE } from "../round/finding-aids.js";

const NUMBER = "(?:x[0-9]{3}/)*[0-9]{3}";

/** How many bytes a file may have, by its path. */
const LARGEST = [
  [/^checkpoint$/, LARGEST_NOTE],
  [new RegExp(`^tile/entries/${NUMBER}(?:\\.p/[0-9]{1,3})?$`), WIDTH * (2 + LARGEST_RECORD)],
  [new RegExp(`^tile/[0-9]{1,2}/${NUMBER}(?:\\.p/[0-9]{1,3})?$`), WIDTH * HASH_SIZE],
  [/^commitments\/([0-9a-f]{2})\/\1[0-9a-f]{62}$/, MOST_CUSTODIANS * LARGEST_BATCH * HASH_SIZE],
  [/^custody\/([0-9a-f]{2})\/\1[0-9a-f]{62}\/[a-z0-9-]{1,32}$/, LARGEST_CUSTODY_NOTE],
  [/^policies\/[0-9a-f]{64}$/, LARGEST_POLICY],
  [/^paytables\/[0-9a-f]{64}$/, LARGEST_NEWER_PAYTABLE],
  [/^witnessed\/([0-9a-f]{2})\/\1[0-9a-f]{62}$/, LARGEST_TLOG_PROOF],
  [/^find\/tables\/([0-9a-f]{2})\/\1[0-9a-f]{6}$/, ROUNDS_PER_FILE * 24],
  [new RegExp(`^find/rounds/([0-9a-f]{2})/\\1[0-9a-f]{62}/${NUMBER}$`), ROUNDS_PER_FILE * 32],
];

/** Milliseconds before a failed request is repeated: two failures in a row are an accident, three are not. */
const PAUSES = [200, 1000];

/** Milliseconds before a file is asked for again after the server asked to wait, if it asked for less than that. */
const WAITS = [1000, 2000, 4000, 8000, 16_000];
/** A server that asks to wait longer than so many milliseconds is not waited for. */
const LONGEST_WAIT = 60_000;
const MISSING = [404, 410];

class TryAgain extends Error {}

/** The server asks to wait `milliseconds`. */
class Wait extends Error {
  constructor(status, milliseconds) {
    super(`the server answers ${status}` + (milliseconds ? `, and asks to wait ${Math.ceil(milliseconds / 1000)} s` : ""));
    this.milliseconds = milliseconds;
  }
}

/**
 * A `read` for the files of a log that a web server serves. It follows no redirect, takes no more bytes than a file
 * of that path can have, waits `patience` for each file, and tries again after a temporary error, or when a server
 * that asks to be asked later wants to be.
 * @param {string|URL} url the log's prefix, such as `/log` or `https://fore.example/log`, with or without a slash at
 *   its end
 * @param {object} [options]
 * @param {number} [options.patience] milliseconds for one whole file; 20,000 by default
 * @param {boolean} [options.fresh] take nothing from the browser's cache. A file's name determines its bytes only as
 *   long as nobody rewrites the log
 * @param {AbortSignal} [options.signal] ends all that is asked for: the check is not wanted any more
 * @returns {import("../log/tiles.js").Read} it throws `Unreadable`
 */
export function fetchLog(url, { patience = 20_000, fresh = false, signal } = {}) {
  const prefix = String(url).replace(/\/+$/, "");
  let notBefore = -Infinity;
  return async (path) => {
    const most = LARGEST.find(([pattern]) => pattern.test(path))?.[1];
    if (most === undefined) throw new TypeError(`a log has no file ${path}`);
    for (let attempt = 0, waits = 0; ; ) {
      try {
        await pause(notBefore - performance.now(), signal);
        return await fetchFile(`${prefix}/${path}`, path, most, patience, fresh, signal);
      } catch (error) {
        const isAsked = error instanceof Wait;
        if (!isAsked && !(error instanceof TryAgain)) throw error;
        const isEnough = isAsked
          ? waits === WAITS.length || error.milliseconds > LONGEST_WAIT
          : attempt === PAUSES.length;
        if (isEnough || signal?.aborted) throw new Unreadable(path, quote(error.message));
        if (isAsked) {
          notBefore = Math.max(notBefore, performance.now() + Math.max(WAITS[waits], error.milliseconds));
          waits += 1;
        } else {
          await pause(PAUSES[attempt], signal);
          attempt += 1;
        }
      }
    }
  };
}

/** Waits so long, or until the check is not wanted any more. */
function pause(milliseconds, signal) {
  if (milliseconds <= 0 || signal?.aborted) return undefined;
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener("abort", end);
  });
}

/**
 * How many milliseconds a server asks to wait; `undefined` if it does not. A 429 asks for it, with a time or without.
 */
function askedWait({ status, headers }) {
  if (status !== 429 && status !== 503) return undefined;
  const text = (headers.get("Retry-After") ?? "").trim();
  if (/^[0-9]+$/.test(text)) return Math.min(Number(text), 1e9) * 1000;
  // By the server's own clock, if the page may read it: this device's may be wrong.
  const sent = Date.parse(headers.get("Date") ?? "");
  const until = text.includes("GMT") ? Date.parse(text) : NaN;
  if (!Number.isNaN(until)) return Math.max(0, until - (Number.isNaN(sent) ? Date.now() : sent));
  return status === 429 ? 0 : undefined;
}

async function fetchFile(address, path, most, patience, fresh, ended) {
  const inTime = AbortSignal.timeout(patience);
  const signal = ended === undefined ? inTime : AbortSignal.any([ended, inTime]);
  // The checkpoint and the finding aids change under one name. `If-Modified-Since` does not help: its times are whole
  // seconds, and a log grows faster.
  const cache = fresh || path === "checkpoint" || path.startsWith("find/") ? "no-store" : "default";
  try {
    const response = await fetch(address, {
      signal,
      cache,
      redirect: "error",
      credentials: "omit",
      referrerPolicy: "no-referrer",
    });
    if (MISSING.includes(response.status)) return null;
    const wait = askedWait(response);
    if (wait !== undefined) throw new Wait(response.status, wait);
    if (response.status >= 500)
      throw new TryAgain(`the server answers ${response.status}`);
    if (response.status !== 200) throw new Unreadable(path, `the server answers ${response.status}`);
    return await bodyOf(response, most);
  } catch (error) {
    if (error instanceof TryAgain || error instanceof Wait || error instanceof Unreadable) throw error;
    throw new TryAgain(signal.aborted ? "no answer in time" : `no answer (${error?.message ?? error})`);
  }
}

/**
 * The bytes of an answer. A file longer than `most` is cut a little later: no check accepts such a file.
 * @param {Response} response
 * @param {number} most
 * @returns {Promise<Uint8Array>}
 */
export async function bodyOf(response, most) {
  const parts = [];
  let size = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    parts.push(value);
    if (size > most) {
      await reader.cancel();
      break;
    }
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
