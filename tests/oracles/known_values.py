"""Values that others published (``tests/vectors/known_values.json``)."""

from __future__ import annotations

import json
from typing import Any

from tests.house import HOUSE

KNOWN: dict[str, Any] = json.loads((HOUSE / "tests" / "vectors" / "known_values.json").read_text("utf-8"))
