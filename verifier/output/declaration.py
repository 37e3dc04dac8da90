"""A declared game in words: what it draws, its law, and the entropy that it needs (SPEC 3.6 to 3.9)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch
from math import log2
from typing import TYPE_CHECKING

from fairness.draws.game import Rules
from fairness.draws.stream import LARGEST_RANGE, Stream
from fairness.records.record import TableRecord
from fairness.round.authentic_log import Placed
from games.declared.catalogue import listed_as
from games.declared.deals import DEALS, Deal
from games.declared.declaration import Declaration, Drum, Shoe
from games.declared.law import TooMany, law
from games.declared.takes import Pick, Take
from games.declared.throws import Ends, Flight, Numbers, One, Reels
from games.declared.values import Count, Label, Value
from games.declared.wheels import Chosen, Race, Spin, Wheel, Wheels
from verifier.output.printing import Console, count, heading, item, line, paragraph, plain
from verifier.sentences import Line, Verdict

if TYPE_CHECKING:
    from verifier.answers.tools import GameExplained, TableOfGame

_SAMPLE, _SMALLEST_SAMPLE, _SAMPLED_DRAWS = 1000, 50, 100_000
"""Rounds of which the entropy is measured: fewer if a round has many draws."""
_SEED_BITS = 256
_SHOWN = 40
_MORE_THAN_A_SEED = (
    "That is more than a seed has, so not every order can occur. Which ones can depends on the batch, is different in every"
    " round, and nobody can compute it without trying seeds."
)
_NOT_OF_A_LOG = "This explains the language, and checks nothing of a log."
_OF_A_LOG = (
    "The signed checkpoint of the log holds this record. Nothing else of the log was checked: `audit` checks it."
)


class _Noted(Stream):
    """A round's stream that keeps among how many each draw was."""

    __slots__ = ("limits",)

    def __init__(self, number: int) -> None:
        super().__init__([bytes(32)], bytes(32), number)
        self.limits: list[int] = []

    def below(self, limit: int) -> int:
        self.limits.append(limit)
        return super().below(limit)

    def multiplier(self, *, rtp: int, cap: int) -> int:
        self.limits.append(LARGEST_RANGE**2)
        return super().multiplier(rtp=rtp, cap=cap)


@dataclass(frozen=True, slots=True)
class Entropy:
    """How much sample rounds drew: the least and the most of them."""

    rounds: int
    draws: tuple[int, int]
    bits: tuple[float, float]

    @classmethod
    def of(cls, declaration: Declaration, rules: Rules) -> Entropy:
        """Draw sample rounds, which nobody plays, under these rules."""
        most = declaration.weigh(declaration.parameters).draws
        rounds = max(_SMALLEST_SAMPLE, min(_SAMPLE, _SAMPLED_DRAWS // max(1, most)))
        streams = [_Noted(number) for number in range(rounds)]
        for stream in streams:
            declaration.outcome(stream, rules)
        draws = [len(stream.limits) for stream in streams]
        bits = [round(sum(map(log2, stream.limits)), 1) for stream in streams]
        return cls(rounds, (min(draws), max(draws)), (min(bits), max(bits)))

    def __str__(self) -> str:
        draws, bits = (_between(*map(str, each)) for each in (self.draws, self.bits))
        plural = "" if self.draws == (1, 1) else "s"
        return (
            f"{bits} bits a round, in {draws} draw{plural}, in {self.rounds:,} sample rounds; a seed has {_SEED_BITS}"
        )


def _between(least: str, most: str) -> str:
    return least if least == most else f"{least} to {most}"


@dataclass(frozen=True, slots=True)
class Explained:
    """What is shown of a declaration: if there are rules, its law, as far as it can be listed, and its entropy."""

    declaration: Declaration
    rules: Rules | None
    chances: Mapping[bytes, Fraction] | None
    entropy: Entropy | None
    table: Placed[TableRecord] | None = None
    """Whose game it is, in a log."""

    @classmethod
    def of(cls, declaration: Declaration, rules: Rules | None, table: Placed[TableRecord] | None = None) -> Explained:
        """Explain it under rules that were checked."""
        if rules is None:
            return cls(declaration, None, None, None, table)
        try:
            chances = law(declaration, rules)
        except TooMany:
            chances = None
        return cls(declaration, rules, chances, Entropy.of(declaration, rules), table)


def show_declaration(console: Console, explained: Explained) -> None:
    """Show what is drawn from what; whose game it is; then its law."""
    declaration, table = explained.declaration, explained.table
    if table is not None:
        line(console, "Table", f"{table.record.table}, which plays {table.record.game} (record {table.index})")
    line(console, "Game", declaration.text.decode())
    line(console, "Catalogue", listed_in_words(declaration))
    line(console, "Rules", str(declaration.parameters))
    if declaration.pile is not None:
        line(console, "From", pile_in_words(declaration.pile))
    if declaration.has_flight:
        line(console, "Moves", "players act after the lock; the outcome is fixed before, whatever they do")
    most = declaration.weigh(declaration.parameters)
    line(
        console,
        "At most",
        f"{count(most.draws, 'draw')} a round, {most.size:,} bytes of outcome, repeats by chance not counted",
    )
    console.print()
    heading(console, "Drawn, in this order")
    for text in steps_in_words(declaration):
        item(console, text)
    console.print()
    _show_law(console, explained)
    console.print()
    paragraph(console, _NOT_OF_A_LOG if explained.table is None else _OF_A_LOG)


def _show_law(console: Console, explained: Explained) -> None:
    if explained.rules is None or explained.entropy is None:
        heading(console, "Law", "give --rules with the parameters, as a batch has them")
        return
    heading(console, "Law", f"{_law_in_words(explained.chances)}, under the rules {_spelled(explained.rules)}")
    if explained.chances is not None:
        for text in _chances_in_words(explained.chances):
            item(console, text)
    console.print()
    line(console, "Entropy", str(explained.entropy))
    if explained.entropy.bits[1] > _SEED_BITS:
        item(console, _MORE_THAN_A_SEED, "yellow")


def _law_in_words(chances: Mapping[bytes, Fraction] | None) -> str:
    if chances is None:
        return "too many ways to list"
    same = set(chances.values())
    return f"{count(len(chances), 'outcome')}" + (f", each {same.pop()}" if len(same) == 1 else "")


def _chances_in_words(chances: Mapping[bytes, Fraction]) -> list[str]:
    by_chance = sorted(chances, key=lambda outcome: -chances[outcome])
    shown = [f"{chances[outcome]}  {outcome.decode()}" for outcome in by_chance[:_SHOWN]]
    more = len(chances) - _SHOWN
    return [*shown, f"and {count(more, 'outcome')} more; --json lists all"] if more > 0 else shown


def declaration_json(explained: Explained) -> GameExplained:
    """Return the JSON: ``law`` is each outcome's text and exact chance, likeliest first, if they were counted;
    ``entropy`` has the least and the most.
    """
    declaration, entropy, chances = explained.declaration, explained.entropy, explained.chances
    most = declaration.weigh(declaration.parameters)
    return {
        "v": 1,
        "command": "game",
        "verdict": "known",
        **_of_table(explained.table),
        "declaration": declaration.text.decode(),
        "catalogue": [
            {"game": each.game, "section": each.section, "lead": each.lead} for each in listed_as(declaration)
        ],
        "parameters": str(declaration.parameters),
        "moves": declaration.has_flight,
        "most": {"draws": most.draws, "bytes": most.size},
        "draw": steps_in_words(declaration),
        "rules": explained.rules,
        "law": None
        if chances is None
        else [[each.decode(), str(chances[each])] for each in sorted(chances, key=lambda x: -chances[x])],
        "entropy": None
        if entropy is None
        else {"rounds": entropy.rounds, "draws": list(entropy.draws), "bits": list(entropy.bits)},
    }


def _of_table(table: Placed[TableRecord] | None) -> TableOfGame:
    return (
        {}
        if table is None
        else {
            "table": table.record.table,
            "table_id": table.record_id.hex(),
            "game": table.record.game,
            "record": table.index,
        }
    )


def show_refused(console: Console, expected: str, found: str) -> None:
    """Show what is no declaration."""
    plain(console, "FAILED: this is no declaration (SPEC 3.6)", "bold red")
    line(console, "Expected", expected)
    line(console, "Found", found)


def show_unknown_words(console: Console, what: Sequence[str]) -> None:
    """Show what this verifier does not know of a declaration."""
    heading(console, "Unknown to this verifier")
    for each in what:
        item(console, each, "yellow")
    console.print()
    plain(console, Line.UNKNOWN.fill(verdict=Verdict.NOTHING_CHECKED), "bold yellow")


def listed_in_words(declaration: Declaration) -> str:
    """Return the catalogue's games of this declaration."""
    games = [f"{each.game} ({each.section}, lead {each.lead})" for each in listed_as(declaration)]
    return ", ".join(games) or "none of its games: an operator's own"


def pile_in_words(pile: Drum | Shoe) -> str:
    """Return what is taken from."""
    if isinstance(pile, Drum):
        return f"a drum of the numbers {pile.low} to {pile.high}, each once"
    pack = (
        f"the pack {pile.pack} ({len(pile.things)})"
        if pile.pack
        else f"a pack of {len(pile.things)}: {' '.join(pile.things)}"
    )
    return f"a shoe of {pile.packs} x {pack}, shuffled for each round as far as it is taken"


def steps_in_words(declaration: Declaration) -> list[str]:
    """Return a line for each step."""
    return [f"{', '.join(step.places)}: {_words(step)}" for step in declaration.steps]


_WITHOUT_ARGUMENTS: Mapping[type, str] = {
    Flight: "where a growing multiplier stops: at x or above with a chance of rtp / x, up to the cap",
    Reels: "a stop of each reel, counted from 0, of reel1, reel2, … stops",
    Chosen: "the number of a segment, by the weights w1, w2, …",
    Race: "the numbers of all runners as they finish, by the weights w1, w2, … of those that still run",
}


@singledispatch
def _words(step: object) -> str:
    return _WITHOUT_ARGUMENTS[type(step)]


@_words.register
def _(step: Numbers) -> str:
    many = "a number" if step.times is None else f"{_count(step.times)} numbers"
    return f"{many} from {step.low} to {step.high}" + ("" if step.times is None else ", each of all of them")


@_words.register
def _(step: One) -> str:
    return f"one of {len(step.labels)}, all equally likely: {' '.join(map(str, step.labels))}"


@_words.register
def _(step: Ends) -> str:
    return f"one of {len(step.ends)} outcomes, all equally likely: {' '.join(_spelled(end) for end in step.ends)}"


@_words.register
def _(step: Wheel) -> str:
    return f"a segment, by the weights {_segments(step.segments)}"


@_words.register
def _(step: Wheels) -> str:
    return f"{_count(step.times)} segments, by the weights {_segments(zip(step.labels, step.weights, strict=True))}"


@_words.register
def _(step: Spin) -> str:
    again = f", and again after {' '.join(sorted(step.again))}" if step.again else ""
    return f"a segment, by the weights {_segments(step.segments)}{again}"


@_words.register
def _(step: Take) -> str:
    return f"the next {_count(step.number)}" + (f" times {step.times}" if step.times > 1 else "")


@_words.register
def _(step: Pick) -> str:
    return f"{_count(step.number)} different numbers from {step.low} to {step.high}"


@_words.register
def _(step: Deal) -> str:
    return f"the deal {next(name for name, deal in DEALS.items() if deal is step)} (SPEC 3.8)"


def _count(given: Count) -> str:
    if isinstance(given, tuple):
        return f"{given[0]} to {given[1]} (drawn)"
    return f"[{given}]" if isinstance(given, str) else str(given)


def _segments(segments: Iterable[tuple[Label, Value]]) -> str:
    return ", ".join(f"{label} {weight}" for label, weight in segments)


def _spelled(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
