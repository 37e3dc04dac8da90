"""The entry point of ``python3 foredraw-verify.pyz``: its ``__main__.py``.

It is the only part that an older Python must be able to parse.
"""

import pkgutil
import sys

OLDEST = (3, 11)


def main() -> int:
    """Run the verifier; with ``--about``, say what this file carries."""
    if sys.version_info < OLDEST:
        sys.stderr.write("foredraw-verify: needs Python 3.11 or newer, this is " + sys.version.split()[0] + "\n")
        return 2
    if sys.argv[1:] == ["--about"]:
        sys.stdout.write((pkgutil.get_data("verifier", "about.txt") or b"").decode("ascii"))
        return 0
    from verifier.cli import main as verify  # noqa: PLC0415  (an older Python could not even read it)

    return verify()


if __name__ == "__main__":
    sys.exit(main())
