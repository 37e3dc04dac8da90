"""A game engine that plays a running service, whatever happens to that."""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence

import urllib3

from tests.support.in_process_service import bets_of
from tests.support.kept_connections import EndedInSilence
from tests.support.running_service import Answer, RunningService

_RETRY_SECONDS = 0.02
_NOT_YET = {"lead-not-published", "unknown-round"}


class Away(Exception):
    """The service announced that it cannot answer now."""


class UnexpectedError(Exception):
    """An answer that nothing excuses."""


class Engine(threading.Thread):
    """Plays one table, through every failure, and remembers the answers."""

    def __init__(
        self,
        service: RunningService,
        table: str,
        *,
        pace: float = 0.0,
        outages: bool = False,
        excuse: Callable[[float], bool] = lambda _: True,
        others: Sequence[RunningService] = (),
        absence: float = 0.0,
    ) -> None:
        """``pace`` is the rest after each round, in seconds; without one it plays at full speed.

        If one machine does not answer, it goes on with one of the ``others``. ``absence`` is how many seconds it
        stays away when it is told to vanish.

        If there may be ``outages``, it waits after an answer that announces one: 503 with Retry-After. A call that
        fails is repeated if there is an ``excuse`` for it, by the time when it began, or if its connection was silent
        for long; otherwise it is wrong.
        """
        super().__init__(name=table, daemon=True)
        self.service, self.table, self._pace, self._outages = service, table, pace, outages
        self._excuse, self._absence = excuse, absence
        self._next = itertools.cycle([*others, service])
        self.announced: Counter[str] = Counter()
        """How many outages were announced, by their codes."""
        self.told: dict[tuple[str, int], object] = {}
        self.revealed: set[int] = set()
        self.wrong: list[object] = []
        self.stopping = threading.Event()
        self.vanishing = threading.Event()
        """Set to let it vanish in the middle of a round, once."""
        self.repeated = 0
        """How many calls were made again because their connection had been silent for long, and was closed."""
        self.left: list[int] = []
        """The rounds in whose middle it vanished."""

    def run(self) -> None:
        """Play until it is told to stop, then to the end of the round."""
        while not self.wrong:
            begun = time.monotonic()
            try:
                if not self._round():
                    return
                if self._pace:
                    self.stopping.wait(self._pace)
            except Away:
                self.service = next(self._next)
                self.stopping.wait(_RETRY_SECONDS)
            except EndedInSilence:
                # Nobody has read the call, which is made again (docs/http.md).
                self.repeated += 1
            except (urllib3.exceptions.HTTPError, json.JSONDecodeError) as error:
                if not self._excuse(begun):
                    self.wrong.append(error)
                # The service is down. The call is repeated until it is back, or another machine answers.
                self.service = next(self._next)
                self.stopping.wait(_RETRY_SECONDS)
            except Exception as error:  # noqa: BLE001 -- whatever ends an engine has to be seen by those who judge
                self.wrong.append(error)

    def _round(self) -> bool:
        number = int(self._look("").document["next_round"])
        before = number - 1
        if before and before not in self.revealed:
            return self._finish(before)
        # The answer to an opening may have been lost: that round is played to its end.
        if self.stopping.is_set() and not self._is_open(number):
            return False
        if self._act(number, "open") is None:
            return True
        self._vanish(number, odd=True)
        return self._finish(number)

    def _is_open(self, number: int) -> bool:
        shown = self.service.get(f"/v1/tables/{self.table}/rounds/{number}", note=False)
        self._check_present(shown)
        return shown.document.get("status") == "open"

    def _vanish(self, number: int, *, odd: bool) -> None:
        """Stay away for a while, if told to: in odd rounds after they were opened, in even ones after they were
        locked.
        """
        if bool(number % 2) is odd and self.vanishing.is_set():
            self.vanishing.clear()
            self.left.append(number)
            self.stopping.wait(self._absence)

    def _finish(self, number: int) -> bool:
        """Lock (again) and reveal, or see that it was revealed; earlier answers must be repeated."""
        shown = self._look(f"/rounds/{number}")
        if shown.document.get("status") in {"open", "locked"} and "outcome" in shown.document:
            self.wrong.append(("shown before its reveal", shown))
        if shown.document.get("status") == "played":
            self._hear(number, shown)
            self.revealed.add(number)
            return True
        bets = bets_of(self.table, number)
        locked = self._act(number, "lock", {"bets": {"count": bets.count, "root": bets.root}})
        if locked is None:
            return True
        self._hear(number, locked)
        self._vanish(number, odd=False)
        revealed = self._act(number, "reveal")
        if revealed is not None:
            self._hear(number, revealed)
            self.revealed.add(number)
        return True

    def _act(self, number: int, action: str, body: object = None) -> Answer | None:
        """Make a call that must succeed, unless it has to wait for the first batches."""
        answer = self.service.act(self.table, number, action, body)
        if answer.status == 200:
            return answer
        self._check_present(answer)
        if answer.status != 202 and answer.document.get("code") not in _NOT_YET:
            self.wrong.append(answer)
        self.stopping.wait(_RETRY_SECONDS)
        return None

    def _look(self, path: str) -> Answer:
        answer = self.service.get(f"/v1/tables/{self.table}{path}", note=False)
        self._check_present(answer)
        if answer.status != 200:
            raise UnexpectedError(answer)
        return answer

    def _check_present(self, answer: Answer) -> None:
        if self._outages and answer.status == 503 and "Retry-After" in answer.headers:
            self.announced[answer.document["code"]] += 1
            raise Away

    def _hear(self, number: int, answer: Answer) -> None:
        outcome = answer.document["outcome"]
        if self.told.setdefault((self.table, number), outcome) != outcome:
            self.wrong.append((self.told[self.table, number], answer))
