"""The sentences about states that several programs meet: what is wrong, what it means, and what to do.

What only one part of the service can meet is explained there, beside the check.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

OLDER_DATABASE = "the database is older than the published log. Stop the service and run `foredraw rebuild`, which rolls it forward from the log"
ANOTHER_FOLDER = "begin a log in another folder (`--data`; `make run DATA=other`)"
"""What is left to do with a folder of a version before the first release."""
COPY_BACK = "from a copy of the log: a mirror's or an auditor's is as good as your own"


def no_data_folder(folder: Path) -> str:
    """Say that nothing of a service is there: probably another folder is meant."""
    return (
        f"{folder} is no data folder: it has neither keys nor a database nor a log. If a service ran here, name its folder"
        " (`--data`, FOREDRAW_DATA) or restore it from a back-up: `foredraw init` makes a new log, which keeps nothing of what"
        " another one has promised"
    )


def run_by_another_account(whose: str) -> str:
    """Say that the folder belongs to another account; ``whose`` names both."""
    return f"{whose}: files that this program leaves would stop the service. Run it as the folder's account"


def database_of_another_log(name: str, theirs: str, key: str, ours: str) -> str:
    """Say that the database called ``name`` is of the log ``theirs``, and the key at the place ``key`` is of
    ``ours``.
    """
    return (
        f"{name} is of the log {theirs}, and {key} is {ours}: nothing was compared with it, and a start is refused. Put the"
        " database of this log back, or its keys, if the database is the right one"
    )


def checkpoint_not_ours(where: str, why: object, remedy: str) -> str:
    """Say that the checkpoint that was found ``where`` does not hold under this log's key."""
    return f"the checkpoint in {where} is not ours: {why}. Nothing was signed. {remedy}"


def log_not_whole(why: object, files: str = "the file") -> str:
    """Say that files of the log's folder are missing or damaged; ``why`` names them."""
    return f"the log's folder is not whole: {why}. Put {files} back {COPY_BACK}"


def log_ended(ended: str) -> str:
    """Say what it means that the log names the one that follows it; ``ended`` is why its tables are halted."""
    return (
        f"{ended}. Nothing is appended to it any more, its tables take no calls, and its files are served as they are: start the"
        " service of the log that follows it"
    )


def damaged_row(table: str) -> str:
    """Say that a table's state cannot be read."""
    return (
        f"the row of the table {table} in the database is damaged: its engine gets no answers, and what stands in the log is not"
        " affected. Stop the service, keep a copy of the data folder, and run `foredraw rebuild`"
    )


def lost_paytable(path: str, tables: Iterable[str] = ("a table",)) -> str:
    """Say that neither the log's folder nor the database has the file of what bets pay."""
    return (
        f"log/{path}, which says what the bets of {', '.join(tables)} pay, is missing or damaged, and so is the database's copy:"
        f" audits report it, and nothing settles these bets. Put it back {COPY_BACK}; the next start takes it over"
    )


def lost_witnessed_file(path: str, batch: str) -> str:
    """Say that the file of SPEC 5.8 of a ``batch`` is missing or damaged."""
    return (
        f"log/{path}, which shows that witnesses saw {batch} before its pulse, is missing or damaged: its rounds do not open, and audits"
        f" refuse the log. Put it back {COPY_BACK}"
    )
