"""What the service is compared with: a bare Flask application, and a bare durable commit."""

from __future__ import annotations

import json
import sqlite3
import time
from pathlib import Path

from flask import Flask, Response

_ANSWER = {"table": "crash-1", "round": 1, "status": "open"}


def create_app() -> Flask:
    """Two routes that answer a little JSON and do nothing."""
    app = Flask(__name__, static_folder=None)

    @app.get("/bare")
    def read() -> Response:
        return Response(json.dumps(_ANSWER), mimetype="application/json")

    @app.post("/bare")
    def write() -> Response:
        return Response(json.dumps(_ANSWER), mimetype="application/json")

    return app


def commits_per_second(folder: Path, seconds: float) -> float:
    """Durable SQLite transactions of one small row each per second, on one connection."""
    connection = sqlite3.connect(folder / "bare.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, data BLOB)")
    started, done = time.monotonic(), 0
    while time.monotonic() < started + seconds:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO rows (data) VALUES (?)", (b"x" * 200,))
        connection.execute("COMMIT")
        done += 1
    rate = done / (time.monotonic() - started)
    connection.close()
    return rate
