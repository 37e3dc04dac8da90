"""What a service does while a fault strikes, in tests that try each of its durable effects."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias, TypeVar

from tests.support.faulty_world import Fault, Faults, When
from tests.support.in_process_service import InProcessService

_Service = TypeVar("_Service", bound=InProcessService)
Scenario: TypeAlias = Callable[[_Service], object]
TABLES = (("crash-1", "crash"), ("keno-1", "keno-express"))


def rounds(running: InProcessService) -> None:
    """Rounds of the two tables, one opened during the previous flight."""
    crash = running.state("crash-1").next_round
    running.open("crash-1", crash)
    running.lock("crash-1", crash)
    running.open("crash-1", crash + 1)
    running.reveal("crash-1", crash)
    running.play("keno-1")
    running.settle()


def fail_each(
    base: _Service, folder: Path, when: When, scenario: Scenario[_Service], afterwards: Scenario[_Service]
) -> list[str]:
    """The scenario with its first effect failing, then its second, … until none does; ``afterwards`` after each.

    Returns the names of the effects that failed.
    """
    struck: list[str] = []
    while True:
        running, faults = base.copy(folder / str(len(struck))), Faults()
        running.start(faults)
        faults.arm(len(struck) + 1, when)
        try:
            with suppress(Fault):
                scenario(running)
            afterwards(running)
        except BaseException as error:
            error.add_note(f"effect {len(struck) + 1}: {when} {faults.struck}")
            raise
        running.stop()
        running.remove()
        if faults.struck is None:
            return struck
        struck.append(faults.struck)


def kinds(effects: list[str]) -> set[str]:
    """The kinds of effects among them."""
    return {effect.split(" ", maxsplit=1)[0] for effect in effects}
