"""The next version of this program: it has a revision of the schema more."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from api.store import revisions, upgrade
from api.store.revisions import REVISIONS

NEXT = "2"
_REVISION = f'''"""The head has another column."""

from alembic import op
from sqlalchemy import Column, Integer

revision, down_revision = "{NEXT}", "{REVISIONS[-1]}"


def upgrade() -> None:
    op.add_column("head", Column("later", Integer))
'''


@contextmanager
def next_version(folder: Path) -> Iterator[None]:
    """Be that version: databases from before are older. The revisions are copied into ``folder``, which must not
    exist.
    """
    shutil.copytree(Path(str(revisions.__file__)).parent, folder)
    (folder / "versions" / "r2_later.py").write_text(_REVISION, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(revisions, "REVISIONS", (*REVISIONS, NEXT))
        patch.setattr(upgrade, "_folder", lambda: folder)
        yield


def rename_revision(path: Path) -> None:
    """Make the database of a back-up one of a version that nobody knows."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
