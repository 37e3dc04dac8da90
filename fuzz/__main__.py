"""``python -m fuzz``: every target in turn, each from its seed inputs and those that earlier runs kept.

It prints how many inputs each target got and how much of the code they reached, and keeps inputs that
break a promise as ``.fuzz/TARGET-crash-…``. Exit status 3 if something was found.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from fuzz.run import Run, run_target
from fuzz.targets import TARGETS

FOUND = 3


def main() -> int:
    """Run the requested targets."""
    options = _parser().parse_args()
    print(f"{'target':<14}{'inputs':>12}{'reached':>9}  found", flush=True)
    runs = [_run(name, options.seconds, options.folder) for name in options.targets or TARGETS]
    print(f"{'together':<14}{sum(run.inputs for run in runs):>12,}", flush=True)
    return FOUND if any(run.findings for run in runs) else 0


def _parser() -> argparse.ArgumentParser:
    program = argparse.ArgumentParser(prog="python -m fuzz", description="Fuzz every parser, one after the other.")
    program.add_argument("targets", nargs="*", metavar="TARGET", choices=[*TARGETS, []], help="only these")
    program.add_argument("--seconds", type=int, default=60, help="for each target (60)")
    program.add_argument("--folder", type=Path, default=Path(".fuzz"), help="where inputs are kept (.fuzz)")
    return program


def _run(name: str, seconds: int, folder: Path) -> Run:
    run = run_target(name, folder, f"-max_total_time={seconds}")
    print(
        f"{name:<14}{run.inputs:>12,}{run.reached:>9,}  {', '.join(map(str, run.findings)) or 'nothing'}", flush=True
    )
    if run.findings:
        print(run.output[run.output.find("\n ===") :], flush=True)
    return run


if __name__ == "__main__":
    sys.exit(main())
