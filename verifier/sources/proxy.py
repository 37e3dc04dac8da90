"""The proxy that the environment names for an address: the usual variables, read as other programs that people start
read them.

An address of this machine is never asked for through a proxy, which would look for it on its own.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import unquote
from urllib.request import getproxies_environment

import urllib3
from urllib3.util import Url, parse_url

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy for the web. It is shown without its user and password."""

    address: str
    headers: Mapping[str, str] = field(repr=False)
    """What it is told about who asks."""

    def __str__(self) -> str:
        return self.address


def proxy_for(url: Url) -> Proxy | None:
    """Return the proxy for an address, by ``HTTPS_PROXY``, ``HTTP_PROXY``, ``ALL_PROXY`` and ``NO_PROXY``, in
    capitals or not.

    `None` if there is none. `ValueError` if a variable names something else; its value, which may have a password, is
    not shown.
    """
    scheme, host = url.scheme or "", (url.host or "").lower().removesuffix(".")
    named = getproxies_environment()
    variable = next((each for each in (scheme, "all") if each in named), None)
    if variable is None or _is_this_machine(host):
        return None
    if any(
        _covers(each.strip().lower(), host, url.port or _PORTS[scheme]) for each in named.get("no", "").split(",")
    ):
        return None
    return _parse(named[variable], f"{variable.upper()}_PROXY")


def _parse(text: str, variable: str) -> Proxy:
    try:
        parts = parse_url(text if "://" in text else f"http://{text}")
    except urllib3.exceptions.LocationParseError:
        parts = Url()
    if parts.scheme not in _PORTS or not parts.host:
        raise ValueError(
            f"{variable}: expected the address of a proxy over http or https, like http://proxy.example:3128; what was found"
            " is not shown. A host in NO_PROXY is asked without a proxy"
        ) from None
    headers = {}
    if parts.auth is not None:
        headers["Proxy-Authorization"] = f"Basic {b64encode(unquote(parts.auth).encode()).decode()}"
    return Proxy(f"{parts.scheme}://{parts.host}:{parts.port or _PORTS[parts.scheme]}", headers)


def _is_this_machine(host: str) -> bool:
    if (address := _address(host)) is None:
        return f".{host}".endswith(".localhost")
    return address.is_loopback or address.is_unspecified


def _covers(entry: str, host: str, port: int) -> bool:
    """Return whether an entry of ``NO_PROXY`` covers a host: all of them, a name and what is below it, an address or
    a network.
    """
    if entry in {"*", host, f"{host}:{port}"}:
        return True
    if (address := _address(host)) is None:
        name = entry.lstrip("*.")
        return name != "" and any(f".{each}".endswith(f".{name}") for each in (host, f"{host}:{port}"))
    try:
        return address in ip_network(entry, strict=False)
    except ValueError:
        return False


def _address(host: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(host.strip("[]"))
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
