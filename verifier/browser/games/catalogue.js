// Which declarations are the catalogue's (docs/bets.md): only of these are bets known.

import { toHex, utf8 } from "../basics/bytes.js";
import { sha256 } from "../basics/sha256.js";
import { spelled } from "../declared/spelling.js";
import { CATALOGUE } from "./catalogue_data.js";

/**
 * Whether a declaration is the catalogue's of this name; if not, it is the operator's own, or of a newer catalogue.
 * @param {string} game
 * @param {object} declaration
 * @returns {boolean}
 */
export function isOfCatalogue(game, declaration) {
  return toHex(sha256(utf8(spelled(declaration)))).startsWith(CATALOGUE[game] ?? "none");
}
