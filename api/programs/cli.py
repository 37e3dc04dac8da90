"""``foredraw``: the operator's program."""

from __future__ import annotations

import json
import logging
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from shutil import which

import click
import urllib3

from api.access import tokens
from api.beacon.node import Node
from api.bets.par.command import write_par
from api.bets.par.sheet import ParRefusedError, make_sheet
from api.custody.custodian import SeedsUnavailableError
from api.http.view import list_tables
from api.log.recovery import RecoveryError
from api.problems import Problem
from api.programs.beacon import RelayServer
from api.programs.dealer import DealerError, play
from api.programs.demo import make_demo
from api.programs.serve import (
    CONNECTIONS,
    ENGINE_APP,
    PATIENCE,
    PUBLIC_APP,
    WORKERS,
    Listener,
    allow_files,
    start_service,
    write_public_key,
)
from api.programs.setup import initialise
from api.restore.rebuild import rebuild
from api.rounds import tables as table_actions
from api.server.priority import LOWEST, NICENESS
from api.service import Service, open_service
from api.settings import DEFAULT_TIMEOUT, Settings, SettingsError
from api.sql.database import Database
from api.store.schema import bring_up_to_date
from api.world.clock import Clock
from api.world.file_lock import hold_folder
from api.world.private_memory import keep_memory_private
from api.world.storage_failures import STORAGE_FAILURES, in_words
from api.world.supervision import SUPERVISOR, when_orphaned
from api.world.timekeeper import Unconfirmed
from fairness.errors import ForedrawError
from fairness.version import VERSION

DEFAULT_ORIGIN = "foredraw.localhost/log"
_OUR_ERRORS = (
    SettingsError,
    SeedsUnavailableError,
    RecoveryError,
    Problem,
    DealerError,
    ParRefusedError,
    ForedrawError,
    Unconfirmed,
    table_actions.TableRefusedError,
    tokens.TokenRefusedError,
)


class _Program(click.Group):
    """Turns our exceptions into one line and an exit status; a person never sees a traceback."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            keep_memory_private()
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


@main.command()
@click.option(
    "--origin", default=DEFAULT_ORIGIN, show_default=True, help="The log's name: its address without scheme."
)
@click.pass_obj
def init(settings: Settings, origin: str) -> None:
    """Make a new service: keys (mode 0600), an empty database, an empty log."""
    key = initialise(settings, origin)
    click.echo(f"Initialised {settings.folder}. The log's key, to be published widely:\n{key}")


def _address(text: str) -> str:
    if re.fullmatch(r"https?://[\x21-\x7e]+", text) is None:
        raise click.BadParameter("it begins with http:// or https://, and has no space")
    return text


LAST_PORT = 65535
_port = click.IntRange(1, LAST_PORT)
_processes = click.IntRange(1, 64)


@main.command()
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Where the public is answered: pages, log, reads."
)
@click.option("--port", default=8000, show_default=True, type=_port)
@click.option("--workers", default=WORKERS, show_default=True, type=_processes, help="Processes for the public.")
@click.option("--engine-host", default="127.0.0.1", show_default=True, help="Where engines are answered.")
@click.option("--engine-port", type=_port, help="[default: the port after --port]")
@click.option(
    "--engine-socket",
    metavar="PATH",
    type=click.Path(path_type=Path, resolve_path=True),
    help="A Unix socket for engines, in the place of host and port.",
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
@click.option("--demo", is_flag=True, help="Initialise if needed, make six tables if there are none, and play them.")
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
    engine_workers: int,
    connections: int,
    patience: int,
    niceness: int,
    demo: bool,
    pace: float,
) -> None:
    """Run the service until Ctrl-C: one listener for engines, one for the public, and what publishes the log.

    Engines' calls, each with a token, have a port (or a socket) and processes of their own, which strangers cannot fill.
    """
    public = Listener(PUBLIC_APP, host, port, None, workers, connections, patience)
    chosen = engine_port or port + 1
    engines = Listener(ENGINE_APP, engine_host, chosen, engine_socket, engine_workers, connections, patience)
    _check_listeners(public, engines, demo=demo)
    allow_files(connections)
    if demo and not settings.signing_key.exists():
        initialise(settings, DEFAULT_ORIGIN)
    public.check_free()
    engines.check_free()
    if settings.signing_key.exists() and not settings.verifier_key.exists():
        write_public_key(settings)
    # A second service would take the first one's demo token away before it learns that it may not run.
    with _opened(settings) as service, hold_folder(settings):
        bring_up_to_date(service.database)
        token = make_demo(service) if demo else None
        key = service.verifier_key
    url = public.url
    supervisor = start_service(settings, public=public, engines=engines, niceness=niceness)
    if supervisor.wait_until(lambda: _is_ready(url) and engines.answers()):
        click.echo(f"Foredraw runs at {url}/, for engines at {engines.bind} (Ctrl-C ends it).")
        click.echo("Every round that has ended can be checked:")
        verifier = _path_of("foredraw-verify")
        click.echo(f"  {verifier} code CODE --log {url}/log --key {key}")
        click.echo(f"  {verifier} audit {url}/log --key {key}")
        if token is not None:
            arguments = ["api.programs.cli", "play", "--url", engines.url, "--pace", str(pace)]
            supervisor.start("demo dealer", arguments, FOREDRAW_TOKEN=token)
    status = supervisor.run()
    click.echo("Foredraw has stopped; the next start goes on where it was.")
    sys.exit(status)


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
    """The path of a program that is installed beside this one."""
    path = Path(sys.executable).with_name(program)
    if which(program) == str(path) or not path.exists():
        return program
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def _is_ready(url: str) -> bool:
    try:
        return urllib3.request("GET", f"{url}/health/ready", retries=False, timeout=2).status == HTTPStatus.OK
    except urllib3.exceptions.HTTPError:
        return False


@main.command("play")
@click.argument("names", metavar="[TABLE]...", nargs=-1)
@click.option("--url", default="http://127.0.0.1:8001", show_default=True, help="Where the service answers engines.")
@click.option("--token", envvar="FOREDRAW_TOKEN", required=True, help="An engine token; better in FOREDRAW_TOKEN.")
@click.option("--pace", default=5.0, show_default=True, type=click.FloatRange(0, 3600), help="Seconds a round takes.")
def play_command(names: tuple[str, ...], url: str, token: str, pace: float) -> None:
    """Play demo rounds over HTTP, on all tables unless some are named."""
    stop = threading.Event()
    if SUPERVISOR in os.environ:
        when_orphaned(stop.set)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    try:
        play(url, token, list(names), pace, stop)
    except urllib3.exceptions.HTTPError as error:
        raise click.ClickException(f"{url} does not answer: {error}") from error


@main.group()
def table() -> None:
    """Add, list and close tables."""


@table.command("add")
@click.argument("name")
@click.argument("game")
@click.option("--lead", type=int, help="Rounds committed ahead; the game's own lead unless given, at most 1000.")
@click.option("--rules", metavar="JSON", help='The game\'s parameters, like {"cap":1000000,"rtp":9700,"version":1}.')
@click.option(
    "--timeout", default=DEFAULT_TIMEOUT, show_default=True, help="Seconds until an abandoned lock is revealed."
)
@click.option(
    "--bets",
    type=click.Choice(["optional", "required"]),
    default="optional",
    show_default=True,
    help="Whether every lock must carry a digest of the bets.",
)
@click.option(
    "--salt",
    default="none",
    show_default=True,
    metavar="BEACON",
    help="The public beacon whose pulses salt the batches: none, quicknet, or the chain hash of FOREDRAW_BEACON.",
)
@click.pass_obj
def add(
    settings: Settings, name: str, game: str, lead: int | None, rules: str | None, timeout: int, bets: str, salt: str
) -> None:
    """Add the table NAME for GAME. Its name, game, lead, salt and whether bets are required stay for ever."""
    parameters = _parse_rules(rules)
    required = bets == "required"
    with _opened(settings) as service:
        table_actions.add_table(
            service.writer,
            name,
            game,
            lead=lead,
            rules=parameters,
            timeout=timeout,
            bets_required=required,
            salt=salt,
        )
    click.echo(f"Table {name} is queued; the running service publishes it and commits its first rounds.")


def _parse_rules(text: str | None) -> dict[str, int] | None:
    if text is None:
        return None
    try:
        rules = json.loads(text)
    except ValueError:
        rules = None
    if not isinstance(rules, dict) or any(type(value) is not int for value in rules.values()):
        raise click.UsageError(f'--rules: expected a JSON object of whole numbers like {{"version":1}}, found {text}')
    return rules


@table.command("list")
@click.pass_obj
def list_command(settings: Settings) -> None:
    """List all tables."""
    with _opened(settings) as service:
        for found in list_tables(service.database):
            state = "closed" if found["closed"] else f"next round {found['next_round']}"
            click.echo(
                f"{found['table']:<32} {found['game']:<14} lead {found['lead']:<5} "
                f"committed through {found['committed_through']:<9} {state}"
            )


@table.command("close")
@click.argument("name")
@click.option("--wait", default=30, show_default=True, help="Seconds to wait for the running service.")
@click.pass_obj
def close(settings: Settings, name: str, wait: int) -> None:
    """Close the table NAME for ever: no more opens, the locked round ends, an open one is given up."""
    with _opened(settings) as service:
        table_actions.request_close(service.writer, name)
        if _wait_for(lambda: _is_closed(service.database, name), wait):
            click.echo(f"Table {name} is closed.")
        else:
            click.echo(f"Table {name} takes no more opens; the running service will close it.")


def _is_closed(database: Database, name: str) -> bool:
    return any(found["table"] == name and found["closed"] for found in list_tables(database))


def _wait_for(holds: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.2)
    return True


@main.group("round")
def round_group() -> None:
    """Void a round."""


@round_group.command("void")
@click.argument("name", metavar="TABLE")
@click.argument("number", type=click.IntRange(1))
@click.option("--reason", required=True, help="1 to 200 printable characters; it stands in the log for ever.")
@click.pass_obj
def void(settings: Settings, name: str, number: int, reason: str) -> None:
    """Void round NUMBER of TABLE: it is revealed, and counted as void by every verifier."""
    if not re.fullmatch(r"[ -~]{1,200}", reason):
        raise click.UsageError("--reason: expected 1 to 200 printable ASCII characters")
    with _opened(settings) as service:
        answer = service.rounds.void(name, number, reason)
        if answer is None:
            raise click.ClickException(
                f"{name} round {number} is locked as given up, but not published: does the service run?"
            )
        click.echo(f"{name} round {number} is void. Its code: {answer['code']}")


@main.command()
@click.argument("name", metavar="TABLE")
@click.option(
    "-o",
    "--output",
    "files",
    multiple=True,
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A file that ends in .html, .pdf or .csv; may be repeated.  [default: par-TABLE.html, .pdf and .csv]",
)
@click.pass_obj
def par(settings: Settings, name: str, files: tuple[Path, ...]) -> None:
    """Write the PAR sheet of TABLE: rules, paytable, exact returns, hit rates, variance, cap and rounding."""
    chosen = files or tuple(Path(f"par-{name}.{kind}") for kind in ("html", "pdf", "csv"))
    with _opened(settings) as service:
        sheet = make_sheet(service.database, service.verifier_key, name, service.clock.now())
    write_par(sheet, chosen)
    click.echo(f"Wrote {', '.join(map(str, chosen))}. SHA-256 of the figures: {sheet.fingerprint}")


@main.group()
def token() -> None:
    """Create, list and revoke bearer tokens."""


@token.command("create")
@click.argument("name")
@click.option("--role", type=click.Choice([role.value for role in tokens.Role]), default="engine", show_default=True)
@click.option("--table", "names", multiple=True, help="A table it is for; may be repeated.")
@click.option("--all-tables", is_flag=True, help="It is for every table, those to come included.")
@click.pass_obj
def create(settings: Settings, name: str, role: str, names: tuple[str, ...], all_tables: bool) -> None:  # noqa: FBT001
    """Create a token called NAME and print it, once."""
    if bool(names) == all_tables:
        raise click.UsageError("give --table NAME, once or more, or --all-tables")
    with _opened(settings) as service:
        known = {str(found["table"]) for found in list_tables(service.database)}
        if unknown := sorted(set(names) - known):
            raise click.UsageError(f"there is no table {', '.join(unknown)}: see `foredraw table list`")
        scope = [tokens.ALL_TABLES] if all_tables else list(names)
        click.echo(tokens.create_token(service.database, service.clock, name, tokens.Role(role), scope))


@token.command("list")
@click.pass_obj
def list_tokens(settings: Settings) -> None:
    """List all tokens, without their secrets."""
    with _opened(settings) as service:
        for row in tokens.list_tokens(service.database):
            scope = ", ".join(json.loads(row.tables)).replace(tokens.ALL_TABLES, "all tables")
            state = f"revoked {row.revoked}" if row.revoked else f"created {row.created}"
            click.echo(f"{row.name:<24} {row.role:<10} {state}  {scope}")


@token.command("revoke")
@click.argument("name")
@click.pass_obj
def revoke(settings: Settings, name: str) -> None:
    """Revoke the token NAME at once."""
    with _opened(settings) as service:
        tokens.revoke_token(service.database, service.clock, name)
    click.echo(f"Token {name} is revoked.")


@main.group()
def key() -> None:
    """Show the log's public key."""


@key.command("show")
@click.pass_obj
def show(settings: Settings) -> None:
    """Print the vkey that verifiers need."""
    with _opened(settings) as service:
        click.echo(str(service.verifier_key))


@main.command("policy")
@click.option(
    "--url", type=_address, metavar="URL", help="Where verifiers reach the log, like https://casino.example/log."
)
@click.pass_obj
def policy_command(settings: Settings, url: str | None) -> None:
    """Print the operator's own policy, which verifiers can use in the place of the key.

    It has the log's key, no witness, and the beacon that tables may have besides quicknet.
    """
    with _opened(settings) as service:
        address = f" {url}" if url else ""
        click.echo(f"log {service.verifier_key}{address}\nquorum none")
        if settings.beacon is not None:
            click.echo(f"beacon {settings.beacon}")


@main.group()
def clock() -> None:
    """Show the machine's clock, or confirm it after it has jumped ahead."""


@clock.command("show")
@click.pass_obj
def show_clock(settings: Settings) -> None:
    """Show the machine's time, and whether records can have it."""
    with _opened(settings) as service:
        jumped = service.timekeeper.jump()
        click.echo(
            f"The clock shows {service.clock.now()}. Records can have this time." if jumped is None else jumped.detail
        )


@clock.command("confirm")
@click.argument("named", type=click.DateTime(["%Y-%m-%dT%H:%MZ"]), metavar="TIME")
@click.pass_obj
def confirm_clock(settings: Settings, named: datetime) -> None:
    """Confirm the machine's clock: TIME is what another clock shows, in UTC, like 2026-11-20T22:49Z.

    For a clock that is right although it has jumped ahead, or after more than a day without the service. Records never
    get an earlier time again, so read TIME off a clock that you trust, not off this machine.
    """
    with _opened(settings) as service:
        shown = service.timekeeper.confirm(named.replace(tzinfo=UTC))
    click.echo(f"Confirmed: records get the clock's time from {shown} on. The running service goes on by itself.")


@main.command("beacon")
@click.option(
    "--key",
    "path",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("beacon.key"),
    show_default=True,
    help="Holds the chain's secret; made, with a new chain, if it is missing.",
)
@click.option(
    "--period", type=click.IntRange(1, 600), help="Seconds between the pulses of a new chain.  [default: 3]"
)
@click.option("--id", "name", help="The beacon id of a new chain.  [default: demo]")
@click.option("--host", default="127.0.0.1", show_default=True, help="Where pulses are served.")
@click.option(
    "--port", default=8010, show_default=True, type=click.IntRange(0, LAST_PORT), help="0 is any free port."
)
def beacon_command(path: Path, period: int | None, name: str | None, host: str, port: int) -> None:
    """Run a beacon of your own, for tests and demos: a chain of drand with a single node, and its relay.

    It prints the chain as the `beacon` line of a policy, and then where the relay answers. Whoever has the key knows every
    pulse ahead: salts of this beacon prove nothing to others.
    """
    node = _node(path, period, name)
    with RelayServer(node, host, port, Clock()) as relay:
        click.echo(f"beacon {node.beacon}")
        click.echo(f"The relay answers at {relay.url} (Ctrl-C ends it).")
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: threading.Thread(target=relay.shutdown).start())
        if SUPERVISOR in os.environ:
            when_orphaned(relay.shutdown)
        relay.serve_forever()


def _node(path: Path, period: int | None, name: str | None) -> Node:
    if not path.exists():
        return Node.create(path, period=period or 3, name=name or "demo")
    node = Node.load(path)
    chosen = (period or node.beacon.period, name or node.beacon.id)
    if chosen != (node.beacon.period, node.beacon.id):
        raise click.UsageError(
            f"{path} holds the chain {node.beacon.id} with a pulse every {node.beacon.period} seconds, for ever: leave out"
            " --period and --id, or name another file for another chain"
        )
    return node


@main.command("rebuild")
@click.option(
    "--fork-the-log-discarding",
    "discard",
    metavar="N",
    type=click.IntRange(1),
    help="Give up N records that this copy of the log lacks and others may have seen, and sign others instead.",
)
@click.pass_obj
def rebuild_command(settings: Settings, discard: int | None) -> None:
    """Make the database again from the published log. The service must be stopped."""
    made = rebuild(settings, discard=discard or 0)
    click.echo(f"The database was rebuilt from {made.size} records; the old one was kept beside it.")
    if made.size > made.published:
        click.echo(f"The log's checkpoint is of {made.published} of them; the next start publishes the others.")
    for title, lines in (("Lost", made.lost), ("The log could not be compared with", made.unknown)):
        if lines:
            click.echo(f"{title}:\n" + "\n".join(f"  {line}" for line in lines))
    if made.lost:
        click.echo("If an older copy of foredraw.db has what is lost, put it in place and run this again.")


@contextmanager
def _opened(settings: Settings) -> Iterator[Service]:
    service = open_service(settings)
    try:
        yield service
    finally:
        service.close()


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    main(prog_name="foredraw")
