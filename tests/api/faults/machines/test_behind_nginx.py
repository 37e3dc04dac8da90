"""The kit's nginx in front of two machines, of which one halts, dies or loses its cable: what engines and readers are
answered.

Each machine has a sequencer and listeners, as with ``foredraw serve --standby``. nginx knows of no fault before a
call meets it.
"""

from __future__ import annotations

import itertools
import json
import re
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from api.rounds import calls
from api.server import refusals
from api.sql.postgres import HALTED_SECONDS
from api.sql.server_lock import LEASE_SECONDS
from tests.support.calls import body_of
from tests.support.failover import LEADS, TABLE, two_machines
from tests.support.network import Network, network
from tests.support.postgres import postgres_server
from tests.support.running_service import Answer, RunningService, family_of, kill, wait_until
from tests.support.web_servers import IN_FRONT_OF_MACHINES, NGINX, Certificate, Ports, WebServer, web_server

pytestmark = [
    pytest.mark.nightly(
        "two machines in a network of their own", but="test_nginx_answers_after_the_service_and_within_five_seconds"
    ),
    pytest.mark.slow,
    pytest.mark.one_database("names its own"),
]
ROUNDS = 3
ACTIONS = ("open", "lock", "reveal")


@dataclass
class Kit:
    """Two machines by their names in the network, and nginx in front, where the test and its engine are."""

    network: Network
    machines: dict[str, RunningService]
    front: WebServer
    made: Counter[tuple[int, str]] = field(default_factory=Counter)
    """How often the engine made each of its calls."""

    def call(self, number: int, action: str) -> Answer:
        """An engine's call through nginx, once."""
        self.made[number, action] += 1
        path = f"/v1/engine/tables/{TABLE}/rounds/{number}/{action}"
        bearer = self.machines["first"].bearer
        return self.front.call(path, body_of(path), headers=bearer, port=self.front.ports.engines)

    def play(self, number: int) -> list[Answer]:
        """A round as engines play it: what is not done yet, or was not answered, is repeated. All answers, in their
        order.
        """
        answers: list[Answer] = []
        for action in ACTIONS:

            def is_done(action: str = action) -> bool:
                answers.append(self.call(number, action))
                return answers[-1].status == 200

            wait_until(is_done, f"{action} of round {number}")
        return answers

    def next_round(self) -> int:
        """The first round that was not locked, as engines read it: the public's answer may be a second old."""
        answers: list[Answer] = []

        def is_answered() -> bool:
            bearer, port = self.machines["first"].bearer, self.front.ports.engines
            answers.append(self.front.call(f"/v1/engine/tables/{TABLE}", headers=bearer, port=port))
            return answers[-1].status == 200

        wait_until(is_answered, "the table to be read")
        return int(answers[-1].document["next_round"])

    def leader(self) -> str:
        """The machine that has begun to lead last."""

        def since(name: str) -> str:
            return max((line["time"] for line in self.messages(name) if LEADS in line["message"]), default="")

        return max(self.machines, key=since)

    def messages(self, name: str) -> list[dict[str, Any]]:
        """What a machine has written."""
        lines = self.machines[name].output.splitlines()
        return [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]

    def received(self, *names: str) -> Counter[tuple[int, str]]:
        """How often these machines have answered each call that this engine made, whether anybody heard it or not."""
        received = Counter(
            (int(line["number"]), line["route"].rpartition("/")[2])
            for name in names
            for line in self.messages(name)
            if line["logger"] == "foredraw.requests" and line["method"] == "POST"
        )
        return Counter({call: received[call] for call in self.made})

    def holds_a_call(self, name: str) -> bool:
        """Whether bytes have come to a machine's engines' listener that it has not read, by the system's table
        there.
        """
        machine = self.machines[name]
        table = Path(f"/proc/{machine.process.pid}/net/tcp").read_text("ascii").splitlines()[1:]
        places = (line.split() for line in table)
        return any(
            local.endswith(f":{machine.engine_port:04X}") and int(queues.partition(":")[2], 16)
            for _, local, _, _, queues, *_ in places
        )

    def wait_until_whole(self) -> None:
        """Wait until both machines can play."""
        for name, machine in self.machines.items():
            with self.network.at(name):
                wait_until(machine.is_ready, f"{name} to be ready")


Machines = tuple[Network, dict[str, RunningService]]


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    """Both machines, the database, and the place where nginx will be, each with a cable."""
    with ExitStack() as stack:
        made = stack.enter_context(network("first", "second", "database", "front"))
        with made.at("database") as host:
            server = stack.enter_context(postgres_server(host=host))
        variables = {"FOREDRAW_LOG_FORMAT": "json", "FOREDRAW_TRUSTED_PROXIES": made.address("front")}
        everywhere = ("--host", "0.0.0.0", "--engine-host", "0.0.0.0")  # noqa: S104 -- of a network of its own
        pair = two_machines(tmp_path_factory.mktemp("machines"), server, made.at, lambda _: variables, everywhere)
        yield made, dict(zip(("first", "second"), stack.enter_context(pair), strict=True))


@pytest.fixture
def kit(machines: Machines, tmp_path: Path) -> Iterator[Kit]:
    """The machines, and an nginx that has not met a fault."""
    with in_front_of(machines, tmp_path) as kit:
        yield kit


@contextmanager
def in_front_of(machines: Machines, folder: Path, replaced: Mapping[str, str] | None = None) -> Iterator[Kit]:
    """The same, with some of its words replaced."""
    made, services = machines
    places = {
        f"{its}:{port}": f"{made.address(name)}:{own}"
        for its, (name, machine) in zip(("service-1", "service-2"), services.items(), strict=True)
        for port, own in ((8000, machine.port), (8001, machine.engine_port))
    }
    with made.at("front"):
        certificate, words = Certificate.create(folder), {**places, **(replaced or {})}
        with web_server("nginx", folder / "nginx", certificate, Ports(), words, IN_FRONT_OF_MACHINES) as front:
            kit = Kit(made, services, front)
            kit.wait_until_whole()
            yield kit


@contextmanager
def halts(kit: Kit, name: str) -> Iterator[None]:
    """All its processes stand still."""
    with kit.machines[name].halted():
        yield


@contextmanager
def dies(kit: Kit, name: str) -> Iterator[None]:
    """All its processes are gone; it is started again afterwards."""
    machine = kit.machines[name]
    for pid in family_of(machine.process.pid):
        kill(pid, signal.SIGKILL)
    machine.ended()
    yield
    with kit.network.at(name):
        machine.start()


@contextmanager
def loses_its_cable(kit: Kit, name: str) -> Iterator[None]:
    """Nothing reaches it, and nothing that it sends arrives."""
    with kit.network.unplugged(name):
        yield


Fault = Callable[[Kit, str], AbstractContextManager[None]]


def is_lost(answer: Answer) -> bool:
    """Whether nginx itself has answered that nobody has; then it says what to do."""
    if answer.status != 504:
        return False
    assert answer.media_type == "application/problem+json"
    assert answer.document["code"] == "repeat-same-body"
    assert answer.document["retry_after"] == 1
    assert (answer.headers["Retry-After"], answer.headers["Cache-Control"]) == ("1", "no-store")
    return True


def seconds(directive: str, file: str = "engines.conf") -> float:
    """A time in one of nginx's files."""
    (found,) = re.findall(rf"^{directive} (\d+)(ms|s);$", (NGINX / file).read_text("utf-8"), re.MULTILINE)
    return int(found[0]) / (1000 if found[1] == "ms" else 1)


def test_nginx_answers_after_the_service_and_within_five_seconds() -> None:
    """A machine answers sooner, also if another one was halted in a transaction on the same table; what it refuses,
    too.
    """
    patience = max(seconds("proxy_read_timeout"), seconds("proxy_send_timeout"))
    # It asks a second machine only as long as a whole answer of that fits into the five seconds.
    assert seconds("proxy_next_upstream_timeout") + patience <= 5
    assert 2 * seconds("proxy_connect_timeout") <= seconds("proxy_next_upstream_timeout")
    assert "proxy_next_upstream_tries 2;" in (NGINX / "engines.conf").read_text("utf-8")
    for longest in (HALTED_SECONDS + calls.LONGEST_WAIT, refusals.LONGEST_WAIT):
        assert longest + 1 <= seconds("proxy_read_timeout")
    # The next call of an engine finds the standby at work.
    assert seconds("proxy_read_timeout") > LEASE_SECONDS


@pytest.mark.parametrize("leads", [True, False], ids=["the leader", "the other"])
@pytest.mark.parametrize("fault", [halts, dies, loses_its_cable])
def test_rounds_go_on_whichever_machine_is_lost(kit: Kit, fault: Fault, leads: bool) -> None:
    """While it is away every call is answered, and after one without an answer the next reaches the machine that
    leads.
    """
    first = kit.next_round()
    for number in range(first, first + ROUNDS):
        kit.play(number)
    leader = kit.leader()
    (other,) = kit.machines.keys() - {leader}
    gone, stays = (leader, other) if leads else (other, leader)
    with fault(kit, gone):
        following = range(first + ROUNDS, first + 2 * ROUNDS)
        answers = [answer for number in following for answer in kit.play(number)]
        lost = [is_lost(answer) for answer in answers]
        assert {answer.status for answer in answers} <= {200, 202, 504}
        assert not [pair for pair in pairwise(lost) if all(pair)]
        assert kit.leader() == stays
        # nginx repeats what reads, wherever it goes first. No address comes twice that its cache keeps.
        for attempt in range(2):
            proof = f"/v1/tables/{TABLE}/rounds/{first + attempt}/proof"
            read = [kit.front.call(path) for path in ("/v1/tables", f"/tables/{TABLE}?{attempt}", proof)]
            assert [answer.status for answer in read] == [200, 200, 200]
    wait_until(lambda: kit.received(gone, stays).total() >= kit.made.total() - sum(lost), "their messages")
    if fault is halts:
        # What was in its hands it does when it wakes. So each call can be counted: it was passed on once.
        assert any(lost)
        wait_until(lambda: kit.received(gone, stays) >= kit.made, "the machine that woke to go on")
    assert kit.received(gone, stays) <= kit.made


def test_a_machine_that_dies_with_a_call_in_its_hands_is_taken_back_later(kit: Kit) -> None:
    """The call is not repeated for its engine, which learns of it at once; when the machine is back, it has its turns
    again.
    """
    number = kit.next_round()
    kit.play(number)
    with ThreadPoolExecutor(2) as pool:
        with kit.machines["second"].halted():
            made = [pool.submit(kit.call, number + 1, "open") for _ in range(2)]
            wait_until(partial(kit.holds_a_call, "second"), "a call to have come to the machine")
            for pid in family_of(kit.machines["second"].process.pid):
                kill(pid, signal.SIGKILL)
        answers = [call.result() for call in made]
    kit.machines["second"].ended()
    assert sorted(map(is_lost, answers)) == [False, True]
    kit.play(number + 1)
    with kit.network.at("second"):
        kit.machines["second"].start()
    before = kit.received("second").total()
    numbers = itertools.count(number + 2)

    def has_its_turn() -> bool:
        kit.play(next(numbers))
        return kit.received("second").total() > before

    wait_until(has_its_turn, "the machine to be used again")


def test_machines_that_were_all_left_out_are_asked_again(machines: Machines, tmp_path: Path) -> None:
    """As after the database stood still: nobody waits for the end of the time for which a single machine is left
    out.
    """
    with (
        in_front_of(machines, tmp_path, {"fail_timeout=10s": "fail_timeout=1000s"}) as kit,
        ThreadPoolExecutor(2) as pool,
    ):
        number = kit.next_round()
        with ExitStack() as halted:
            for machine in kit.machines.values():
                halted.enter_context(machine.halted())
            for _ in range(2):
                assert all(map(is_lost, pool.map(partial(kit.call, number), ["open"] * 2)))
            # At once: there is nobody left to ask.
            assert is_lost(kit.call(number, "open"))
        kit.play(number)
