"""Targets under the fuzzer, one after the other: ``python -m fuzz.one FOLDER NAME,NAME [libFuzzer's options]``.

Each has its corpus at ``FOLDER/NAME`` and its words at ``FOLDER/NAME.dict``, and leaves ``FOLDER/NAME.output``, whose
last line is its exit status, and its findings at ``FOLDER/NAME-…``.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import atheris

# Modules imported in this block report to the fuzzer which of their branches were taken.
atheris.enabled_hooks.add("str")
with atheris.instrument_imports(include=["fairness", "verifier", "games"]):
    from fuzz.targets import TARGETS, TESTING_ONLY


def main() -> None:
    """Run each target in a process of its own, forked from this one: preparing the imports takes longer than a short
    run.
    """
    _, folder, names, *options = sys.argv
    # Ctrl-C is for the fuzzer, which then says what it has done.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in names.split(","):
        place = f"{folder}/{name}"
        with Path(f"{place}.output").open("wb", buffering=0) as output:
            pid = os.fork()
            if pid == 0:
                signal.signal(signal.SIGINT, signal.default_int_handler)
                for stream in (1, 2):
                    os.dup2(output.fileno(), stream)
                _fuzz(name, place, options)
            _, status = os.waitpid(pid, 0)
            output.write(b"\nexit status %d\n" % os.waitstatus_to_exitcode(status))


def _fuzz(name: str, place: str, options: list[str]) -> None:
    """Never returns; the process ends when libFuzzer does."""
    arguments = [sys.argv[0], place, f"-dict={place}.dict", f"-artifact_prefix={place}-", *options]
    atheris.Setup(arguments, (TARGETS | TESTING_ONLY)[name].check)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
