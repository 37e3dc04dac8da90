"""The verifier as it was released before: the one-file verifier of an earlier day, as its users still have it.

It stays as it is for ever: `make verifier` built it from the first commit whose verifiers know declared games. What is
written today has to be judged by it, too.
"""

from __future__ import annotations

import lzma
from hashlib import sha256
from pathlib import Path

from tests.house import HOUSE

_PACKED = HOUSE / "tests" / "standalone" / "released" / "foredraw-verify-2026-11-23.pyz.xz"
_SHA256 = "e3769024fb98080973a596372dfd0528dede824ff29b10f68f3bd4f9c160ba17"
"""As `dist/SHA256SUMS` had it."""


def released_verifier(folder: Path) -> Path:
    """The file, unpacked into a folder. Run it with Python."""
    data = lzma.decompress(_PACKED.read_bytes())
    assert sha256(data).hexdigest() == _SHA256, f"{_PACKED} is not the file that was released"
    unpacked = folder / _PACKED.stem
    unpacked.write_bytes(data)
    return unpacked
