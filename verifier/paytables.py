"""What the bets of a table pay, by the file that its record names: read, judged, and whose it is (SPEC 5.10)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice

from fairness.checks import Check
from fairness.draws.game import Rules, RulesRefused
from fairness.errors import CheckFailed, Missing, Unknown
from fairness.log.tiles import ReadFile
from games.bets import bets_by, is_catalogues
from games.bets.bet import Bet, BetRefused, Chances
from games.bets.game_bets import GameBets
from games.bets.paytable.read import paytable_path
from games.facts import facts_of
from verifier import sentences

_MOST_STEPS = 10_000_000
"""Of settling bets on outcomes to find a generous one at a table: a second or two, whatever its file has."""
_OF_EACH = 100
"""As many steps more does it take to settle any bet on an outcome."""
_MOST_PRINTED = 1_000_000
_WHOLE = 10_000
"""100 %, in basis points."""
_MOST_OUTCOMES = 100_000
"""Those that are listed for that, of all tables: they are kept in memory."""
_MOST_GENEROUS = 32
"""Tables at which generous bets are looked for."""
_GENEROUS = (
    "At %(table)s the bet %(bet)s returns %(returned)s of what is staked, on average. No rule forbids that: an operator may be"
    " generous."
)


@dataclass(frozen=True, slots=True)
class NamedPaytable:
    """What a table's record says of its bets; ``paytable`` is the file's SHA-256 in HEX, empty if the table has
    none.
    """

    table: str
    game: str
    declaration: str
    paytable: str
    rules: Sequence[Rules] = ()
    """Those of its batches, each once."""

    @property
    def is_catalogues(self) -> bool:
        """Whether it is the catalogue's of this game, and not the operator's own."""
        return is_catalogues(self.game, self.declaration, self.paytable)

    def read(self, read: ReadFile) -> GameBets:
        """Return the bets. Raises `CheckFailed` (`PAYTABLE_FILE`, `PAYTABLE_FORM`), `Unknown` and `Unreadable`."""
        path = paytable_path(self.paytable)
        try:
            data = read(path)
        except Missing as error:
            raise CheckFailed(Check.PAYTABLE_FILE, expected=path, found=error.why, where=path) from error
        return bets_by(self.game, self.declaration, self.paytable, data)

    def unknown(self, error: Unknown) -> str:
        """Return the sentence that what its bets pay is newer than this verifier."""
        return sentences.Unknown.PAYTABLE.fill(table=self.table, what=", ".join(error.what))

    @property
    def unusual_rules(self) -> list[Rules]:
        """The rules under which nobody has looked at the returns yet: none that are usual, if the file is the
        catalogue's.
        """
        usual = facts_of(self.game).default_rules
        return [rules for rules in self.rules if not self.is_catalogues or rules != usual]


@dataclass(frozen=True, slots=True)
class Judged:
    """What is to be said of files that have their form."""

    unknown: list[str] = field(default_factory=list)
    """The sentences about those that are newer than this verifier."""
    generous: list[str] = field(default_factory=list)
    """The sentences about bets that return more than is staked."""


def check_paytables(read: ReadFile, named: Iterable[NamedPaytable], *, generous: bool = True) -> Judged:
    """Judge the file of each table that has one, and look for ``generous`` bets.

    Raises `CheckFailed` (`PAYTABLE_FILE`, `PAYTABLE_FORM`) and `Unreadable`.
    """
    judged, left, outcomes = Judged(), _MOST_GENEROUS if generous else 0, 0
    for each in named:
        if not each.paytable:
            continue
        try:
            bets = each.read(read)
        except Unknown as error:
            judged.unknown.append(each.unknown(error))
            continue
        for rules in each.unusual_rules[:left]:
            left -= 1
            listed = _outcomes(bets, rules) if outcomes < _MOST_OUTCOMES else ()
            outcomes += len(listed)
            judged.generous.extend(_generous(each.table, bets, rules, listed))
    return judged


def _outcomes(bets: GameBets, rules: Rules) -> Chances:
    """Return all outcomes; none if they are too many to list, or no round has such rules."""
    try:
        bets.declaration.check_rules(rules)
    except RulesRefused:
        return ()
    outcomes = bets.chances(rules)
    # Of a flight there are only the ends.
    return outcomes if sum(chance for _, chance in outcomes) == 1 else ()


def _generous(table: str, bets: GameBets, rules: Rules, outcomes: Chances) -> list[str]:
    """Return the sentence about the first bet that returns more than is staked, if one does whose returns are quickly
    added up.
    """
    if not outcomes:
        return []
    most = _MOST_STEPS // ((bets.steps + _OF_EACH) * (len(outcomes) + 1))
    for bet in islice(bets.each_listed(rules, iter(range(most))), most):
        if (returned := _returned(bet, outcomes)) > 1:
            return [_GENEROUS % {"table": table, "bet": bet.text, "returned": _percent(returned)}]
    return []


def _percent(returned: Fraction) -> str:
    """Write with two decimals, rounded up: what is above 100 is so in print. A number that has no end to read is cut
    short.
    """
    if returned > _MOST_PRINTED:
        return f"more than {_MOST_PRINTED * 100:,}%"
    hundredths = -(-returned * _WHOLE // 1)
    return f"{hundredths // 100}.{hundredths % 100:02}%"


def _returned(bet: Bet, outcomes: Chances) -> Fraction:
    """Return what is paid on average for a stake of 1; 0 for a bet that lasts, or that is made when something is
    known.
    """
    if bet.lasts is not None:
        return Fraction(0)
    try:
        won = [(bet.odds(outcome), chance) for outcome, chance in outcomes]
    except BetRefused:
        return Fraction(0)
    return sum((odds.pays * chance for odds, chance in won if odds is not None), Fraction(0))
