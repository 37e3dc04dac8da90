"""What calls answer."""

from __future__ import annotations

from collections.abc import Mapping

Answer = Mapping[str, object]
"""The document of a call: a JSON object."""
