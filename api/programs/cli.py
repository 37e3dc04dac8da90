"""``foredraw``: the operator's program."""

# ruff: noqa: E402 -- as said below
from __future__ import annotations

import gc
import signal

# Nothing that is imported is garbage, and looking for some would cost a fifth of the time.
gc.disable()
if __name__ == "__main__":
    # Ctrl-C ends the program while it imports, which takes the most of a short command's time, without a traceback.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # `foredraw` starts Python with the signal blocked: one that has come since then ends the program here.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    from api.world.surroundings.closed_streams import fill_closed_streams
    from api.world.surroundings.inherited_variables import forget_inherited_variables

    # Before any file is opened that stays open, and before packages are imported, some of which read their variables
    # then.
    fill_closed_streams()
    forget_inherited_variables()

import errno
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Any

import click

from api.programs.commands import COMMANDS, GO_ON
from api.programs.lazy_group import LazyGroup
from api.refusal import RefusalError
from api.server.messages import write_messages
from api.settings import Settings, unknown_settings
from api.world.key_files import WRITTEN_BY_OTHERS
from api.world.private_memory import keep_memory_private
from api.world.storage_failures import STORAGE_FAILURES, in_words, of_another_account
from api.world.surroundings.closed_streams import lose_what_is_said
from fairness.errors import ForedrawError
from fairness.manifest import SERVICE, manifest_of_running
from fairness.version import VERSION

_OUR_ERRORS = (RefusalError, ForedrawError)
_CLOSED = "standard output or standard error is closed: redirect it to a file, or to /dev/null"


@contextmanager
def _interrupts_raised() -> Iterator[None]:
    """Make Ctrl-C, which ends the program before and after this context, a `KeyboardInterrupt`; one may leave the
    context.
    """
    if signal.getsignal(signal.SIGINT) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _Program.raises = True
    try:
        yield
    finally:
        _Program.raises = False
        signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def _interrupts_ending() -> Iterator[None]:
    """Have Ctrl-C end the program again, within this context of `_interrupts_raised`: a broken import may show a
    traceback.
    """
    if not _Program.raises:
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGINT, signal.default_int_handler)


class _Program(LazyGroup):
    """Turns our exceptions into one line and an exit status; a person never sees a traceback."""

    places = COMMANDS
    raises = False
    """Whether Ctrl-C, which ended the program before, is a `KeyboardInterrupt` now."""

    def main(self, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401 -- as click declares it
        """Run the program; report that no output can be written."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                # What a locale's encoding does not have is escaped: the names and reasons of a journal, the dots of
                # dice.
                stream.reconfigure(errors="backslashreplace")
        try:
            with _interrupts_raised():
                return super().main(*arguments, **options)
        except KeyboardInterrupt:
            sys.exit(1)
        except OSError as error:
            click.echo(f"Error: the output cannot be written: {error.strerror or error}", err=True)
            sys.exit(1)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command, which may have to be imported."""
        with _interrupts_ending():
            return super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Refuse a command if nobody could see what it prints, a new token for instance; what goes on to work runs
        without that.
        """
        name, command, rest = super().resolve_command(ctx, args)
        if sys.stdout is None or sys.stderr is None:
            if name not in GO_ON:
                click.echo(f"Error: {_CLOSED}", err=sys.stderr is not None)
                ctx.exit(1)
            lose_what_is_said()
            write_messages(logging.WARNING)
        return name, command, rest

    def invoke(self, ctx: click.Context) -> object:
        try:
            # Whatever the shell's mask: nobody else may write into what this program and those that it starts make.
            os.umask(os.umask(WRITTEN_BY_OTHERS) | WRITTEN_BY_OTHERS)
            keep_memory_private()
            write_messages(logging.WARNING)
            return super().invoke(ctx)
        except _OUR_ERRORS as error:
            raise click.ClickException(str(error)) from error
        except OSError as error:
            if error.filename is None and error.errno == errno.EPIPE:
                # The reader of the output has seen enough, as `head` does: click ends the program quietly.
                raise
            raise click.ClickException(_of_file(error, ctx.obj)) from error
        except STORAGE_FAILURES as error:
            raise click.ClickException(f"{ctx.obj.folder}: {in_words(error, ctx.obj)}") from error


def _of_file(error: OSError, settings: Settings | None) -> str:
    place = f"{error.filename}: " if error.filename else ""
    whose = of_another_account(settings.folder) if settings and isinstance(error, PermissionError) else None
    remedy = f". {whose}: run it as the folder's account" if whose else ""
    return f"{place}{error.strerror or error}{remedy}"


def _show_version(context: click.Context, _option: click.Parameter, asked: bool) -> None:  # noqa: FBT001 -- click's
    if asked:
        click.echo(f"foredraw {VERSION}, manifest {manifest_of_running(SERVICE)}")
        context.exit()


@click.group(
    cls=_Program,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option("--data", metavar="FOLDER", help="The service's folder; else FOREDRAW_DATA, else ./data.")
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show version and manifest, and exit.",
)
@click.pass_context
def main(context: click.Context, data: str | None) -> None:
    """Run Foredraw: casino rounds drawn before the round, provable after it.

    Players and auditors use another program, foredraw-verify, which trusts nothing that this one says.
    """
    context.obj = Settings.from_environment(data)
    for sentence in unknown_settings():
        click.echo(f"foredraw: {sentence}", err=True)


gc.enable()

if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    main(prog_name="foredraw")
