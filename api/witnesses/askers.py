"""Who carries requests to the witnesses: one thread for each witness, so that a slow one holds up nobody."""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import Protocol

from api import traces
from api.settings import Proxy
from api.witnesses.client import Client
from api.witnesses.protocol import Answer, Request
from fairness.policy.quorum import Witness

Deliver = Callable[[Answer], None]


class Askers(Protocol):
    """Sends requests, of each witness one at a time, and delivers what became of them."""

    def ask(self, request: Request, deliver: Deliver) -> None:
        """Send it. ``deliver`` is called once, later or at once, in whichever thread."""

    def forget(self, witness: Witness) -> None:
        """Ask this witness no more."""


class ThreadedAskers:
    """A thread and a connection for each witness. They end with the program."""

    def __init__(self, proxy: Proxy | None = None) -> None:
        """``proxy``: that of the settings."""
        self._proxy = proxy
        self._errands: dict[Witness, SimpleQueue[tuple[Request, Deliver] | None]] = {}

    def ask(self, request: Request, deliver: Deliver) -> None:
        """Ask it: its thread sends the request, once it is free."""
        witness = request.witness
        if witness not in self._errands:
            errands = self._errands[witness] = SimpleQueue()
            client = Client(witness.url or "", self._proxy)
            Thread(target=_run, args=(client, errands), name=f"witness {witness.name}", daemon=True).start()
        self._errands[witness].put((request, deliver))

    def forget(self, witness: Witness) -> None:
        """Forget it: its thread ends after what it is doing."""
        if errands := self._errands.pop(witness, None):
            errands.put(None)

    def close(self) -> None:
        """End all threads, each after what it is doing."""
        for witness in list(self._errands):
            self.forget(witness)


def _run(client: Client, errands: SimpleQueue[tuple[Request, Deliver] | None]) -> None:
    while (errand := errands.get()) is not None:
        request, deliver = errand
        with traces.question("witness", request.witness.url or "", witness=request.witness.name):
            result = client.ask(request)
        deliver(Answer(request, result))
    client.close()
