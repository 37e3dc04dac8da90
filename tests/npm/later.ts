/**
 * Reads answers of a later version with clients of types that openapi-typescript made of the first release's
 * descriptions, and prints what it was answered, and what it does.
 *
 * node later.js URL
 */
import createClient from "openapi-fetch";
import type { paths } from "./engines.js";
import type { components, paths as PublicPaths } from "./public.js";

declare const process: { argv: string[] };

const [url] = process.argv.slice(2) as [string];
const everybody = createClient<PublicPaths>({ baseUrl: url });
const engine = createClient<paths>({ baseUrl: url, headers: { Authorization: "Bearer none" } });
/** What no version of today says: compared with a closed list, it would not compile. */
const later = "of-next-year";
const params = { path: { table: "keno-1", round: 1 } };

/** @throws if there is no answer */
function sound<T>(answer: { data?: T }): T {
  if (answer.data === undefined) throw new Error("no answer");
  return answer.data;
}

/** What is paid for a bet: nothing by a result that is not known. */
function pays(bet: components["schemas"]["SettledBet"]): number {
  switch (bet.result) {
    case "wins":
    case "void":
      return Number(bet.winnings);
    default:
      return 0;
  }
}

const service = sound(await everybody.GET("/v1"));
const shown = sound(await everybody.GET("/v1/tables/{table}/rounds/{round}", { params }));
const bets = { params, body: { bets: [{ bet: "lower 50", stake: 100 }] } };
const settled = sound(await everybody.POST("/v1/tables/{table}/rounds/{round}/settle", bets));
const live = sound(await everybody.GET("/v1/live"));
const locked = sound(
  await engine.POST("/v1/engine/tables/{table}/rounds/{round}/lock", { params, body: { call: crypto.randomUUID() } }),
);
const opened = await engine.POST("/v1/engine/tables/{table}/rounds/{round}/open", { params });
console.log(
  JSON.stringify({
    features: service.features,
    status: shown.status,
    ended: ["played", "void", "unused"].includes(shown.status),
    results: settled.bets.map((bet) => bet.result),
    paid: settled.bets.map(pays),
    now: live.tables.flatMap((table) => table.now.map((round) => round.status)),
    locked: "outcome" in locked ? locked.outcome : null,
    code: opened.error?.code,
    later: shown.status === later && opened.error?.code === later && settled.bets.every((bet) => bet.result === later),
    repeated: (opened.error?.status ?? 0) >= 500,
  }),
);
