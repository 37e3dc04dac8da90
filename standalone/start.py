"""The entry point of ``python3 foredraw-verify.pyz``: its ``__main__.py``.

It is the only part that an older Python must be able to parse.
"""

import signal
import sys

OLDEST = (3, 11)


def main() -> int:
    """Run the verifier; with ``--about``, say what this file carries."""
    if sys.version_info < OLDEST:
        sys.stderr.write("foredraw-verify: needs Python 3.11 or newer, this is " + sys.version.split()[0] + "\n")
        return 2
    if sys.argv[1:] == ["--about"]:
        import pkgutil  # noqa: PLC0415  (it takes longer than the rest of this)

        sys.stdout.write((pkgutil.get_data("__main__", "about.txt") or b"").decode("ascii"))
        return 0
    from verifier.cli import main as verify  # noqa: PLC0415  (an older Python could not even read it)

    return verify()


if __name__ == "__main__":
    # Ctrl-C ends the program quietly while it imports, as in `verifier.interrupts`, which only a newer Python can
    # read.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(main())
