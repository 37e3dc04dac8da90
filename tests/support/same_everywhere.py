"""What would make tests fail on one machine and not on another: the user's own settings, and the machine's speed."""

from __future__ import annotations

import os
import re

from hypothesis import HealthCheck, settings

_NOT_OURS = re.compile(
    r"FOREDRAW_(?!KILL_SEED$)|GUNICORN_|WEB_CONCURRENCY$|OTEL_|PG[A-Z]|AWS_|SUDO_"
    r"|(COLUMNS|LINES|NO_COLOR|FORCE_COLOR|TTY_COMPATIBLE|TTY_INTERACTIVE|LANGUAGE)$"
)
"""Variables that change what programs do or print: ours, PostgreSQL, clients of S3, and gunicorn."""
_THIS_MACHINE = "localhost,127.0.0.1,::1,10.77.0.0/24"
"""The addresses of the tests' servers, those of `network` included."""


def be_the_same_everywhere() -> None:
    """Forget the user's settings, for this process and those that it starts, and let examples take their time."""
    for name in filter(_NOT_OURS.match, list(os.environ)):
        del os.environ[name]
    # PostgreSQL, for instance, would say in the user's language what is wrong.
    os.environ["LC_ALL"] = "C.UTF-8"
    # Packages may be installed over the user's proxy, which knows nothing of this machine's servers.
    direct = os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or ""
    os.environ["no_proxy"] = os.environ["NO_PROXY"] = f"{direct},{_THIS_MACHINE}".lstrip(",")
    # Some files of tests have to be readable by others, and some programs refuse or report such files.
    os.umask(0o022)
    # Another profile has been chosen on purpose, or by hypothesis because of its variable CI.
    if settings.get_current_profile_name() == "default":
        # An example that takes a fifth of a second shows only that another process had the processor.
        settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
        settings.load_profile("patient")
