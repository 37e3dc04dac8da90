"""What a service does while a fault strikes, in tests that try each of its durable effects."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias, TypeVar

from tests.support.faulty_world import Fault, Faults, When
from tests.support.in_process_service import InProcessService
from tests.tiers.selection import Lattice

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
    base: _Service,
    folder: Path,
    when: When,
    scenario: Scenario[_Service],
    afterwards: Scenario[_Service],
    lattice: Lattice,
) -> list[str]:
    """The scenario as it is, then with its first effect failing, then its second, …; ``afterwards`` after each.

    ``lattice`` chooses the effects that fail. Returns the names of all.
    """
    effects = _fail_one(base.copy(folder / "whole"), Faults(), scenario, afterwards)
    for at in lattice(range(1, len(effects) + 1)):
        faults = Faults(at, when)
        try:
            _fail_one(base.copy(folder / str(at)), faults, scenario, afterwards)
        except BaseException as error:
            error.add_note(f"effect {at}: {when} {faults.struck}")
            raise
        assert faults.struck is not None, f"there was no effect {at} this time"
    return effects


def _fail_one(
    running: _Service, faults: Faults, scenario: Scenario[_Service], afterwards: Scenario[_Service]
) -> list[str]:
    at = faults.at
    faults.at = 0
    running.start(faults)
    faults.arm(at, faults.when)
    with suppress(Fault):
        scenario(running)
    seen = list(faults.seen)
    afterwards(running)
    running.stop()
    running.remove()
    return seen


def kinds(effects: list[str]) -> set[str]:
    """The kinds of effects among them."""
    return {effect.split(" ", maxsplit=1)[0] for effect in effects}
