"""The verifier as it was released before: the one-file verifier of an earlier day, as its users still have it.

`make verifier` built it from the first commit whose records have places for what comes later. Until the first release
it is replaced when the bytes change; then it stays. What is written today has to be judged by it, too.
"""

from __future__ import annotations

import lzma
from hashlib import sha256
from pathlib import Path

from tests.house import HOUSE

_PACKED = HOUSE / "tests" / "standalone" / "released" / "foredraw-verify-2026-11-27.pyz.xz"
_SHA256 = "ad625516f3d2a66d70b71423e7a4806bf210f642cb6f5ef754ee483a07e51395"
"""As `dist/SHA256SUMS` had it."""


def released_verifier(folder: Path) -> Path:
    """The file, unpacked into a folder. Run it with Python."""
    data = lzma.decompress(_PACKED.read_bytes())
    assert sha256(data).hexdigest() == _SHA256, f"{_PACKED} is not the file that was released"
    unpacked = folder / _PACKED.stem
    unpacked.write_bytes(data)
    return unpacked
