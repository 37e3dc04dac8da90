"""The partitions of an audit in separate processes, one per core.

A worker is this module, run as a program: it reads its `Partition` as JSON from its standard input and
writes one line of JSON per bundle to its standard output, the last of which holds its `PartResult`. A
fresh process inherits neither threads nor open connections.
"""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from threading import Lock

import msgspec
from msgspec import Struct

from fairness.errors import Unreadable
from games import GAMES
from verifier.audit.partition import Partition, PartResult, ReportDone, run_partition
from verifier.sources.source import open_source

MOST_JOBS = 64
RECORDS_PER_JOB = 20_000
"""A process takes as long to start as to replay about so many records."""


class Job(Struct):
    """The message to a worker."""

    address: str
    partition: Partition


class Done(Struct, tag="done"):
    """How many records a worker has processed."""

    records: int


_LINE = msgspec.json.Decoder(Done | PartResult)


def jobs_for(records: int) -> int:
    """Return how many processes suit so many records: at most one for each core, and each has enough to do."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(MOST_JOBS, cores, records // RECORDS_PER_JOB))


def run_in_processes(partitions: list[Partition], address: str, report_done: ReportDone) -> list[PartResult]:
    """Run each partition in a process that opens ``address`` for itself. ``report_done`` gets the progress of the
    slowest.
    """
    done = [0] * len(partitions)
    lock = Lock()

    def hear(number: int, records: int) -> None:
        with lock:
            done[number] = records
            report_done(min(done))

    with ExitStack() as until_all_ended:
        workers = [until_all_ended.enter_context(_start()) for _ in partitions]
        threads = until_all_ended.enter_context(ThreadPoolExecutor(len(partitions)))
        # However this ends, no worker continues, and so no thread still waits for one.
        for worker in workers:
            until_all_ended.callback(worker.kill)
        answers = [
            threads.submit(_converse, worker, Job(address, partition), partial(hear, partition.number))
            for worker, partition in zip(workers, partitions, strict=True)
        ]
        return [answer.result() for answer in answers]


def _start() -> subprocess.Popen[bytes]:
    program = "import sys; sys.path[:] = sys.argv[1:]; from verifier.audit.processes import work; work()"
    # The process that started the audit also ends it; an interrupt at the terminal reaches both, and is blocked in
    # the worker.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        return subprocess.Popen(
            [sys.executable, "-P", "-c", program, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=-1,
        )
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _converse(worker: subprocess.Popen[bytes], job: Job, hear: ReportDone) -> PartResult:
    if worker.stdin is None or worker.stdout is None:
        raise ValueError("a worker has pipes")
    try:
        worker.stdin.write(msgspec.json.encode(job) + b"\n")
        worker.stdin.flush()
        for line in worker.stdout:
            message = _LINE.decode(line)
            if isinstance(message, PartResult):
                return message
            hear(message.records)
    except (BrokenPipeError, msgspec.MsgspecError):
        pass
    raise Unreadable("the audit", f"a process of it ended with status {worker.wait()}; is there memory enough?")


def work() -> None:
    """Run as the worker."""
    job = msgspec.json.decode(sys.stdin.buffer.readline(), type=Job)
    # A worker makes bytes and values without cycles, so there is nothing to collect.
    gc.disable()
    _say(run_partition(job.partition, open_source(job.address), GAMES, lambda records: _say(Done(records))))


def _say(message: Done | PartResult) -> None:
    try:
        sys.stdout.buffer.write(msgspec.json.encode(message) + b"\n")
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Nobody waits for the answer.
        os._exit(0)
