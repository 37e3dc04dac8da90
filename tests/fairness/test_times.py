"""The one spelling of a time."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairness.errors import Malformed
from fairness.times import check_time, format_time
from tests.oracles.moments import moments

GOOD = "2026-11-20T22:49:01.123Z"


def is_time(text: str) -> bool:
    """A slow oracle: a fixed shape, then a calendar, then print and compare."""
    try:
        moment = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
    except ValueError:
        return False
    printed = f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z"
    return printed == text and 2000 <= moment.year <= 2999


def accepts(text: str) -> bool:
    try:
        check_time(text)
    except Malformed:
        return False
    return True


@given(moment=moments)
def test_what_is_written_is_read(moment: datetime) -> None:
    """Every moment from 2000 to 2999 has a spelling, truncated to milliseconds."""
    text = format_time(moment)
    check_time(text)
    back = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
    assert timedelta(0) <= moment - back < timedelta(milliseconds=1)


@given(pair=st.tuples(moments, moments))
def test_times_compare_as_text(pair: tuple[datetime, datetime]) -> None:
    """A later moment never has a smaller text."""
    earlier, later = sorted(pair)
    assert format_time(earlier) <= format_time(later)


def test_a_moment_of_another_zone_is_spelled_in_utc() -> None:
    """So the letter Z is always correct."""
    yerevan = timezone(timedelta(hours=4))
    assert format_time(datetime(2026, 11, 21, 2, 49, 1, 123_999, tzinfo=yerevan)) == GOOD


def test_every_change_of_one_character_is_refused_or_is_a_time() -> None:
    """Each place, each printable character and some of other scripts, or one character more or less: the oracle must
    agree.
    """
    characters = [chr(code) for code in range(128)] + [
        "\N{ARABIC-INDIC DIGIT ONE}",
        "\N{FULLWIDTH DIGIT ONE}",
        "\x85",
    ]
    for good in (GOOD, "2000-01-01T00:00:00.000Z", "2999-12-31T23:59:59.999Z", "2024-02-29T12:30:45.600Z"):
        assert accepts(good)
        for at in range(len(good) + 1):
            for character in characters:
                for text in (good[:at] + character + good[at + 1 :], good[:at] + character + good[at:]):
                    assert accepts(text) == is_time(text), text
            shorter = good[:at] + good[at + 1 :]
            assert accepts(shorter) == (shorter == good)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1999-12-31T23:59:59.999Z",
        "3000-01-01T00:00:00.000Z",
        "2026-02-29T00:00:00.000Z",
        "2100-02-29T00:00:00.000Z",
        "2026-04-31T00:00:00.000Z",
        "2026-00-10T00:00:00.000Z",
        "2026-13-10T00:00:00.000Z",
        "2026-10-00T00:00:00.000Z",
        "2026-11-20T24:00:00.000Z",
        "2026-11-20T23:60:00.000Z",
        "2026-11-20T23:59:60.000Z",
        "2026-11-20T22:49:01.123z",
        "2026-11-20T22:49:01.123+00:00",
        "2026-11-20T22:49:01Z",
        "2026-11-20T22:49:01.123456Z",
        "2026-11-20 22:49:01.123Z",
        " 2026-11-20T22:49:01.123Z",
        "2026-11-20T22:49:01.123Z\n",
        "2026-11-20T22:49:01.12\N{ARABIC-INDIC DIGIT THREE}Z",
    ],
)
def test_other_spellings_are_refused(text: str) -> None:
    """Dates that do not exist, leap seconds, other zones, other precisions, other digits."""
    with pytest.raises(Malformed, match="time: expected a real date"):
        check_time(text)


def test_leap_years_are_the_calendars() -> None:
    """29 February exists every four years, not in 2100, but in 2400."""
    leaps = [year for year in range(2000, 3000) if accepts(f"{year}-02-29T00:00:00.000Z")]
    assert leaps == [year for year in range(2000, 3000) if year % 4 == 0 and (year % 100 or year % 400 == 0)]


@given(text=st.text(max_size=30))
def test_any_text_is_a_time_or_malformed(text: str) -> None:
    """Only our own error is raised."""
    assert accepts(text) == is_time(text)


def test_a_time_is_the_same_wherever_the_machine_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    """UTC, also on a machine in another time zone."""
    moment = datetime(2026, 11, 20, 22, 49, 1, 123_456, tzinfo=UTC)
    try:
        monkeypatch.setenv("TZ", "AMT-4")
        time.tzset()
        assert format_time(moment) == "2026-11-20T22:49:01.123Z"
    finally:
        monkeypatch.undo()
        time.tzset()
