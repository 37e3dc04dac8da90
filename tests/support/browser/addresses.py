"""Every page. Tests of all pages use this list, so a new page is one more line here."""

from __future__ import annotations

from tests.support.running_service import RunningService

OPERATORS = ("/ops", "/ops/tables/add", "/ops/tables/still-crash/close", "/ops/tables/still-crash/pause", "/ops/halt")
"""Pages for somebody who is signed in as an operator."""
PAGES = (
    "/",
    "/nowhere",
    "/tables/still-hi-lo",
    "/tables/open-crash",
    "/tables/still-penalty?status=void",
    "/tables/still-crash/rounds/1",
    "/tables/still-sic-bo/rounds/2",
    "/tables/still-sic-bo/rounds/1?bet=small&stake=100",
    "/tables/still-hi-lo/rounds/1?bet=hi&stake=100",
    "/tables/still-rocketon/rounds/4",
    "/tables/still-keno-express/rounds/5",
    "/tables/dealt-blackjack/rounds/1",
    "/ops/login",
    *OPERATORS,
    "/verify",
    "/verify#CODE",
    "/verify#DEALT",
    "/verify#MISTYPED",
    "/badge",
)
"""All pages, including an error page.

CODE in an address stands for the code of a played round, MISTYPED for the same with an error, and DEALT for that of a
round in which players decided.
"""


def filled_in(address: str, service: RunningService) -> str:
    """The address with a real code."""
    for word, table in (("CODE", "still-crash"), ("MISTYPED", "still-crash"), ("DEALT", "dealt-blackjack")):
        if word in address:
            code = service.get(f"/v1/tables/{table}/rounds/1").document["round_code"]
            return address.replace(word, mistyped(code) if word == "MISTYPED" else code)
    return address


def mistyped(code: str) -> str:
    """The code with another last character."""
    return code[:-1] + ("q" if code[-1] != "q" else "p")
