"""``foredraw``: the operator's program."""

# ruff: noqa: E402
from __future__ import annotations

import gc

# Nothing that is imported is garbage, and looking for some would cost a fifth of the time.
gc.disable()

import logging

import click

from api.access.tokens import TokenRefusedError
from api.bets.par.sheet import ParRefusedError
from api.custody.custodian import SeedsUnavailableError
from api.log.recovery import RecoveryError
from api.problems import Problem
from api.programs.commands import COMMANDS
from api.programs.dealer import DealerError
from api.rounds.second_person import NotConfirmedError
from api.rounds.tables import TableRefusedError
from api.server.messages import write_messages
from api.settings import Settings, SettingsError
from api.store.rows import DamagedStateError
from api.world.private_memory import keep_memory_private
from api.world.storage_failures import STORAGE_FAILURES, in_words
from api.world.timekeeper import Unconfirmed
from fairness.errors import ForedrawError
from fairness.version import VERSION

_OUR_ERRORS = (
    SettingsError,
    SeedsUnavailableError,
    RecoveryError,
    Problem,
    DealerError,
    ParRefusedError,
    ForedrawError,
    Unconfirmed,
    TableRefusedError,
    NotConfirmedError,
    TokenRefusedError,
    DamagedStateError,
)


class _Program(click.Group):
    """Turns our exceptions into one line and an exit status; a person never sees a traceback."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            keep_memory_private()
            write_messages(logging.WARNING)
            return super().invoke(ctx)
        except _OUR_ERRORS as error:
            raise click.ClickException(str(error)) from error
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            raise click.ClickException(f"{place}{error.strerror or error}") from error
        except STORAGE_FAILURES as error:
            raise click.ClickException(f"{ctx.obj.folder}: {in_words(error, ctx.obj)}") from error


@click.group(cls=_Program, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--data", metavar="FOLDER", help="The service's folder; else FOREDRAW_DATA, else ./data.")
@click.version_option(VERSION, prog_name="foredraw", message="%(prog)s %(version)s")
@click.pass_context
def main(context: click.Context, data: str | None) -> None:
    """Run Foredraw: casino rounds drawn before the round, provable after it.

    Players and auditors use another program, foredraw-verify, which trusts nothing that this one says.
    """
    context.obj = Settings.from_environment(data)


for command in COMMANDS:
    main.add_command(command)

gc.enable()

if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    main(prog_name="foredraw")
