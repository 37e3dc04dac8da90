// Asks a relay for a pulse, and verifies it, by drand's own client:
//
//     node tests/npm/ask_relay.mjs URL CHAIN-HASH PUBLIC-KEY ROUND
//
// Writes the pulse as drand-client returns it, as JSON. Ends with status 1, and drand-client's words, if it refuses.

import { fetchBeacon, HttpCachingChain, HttpChainClient } from "drand-client";

const [url, chainHash, publicKey, round] = process.argv.slice(2);
const options = { disableBeaconVerification: false, noCache: true, chainVerificationParams: { chainHash, publicKey } };
const client = new HttpChainClient(new HttpCachingChain(`${url}/${chainHash}`, options), options);
try {
  process.stdout.write(`${JSON.stringify(await fetchBeacon(client, Number(round)))}\n`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
