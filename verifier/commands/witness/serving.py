"""A witness that runs: its server, its signals and its events."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys

from fairness.errors import Unreadable
from fairness.log.checkpoints import is_sandbox
from fairness.policy.policy import Policy
from verifier.commands.command import Output, WrongUsage, source_of, status_of_events
from verifier.commands.witness.signs import signer_of
from verifier.output.events import EventReporter
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
_NOT_REPLAYING = (
    "it saw this tree at this time, and the tree extends every tree that it cosigned before; it looked at no record"
)


def run_witness(options: argparse.Namespace, output: Output) -> int:
    """Run the witness that the arguments describe until a signal ends it. Returns the exit status."""
    try:
        hide_memory()
        allow_open_files()
    except OSError as error:
        raise WrongUsage(str(error.strerror)) from error
    policy = Policy.of(options.trust)
    if is_sandbox(policy.log.name):
        raise WrongUsage(
            f"{policy.log.name} is a sandbox, which proves nothing, so no witness cosigns it: name a log that is none"
        )
    signer, memory = signer_of(options), Memory(options.state)
    try:
        events = EventReporter(output.give, policy.log.name, "witness", options.command_line)
    except ValueError as error:
        raise WrongUsage(str(error)) from error
    try:
        with memory.held(make=options.begin):
            if options.begin:
                memory.begin(policy.log, signer.key)
            source = None if options.log is None else source_of(options.log)
            world = World(events.report)
            witness = Witness(options.trust, source, signer, memory, world, plain=options.plain)
            asyncio.run(_serve(options, witness, events, _about(policy, signer, plain=options.plain)))
    except Forgotten as error:
        raise WrongUsage(str(error)) from error
    except OSError as error:
        raise Unreadable(str(error.filename or options.state), error.strerror or str(error)) from error
    return status_of_events(events)


async def _serve(options: argparse.Namespace, witness: Witness, events: EventReporter, about: str) -> None:
    ended, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ended.set)
    host, port = options.listen
    server = Server(witness.add_checkpoint, about)

    def ready(address: str) -> None:
        _greet(events, witness, f"{about.splitlines()[0]} at {address}")

    # Nothing is answered before everything that was cosigned is replayed again, or that was tried.
    catching_up, ending = asyncio.create_task(server.in_turn(witness.catch_up)), asyncio.create_task(ended.wait())
    await asyncio.wait([catching_up, ending], return_when=asyncio.FIRST_COMPLETED)
    housekeeping = asyncio.create_task(_keep_house(server, witness, events))
    await server.serve(host, port, ready, ended)
    housekeeping.cancel()
    idle = await server.is_idle(_LAST_WAIT)
    if idle:
        witness.save()
    events.end(witness.size)
    if not idle:
        # The thread may wait for a slow log; what is durable is whole at any time.
        sys.stderr.flush()
        os._exit(status_of_events(events))


async def _keep_house(server: Server, witness: Witness, events: EventReporter) -> None:
    loop = asyncio.get_running_loop()
    due = loop.time() + _SAVE_SECONDS
    while True:
        await asyncio.sleep(_LOOK_SECONDS)
        events.look_after()
        if loop.time() >= due:
            await server.in_turn(witness.save)
            due = loop.time() + _SAVE_SECONDS


def _about(policy: Policy, signer: Signer, *, plain: bool) -> str:
    return (
        f"witness {signer.key.name} of the log {policy.log.name}\n"
        f"Its key is {signer.key}\n"
        f"Its line on a checkpoint means: {_NOT_REPLAYING if plain else _REPLAYING}."
    )


def _greet(events: EventReporter, witness: Witness, text: str) -> None:
    """Say that the witness answers from now on."""
    seen = f"{witness.size:,} records were cosigned before" if witness.size else "nothing was cosigned before"
    events.report(Event(EventKind.BEGUN, f"{text}; {seen}", witness.size))
    if witness.stopped is not None:
        events.report(witness.stopped)
