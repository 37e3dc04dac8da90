"""The paytable of a new table: the catalogue's of its game, or an operator's own; and what is refused."""

from __future__ import annotations

from api.paytables.offered import are_catalogues, file_of
from api.sql.database import Database
from fairness.draws.game import Game, Rules
from fairness.errors import CheckFailed, Unknown
from fairness.hashing import sha256
from fairness.records.table_state import TableState
from games import GAMES
from games.bets.catalogue import catalogue_paytable, declaration_of
from games.bets.largest_return import refused_return
from games.bets.paytable.read import Paytable, paytable_path
from games.facts import facts_of


class PaytableRefusedError(Exception):
    """No table may have this paytable, or not under these rules; the message says why."""


def chosen_paytable(game: Game, given: bytes | None, rules: Rules) -> bytes | None:
    """Return the file of a new table: what was ``given``, or else the catalogue's; `None` for a game of which no bets
    are known.

    Raises `PaytableRefusedError`.
    """
    if given is None:
        file = catalogue_paytable(game.name, game.declaration_text)
    else:
        file = given
        _check_form(game, given)
    if file is not None:
        check_returns(game, file, rules)
    return file


def _check_form(game: Game, file: bytes) -> None:
    declaration = declaration_of(game.name, game.declaration_text)
    try:
        Paytable.checked(file, sha256(file).hex(), declaration)
    except CheckFailed as error:
        raise PaytableRefusedError(
            f"no paytable of {game.name} ({error.check}): expected {error.expected}, found {error.found}."
            " docs/paytable-format.md has the format"
        ) from error
    except Unknown as error:
        raise PaytableRefusedError(f"this program does not know {', '.join(error.what)}") from error


def check_returns(game: Game, file: bytes, rules: Rules) -> None:
    """Raise `PaytableRefusedError` if a bet returns more than is staked under these rules, or if that cannot be
    computed.
    """
    default_rules = facts_of(game.name, game.declaration_text).default_rules
    why = refused_return(game.name, game.declaration_text, sha256(file).hex(), file, rules, default_rules)
    if why:
        raise PaytableRefusedError(
            f"{why}. No table has such a bet (docs/paytable-format.md, Returns): change the rules, or the paytable"
        )


def check_rules_for_bets(database: Database, state: TableState, rules: Rules) -> None:
    """Check the same of a table that is to have other rules."""
    if not state.paytable:
        return
    file = catalogue_paytable(state.game, state.declaration_text) if are_catalogues(state) else None
    file = file or file_of(database, state.paytable)
    if file is None:
        raise PaytableRefusedError(
            f"log/{paytable_path(state.paytable)}, which says what the bets of {state.name} pay, is lost: see `foredraw doctor`"
        )
    try:
        check_returns(GAMES.of(state), file, rules)
    except (CheckFailed, Unknown) as error:
        raise PaytableRefusedError(f"this program cannot read the paytable of {state.name}: {error}") from error
