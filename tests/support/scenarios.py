"""What a service does while a fault strikes, in tests that try each of its durable effects."""

from __future__ import annotations

from tests.support.in_process_service import InProcessService

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
