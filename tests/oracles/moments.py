"""Times that records may have, for Hypothesis."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import strategies as st

moments = st.datetimes(
    datetime(2000, 1, 1),  # noqa: DTZ001 -- Hypothesis adds the zone
    datetime(2999, 12, 31, 23, 59, 59, 999_999),  # noqa: DTZ001 -- Hypothesis adds the zone
    timezones=st.just(UTC),
)
