"""What a PAR sheet says: values and sentences, in no format yet."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from hashlib import sha256

from api.bets.par.as_csv import csv_of
from api.paytables.offered import bets_of
from api.refusal import RefusalError
from api.rounds.reading import table_row
from api.sql.database import Database
from api.store.contents import decode_rules, decode_state
from fairness.draws.game import Rules
from fairness.log.notes import VerifierKey
from fairness.manifest import SERVICE, SHOWN, manifest_of_running
from fairness.version import VERSION
from games import GAMES
from games.bets.bet import Bet, Bets
from games.bets.worth import Worth, has_worth, worth

HEADINGS = ("Bet", "Odds", "Hit rate", "Hit rate %", "Return", "Return %", "Variance", "Std. dev.", "± at 1,000,000")
_EXACT = Context(prec=60, rounding=ROUND_HALF_EVEN)
# A longer fraction is not readable: it is in the CSV.
_LONGEST_FRACTION = 22
# Beyond so many rows, bets that are worth the same share one.
_MOST_ROWS = 100


class ParRefusedError(RefusalError):
    """This table has no PAR sheet; the message says why."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """One PAR sheet."""

    table: str
    made: str
    facts: tuple[tuple[str, str], ...]
    """What the table is: names and values."""
    outcomes: tuple[str, ...]
    """How an outcome is drawn, in sentences."""
    options: tuple[tuple[str, str, str], ...]
    """How a winning option's bets are written, its name, and when they win."""
    rows: tuple[tuple[str, ...], ...]
    """Under `HEADINGS`."""
    notes: tuple[str, ...]
    """How the figures are to be read."""
    payment: tuple[str, ...]
    """Cap, rounding, and what is paid."""
    readings: tuple[tuple[str, str], ...]
    """What the regulation leaves open, and the sentence that it rests on."""
    limits: tuple[str, ...]
    """What the sheet does not say."""
    csv: bytes
    """Every listed bet with its exact figures."""

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the CSV, which is printed in all three formats."""
        return sha256(self.csv).hexdigest()


def make_sheet(database: Database, key: VerifierKey, table: str, made: str) -> Sheet:
    """Return the PAR sheet of a table under the rules of its next batch; ``made`` is the time now. Raises `Problem`
    or `ParRefusedError`.
    """
    row = table_row(database, table)
    state = decode_state(row.queued_state)
    bets = bets_of(database, state)
    rules = decode_rules(GAMES.of(state), row.rules)
    if bets is None:
        raise ParRefusedError(f"{table} has no paytable that can be read here, and so no PAR sheet")
    figures = [(bet, worth(bet)) for bet in bets.listed(rules) if has_worth(bet)]
    if not figures:
        raise ParRefusedError(f"what the bets of {table} return cannot be computed here, so it has no PAR sheet")
    facts = (
        ("Table", table),
        ("Game", f"{row.game}, version {rules['version']}; {_regulated(bets)}"),
        ("Paytable", state.paytable),
        ("Rules", json.dumps(rules, sort_keys=True, separators=(",", ":"))),
        ("Lead", f"{row.lead} rounds: so many are fixed in advance, always"),
        ("Log", key.name),
        ("Log's key", str(key)),
        ("Table's id", row.table_id),
        ("Created", state.created),
        ("Custodians", ", ".join(state.custodians)),
        ("Sheet made", f"{made}, by Foredraw {VERSION}, manifest {manifest_of_running(SERVICE)[:SHOWN]}"),
    )
    return Sheet(
        table=table,
        made=made,
        facts=facts,
        outcomes=_outcomes(bets, rules),
        options=tuple((option.form, option.name, option.wins) for option in bets.options),
        rows=tuple(_row(alike, figure) for alike, figure in _grouped(figures)),
        notes=_notes(bets, rules),
        payment=_payment(figures, rules),
        readings=tuple((reading.decision, reading.sentence) for reading in bets.readings),
        limits=_LIMITS,
        csv=csv_of(table, row.game, rules, figures),
    )


def _regulated(bets: Bets) -> str:
    return f"regulation of internet games, section {bets.section}" if bets.section else "bets of the operator's own"


def _outcomes(bets: Bets, rules: Rules) -> tuple[str, ...]:
    count, chances = bets.count(rules), bets.chances(rules)
    if not count:
        spread = "There are too many outcomes to list. The figures below are exact, by counting."
    elif len(chances) == count:
        alike = {chance for _outcome, chance in chances}
        least, most = percent(min(alike)), percent(max(alike))
        each = (
            f"each with the chance {chances[0][1]}" if len(alike) == 1 else f"with chances from {least} % to {most} %"
        )
        spread = f"There are {count:,} outcomes, {each}."
    else:
        (first, below), (last, above) = chances
        spread = (
            f"There are {count:,} outcomes, from {first['multiplier']} (chance {percent(below)} %) to {last['multiplier']}"
            f" (chance {percent(above)} %)."
        )
    return (
        *([bets.drawn] if bets.drawn else []),
        spread,
        (
            "The draw reads a stream of HMAC-SHA-256 blocks, keyed with the round's seed, from left to right; whole numbers are drawn"
            " by rejection, so that no number is favoured (SPEC.md, sections 3.3 to 3.5)."
        ),
        "Every round is independent of those before it.",
    )


def _grouped(figures: Sequence[tuple[Bet, Worth]]) -> Iterable[tuple[list[Bet], Worth]]:
    """Group bets that pay and are worth the same: of one option, or of the whole game if it has many bets."""
    groups: dict[tuple[object, ...], tuple[list[Bet], Worth]] = {}
    together = len(figures) > _MOST_ROWS
    for bet, figure in figures:
        odds = tuple(prize.odds for prize in bet.prizes)
        key = (None if together else bet.option, odds, figure)
        groups.setdefault(key, ([], figure))[0].append(bet)
    return groups.values()


def _row(alike: list[Bet], figure: Worth) -> tuple[str, ...]:
    names = (_names(list(bets)) for _, bets in itertools.groupby(alike, lambda bet: bet.option))
    return (
        ", ".join(names),
        ", ".join(str(prize.odds) for prize in alike[0].prizes),
        _fraction(figure.hit_rate),
        percent(figure.hit_rate),
        _fraction(figure.returned),
        percent(figure.returned),
        decimal(figure.variance, 4),
        decimal(_root(figure.variance), 4),
        f"{percent(Fraction(196, 100) * Fraction(_root(figure.variance)) / 1000)} %",
    )


def _names(bets: list[Bet]) -> str:
    """Return the bets of one option in a few words."""
    texts = [bet.text + (f" after {bet.after}" if bet.after else "") for bet in bets]
    return ", ".join(texts) if len(texts) <= 2 else bets[0].option.form  # noqa: PLR2004 -- two names are short enough


def _notes(bets: Bets, rules: Rules) -> tuple[str, ...]:
    notes = (
        "x 12 multiplies the stake, which is a part of what is paid; 30:1 is paid beside the stake, which comes back.",
        (
            "Hit rate is the chance that a bet is paid anything. Return is what a bet of 1 is paid on average, the stake included where it"
            " comes back; the house keeps the rest. Variance is the mean square distance of what is paid from the return."
        ),
        (
            "The figures are exact, by enumeration of all outcomes: none was drawn. Fractions are in lowest terms; decimals are rounded"
            f" half to even. Fractions of more than {_LONGEST_FRACTION} characters stand in the CSV of this sheet."
        ),
        (
            "± is 1.96 standard deviations of the mean return of 1,000,000 bets of 1: in 95 of 100 such runs the observed"
            " return lies so close (by the normal distribution, which is rough where wins are rare)."
        ),
    )
    if len(bets.listed(rules)) > _MOST_ROWS:
        alike = "A row names one bet of each option; every other that as many numbers win has the same odds and the same worth."
        return (alike, *notes)
    if "rtp" not in rules:
        return notes
    law = (
        "Every cash-out X from 1.01 to the cap follows one law: of 2^64 equally likely words, floor(rtp * 2^64 / (10,000 * X))"
        f" win it. So its return is {percent(Fraction(rules['rtp'], 10_000))} % but for less than X / 2^64, and never more."
        " The paytable has some of them."
    )
    return (law, *notes)


def _payment(figures: Sequence[tuple[Bet, Worth]], rules: Rules) -> tuple[str, ...]:
    largest = max(figures, key=lambda each: max(prize.odds.pays for prize in each[0].prizes))[0]
    most = max(prize.odds.pays for prize in largest.prizes)
    capped = (
        f"The multiplier is cut off at the cap, {decimal(Fraction(rules['cap'], 100), 2)}, and rounded down to hundredths; it is 1.00 at least."
        if "cap" in rules
        else "There is no cap beside the odds: no outcome pays more than its row says."
    )
    return (
        f"The most that a stake of 1 can be paid is {decimal_or_whole(most)}, by {largest.text}.",
        capped,
        (
            "Odds are exactly the decimals that are printed. Payments are computed as exact fractions and are not rounded; if a payment"
            " is no whole unit of the currency, the engine's rules say what becomes of the rest."
        ),
        "A void round pays every bet its stake (regulation, section 10: the bet is calculated with the odds of 1).",
    )


_LIMITS = (
    "Limits of stakes, bonuses, jackpots and what the engine really pays: these are the engine's.",
    "Whether outcomes were fixed in advance and drawn so: the public log shows that, with foredraw-verify and the key above.",
    "What was really drawn so far: this sheet is theory.",
)


def _root(variance: Fraction) -> Decimal:
    return _EXACT.sqrt(_EXACT.divide(Decimal(variance.numerator), Decimal(variance.denominator)))


def _fraction(value: Fraction) -> str:
    text = str(value)
    return text if len(text) <= _LONGEST_FRACTION else "in the CSV"


def decimal(value: Fraction | Decimal, places: int) -> str:
    """Write a number rounded half to even, with a comma between thousands."""
    exact = (
        value if isinstance(value, Decimal) else _EXACT.divide(Decimal(value.numerator), Decimal(value.denominator))
    )
    return f"{exact.quantize(Decimal(1).scaleb(-places), context=_EXACT):,}"


def percent(value: Fraction) -> str:
    """Write hundredths with four decimals."""
    return decimal(value * 100, 4)


def decimal_or_whole(value: Fraction) -> str:
    """Return a payment, which has two decimals at most."""
    return f"{value.numerator:,}" if value.denominator == 1 else decimal(value, 2)
