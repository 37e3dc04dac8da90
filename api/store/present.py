"""Whether a folder has the database that its service needs; nothing is opened."""

from __future__ import annotations

from api.findings.states import no_data_folder
from api.settings import Settings, SettingsError


def check_present(settings: Settings) -> None:
    """Raise `SettingsError` if the folder should have a database, and has none; a server is asked when it is used."""
    if settings.server is None and not settings.database.exists():
        if not (settings.log.exists() or settings.signing_key.exists()):
            raise SettingsError(no_data_folder(settings.folder))
        raise SettingsError(f"{settings.folder} holds no database: {_instead(settings)}")


def _instead(settings: Settings) -> str:
    if settings.log.exists():
        return (
            "if PostgreSQL has it, set FOREDRAW_DATABASE; otherwise put the newest copy back, or run `foredraw rebuild`, which"
            " makes it again from the log, without tokens and the journal"
        )
    return "it has keys and no log, so put log/ and the database back from a back-up"
