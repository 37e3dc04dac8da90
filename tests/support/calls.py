"""The names of the tests' calls: an engine makes one at random for each lock, and sends it with every repetition of
that lock.
"""

from __future__ import annotations

import json
import re

from fairness.hashing import sha256

_LOCK = re.compile(r"/v1/engine/tables/([^/]+)/rounds/([^/]+)/lock")


def call_of(table: str, number: object) -> str:
    """The `call` of the lock of a round, the same at every repetition."""
    return sha256(f"the lock of {table} round {number}".encode()).hex()[:32]


def as_sent(path: str, body: object) -> object:
    """The body of an engine's call: a lock has its `call`, unless the test names one."""
    lock = _LOCK.search(path)
    if lock is None or not isinstance(body, dict | None):
        return body
    return {"call": call_of(*lock.groups()), **(body or {})}


def body_of(path: str, body: object = None) -> bytes:
    """The same as the bytes of a request; none if there is no body."""
    sent = as_sent(path, body)
    return b"" if sent is None else json.dumps(sent).encode()
