"""A service, and an operator's browser in front of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from api.access.tokens import ALL_TABLES, Role, create_token
from api.operations.health import PARTS
from api.store import statements as sql
from api.world.statuses import write_status
from tests.support.in_process_service import InProcessService

DRAW, FLIGHT = "keno-1", "crash-1"
HOME = "http://localhost"
COOKIE = "foredraw-ops"


@dataclass
class Desk:
    """A service, and an operator's browser in front of it."""

    inside: InProcessService
    app: Flask
    browser: FlaskClient
    token: str

    def get(self, path: str, **headers: str) -> TestResponse:
        """Get a page."""
        return self.browser.get(path, headers=headers)

    def post(self, path: str, form: dict[str, str], **headers: str) -> TestResponse:
        """Send a form as a browser does, except for the given headers; an empty one is left out."""
        sent = {"Origin": HOME, "Sec-Fetch-Site": "same-origin"} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        return self.browser.post(path, data=form, headers={name: value for name, value in sent.items() if value})

    def sign_in(self, token: str | None = None) -> TestResponse:
        """Send the token."""
        return self.post("/ops/login", {"token": self.token if token is None else token})

    def form_token(self, page: str, action: str | None = None) -> str:
        """The form token in the form on a page that is sent to ``action``, or to the page itself."""
        text = self.get(page).text
        (form,) = re.findall(rf'<form[^>]* action="{action or page}".*?</form>', text, re.DOTALL)
        (found,) = re.findall(r'name="form_token" value="([0-9a-f]{64})"', form)
        return str(found)

    def close(self, table: str, **headers: str) -> TestResponse:
        """Close a table with the form of its page."""
        path = f"/ops/tables/{table}/close"
        return self.post(path, {"form_token": self.form_token(path), "name": table}, **headers)

    def add_table(self, change: dict[str, str], **headers: str) -> TestResponse:
        """Send the form for a new table, with its first values except for the name, the game and these changes."""
        path = "/ops/tables/add"
        form = {
            "name": "new",
            "game": "crash",
            "lead": "",
            "timeout": "300",
            "bets": "optional",
            "rtp": "97.00",
            "cap": "10000.00",
        }
        return self.post(path, {**form, **change, "form_token": self.form_token(path)}, **headers)

    def token_for(self, name: str, role: Role = Role.OPERATOR, tables: list[str] | None = None) -> str:
        """A new token."""
        service = self.inside.service
        return create_token(service.database, service.clock, name, role, tables or [ALL_TABLES])

    @property
    def is_in(self) -> bool:
        """Whether the operator is signed in."""
        return self.get("/ops").status_code == 200


def give_signs_of_life(inside: InProcessService) -> None:
    """Give heartbeats like the background program, which does not run here."""
    for part in PARTS:
        write_status(inside.settings.heartbeat_of(part), inside.service.timekeeper)


def halt(inside: InProcessService, table: str, why: str) -> None:
    """Halt a table, as the sequencer does."""
    inside.service.database.write(lambda connection: sql.SET_HALTED.run(connection, where_name=table, new_halted=why))
