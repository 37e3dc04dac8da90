"""Connections to web servers, all of them to the proxy of the settings where that is the way.

No variable of the environment names another one: ``surroundings.inherited_variables`` removes them.
"""

from __future__ import annotations

from base64 import b64encode

import urllib3

from api.settings import Proxy


def way_to(url: str, proxy: Proxy | None) -> Proxy | None:
    """Return the proxy, if it is what an address is asked through."""
    return proxy if proxy is not None and proxy.leads_to(url) else None


def pools(way: Proxy | None, *, maxsize: int = 1, timeout: float) -> urllib3.PoolManager:
    """Return connections that are made this way, and repeat nothing by themselves."""
    if way is None:
        return urllib3.PoolManager(maxsize=maxsize, retries=False, timeout=timeout)
    headers = {"Proxy-Authorization": f"Basic {b64encode(way.user.encode()).decode()}"} if way.user else {}
    return urllib3.ProxyManager(way.address, proxy_headers=headers, maxsize=maxsize, retries=False, timeout=timeout)


def named(way: Proxy | None) -> str:
    """Return what a message about a connection says of its way."""
    return "" if way is None else f" (by the proxy {way})"


def cause(error: Exception) -> Exception:
    """Return what is behind an error of a connection by a proxy: one that did not answer, or its refusal as the
    standard library says it.
    """
    return error.original_error if isinstance(error, urllib3.exceptions.ProxyError) else error
