"""Where the tests find the project's own files."""

from __future__ import annotations

from pathlib import Path

HOUSE = Path(__file__).parent.parent
