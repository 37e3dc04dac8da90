"""A witness that runs: its server, its signals and its terminal."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
from datetime import UTC, datetime
from threading import RLock

from fairness.errors import Unreadable
from fairness.policy.policy import Policy
from fairness.times import format_time
from verifier.commands.command import FAILED, HELD, UNKNOWN, Output, WrongUsage, source_of
from verifier.commands.witness.signs import signer_of
from verifier.output.as_json import Json, event_json
from verifier.output.show import show_event
from verifier.watch.alarm_command import AlarmCommand
from verifier.watch.events import Event, EventKind
from verifier.witness.memory import Forgotten, Memory
from verifier.witness.private_memory import hide_memory
from verifier.witness.server import Server, allow_open_files
from verifier.witness.signers import Signer
from verifier.witness.witness import Witness, World

_LOOK_SECONDS = 0.5
"""Seconds between two looks at the running commands."""
_SAVE_SECONDS = 60.0
"""Seconds between two times that the replay is kept for the next start."""
_LAST_WAIT = 5.0

_REPLAYING = (
    "it saw this tree at this time, the tree extends every tree that it cosigned before, and every record in it was replayed"
    " and breaks no rule"
)
_PLAIN = (
    "it saw this tree at this time, and the tree extends every tree that it cosigned before; it looked at no record"
)


def run_witness(options: argparse.Namespace, output: Output) -> int:
    """Run the witness that the arguments describe until a signal ends it. Returns the exit status."""
    try:
        hide_memory()
        allow_open_files()
    except OSError as error:
        raise WrongUsage(str(error.strerror)) from error
    signer, memory = signer_of(options), Memory(options.state)
    policy = Policy.of(options.trust)
    terminal = _Terminal(options, output, policy.log.name)
    try:
        with memory.held(make=options.begin):
            if options.begin:
                memory.begin(policy.log, signer.key)
            source = None if options.log is None else source_of(options.log)
            world = World(terminal.report)
            witness = Witness(options.trust, source, signer, memory, world, plain=options.plain)
            asyncio.run(_serve(options, witness, terminal, _about(policy, signer, plain=options.plain)))
    except Forgotten as error:
        raise WrongUsage(str(error)) from error
    except OSError as error:
        raise Unreadable(str(error.filename or options.state), error.strerror or str(error)) from error
    return terminal.status


async def _serve(options: argparse.Namespace, witness: Witness, terminal: _Terminal, about: str) -> None:
    ended, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ended.set)
    host, port = options.listen
    server = Server(witness.add_checkpoint, about)

    def ready(address: str) -> None:
        terminal.begin(witness, f"{about.splitlines()[0]} at {address}")

    # Nothing is answered before everything that was cosigned is replayed again, or that was tried.
    catching_up, ending = asyncio.create_task(server.in_turn(witness.catch_up)), asyncio.create_task(ended.wait())
    await asyncio.wait([catching_up, ending], return_when=asyncio.FIRST_COMPLETED)
    housekeeping = asyncio.create_task(_keep_house(server, witness, terminal))
    await server.serve(host, port, ready, ended)
    housekeeping.cancel()
    idle = await server.is_idle(_LAST_WAIT)
    if idle:
        witness.save()
    terminal.end(witness.size)
    if not idle:
        # The thread may wait for a slow log; what is durable is whole at any time.
        sys.stderr.flush()
        os._exit(terminal.status)


async def _keep_house(server: Server, witness: Witness, terminal: _Terminal) -> None:
    loop = asyncio.get_running_loop()
    due = loop.time() + _SAVE_SECONDS
    while True:
        await asyncio.sleep(_LOOK_SECONDS)
        terminal.look_after()
        if loop.time() >= due:
            await server.in_turn(witness.save)
            due = loop.time() + _SAVE_SECONDS


def _about(policy: Policy, signer: Signer, *, plain: bool) -> str:
    return (
        f"witness {signer.key.name} of the log {policy.log.name}\n"
        f"Its key is {signer.key}\n"
        f"Its line on a checkpoint means: {_PLAIN if plain else _REPLAYING}."
    )


class _Terminal:
    """What whoever runs the witness sees."""

    def __init__(self, options: argparse.Namespace, output: Output, origin: str) -> None:
        self._output, self._origin = output, origin
        self._whole = RLock()
        """Events come from the thread that answers, and from the one that serves."""
        self.status = HELD
        self._command: AlarmCommand | None = None
        if options.command_line is not None:
            try:
                self._command = AlarmCommand(options.command_line, self._complain)
            except ValueError as error:
                raise WrongUsage(str(error)) from error

    def begin(self, witness: Witness, text: str) -> None:
        """The witness answers from now on."""
        seen = f"{witness.size:,} records were cosigned before" if witness.size else "nothing was cosigned before"
        self.report(Event(EventKind.BEGUN, f"{text}; {seen}", witness.size))
        if witness.stopped is not None:
            self.report(witness.stopped)

    def report(self, event: Event) -> None:
        """Show an event, and run the command if it is an alarm."""
        with self._whole:
            told = self._print(event)
            if event.kind is EventKind.UNKNOWN and self.status == HELD:
                self.status = UNKNOWN
            if event.is_alarm:
                self.status = FAILED
                if self._command is not None:
                    self._command.run(told)

    def look_after(self) -> None:
        """Take note of commands that ended."""
        if self._command is not None:
            with self._whole:
                self._command.look_after()

    def end(self, size: int) -> None:
        """The witness answers no more."""
        if self._command is not None:
            self._command.finish(_LAST_WAIT)
        raised = "an alarm was raised, see above" if self.status == FAILED else "no alarm was raised"
        self._print(Event(EventKind.ENDED, f"ended; {raised}", size))

    def _print(self, event: Event) -> Json:
        moment = format_time(datetime.now(UTC))
        told = event_json(event, moment, self._origin, command="witness")
        self._output.report(lambda: told, lambda console: show_event(console, event, moment))
        return told

    def _complain(self, text: str) -> None:
        self._print(Event(EventKind.TROUBLE, text, 0))
