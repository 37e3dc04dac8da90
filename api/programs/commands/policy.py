"""``foredraw policy``: prints the operator's own policy."""

from __future__ import annotations

import re
from typing import TextIO

import click

from api.log.policy_file import PolicyFile
from api.programs.commands.command import public_key
from api.settings import Settings
from fairness.errors import Malformed
from fairness.policy.policy import Policy


def _address(text: str) -> str:
    if re.fullmatch(r"https?://[\x21-\x7e]+", text) is None:
        raise click.BadParameter("it begins with http:// or https://, and has no space")
    return text


def _demanding(log: str, lines: list[str], quorum: int | None) -> str:
    """Return the policy that demands these witnesses, or so many of them."""
    names = " ".join(line.split()[1] for line in lines if len(line.split()) > 1)
    number = "all" if quorum is None else str(quorum)
    text = "\n".join((log, *lines, f"group witnesses {number} {names}", "quorum witnesses", ""))
    try:
        Policy.parse(text.encode())
    except Malformed as error:
        raise click.ClickException(f"these witnesses make no policy: {error}") from error
    return text


@click.command("policy")
@click.option(
    "--url", type=_address, metavar="URL", help="Where verifiers reach the log, like https://casino.example/log."
)
@click.option(
    "--witnesses",
    type=click.File("r"),
    metavar="FILE",
    help="Print a new policy with the witnesses of these lines, as `foredraw-verify witness-key` prints them.",
)
@click.option("--quorum", type=click.IntRange(min=1), metavar="N", help="How many of them suffice; else all.")
@click.pass_obj
def policy_command(settings: Settings, url: str | None, witnesses: TextIO | None, quorum: int | None) -> None:
    """Print the operator's own policy, which verifiers can use in the place of the key.

    That is the file of FOREDRAW_POLICY. Without one, it has the log's key, no witness, and the beacon that tables may
    have besides quicknet.
    """
    key = public_key(settings)
    address = f" {url}" if url else ""
    if witnesses is not None:
        click.echo(_demanding(f"log {key}{address}", witnesses.read().splitlines(), quorum), nl=False)
        return
    if quorum is not None:
        raise click.UsageError("--quorum is of --witnesses FILE, which is missing")
    if settings.policy is None:
        click.echo(f"log {key}{address}\nquorum none")
        if settings.beacon is not None:
            click.echo(f"beacon {settings.beacon}")
        return
    file = PolicyFile(settings, key)
    if file.trouble is not None:
        click.echo(f"foredraw: {file.trouble}", err=True)
    click.echo(file.text(url).encode("utf-8", "surrogateescape"), nl=False)
