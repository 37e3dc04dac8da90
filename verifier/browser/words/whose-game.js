// Whose game a table plays, in one sentence: one that is known by its name, the catalogue's, or the operator's own.

import { isOfCatalogue } from "../games/catalogue.js";

/** Marks what a page translates. */
const _ = (/** @type {string} */ text) => text;

/**
 * @param {{game: string, declaration: ?object}} report `declaration` is null for a game that is known by its name
 * @param {(message: string) => string} [translate]
 * @returns {string}
 */
export function whoseGame({ game, declaration }, translate = _) {
  return translate(template(game, declaration)).replace("%(game)s", game);
}

function template(game, declaration) {
  if (declaration === null) return _("%(game)s, one of the games that every verifier knows by name");
  return isOfCatalogue(game, declaration)
    ? _("%(game)s, as the catalogue of this verifier declares it")
    : _("%(game)s, which the catalogue of this verifier does not declare so: the operator’s own, or newer");
}
