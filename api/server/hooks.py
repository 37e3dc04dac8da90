"""gunicorn's settings that no command line has, and its hooks.

Its master loads the application once, and its workers are forked from it: they start at once, and share its memory.
It hides its memory, and ends when its supervisor has died.
"""

# ruff: noqa: E402 -- as said below
# Modules are patched before the application is loaded, so that it keeps no lock and no sleep that would block all
# greenlets.
from __future__ import annotations

from gevent import monkey

monkey.patch_all()

import os
import signal

import gevent
from gunicorn.arbiter import Arbiter

import api.server.app  # noqa: F401 -- gunicorn finds it by its name
from api.server.messages import is_json, wait_for_no_reader
from api.server.priority import prepare_to_give_way
from api.server.request_messages import GunicornMessages
from api.world.private_memory import keep_memory_private
from api.world.supervision import NICENESS, when_orphaned

# By default gunicorn takes a SCRIPT_NAME, and a scheme in three spellings, from every sender on this machine. That is
# everybody behind a web server that passes these headers on. `api.server.proxies` reads what the service needs.
forwarder_headers = ""
secure_scheme_headers: dict[str, str] = {}
# Before gunicorn and the application have their handlers.
wait_for_no_reader()
if is_json():
    logger_class = GunicornMessages


def on_starting(server: Arbiter) -> None:
    """Prepare, once in the master, before it starts workers (which look after themselves)."""
    if niceness := int(os.environ.get(NICENESS) or 0):
        # Now, because a process that hides its memory could not.
        give_way = prepare_to_give_way(niceness)
        # When the first worker has loaded the application, all of them give way, except one that is just being
        # forked.
        server.cfg.set("post_worker_init", lambda _worker: give_way())
    keep_memory_private()
    when_orphaned(lambda: os.kill(os.getpid(), signal.SIGTERM), gevent.spawn)
