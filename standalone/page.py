"""Makes ``dist/verify.html``: the verifier as one page that needs nothing but a browser.

It is the file that every service of this commit serves at ``/verify.html``: every build of a commit has
the same bytes, and can compare.
"""

from __future__ import annotations

import sys
from pathlib import Path

from api.pages.kept import kept_page


def main() -> None:
    """Build the file that is named on the command line."""
    target, page = Path(sys.argv[1]), kept_page()
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(page.data)
    sys.stdout.write(f"{page.hash}  {target}  ({len(page.data):,} bytes)\n")


if __name__ == "__main__":
    main()
