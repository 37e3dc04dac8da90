"""What the commands share: exit statuses, arguments, and how a verdict is printed."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from fairness.draws.game import Rules
from fairness.errors import CheckFailed, Malformed, Unreadable
from fairness.hashing import parse_hex
from fairness.limits import LARGEST_POLICY
from fairness.log.fork import Fork
from fairness.log.notes import VerifierKey
from fairness.policy.head import Head
from fairness.policy.policy import Policies, Trust
from fairness.round.proof import parse_round_number
from fairness.times import format_time
from verifier.commands.output_file import OutputFile, complain, silence_standard_output
from verifier.forks.extension import NotAnExtension, OlderCopy
from verifier.helped_file import as_it_was_written
from verifier.output.as_json import program_json, without_nulls
from verifier.output.kind import kind_of
from verifier.output.printing import Console, line, show_program
from verifier.pasted_code import find_codes
from verifier.sources.source import FolderSource, HttpSource, open_source
from verifier.typing_error import CHECKS_OF_CODES, Mistyped

if TYPE_CHECKING:
    from verifier.output.events import EventReporter

HELD, USAGE, FAILED, UNREADABLE, IMPROBABLE, UNKNOWN, NOT_SHOWN, MISTYPED, INTERRUPTED = 0, 2, 3, 4, 5, 6, 7, 8, 130
EXITS = """exit status:
  0  everything that was checked held
  2  wrong usage
  3  a check failed; its name, the record, what was expected and what was found are printed
  4  a file could not be read, so there is no verdict
  5  of stats: everything held, and a test of the outcomes raised an alarm
  6  what could be checked held, but something is unknown to this verifier, such as a beacon; it is named.
     Or the log is a sandbox: its name ends in /sandbox, and it proves nothing
  7  what was asked for is not shown: nobody signs a log's index, so that accuses nobody; the way on is named
  8  the round code is none, because a character is wrong, missing or too many: nothing was checked
"""

LOG_HELP = "the log: an address (http://…/log) or a folder"

Value = TypeVar("Value")
Parsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001 -- argparse has no public name for it
Run = Callable[[argparse.Namespace, "Output"], int]
"""Does the work of a command and returns the exit status; raises `CheckFailed`, `Unreadable`, `WrongUsage`."""


class WrongUsage(Exception):
    """The arguments contradict one another, or what they name does not exist."""


class Output:
    """Where verdicts are printed: for people, or as one JSON object for programs."""

    def __init__(self, *, as_json: bool, taken: bool = False) -> None:
        """``taken``: standard output is the file that a command makes, and people read on standard error."""
        if as_json and taken:
            raise WrongUsage("--json needs -o FILE: standard output is taken by what the command makes")
        self._as_json = as_json
        self._program = True
        """Whether it is still to be said which program says this."""
        self.helped = list[str]()
        """What the files of the user had that is none of their format, and was left out."""
        self.console = Console(stderr=taken)
        self.lost = False
        """Whether a verdict could not be written."""

    def report(self, as_json: Callable[[], Mapping[str, object]], show: Callable[[Console], None]) -> None:
        """Print a verdict in the requested form, and which program says it."""
        self._print(as_json, show, is_verdict=True)

    def give(self, as_json: Callable[[], Mapping[str, object]], show: Callable[[Console], None]) -> None:
        """Print what is no verdict: an event of many, or what is handed on as it is."""
        self._print(as_json, show, is_verdict=False)

    def _print(
        self, as_json: Callable[[], Mapping[str, object]], show: Callable[[Console], None], *, is_verdict: bool
    ) -> None:
        # Of many events, the first says it.
        helped, self.helped = self.helped, []
        says_program, self._program = self._program and is_verdict, False
        try:
            if self._as_json:
                program = program_json() if says_program else None
                found = without_nulls({**as_json(), "helped": helped or None, "program": program})
                sys.stdout.write(json.dumps(found, sort_keys=True) + "\n")
            else:
                if says_program:
                    show_program(self.console)
                for each in helped:
                    line(self.console, "Helped", each)
                show(self.console)
            sys.stdout.flush()
        except BrokenPipeError:
            # The reader closed our output; the status still reports the verdict.
            silence_standard_output()
        except OSError as error:
            # A full disk, for instance.
            complain(f"the verdict cannot be written: {error.strerror or error}")
            self.lost = True
            silence_standard_output()


def add_command(commands: Parsers, name: str, run: Run, *, summary: str, description: str) -> argparse.ArgumentParser:
    """Add a command with the arguments that all commands have."""
    command = commands.add_parser(
        name,
        help=summary,
        description=description,
        epilog=EXITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        # An abbreviation would end with the next option that begins like it.
        allow_abbrev=False,
    )
    command.add_argument("--json", action="store_true", help="print the verdict as one JSON object")
    command.set_defaults(run=run)
    return command


def add_trust(command: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Add ``--key`` and ``--policy``, one of which is needed to check anything about a log."""
    either = command.add_mutually_exclusive_group(required=required)
    either.add_argument("--key", dest="trust", type=_KEY, metavar="VKEY", help="the log's verifier key: name+id+key")
    either.add_argument(
        "--policy", dest="trust", action=PolicyFile, metavar="FILE", help="a policy: the log's key, and its witnesses"
    )
    command.add_argument(
        "--log-name", metavar="NAME", help="which log of the policy, if it has several and none has the given address"
    )


def add_whole(command: argparse.ArgumentParser) -> None:
    """Add ``--whole``, for rounds that the finding aids of a log do not show."""
    command.add_argument(
        "--whole", action="store_true", help="read every record of the log, and not its index, which nobody signs"
    )


def add_log(command: argparse.ArgumentParser) -> None:
    """Add ``--log``, the place of the log."""
    command.add_argument("--log", required=True, metavar="LOG", help=LOG_HELP)


def as_argument(parse: Callable[[str], Value]) -> Callable[[str], Value]:
    """Turn a parser of the protocol into one for arguments: malformed values are wrong usage."""

    def read(text: str) -> Value:
        try:
            return parse(text)
        except Malformed as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return read


TABLE_ID = as_argument(parse_hex)
ROUND = as_argument(lambda text: parse_round_number(text.encode()))
_KEY = as_argument(lambda text: VerifierKey.parse("".join(each for each in text if each.isprintable()).strip()))


class PolicyFile(argparse.Action):
    """Puts the policy of a file in place, and adds what the file had beside it to ``helped``."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[object] | None,
        option_string: str | None = None,
    ) -> None:
        """Act as argparse demands."""
        try:
            data, helped = _read_helped(Path(str(values)), LARGEST_POLICY)
            setattr(namespace, self.dest, Policies.parse(data))
        except (Unreadable, Malformed) as error:
            parser.error(f"argument {option_string or self.metavar}: {error}")
        namespace.helped = [*getattr(namespace, "helped", ()), *helped]


def choose_log(options: argparse.Namespace) -> None:
    """Choose, of a policy with several logs, the one with the given name, or with the address of the log. Raises
    `WrongUsage`.

    Where a file is given, its checkpoint chooses: `trust_in`.
    """
    trust, name = getattr(options, "trust", None), getattr(options, "log_name", None)
    if isinstance(trust, VerifierKey) and name not in {None, trust.name}:
        raise WrongUsage(f"--log-name {name}: the key is of {trust.name}")
    if isinstance(trust, Policies) and (
        name is not None or len(trust.logs) == 1 or not isinstance(getattr(options, "file", None), Path)
    ):
        places = (getattr(options, place, None) for place in ("log", "first", "second"))
        try:
            options.trust = trust.of(name=name, url=next((place for place in places if place), None))
        except Malformed as error:
            raise WrongUsage(f"--policy: expected {error.expected}, found {error.found}: use --log-name") from error


def trust_in(options: argparse.Namespace, note: bytes) -> Trust:
    """Return whom to believe about a file, by the checkpoint in it."""
    trust: Trust | Policies = options.trust
    return trust.of_note(note) if isinstance(trust, Policies) else trust


def read_file(file: Path, most: int, output: Output) -> bytes:
    """Return a file that the user named, without what was added to it on its way, which the verdict of ``output``
    will name.

    At most ``most`` bytes, plus one, which no check accepts. Raises `Unreadable`.
    """
    data, helped = _read_helped(file, most)
    output.helped += helped
    return data


def _read_helped(file: Path, most: int) -> tuple[bytes, list[str]]:
    # Each line may have become one byte longer.
    data, helped = as_it_was_written(read_as_it_is(file, 2 * most))
    return data[: most + 1], [f"{file} has {each}, which was put right" for each in helped]


def read_as_it_is(file: Path, most: int) -> bytes:
    """Return a file with every byte that it has; what accuses somebody is read so. As `read_file` otherwise."""
    try:
        with file.open("rb") as opened:
            return opened.read(most + 1)
    except OSError as error:
        raise Unreadable(str(file), error.strerror or str(error)) from error


@contextmanager
def pasted_code(text: str) -> Iterator[str]:
    """Find the round code in what the user pasted, or what is most like one. Raises `WrongUsage` if there are
    several.

    If it is none, `Mistyped` says where, and which characters nobody could see.
    """
    found = find_codes(text)
    if len(found.codes) > 1:
        raise WrongUsage(f"expected one round code, found {len(found.codes)}: {', '.join(found.codes)}")
    try:
        yield found.codes[0] if found.codes else found.longest
    except CheckFailed as error:
        if error.check not in CHECKS_OF_CODES:
            raise
        raise Mistyped(error, found.longest, found.unseen) from error


def numbers_of(text: str) -> Rules:
    """Read rules as an argument has them. Raises `WrongUsage`."""
    try:
        rules = json.loads(text)
    except (ValueError, RecursionError):
        rules = None
    if not isinstance(rules, dict) or any(type(value) is not int for value in rules.values()):
        raise WrongUsage(f"--rules: expected a JSON object of whole numbers, found {text}")
    return rules


def add_evidence(command: argparse.ArgumentParser) -> None:
    """Add ``--evidence FILE``."""
    command.add_argument("--evidence", type=OutputFile, metavar="FILE", help="where to keep evidence of a fork")


@contextmanager
def keeping_evidence(file: OutputFile | None) -> Iterator[None]:
    """Keep evidence: if what is done finds a fork, it is kept where the user wants it, and the failure names
    where.
    """
    try:
        yield
    except NotAnExtension as error:
        error.evidence = keep_fork(file, error.fork)
        raise
    except OlderCopy as error:
        if keep_fork(file, error.pair):
            complain(f"both signed checkpoints, without any proof, are in {file}")
        raise


def keep_fork(file: OutputFile | None, fork: Fork | None) -> str | None:
    """Keep evidence where the user wants it; `None` if that is nowhere, if there is no evidence, or if it cannot be
    written.
    """
    return None if file is None or fork is None else file.write_or_complain(bytes(fork), "evidence")


def status_of(head: Head, unknown: Sequence[str] = ()) -> int:
    """Return the exit status of a verdict that did not fail."""
    return HELD if kind_of(head, unknown).is_good else UNKNOWN


def status_of_events(events: EventReporter) -> int:
    """Return the exit status of a run that reports events."""
    return FAILED if events.has_alarmed else UNKNOWN if events.has_unknown else HELD


def clock() -> str:
    """Return the time of this computer, for remarks: no check depends on it."""
    return format_time(datetime.now(UTC))


def source_of(text: str) -> FolderSource | HttpSource:
    """Return the log that a user named."""
    try:
        return open_source(text)
    except ValueError as error:
        raise WrongUsage(str(error)) from error
