"""Requests to witnesses in the turn that makes them: no thread, but real connections."""

from __future__ import annotations

from api.witnesses.askers import Deliver
from api.witnesses.client import Client
from api.witnesses.protocol import Answer, Request
from fairness.policy.quorum import Witness


class AskersInTurn:
    """Waits for each answer before the next request is sent."""

    def __init__(self) -> None:
        self._clients: dict[Witness, Client] = {}

    def ask(self, request: Request, deliver: Deliver) -> None:
        """Ask, and deliver the answer."""
        client = self._clients.setdefault(request.witness, Client(request.witness.url or ""))
        deliver(Answer(request, client.ask(request)))

    def forget(self, witness: Witness) -> None:
        """Hang up."""
        if client := self._clients.pop(witness, None):
            client.close()

    def close(self) -> None:
        """Hang up everywhere."""
        for witness in list(self._clients):
            self.forget(witness)
