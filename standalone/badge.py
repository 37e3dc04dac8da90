"""Makes ``dist/badge.js``: the script of the badge, and prints its ``integrity``.

It is the script that every service of this commit serves at the address of the badge's version. Every build of a
commit has the same bytes, so a game's site need not take the hash from the service that the hash is meant to check.
"""

from __future__ import annotations

import sys
from pathlib import Path

from api.pages.files.scripts import badge_script


def main() -> None:
    """Build the file that is named on the command line."""
    target, script = Path(sys.argv[1]), badge_script()
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(script.data)
    sys.stdout.write(f"{script.integrity}  {target}  ({len(script.data):,} bytes)\n")


if __name__ == "__main__":
    main()
