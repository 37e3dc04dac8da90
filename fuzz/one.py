"""One target under the fuzzer, until it is told to stop: ``python -m fuzz.one TARGET CORPUS [libFuzzer's options]``."""

from __future__ import annotations

import sys

import atheris

# Whatever is imported in here tells the fuzzer which of its branches were taken.
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
