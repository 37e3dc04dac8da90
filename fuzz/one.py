"""One target under the fuzzer, until it is stopped: ``python -m fuzz.one TARGET CORPUS [libFuzzer's options]``."""

from __future__ import annotations

import sys

import atheris

# Modules imported in this block report to the fuzzer which of their branches were taken.
atheris.enabled_hooks.add("str")
with atheris.instrument_imports(include=["fairness", "verifier", "games"]):
    from fuzz.targets import TARGETS, TESTING_ONLY


def main() -> None:
    """Never returns; the process ends when libFuzzer does."""
    program, name, *options = sys.argv
    atheris.Setup([program, *options], (TARGETS | TESTING_ONLY)[name].check)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
