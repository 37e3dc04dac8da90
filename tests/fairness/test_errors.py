"""What errors say, and what they never reveal."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fairness.checks import Check
from fairness.errors import CheckFailed, Malformed, Unreadable, quote


@given(value=st.text() | st.binary() | st.integers() | st.lists(st.text()))
def test_a_quote_is_one_short_line_that_no_terminal_obeys(value: object) -> None:
    """Escape sequences, line feeds and other scripts are spelled out; long texts are cut."""
    text = quote(value)
    assert all(" " <= character <= "~" for character in text.removesuffix("…"))
    assert len(text) <= 201
    assert quote(text) == text


def test_what_is_plain_is_quoted_as_it_is() -> None:
    """Up to 200 characters; then a sign that the text was cut."""
    assert quote("x" * 200) == "x" * 200
    assert quote("x" * 201) == "x" * 200 + "…"
    assert quote("\x1b[2J\n\u202e\ud800") == "\\x1b[2J\\n\\u202e\\ud800"
    assert quote(b"\x1b") == "b'\\x1b'"


def test_a_failed_check_says_where_which_what_and_what_instead() -> None:
    """Its parts are also attributes, and a caller that knows the place can add it."""
    failure = CheckFailed(Check.OUTCOME, expected={"number": 1}, found={"number": 2})
    assert str(failure) == "outcome: expected {'number': 1}, found {'number': 2}"
    placed = failure.at(index=7, where="table crash-1")
    assert str(placed) == "record 7, table crash-1: outcome: expected {'number': 1}, found {'number': 2}"
    assert (placed.check, placed.index, placed.where) == (Check.OUTCOME, 7, "table crash-1")
    assert str(placed.at()) == str(placed)


def test_malformed_and_unreadable_say_what_it_was() -> None:
    """Each names the thing or the file concerned."""
    malformed = Malformed("time", expected="a date", found="soon")
    assert (str(malformed), malformed.what) == ("time: expected a date, found soon", "time")
    unreadable = Unreadable("checkpoint", "it is missing")
    assert (str(unreadable), unreadable.path, unreadable.why) == (
        "checkpoint: it is missing",
        "checkpoint",
        "it is missing",
    )
