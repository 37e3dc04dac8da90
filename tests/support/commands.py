"""Commands of ``foredraw`` in this process: much cheaper than the start of an interpreter for each."""

from __future__ import annotations

import logging
from io import StringIO
from pathlib import Path
from subprocess import CompletedProcess

from click.testing import CliRunner

from api.programs.cli import main
from tests.support.databases import variables_of


def foredraw(folder: Path, *arguments: str, batch_size: int | None = None) -> CompletedProcess[str]:
    """Run the operator's program on a data folder. Raises what it does not handle.

    Its messages of trouble stand in ``stderr``, as they would if it were a process.
    """
    variables = {"FOREDRAW_BATCH_SIZE": None if batch_size is None else str(batch_size), **variables_of(folder)}
    messages = StringIO()
    handler = logging.StreamHandler(messages)
    handler.setLevel(logging.WARNING)
    logging.getLogger().addHandler(handler)
    try:
        ran = CliRunner(env=variables).invoke(main, ["--data", str(folder), *arguments])
    finally:
        logging.getLogger().removeHandler(handler)
    if ran.exception is not None and not isinstance(ran.exception, SystemExit):
        raise ran.exception
    return CompletedProcess(arguments, ran.exit_code, ran.stdout, ran.stderr + messages.getvalue())
