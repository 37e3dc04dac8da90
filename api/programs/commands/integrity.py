"""``foredraw integrity``: compares the installed files with the signed manifest, and makes one."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from api.integrity.installed import Installation
from api.integrity.manifest import parse_files, read_manifest, sign_manifest
from api.programs.commands.opened import opened
from api.settings import Settings, SettingsError
from api.world.clock import entropy
from api.world.durable import write_durably
from api.world.key_files import read_key, write_key
from fairness.errors import Malformed
from fairness.log.notes import SigningKey

_DIFFERS = 2
_FILE = click.Path(dir_okay=False, path_type=Path, resolve_path=True)


@click.group()
def integrity() -> None:
    """Compare the installed software with what somebody signed."""


@integrity.command()
@click.pass_obj
def check(settings: Settings) -> None:
    """Compare the installed files with the manifest of the settings; status 2 if they differ.

    If they do, the service opens no round from now on; if they no longer do, it opens rounds again.
    """
    with opened(settings) as service:
        found = service.integrity.look()
        strange, signed_by = service.integrity.strange_path(), service.integrity.signer
    if settings.manifest is None:
        raise SettingsError(
            "there is nothing to compare with: FOREDRAW_MANIFEST and FOREDRAW_MANIFEST_KEY are not set. An editable"
            " installation (`make install`) has no manifest"
        )
    for each in found:
        click.echo(each)
    if strange is not None:
        raise SettingsError(f"nothing is sure, because {strange}")
    if found:
        click.echo("foredraw: the installed software is not what was signed", err=True)
        sys.exit(_DIFFERS)
    signed = None if settings.manifest_key is None else read_manifest(settings.manifest, settings.manifest_key)
    if signed is not None and signed.is_of_a_release:
        click.echo(f"Foredraw's own files are what {signed_by} signed. A release's manifest lists no other packages.")
    else:
        click.echo(f"The installed software is what {signed_by} signed.")


@integrity.command("key")
@click.argument("file", type=_FILE)
@click.option("--name", required=True, help="Who signs, like lab.example/foredraw.")
def make_key(file: Path, name: str) -> None:
    """Make a key that signs manifests, and print its public half, for FOREDRAW_MANIFEST_KEY.

    Keep FILE away from the machine of the service: who has it can sign whatever is installed.
    """
    if file.exists():
        raise SettingsError(f"{file} is there already, and a key is never overwritten: choose another name")
    key = SigningKey(name, entropy(32))
    write_key(file, key.secret_text())
    click.echo(str(key.verifier_key))


@integrity.command()
@click.argument("manifest", type=_FILE)
@click.option("--key", "file", required=True, type=_FILE, help="The file that `foredraw integrity key` made.")
@click.option(
    "--release", type=_FILE, help="Sign this list in its place: `foredraw.manifest` or `SHA256SUMS` of a release."
)
def sign(manifest: Path, file: Path, release: Path | None) -> None:
    """Write the signed list of the files that are installed here, and of their hashes, to MANIFEST."""
    if not file.exists():
        raise SettingsError(f"{file} is missing: `foredraw integrity key` makes such a key")
    if manifest.exists() and not manifest.is_file():
        # It would be replaced, by root even if it is a device.
        raise SettingsError(f"{manifest} is no plain file: name a file for the manifest")
    key = SigningKey.parse(read_key(file))
    files = Installation.present().hashes() if release is None else _listed(release)
    write_durably(manifest, sign_manifest(files, key))
    click.echo(f"Signed {len(files):,} files as {key.verifier_key}")


def _listed(release: Path) -> dict[str, str]:
    try:
        return parse_files(release.read_text("ascii"))
    except (OSError, UnicodeError, Malformed) as error:
        raise SettingsError(f"{release} is no manifest of a release that can be read: {error}") from error
