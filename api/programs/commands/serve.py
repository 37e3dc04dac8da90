"""``foredraw serve``: runs the service, or the demo."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from http import HTTPStatus
from pathlib import Path
from shutil import which

import click
import urllib3

from api.http.crowds import SHARE, SHARE_OF_A_READER
from api.programs.background.run import beside_listeners
from api.programs.commands.command import PORT, account, host, path_from_here
from api.programs.commands.sequence import STANDS_BY, STOPPED, begun
from api.programs.demo import GAMES_OF, make_demo
from api.programs.outsiders import WORDS, Outsiders
from api.programs.serve import (
    CONNECTIONS,
    ENGINE_APP,
    PATIENCE,
    PUBLIC_APP,
    WORKERS,
    Listener,
    allow_files,
    start_background,
    start_listeners,
    start_public,
)
from api.programs.setup import DEFAULT_ORIGIN, initialise
from api.programs.supervisor import Supervisor
from api.server.priority import LOWEST, NICENESS
from api.settings import LAST_PORT, Settings
from api.world.file_lock import check_free
from fairness.records.rules import UNSALTED

_processes = click.IntRange(1, 64)


def _url(_context: click.Context, _parameter: click.Parameter, given: str | None) -> str | None:
    if given is not None and not given.startswith(("http://", "https://")):
        raise click.BadParameter("expected an address like https://engines.casino.example:8443")
    return given


@click.command()
@host("--host", "Where the public is answered: pages, log, reads.")
@click.option("--port", default=8000, show_default=True, type=PORT)
@click.option("--workers", default=WORKERS, show_default=True, type=_processes, help="Processes for the public.")
@host("--engine-host", "Where engines are answered.")
@click.option("--engine-port", type=PORT, help="[default: the port after --port]")
@click.option(
    "--engine-socket",
    metavar="PATH",
    type=click.Path(path_type=Path, resolve_path=True),
    help="A Unix socket for engines, in the place of host and port.",
)
@click.option(
    "--engine-url",
    metavar="URL",
    callback=_url,
    help="What engines call, if a web server is in front: told to those who call the public by mistake.",
)
@click.option("--engine-workers", default=WORKERS, show_default=True, type=_processes, help="Processes for engines.")
@click.option(
    "--connections",
    default=CONNECTIONS,
    show_default=True,
    type=click.IntRange(2, 100_000),
    help="Connections that each process has open at most.",
)
@click.option(
    "--patience",
    default=PATIENCE,
    show_default=True,
    type=click.IntRange(1, 3600),
    help="Seconds that a caller may be silent, or take for a request.",
)
@click.option(
    "--niceness",
    default=NICENESS,
    show_default=True,
    type=click.IntRange(0, LOWEST),
    help="How much the public's processes give way to the engines' (nice).",
)
@click.option(
    "--public-share",
    type=click.IntRange(1, 100),
    show_default=f"{SHARE}, or {SHARE_OF_A_READER} with --public-only",
    help="Percent of their time that the public's processes may spend on expensive answers.",
)
@click.option("--api-only", is_flag=True, help="Run the listeners alone; `foredraw sequence` publishes their rounds.")
@click.option(
    "--public-only", is_flag=True, help="Answer the public alone, from the log at FOREDRAW_LOG and the database."
)
@STANDS_BY
@click.option("--demo", is_flag=True, help="Initialise if needed, make tables if there are none, and play them.")
@click.option(
    "--games",
    type=click.Choice(list(GAMES_OF)),
    default="named",
    show_default=True,
    help="Of a demo: the six games known by their names, nine of different kinds, or all of the catalogue.",
)
@click.option(
    "--pace", default=5.0, show_default=True, type=click.FloatRange(0, 3600), help="Seconds a demo round takes."
)
@click.pass_obj
def serve(
    settings: Settings,
    *,
    host: str,
    port: int,
    workers: int,
    engine_host: str,
    engine_port: int | None,
    engine_socket: Path | None,
    engine_url: str | None,
    engine_workers: int,
    connections: int,
    patience: int,
    niceness: int,
    public_share: int | None,
    api_only: bool,
    public_only: bool,
    stands_by: bool,
    demo: bool,
    games: str,
    pace: float,
) -> None:
    """Run the service until Ctrl-C: one listener for engines, one for the public, and what publishes the log.

    Engines' calls, each with a token, have a port (or a socket) and processes of their own, which strangers cannot
    fill.
    """
    public = Listener(PUBLIC_APP, host, port, None, workers, connections, patience)
    chosen = engine_port or port + 1
    engines = Listener(ENGINE_APP, engine_host, chosen, engine_socket, engine_workers, connections, patience)
    if api_only + public_only + stands_by + demo > 1:
        raise click.UsageError("--api-only, --public-only, --standby and --demo exclude each other")
    _check_role(settings, public_only=public_only)
    if public_only:
        _serve_readers(settings, public, engine_url, public_share or SHARE_OF_A_READER)
        return
    _check_listeners(public, engines, demo=demo)
    allow_files(connections)
    public.check_free()
    engines.check_free()
    outsiders = _demo(settings, public) if demo else None
    settings = outsiders.settings if outsiders else settings
    salt = outsiders.salt if outsiders else UNSALTED
    with begun(settings, held=not api_only, stands_by=stands_by, upgrading=demo) as service:
        token = make_demo(service, salt, GAMES_OF[games]) if demo else None
        trust = f"--policy {path_from_here(settings.policy)}" if settings.policy else f"--key {service.verifier_key}"
    supervisor = Supervisor(settings, outsiders.environment if outsiders else {})
    if outsiders:
        outsiders.start(supervisor)
    with beside_listeners(settings) if api_only else nullcontext():
        if not api_only:
            start_background(supervisor, stands_by=stands_by)
        start_listeners(
            supervisor,
            public=public,
            engines=engines,
            engine_url=engine_url,
            niceness=niceness,
            share=public_share or SHARE,
        )
        if supervisor.wait_until(lambda: _is_ready(public.url) and engines.answers()):
            _show(public.url, engines.bind, trust, WORDS if outsiders else None)
            if token is not None:
                arguments = ["api.programs.cli", "play", "--url", engines.url, "--pace", str(pace)]
                supervisor.start("demo dealer", arguments, FOREDRAW_TOKEN=token)
        status = supervisor.run()
    click.echo(STOPPED)
    sys.exit(status)


def _check_role(settings: Settings, *, public_only: bool) -> None:
    """Raise `click.UsageError` if a machine that only reads the log would do more, or one that has it would do
    less.
    """
    if public_only and (settings.elsewhere is None or settings.server is None):
        raise click.UsageError("--public-only: set FOREDRAW_LOG, FOREDRAW_LOG_KEY and FOREDRAW_DATABASE")
    if settings.elsewhere is not None and not public_only:
        raise click.UsageError("with FOREDRAW_LOG a machine only reads the log: add --public-only, or unset it")


def _serve_readers(settings: Settings, public: Listener, engine_url: str | None, share: int) -> None:
    """Run the public's listener alone. The folder gets what this machine remembers for itself, and may be empty."""
    settings.folder.mkdir(parents=True, exist_ok=True)
    allow_files(public.connections)
    public.check_free()
    with begun(settings, held=False) as service:
        trust = f"--key {service.verifier_key}"
    supervisor = Supervisor(settings, {})
    start_public(supervisor, public, engine_url=engine_url, share=share)
    if supervisor.wait_until(lambda: _is_ready(public.url)):
        click.echo(
            f"Foredraw answers the public at {public.url}/ (Ctrl-C ends it). Every round that has ended can be checked:"
        )
        click.echo(f"  {_path_of('foredraw-verify')} audit {public.url}/log {trust}")
    with beside_listeners(settings):
        status = supervisor.run()
    click.echo(STOPPED)
    sys.exit(status)


def _demo(settings: Settings, public: Listener) -> Outsiders | None:
    """Make a new folder if there is none; returns what stands outside it, if it has that. Raises `SettingsError`."""
    # The addresses that it writes are those of this start: a demo that runs has its own.
    check_free(settings)
    new = not settings.signing_key.exists()
    if new:
        initialise(settings, DEFAULT_ORIGIN, by=account())
    return Outsiders.find(settings, f"{public.url}/log", make=new)


def _show(url: str, engines: str, trust: str, more: str | None) -> None:
    """Say where the service is, and how its rounds are checked."""
    click.echo(f"Foredraw runs at {url}/, for engines at {engines} (Ctrl-C ends it).")
    click.echo("Every round that has ended can be checked:")
    verifier = _path_of("foredraw-verify")
    click.echo(f"  {verifier} code CODE --log {url}/log {trust}")
    click.echo(f"  {verifier} audit {url}/log {trust}")
    if more is not None:
        click.echo(more)


def _check_listeners(public: Listener, engines: Listener, *, demo: bool) -> None:
    """Raise `click.UsageError` if the two listeners cannot be combined like this."""
    if engines.socket is not None:
        if demo:
            raise click.UsageError("the demo dealer needs a port: leave out --engine-socket")
        return
    if engines.port > LAST_PORT:
        raise click.UsageError(f"--engine-port: there is no port after {public.port}, so choose one")
    if engines.port == public.port:
        raise click.UsageError(f"--engine-port: engines need another port than the public, which has {public.port}")


def _path_of(program: str) -> str:
    """Return the path of a program that is installed beside this one."""
    path = Path(sys.executable).with_name(program)
    if which(program) == str(path) or not path.exists():
        return program
    return path_from_here(path)


def _is_ready(url: str) -> bool:
    try:
        return urllib3.request("GET", f"{url}/health/ready", retries=False, timeout=2).status == HTTPStatus.OK
    except urllib3.exceptions.HTTPError:
        return False
