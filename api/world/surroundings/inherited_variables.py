"""Variables that are in the environment for other programs, and that packages of ours would obey.

Whatever started this program may have them for a web server of its own, a platform or a person who looks for a fault.
With ``SCRIPT_NAME`` gunicorn refuses every call, ``GUNICORN_CMD_ARGS`` sets what it likes there, ``FLASK_DEBUG``
shows callers our code, ``SSLKEYLOGFILE`` gives away what is encrypted, and a proxy for the web reads what is meant
for a store of ours. All of that has a setting of ours or none, so they are removed before anything reads them.
"""

from __future__ import annotations

import os
import re

_OBEYED = re.compile(
    # The packages' own: all that begin so.
    r"(GUNICORN|FLASK|WERKZEUG|GEVENT|GEVENTARES|GREENLET|PSYCOPG|PYDANTIC|ALEMBIC)_\w*"
    # gunicorn's besides: what every call is below, how it listens, and whom it reports to.
    "|SCRIPT_NAME|SENDFILE|WEB_CONCURRENCY|PORT|FORWARDED_ALLOW_IPS|LISTEN_(PID|FDS|FDNAMES)|NOTIFY_SOCKET"
    # gevent's: another implementation of what is compiled.
    "|PURE_PYTHON"
    # urllib3's, and those of every HTTP client, in any spelling.
    "|SSLKEYLOGFILE|(?i:(HTTP|HTTPS|ALL|NO)_PROXY)",
    re.ASCII,
)


def is_obeyed(name: str) -> bool:
    """Return whether a package of ours would obey this variable, and we do not want that."""
    return _OBEYED.fullmatch(name) is not None


def forget_inherited_variables() -> None:
    """Remove them, for this process and for those that it starts."""
    for name in filter(is_obeyed, list(os.environ)):
        del os.environ[name]
