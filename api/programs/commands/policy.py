"""``foredraw policy``: prints the operator's own policy."""

from __future__ import annotations

import re

import click

from api.log.policy_file import PolicyFile
from api.programs.commands.command import public_key
from api.settings import Settings


def _address(text: str) -> str:
    if re.fullmatch(r"https?://[\x21-\x7e]+", text) is None:
        raise click.BadParameter("it begins with http:// or https://, and has no space")
    return text


@click.command("policy")
@click.option(
    "--url", type=_address, metavar="URL", help="Where verifiers reach the log, like https://casino.example/log."
)
@click.pass_obj
def policy_command(settings: Settings, url: str | None) -> None:
    """Print the operator's own policy, which verifiers can use in the place of the key.

    That is the file of FOREDRAW_POLICY. Without one, it has the log's key, no witness, and the beacon that tables may
    have besides quicknet.
    """
    key = public_key(settings)
    if settings.policy is None:
        address = f" {url}" if url else ""
        click.echo(f"log {key}{address}\nquorum none")
        if settings.beacon is not None:
            click.echo(f"beacon {settings.beacon}")
        return
    file = PolicyFile(settings, key)
    if file.trouble is not None:
        click.echo(f"foredraw: {file.trouble}", err=True)
    click.echo(file.text(url).encode("utf-8", "surrogateescape"), nl=False)
