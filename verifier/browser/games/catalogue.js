// Which declarations and paytables are the catalogue's; all others are the operator's own, or of a newer catalogue.

import { toHex, utf8 } from "../basics/bytes.js";
import { sha256 } from "../basics/sha256.js";
import { spelled } from "../declared/spelling.js";
import { CATALOGUE, PAYTABLES } from "./catalogue_data.js";
import { GAMES } from "./games.js";

/**
 * Whether a declaration is the catalogue's of this name; if not, it is the operator's own, or of a newer catalogue.
 * @param {string} game
 * @param {object} declaration
 * @returns {boolean}
 */
export function isOfCatalogue(game, declaration) {
  return toHex(sha256(utf8(spelled(declaration)))).startsWith(CATALOGUE[game] ?? "none");
}

/**
 * Whether a paytable is the catalogue's of the game that its table plays.
 * @param {string} game
 * @param {?object} declaration of the table; null for a game that is known by its name
 * @param {string} paytable its SHA-256, in HEX
 * @returns {boolean}
 */
export function isCataloguesPaytable(game, declaration, paytable) {
  const isIt = declaration === null ? game in GAMES : isOfCatalogue(game, declaration);
  return isIt && paytable.startsWith(PAYTABLES[game] ?? "none");
}
