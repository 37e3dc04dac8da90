"""Processes that kill themselves, with SIGKILL, right before or after one named step becomes durable, or fill the
disk there.

A **place** is where the service makes something durable: the file and the function of the service, and the call that
it makes there (``rounds/calls.py Rounds.lock change``). `places` reads all of them from the source; a process that
`dies_at` one of them, or `finds_no_room_at` it, recognises it by its stack, so the service itself has no hook and
pays nothing.
"""

from __future__ import annotations

import ast
import os
import re
import signal
import sys
from collections.abc import Callable
from datetime import datetime
from functools import cache
from multiprocessing import get_context
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from typing import Any

from api.settings import Settings
from api.sql.pipeline import PostgresConnection
from api.sql.postgres import PostgresDatabase
from api.sql.sqlite import SqliteConnection, SqliteDatabase, connect
from api.world.published.bucket import Objects
from api.world.storage_failures import STORAGE_FAILURES, in_words
from tests.house import HOUSE
from tests.support.faulty_world import Faults, When, connection_class
from tests.support.in_process_service import InProcessService
from tests.support.small_disk import SmallDisk

Act = Callable[[InProcessService], object]

API = HOUSE / "api"
_PLUMBING = (
    "sql",
    "world/below.py",
    "world/cooperation.py",
    "world/durable.py",
    "world/key_files.py",
    "world/published/log_folder.py",
    "world/published/bucket.py",
    "world/statuses.py",
)
"""What makes things durable for others, by these calls; a place is where one of them is called."""
_ON_TABLES, _SEEDS, _ALONE = "rounds/change.py", "custody/seed_store.py", "journal/chain.py"
_CALLS = {
    "log": {"write", "write_all", "write_soon", "write_parts", "sync", "remove_partials", "replace_aids"},
    "database": {"write", "write_at_length", "write_if_free"},
    "writer": {"change"},
    "store": {"put_chain", "raise_mark", "reseal", "abandon"},
    "objects": {"probe", "create", "replace", "exchange", "remove"},
    "super()": {"write", "write_all", "write_soon", "write_parts", "sync", "remove_partials"},
    "temporary": {"replace"},
}
"""By what they are called on."""
_ANYWHERE = {"rename", "write_bytes", "write_text"}
"""These are places, whatever they are called on."""
_FUNCTIONS = {"api.world.durable": "write_durably", "api.world.key_files": "write_key", "api.journal.chain": "note"}
"""By the module that they are imported from."""

_MAY_BE_LOST = {"write_status", "unlink", "create"}
"""Heartbeats, files that are removed, and schemas, which the next start completes."""

_PROCESSES = get_context("forkserver")
_PROCESSES.set_forkserver_preload([__name__, "api.programs.background.run", "api.restore.rekey"])
_PATIENCE_SECONDS = 120.0
_FULL = 28
_NO_ROOM = re.compile("disk is full.*Make room")


@cache
def places() -> frozenset[str]:
    """Every place of the service, by its source."""
    found: set[str] = set()
    for file in API.rglob("*.py"):
        name = file.relative_to(API).as_posix()
        if not _is_plumbing(name):
            tree = ast.parse(file.read_text("utf-8"))
            found |= _places_in(tree, name, "", _imported(tree))
    return frozenset(found)


def _imported(tree: ast.Module) -> set[str]:
    return {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name == _FUNCTIONS.get(node.module or "")
    }


def _is_plumbing(name: str) -> bool:
    return name in {_ON_TABLES, _SEEDS, _ALONE} or any(
        name == each or name.startswith(each + "/") for each in _PLUMBING
    )


def _places_in(node: ast.AST, file: str, inside: str, imported: set[str], *, closed: bool = False) -> set[str]:
    """The places below a node; what a function within a function does, the outer one does."""
    found: set[str] = set()
    for child in ast.iter_child_nodes(node):
        name, deeper = inside, closed
        if isinstance(child, ast.ClassDef | ast.FunctionDef) and not closed:
            name, deeper = f"{inside}.{child.name}".lstrip("."), isinstance(child, ast.FunctionDef)
        elif isinstance(child, ast.Call) and (call := _durable_call(child.func, imported)):
            found.add(f"{file} {inside} {call}")
        found |= _places_in(child, file, name, imported, closed=deeper)
    return found


def _durable_call(function: ast.expr, imported: set[str]) -> str | None:
    if isinstance(function, ast.Name):
        return function.id if function.id in imported else None
    if not isinstance(function, ast.Attribute):
        return None
    on = ast.unparse(function.value).rpartition(".")[2].lstrip("_")
    return function.attr if function.attr in _ANYWHERE or function.attr in _CALLS.get(on, ()) else None


def _place(called: str) -> str:
    """Where the service is right now, by the stack: the innermost frame that is not plumbing, and what it called."""
    frame = sys._getframe(1)
    while frame.f_back is not None:
        frame = frame.f_back
        file = Path(frame.f_code.co_filename)
        if file.is_relative_to(API):
            if not _is_plumbing(name := file.relative_to(API).as_posix()):
                return f"{name} {frame.f_code.co_qualname.partition('.<locals>')[0]} {called}"
            called = frame.f_code.co_name
    return called


class Lurking(Faults):
    """Strikes this process at one place."""

    def __init__(self, place: str) -> None:
        super().__init__()
        self._place, self._known = place, places()

    def strike(self, effect: Callable[[], object]) -> object:
        """What happens at the place, with the effect or without it."""
        raise NotImplementedError

    def around(self, name: str, effect: Callable[[], object]) -> None:
        """Strike at the commits of an `InProcessService`; its other effects are caught at the calls below."""
        if name in {"commit", "seal"}:
            self.step(effect, name)
        else:
            effect()

    def step(self, effect: Callable[[], object], name: str) -> object:
        """Let something happen, or what is to happen here instead."""
        found = _place(name)
        if found not in self._known and found.rpartition(" ")[2] not in _MAY_BE_LOST:
            sys.stderr.write(f"{found} makes something durable, and no name is known for it\n")
            os._exit(1)
        return self.strike(effect) if found == self._place else effect()

    def lurk(self) -> None:
        """From now on, in this whole process."""
        for name in ("rename", "replace", "unlink", "write_bytes", "write_text"):
            self._wrap(Path, name)
        for name in ("rename", "unlink", "pwrite"):
            self._wrap(os, name)
        for name in _CALLS["objects"]:
            self._wrap(Objects, name)
        fsync = os.fsync

        def sync(descriptor: int) -> None:
            # Before a file takes its name, and after it did, its bytes and its name are synced: that is one step with
            # the renaming.
            if sys._getframe(1).f_code.co_name == "sync_place":
                self.step(lambda: fsync(descriptor), "sync")
            else:
                fsync(descriptor)

        begin, finish = connection_class(self, "commit"), PostgresDatabase._commit

        def opened(database: SqliteDatabase) -> SqliteConnection:
            return connect(database.path, begin)

        def commit(database: PostgresDatabase, connection: PostgresConnection) -> None:
            self.step(lambda: finish(database, connection), "commit")

        patches: list[tuple[Any, str, Any]] = [
            (os, "fsync", sync),
            (SqliteDatabase, "_connect", opened),
            (PostgresDatabase, "_commit", commit),
        ]
        for owner, name, instead in patches:
            setattr(owner, name, instead)

    def _wrap(self, owner: Any, name: str) -> None:  # noqa: ANN401 -- a class or a module
        original = getattr(owner, name)
        setattr(owner, name, lambda *given, **named: self.step(lambda: original(*given, **named), name))


class Deadly(Lurking):
    """Kills this process, before or after the effect, which happens ``spared`` times before that."""

    def __init__(self, place: str, when: When, spared: int) -> None:
        super().__init__(place)
        self._when, self._spared = when, spared

    def strike(self, effect: Callable[[], object]) -> object:
        """Die."""
        if self._spared:
            self._spared -= 1
            return effect()
        if self._when == "after":
            effect()
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


class Crowded(Lurking):
    """Fills the disk below a folder before the effect, and leaves it full."""

    def __init__(self, place: str, folder: Path) -> None:
        super().__init__(place)
        self._disk = SmallDisk(folder)

    def strike(self, effect: Callable[[], object]) -> object:
        """Try it without a byte left."""
        self._disk.fill()
        return effect()

    def lurk(self) -> None:
        """A file finds no room when it is written, before it is synced and takes its name."""
        super().lurk()
        create = os.open

        def opened(path: str, flags: int, mode: int = 0o777, **named: int) -> int:
            if flags & os.O_CREAT and _place("open") == self._place:
                self._disk.fill()
            return create(path, flags, mode, **named)

        setattr(os, "open", opened)  # noqa: B010 -- a checker would refuse a plain assignment


class _Told(dict[tuple[str, int], object]):
    """Answers that an engine received; they outlive the process that gave them."""

    def __init__(self, before: dict[tuple[str, int], object], pipe: Pipe) -> None:
        super().__init__(before)
        self._pipe = pipe

    def setdefault(self, key: tuple[str, int], outcome: object = None) -> object:
        """Remember an answer, here and outside."""
        self._pipe.send((key, outcome))
        return super().setdefault(key, outcome)


def dies_at(running: InProcessService, place: str, when: When, act: Act, *, spared: int = 0) -> None:
    """Let another process start the stopped service and ``act``; fail unless SIGKILL ends it at this place.

    The first ``spared`` times that it is there, nothing happens.

    ``running`` then knows what engines were told, and which checkpoint stands there. It is still stopped.
    """
    ended = _ended_at(running, Deadly(place, when, spared), act)
    assert ended == -signal.SIGKILL, f"expected SIGKILL {when} {place}, found {ended}"


def finds_no_room_at(running: InProcessService, place: str, act: Act) -> bool:
    """The same of a service whose folder is a disk of its own, which is full from this place on; whether that ended
    it.

    If so, it said that the disk is full, and what to do.
    """
    ended = _ended_at(running, Crowded(place, running.settings.folder), act)
    assert ended in {0, _FULL}, f"expected {place} to find no room, found {ended}"
    return ended == _FULL


def _ended_at(running: InProcessService, lurking: Lurking, act: Act) -> int | None:
    ours, theirs = _PROCESSES.Pipe(duplex=False)
    clock = running.clock
    arguments = (
        running.settings,
        dict(os.environ),
        running.batch_size,
        clock.date,
        running.told,
        theirs,
        lurking,
        act,
    )
    process = _PROCESSES.Process(target=_live, args=arguments, daemon=True)
    process.start()
    theirs.close()
    process.join(_PATIENCE_SECONDS)
    with ours:
        heard = list(iter(lambda: _received(ours), None))
    ended = process.exitcode
    process.close()
    for (table, number), outcome in heard:
        running.hear(table, number, outcome)
    checkpoint = running.settings.log / "checkpoint"
    running.disk.checkpoints.append(checkpoint.read_bytes())
    clock.step(1)
    return ended


def _received(pipe: Pipe) -> Any:  # noqa: ANN401 -- whatever was sent
    try:
        return pipe.recv() if pipe.poll() else None
    except EOFError:
        return None


def _live(
    settings: Settings,
    environment: dict[str, str],
    batch_size: int,
    date: datetime,
    told: dict[tuple[str, int], object],
    pipe: Pipe,
    lurking: Lurking,
    act: Act,
) -> None:
    # The server that forks has the environment of its own start.
    os.environ.update(environment)
    running = InProcessService(settings.folder, batch_size=batch_size)
    running.settings, running.told = settings, _Told(told, pipe)
    running.clock.step((date - running.clock.date).total_seconds())
    lurking.lurk()
    try:
        running.start(lurking)
        act(running)
    except Exception as error:
        said = in_words(error, settings) if isinstance(error, STORAGE_FAILURES) else str(error)
        if _NO_ROOM.search(said) is None:
            raise
        os._exit(_FULL)
