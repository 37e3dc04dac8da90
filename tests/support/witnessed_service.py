"""A service in this process whose log three witnesses have to see; all have the same clock."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Self

from api.log.keys import load_verifier_key
from api.programs.setup import initialise
from api.rounds.tables import add_table
from api.settings import Settings
from fairness.log.checkpoints import Checkpoint
from fairness.policy.head import Head
from fairness.policy.policy import Policy
from tests.support.in_process_service import ORIGIN, InProcessService
from tests.support.relays import running_relay
from tests.support.salted_service import BEACON, HASH, NODE, TABLE
from tests.support.scenarios import TABLES
from tests.support.witness_server import LocalWitness, three_witnesses, write_policy


class WitnessedService(InProcessService):
    """The service, its policy and its witnesses."""

    witnesses: list[LocalWitness]
    seen: list[Checkpoint | None]
    """What the witnesses remembered when this service was stopped for its copies."""

    def copy(self, folder: Path) -> Self:
        """The same in another folder, with the same witnesses, who remember what they did then."""
        made = super().copy(folder)
        made.settings = replace(self.settings, folder=folder, server=made.settings.server)
        made.witnesses = self.witnesses
        for witness, seen in zip(self.witnesses, self.seen, strict=True):
            witness.seen = seen
            witness._now = made.now
            witness.behaves = LocalWitness.answer
            witness.cosigned.clear()
        return made

    def demand(self, asked: int | str = 2, witnesses: list[LocalWitness] | None = None) -> None:
        """Write the policy that asks for so many witnesses, or exchange it."""
        assert self.settings.policy is not None
        chosen = self.witnesses if witnesses is None else witnesses
        write_policy(self.settings.policy, load_verifier_key(self.settings), chosen, asked, f"beacon {BEACON}\n")

    @property
    def policy(self) -> Policy:
        """What verifiers would use."""
        assert self.settings.policy is not None
        return Policy.parse(self.settings.policy.read_bytes())

    @property
    def published(self) -> Head:
        """The checkpoint of the folder, which must have the quorum."""
        return Head.open((self.settings.log / "checkpoint").read_bytes(), self.policy)

    @property
    def cosigned_by(self) -> list[str]:
        """The witnesses on the checkpoint of the folder."""
        return [each.name for each in self.published.last_seen]

    def now(self) -> int:
        """The date, in seconds since 1970."""
        return int(self.clock.date.timestamp())


@contextmanager
def witnessed_service(
    folder: Path, *, asked: int | str = 2, batch_size: int = 12, salted: bool = False
) -> Iterator[WitnessedService]:
    """A service with two tables that can be played; or ``salted``, with the table of `salted_service`, and no batch
    yet.

    All witnesses are there.
    """
    running = WitnessedService(folder / "data", batch_size=batch_size)
    with three_witnesses(running.now) as running.witnesses, running_relay(NODE, running.clock) as relay:
        running.settings = replace(running.settings, policy=folder / "policy", relays=(relay.url,), beacon=BEACON)
        initialise(Settings(running.settings.folder, server=running.settings.server), ORIGIN)
        running.demand(asked)
        running.start()
        if salted:
            add_table(running.service.writer, TABLE, "keno-express", salt=HASH)
            running.turn()
        else:
            for name, game in TABLES:
                add_table(running.service.writer, name, game)
            running.settle()
        try:
            yield running
        finally:
            running.stop()
