/**
 * The logs that are listed in `policies.json`, beside a page that no operator serves (docs/regulator.md); and which of
 * them a round code is from. The list alone says whom to believe.
 */

import { utf8 } from "../../verifier/basics/bytes.js";
import { Malformed, quote } from "../../verifier/basics/errors.js";
import { checkCode } from "../../verifier/check/code.js";
import { parsePolicies } from "../../verifier/policy/policy.js";
import { bodyOf, fetchLog } from "../../verifier/sources/fetch-log.js";
import { readOnce } from "../../verifier/sources/log-files.js";

const FILE = "policies.json";
const LARGEST = 1_000_000;
const MOST_LOGS = 100;
/** Milliseconds for the list, and for all that one log is asked among others. */
const PATIENCE = 20_000;
const MISSING = [404, 410];
/** What is wrong with a code itself: it is from another log. */
const NOT_ITS_CODE = ["code-table", "code-game"];

/** The list cannot be used; the message says why. */
export class NoList extends Error {}

/**
 * @typedef {object} Listed
 * @property {string} name
 * @property {string} address
 * @property {string} key what people call its key: its name, and the key's own
 * @property {{policy: string, logName: string}} trust
 *
 * @typedef {object} Answer what one log says of a code
 * @property {Listed} log
 * @property {import("../../verifier/verifier.js").Read} read
 * @property {import("../../verifier/verifier.js").Report} report
 * @property {"shows"|"fails"|"waits"|"lacks"|"foreign"|"silent"|"refused"} says
 */

/**
 * The logs that the list beside this page names; null if there is no list.
 * @returns {Promise<?Listed[]>}
 * @throws {NoList}
 */
export async function listedHere() {
  let bytes;
  try {
    const options = { cache: "no-store", credentials: "omit", redirect: "error", signal: AbortSignal.timeout(PATIENCE) };
    const answer = await fetch(new URL(FILE, location.href), options);
    if (MISSING.includes(answer.status)) return null;
    if (answer.status !== 200) throw new NoList(`the server answers ${answer.status}`);
    bytes = await bodyOf(answer, LARGEST);
  } catch (error) {
    throw error instanceof NoList ? error : new NoList(quote(String(error?.message ?? error)));
  }
  try {
    return listedIn(bytes);
  } catch (error) {
    throw error instanceof Malformed ? new NoList(error.message) : error;
  }
}

function listedIn(bytes) {
  if (bytes.length > LARGEST) throw new Malformed(FILE, `at most ${LARGEST} bytes`, "more");
  let list = null;
  try {
    list = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw new Malformed(FILE, "JSON", quote(error.message));
  }
  const policies = list?.policies;
  const isList = Array.isArray(policies) && policies.length > 0 && policies.every((policy) => typeof policy === "string");
  if (!isList) throw new Malformed(FILE, '{"policies":["…"]}, each the text of a policy', quote(JSON.stringify(policies ?? list)));
  const logs = policies.flatMap(logsOf);
  const again = logs.find(({ name }, at) => logs.findIndex((other) => other.name === name) < at);
  if (again !== undefined) throw new Malformed(FILE, "each log once", `${again.name} again`);
  if (logs.length > MOST_LOGS) throw new Malformed(FILE, `at most ${MOST_LOGS} logs`, `${logs.length}`);
  return logs;
}

function logsOf(policy, at) {
  const where = `${FILE}, policies[${at}]`;
  try {
    return parsePolicies(utf8(policy)).logs.map(({ key, url }) => {
      const address = addressOf(url);
      if (address === null) throw new Malformed(`log ${key.name}`, "an address behind the key, such as https://casino.example/log", quote(url ?? "none"));
      return { name: key.name, address, key: String(key).split("+", 2).join("+"), trust: { policy, logName: key.name } };
    });
  } catch (error) {
    throw error instanceof Malformed ? new Malformed(`${where}, ${error.what}`, error.expected, error.found) : error;
  }
}

function addressOf(url) {
  const parsed = url === null || !URL.canParse(url) ? null : new URL(url);
  const isPlain = parsed !== null && /^https?:$/.test(parsed.protocol) && !parsed.username && !parsed.search && !parsed.hash;
  return isPlain ? parsed.href : null;
}

/**
 * Ask one log alone, with all the time that it needs.
 * @param {string} code
 * @param {Listed} log
 * @returns {Promise<Answer>}
 */
export async function askOne(code, log, { onStep = () => {}, ...limits } = {}) {
  const read = readOnce(fetchLog(log.address, { fresh: true, ...limits }));
  const report = await checkCode(code, { ...log.trust, read, onStep });
  return { log, read, report, says: whatItSays(report) };
}

/**
 * Ask all logs at once: none waits for another, and each has its time.
 * @param {string} code
 * @param {Listed[]} logs
 * @param {(answers: Answer[]) => void} onAnswer called with all answers so far, whenever there is one more
 */
export async function askAll(code, logs, onAnswer) {
  const answers = [];
  const asked = logs.map(async (log) => {
    answers.push(await askOne(code, log, { signal: AbortSignal.timeout(PATIENCE) }));
    onAnswer(answers);
  });
  await Promise.all(asked);
}

function whatItSays({ verdict, table, failure, unreadable }) {
  if (verdict === "unreadable") return unreadable.isForeign ? "foreign" : "silent";
  if (verdict === "not-shown") return table === null ? "lacks" : "waits";
  if (verdict === "failed" && table === null) return NOT_ITS_CODE.includes(failure.check) ? "lacks" : "refused";
  if (table === null) return "refused";
  return verdict === "failed" ? "fails" : "shows";
}

/**
 * The answer that counts, as soon as there can be one. A log that shows the round decides at once; of what is wrong
 * with it, only if every other log was read and lacks the table: whoever hangs must make nobody look dishonest. No two
 * logs have a table of one name for the code's four bytes, unless somebody wants that.
 * @param {Answer[]} answers
 * @param {number} count of the logs that were asked
 * @returns {?{one: ?Answer}} `one` is null if none counts; null as long as it must be waited for
 */
export function decided(answers, count) {
  const of = (...said) => answers.filter(({ says }) => said.includes(says));
  const own = of("shows", "fails");
  if (own.length > 1) return { one: null };
  if (own.length === 1 && own[0].says === "shows") return { one: own[0] };
  if (answers.length < count) return null;
  const possible = of("fails", "waits");
  return { one: possible.length === 1 && of("lacks").length === count - 1 ? possible[0] : null };
}
