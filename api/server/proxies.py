"""What a web server in front reports about a request: who sent it, and whether it came by TLS.

Anybody can send ``X-Forwarded-For`` and ``X-Forwarded-Proto``. They are read only if the connection comes from a
trusted address (`Settings.proxies`). No decision rests on them: the address stands in messages, the scheme in links.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

Networks = tuple[IPv4Network | IPv6Network, ...]


def behind_proxies(application: WSGIApplication, trusted: Networks) -> WSGIApplication:
    """Return the application, with the sender's address and the scheme that a web server in one of these networks
    reports.
    """

    @lru_cache(maxsize=1024)
    def is_trusted(sender: str) -> bool:
        address = _address(sender)
        return address is not None and any(address in network for network in trusted)

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if is_trusted(environ["REMOTE_ADDR"]):
            _believe(environ)
        return application(environ, start_response)

    return answer


def _believe(environ: WSGIEnvironment) -> None:
    scheme = environ.get("HTTP_X_FORWARDED_PROTO")
    if scheme in ("http", "https"):
        environ["wsgi.url_scheme"] = scheme
    # A web server appends the address that it saw; the sender can have written everything before it.
    sender = _address(environ.get("HTTP_X_FORWARDED_FOR", "").rpartition(",")[2].strip())
    if sender is not None:
        environ["REMOTE_ADDR"] = str(sender)


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    # A socket that takes both kinds spells an IPv4 sender as ::ffff:127.0.0.1.
    return getattr(address, "ipv4_mapped", None) or address
