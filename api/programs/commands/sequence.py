"""``foredraw sequence``: runs what publishes the log, without listeners; and how every start of a service begins."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import click

from api import traces
from api.programs.commands.opened import opened_as_it_is
from api.programs.serve import start_background
from api.programs.supervisor import Supervisor
from api.service import Service
from api.settings import Settings, SettingsError
from api.store.sole import hold_service
from api.store.upgrade import check_schema, upgrade
from api.world.clock import Clock
from api.world.file_lock import hold_folder

STOPPED = "Foredraw has stopped; the next start goes on where it was."


STANDS_BY = click.option(
    "--standby", "stands_by", is_flag=True, help="Publish when no other sequencer does; needs PostgreSQL."
)


@click.command()
@STANDS_BY
@click.pass_obj
def sequence(settings: Settings, *, stands_by: bool) -> None:
    """Publish the log until Ctrl-C, without listeners: those of `foredraw serve --api-only` answer engines and the
    public.
    """
    with begun(settings, held=True, stands_by=stands_by) as service:
        origin = service.verifier_key.name
    supervisor = Supervisor(settings, {})
    start_background(supervisor, stands_by=stands_by)
    click.echo(f"The log {origin} is published from {settings.folder} (Ctrl-C ends it).")
    status = supervisor.run()
    click.echo(STOPPED)
    sys.exit(status)


@contextmanager
def begun(settings: Settings, *, held: bool, stands_by: bool = False, upgrading: bool = False) -> Iterator[Service]:
    """Open the service before its programs start; ``held`` if they publish, so that no other may.

    A demo needs no operator who upgrades it. Raises `SettingsError`.
    """
    traces.check()
    if (trouble := Clock().trouble()) is not None:
        raise SettingsError(trouble)
    if stands_by:
        _check_may_stand_by(settings)
    # A second service would take the first one's demo token away, or close its gate, before it learns that it may not
    # run.
    with opened_as_it_is(settings) as service, _alone(settings, stands_by=stands_by) if held else nullcontext():
        service.policy.check_not_forgotten(service.log)
        if upgrading:
            upgrade(service.database)
        check_schema(service.database, settings)
        # Before an engine is answered, so that no round is opened by software that nobody signed.
        service.integrity.look()
        yield service
        if held:
            service.gate.close_until_cosigned()


def _alone(settings: Settings, *, stands_by: bool) -> AbstractContextManager[object]:
    """Hold what the service has to have for itself; for one that stands by that is its folder."""
    return hold_folder(settings) if stands_by else hold_service(settings)


def _check_may_stand_by(settings: Settings) -> None:
    """Raise `SettingsError` for a service that no other machine can go on with."""
    if settings.server is None:
        raise SettingsError("a standby needs a database that both machines reach: set FOREDRAW_DATABASE")
    if settings.seeds_server is None:
        raise SettingsError(
            "a standby needs the seeds of the machine that leads, and here they are in a file of this machine: set"
            " FOREDRAW_CUSTODIAN to another database that both machines reach"
        )
