"""Quorums, against a search through all sets of witnesses."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from fairness.policy.quorum import Group, Member, Witness
from tests.support.witnesses import Cosigner

ALL = [Witness(f"w{number}", Cosigner(f"w{number}").key) for number in range(6)]


@st.composite
def quorums(draw: st.DrawFn) -> Member:
    """A tree over some of the witnesses: groups are made of what is there, until one is left."""
    loose: list[Member] = list(ALL[: draw(st.integers(1, len(ALL)))])
    while len(loose) > 1 or draw(st.booleans()):
        size = draw(st.integers(min(2, len(loose)), len(loose)))
        members, loose = tuple(loose[:size]), loose[size:]
        loose.append(Group("a group", draw(st.integers(1, size)), members))
    return loose[0]


def sets() -> list[frozenset[Witness]]:
    """Every set of witnesses, the smallest first."""
    return [frozenset(chosen) for size in range(len(ALL) + 1) for chosen in combinations(ALL, size)]


@given(quorum=quorums())
def test_the_smallest_numbers_are_those_of_a_search(quorum: Member) -> None:
    """How many suffice, how many two choices share, and how many must be missing."""
    enough = [chosen for chosen in sets() if quorum.is_met_by(chosen)]
    assert quorum.least == min(map(len, enough))
    assert quorum.least_shared == min(len(one & other) for one in enough for other in enough)
    everybody = frozenset(ALL)
    assert quorum.least_missing == min(len(gone) for gone in sets() if not quorum.is_met_by(everybody - gone))


def test_two_of_four_share_none() -> None:
    """And 2 of 3 share one, 3 of 4 two."""
    shared = [Group("a group", k, tuple(ALL[:n])).least_shared for k, n in ((2, 4), (2, 3), (3, 4), (1, 1))]
    assert shared == [0, 1, 2, 1]


def test_a_group_in_words() -> None:
    """Its number and its members, groups in brackets."""
    inner = Group("inner", 1, (ALL[0], ALL[1]))
    assert str(Group("outer", 2, (inner, ALL[2]))) == "2 of 2: (1 of 2: w0, w1), w2"
