"""Compares the installed files with the signed manifest, and keeps rounds from being opened if they differ.

It looks at the start, before anything is answered; then once a day; and when an operator asks. What it finds is a
status in the data folder, which all processes read, and an entry of the journal, which names the machine, if it is
not what was found there the last time: a standby shares the journal, and its files are its own. Somebody who can
change these files can change this one, too: against that, the manifest is checked from outside (``docs/install.md``).
"""

from __future__ import annotations

import logging
from socket import gethostname

from api.integrity.installed import Installation, differences, strange_places
from api.integrity.manifest import Manifest, read_manifest
from api.journal.chain import last_of, note
from api.journal.entry import SERVICE, Act, Deed, Values, values_of
from api.settings import Settings, SettingsError
from api.sql.database import Database
from api.world.statuses import read_status, write_status
from api.world.timekeeper import Timekeeper
from fairness.log.notes import VerifierKey

_NAMED = 3
"""How many files a sentence names; the command names all."""
_UNREADABLE = "the installed files were found to differ from what was signed"

_logger = logging.getLogger("foredraw.integrity")


class Integrity:
    """Asked by those who open rounds, and by those who watch."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        timekeeper: Timekeeper,
        installation: Installation | None = None,
    ) -> None:
        """``installation`` is the one that this program runs from, unless another is given."""
        self._settings, self._database, self._timekeeper = settings, database, timekeeper
        self._installation = Installation.present() if installation is None else installation

    @property
    def signer(self) -> str | None:
        """The name of the key that signs the manifest; `None` if there is none to compare with."""
        key = self._settings.manifest_key
        return None if key is None else key.name

    def trouble(self) -> str | None:
        """Return how the files differ, as the last look found, or where else this process imports from; `None` if
        nothing is wrong.

        Nothing is wrong either if nothing is compared.
        """
        path = self._settings.software_trouble
        status = read_status(path, self._timekeeper)
        if status is not None:
            return status.trouble
        # A status that cannot be read is one.
        return _UNREADABLE if path.exists() else self.strange_path()

    def strange_path(self) -> str | None:
        """Return where this process imports what nobody signed; `None` if it does not, or if nothing is compared.

        Each process answers for itself: another may have been started in another way.
        """
        if self.signer is None or not (places := strange_places()):
            return None
        return (
            f"this process imports from {', '.join(place or 'the working directory' for place in places)} (`sys.path`), where"
            " nothing was signed. Unset PYTHONPATH, and start the program `foredraw` of its installation"
        )

    def look(self) -> list[str]:
        """Compare now. Returns each difference in a few words; empty if there is none, or nothing to compare with.

        The status that stops rounds is there before the entry of the journal, and is gone after it: a crash in
        between leaves rounds stopped until the next look.
        """
        path, key, status = self._settings.manifest, self._settings.manifest_key, self._settings.software_trouble
        if path is None or key is None:
            # From now on nobody knows of differences.
            self._note({"differences": None, "first": [], "manifest": None, "signer": None})
            status.unlink(missing_ok=True)
            return []
        manifest: Manifest | None = None
        try:
            manifest = read_manifest(path, key)
            installed = self._installation
            present = installed.our_own() if manifest.is_of_a_release else installed.hashes()
            found = differences(manifest.files, present)
        except SettingsError as error:
            found = [str(error)]
        except OSError as error:
            found = [f"the installed files cannot all be read: {error}"]
        if found:
            why = _sentence(found, key)
            write_status(status, self._timekeeper, why)
            _logger.critical("no round is opened: %s", why)
        digest = None if manifest is None else manifest.digest
        self._note({"differences": len(found), "first": found[:_NAMED], "manifest": digest, "signer": str(key)})
        if not found:
            status.unlink(missing_ok=True)
        return found

    def _note(self, after: Values) -> None:
        """Note in the journal what is different now, if the last entry about this machine says otherwise."""
        last = last_of(self._database, Act.SOFTWARE, _subject())
        before = None if last is None else values_of(last.after)
        # That nothing is compared is one only if something was.
        is_news = before != after and (before is not None or after["differences"] is not None)
        # A machine that only reads the log may be allowed to read only: it has no journal, and opens no round.
        if is_news and self._settings.elsewhere is None:
            now = self._timekeeper.shown()
            note(self._database, now, Deed(SERVICE, Act.SOFTWARE, _subject(), before=before, after=after))


def _subject() -> str:
    return f"software of {gethostname()}"


def _sentence(found: list[str], key: VerifierKey) -> str:
    named, others = "; ".join(found[:_NAMED]), len(found) - _NAMED
    more = f"; and {others:,} more" if others > 0 else ""
    return (
        f"the installed software is not what {key.name} signed: {named}{more}. Find out who changed it, install the signed"
        " version again, and run `foredraw integrity check`"
    )
