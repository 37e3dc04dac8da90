/**
 * Plays a round with a client of types that openapi-typescript made of both descriptions, and prints what it was answered.
 *
 * node play.js PUBLIC ENGINES TOKEN TABLE BET
 */
import createClient from "openapi-fetch";
import type { components, paths } from "./engines.js";
import type { paths as PublicPaths } from "./public.js";

declare const process: { argv: string[] };

const [url, engines, token, table, bet] = process.argv.slice(2) as [string, string, string, string, string];
const everybody = createClient<PublicPaths>({ baseUrl: url });
const engine = createClient<paths>({ baseUrl: engines, headers: { Authorization: `Bearer ${token}` } });
const call = crypto.randomUUID();
const wait = () => new Promise((resolve) => setTimeout(resolve, 200));

/** @throws with the words of the problem */
function sound<T>(answer: { data?: T; error?: components["schemas"]["Problem"] }): T {
  if (answer.data === undefined) throw new Error(`${answer.error?.code}: ${answer.error?.detail}`);
  return answer.data;
}

async function locked(round: number): Promise<components["schemas"]["Outcome"]> {
  const params = { path: { table, round } };
  for (;;) {
    const answer = sound(await engine.POST("/v1/engine/tables/{table}/rounds/{round}/lock", { params, body: { call } }));
    if ("outcome" in answer) return answer.outcome;
    await wait();
  }
}

async function ended(round: number): Promise<components["schemas"]["Ended"]> {
  const params = { path: { table, round } };
  for (;;) {
    const answer = sound(await engine.POST("/v1/engine/tables/{table}/rounds/{round}/reveal", { params }));
    if ("round_code" in answer) return answer;
    await wait();
  }
}

const { next_round: round } = sound(await everybody.GET("/v1/tables/{table}", { params: { path: { table } } }));
const params = { path: { table, round } };
const opened = sound(await engine.POST("/v1/engine/tables/{table}/rounds/{round}/open", { params }));
const drawn = await locked(round);
const played = await ended(round);
const settle = { params, body: { bets: [{ bet, stake: 100 }] } };
const settled = sound(await everybody.POST("/v1/tables/{table}/rounds/{round}/settle", settle));
const again = await engine.POST("/v1/engine/tables/{table}/rounds/{round}/open", { params });
console.log(
  JSON.stringify({
    round,
    opened: opened.status,
    drawn,
    played: played.outcome,
    round_code: played.round_code,
    result: settled.bets[0]?.result,
    refused: again.error?.code,
  }),
);
