"""``make soak``, or ``python -m tests.soak --seconds 600 --seed 7``. The status is 1 if something was wrong."""

from __future__ import annotations

import argparse
import secrets
import sys

from tests.soak.run import Size, soak
from tests.support.postgres import ENGINES


def main() -> int:
    """Run one soak."""
    parser = argparse.ArgumentParser(
        prog="make soak", description="Engines, watchers, an auditor, and faults at random."
    )
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--database", choices=ENGINES, default="postgresql")
    parser.add_argument("--pace", type=float, default=2.0, help="the rest of an engine after each round")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1 << 32))
    chosen = parser.parse_args()
    wrong = soak(Size(seconds=chosen.seconds, pace=chosen.pace), chosen.seed, chosen.database)
    for each in wrong[:20]:
        print(f"wrong: {each}")
    print("nothing was wrong" if not wrong else f"{len(wrong)} things were wrong; the seed was {chosen.seed}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
