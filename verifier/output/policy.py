"""A policy in words: whom it believes about what, and what liars among its witnesses could do (SPEC 5.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, to_builtins

from fairness.policy.policy import Policies
from fairness.policy.quorum import Member
from fairness.times import seconds_in_words, time_of_second
from verifier.output.printing import Console, heading, item, line, paragraph

if TYPE_CHECKING:
    from verifier.answers.tools import PolicyExplained

_NUMBERS = ("One witness that lies", "Two that lie", "Three that lie")


class Liars(Struct, frozen=True):
    """What so many witnesses could do, the right ones, if they and the operator lied together."""

    count: int
    stop: bool
    """Keep every checkpoint from having the quorum."""
    two_histories: bool
    """Have two histories that contradict each other cosigned, each by a quorum."""
    alone: bool
    """Be a quorum by themselves, for anything at any time."""

    @classmethod
    def among(cls, quorum: Member, count: int) -> Liars:
        """Describe ``count`` witnesses of this quorum."""
        return cls(count, quorum.least_missing <= count, quorum.least_shared <= count, quorum.least <= count)

    def __str__(self) -> str:
        could = ["keep every checkpoint from having the quorum"] if self.stop else []
        could += ["have two histories witnessed"] if self.two_histories else []
        could += ["be the whole quorum, for any tree and any time"] if self.alone else []
        return f"{_NUMBERS[self.count - 1]} could {_joined(could)}."


def liars_of(policy: Policies) -> list[Liars]:
    """Return what one, two and three witnesses could do, as far as there are so many."""
    quorum = policy.quorum
    return (
        [] if quorum is None else [Liars.among(quorum, each) for each in (1, 2, 3) if each <= len(policy.witnesses)]
    )


def _with_address(text: str, url: str | None) -> str:
    return text if url is None else f"{text}, {url}"


def show_policy(console: Console, policy: Policies) -> None:
    """Show everybody who is named, then what the quorum means, then what liars could do."""
    for log in policy.logs:
        line(console, "Log", _with_address(str(log.key), log.url))
    for witness in policy.witnesses:
        line(console, "Witness", _with_address(f"{witness.name}: {witness.key}", witness.url))
    line(console, "Quorum", "none" if policy.quorum is None else str(policy.quorum))
    for custodian in policy.custodians:
        line(console, "Custodian", _with_address(f"{custodian.name}: {custodian.key}", custodian.url))
    for beacon in policy.beacons:
        since = seconds_in_words(beacon.genesis)
        text = f"{beacon.id}: {beacon.chain_hash.hex()}, a pulse every {beacon.period} s since {since}"
        line(console, "Beacon", text)
    console.print()
    heading(console, "Believed")
    for text in believed(policy):
        item(console, text)
    console.print()
    heading(console, "What the operator could do, and with witnesses that lie")
    for text in liars_in_words(policy):
        item(console, text)
    console.print()
    paragraph(console, "Whose keys these are you must know from another source.")


def believed(policy: Policies) -> list[str]:
    """Return who is trusted for what."""
    texts = [
        f"The key of {log.key.name} signs the log's checkpoints. What it signs is checked, not believed."
        for log in policy.logs
    ]
    quorum = policy.quorum
    if quorum is None:
        texts.append("No witness is asked for: a checkpoint needs the log's signature alone.")
    else:
        texts.append(
            f"A checkpoint counts only with cosignatures of {quorum}. Each says that the witness saw this tree, at its"
            " time, and none that contradicts it."
        )
        texts.append(f"Any two quorums share {_witnesses(quorum.least_shared)}, at least.")
    texts += [
        f"The custodian {each.name} must have signed a note for each batch of each table that names it."
        for each in policy.custodians
    ]
    texts += [f"A table may name the beacon {each.id} by its hash as its salt." for each in policy.beacons]
    return texts


def liars_in_words(policy: Policies) -> list[str]:
    """Return what the operator could do with the help of witnesses, and without."""
    quorum = policy.quorum
    if quorum is None:
        return ["The operator alone could show two histories to two people: no witness would have to lie."]
    if quorum.least_shared:
        alone = "The operator alone could not have two histories witnessed."
    else:
        alone = "The operator alone could have two histories witnessed: two quorums need not share a witness."
    return [alone, *map(str, liars_of(policy))]


def policy_json(policy: Policies) -> PolicyExplained:
    """Return everybody who is named; of the quorum the smallest numbers of SPEC 5.7; ``liars`` as `Liars` describes
    them.
    """
    quorum = policy.quorum
    return {
        "v": 1,
        "command": "policy",
        "logs": [{"vkey": str(log.key), "origin": log.key.name, "address": log.url} for log in policy.logs],
        "witnesses": [{"name": each.name, "vkey": str(each.key), "address": each.url} for each in policy.witnesses],
        "quorum": None
        if quorum is None
        else {
            "text": str(quorum),
            "least": quorum.least,
            "shared": quorum.least_shared,
            "missing": quorum.least_missing,
        },
        "custodians": [{"name": each.name, "vkey": str(each.key), "address": each.url} for each in policy.custodians],
        "beacons": [
            {
                "hash": each.chain_hash.hex(),
                "id": each.id,
                "period_s": each.period,
                "genesis_at": time_of_second(each.genesis),
            }
            for each in policy.beacons
        ],
        "liars": [to_builtins(each) for each in liars_of(policy)],
        "believed": believed(policy),
        "could": liars_in_words(policy),
    }


def _witnesses(number: int) -> str:
    return "no witness" if number == 0 else f"{number} witness{'' if number == 1 else 'es'}"


def _joined(could: list[str]) -> str:
    return " and ".join([", ".join(could[:-1]), could[-1]] if len(could) > 1 else could) or "do nothing of this"
