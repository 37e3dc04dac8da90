"""The objects of one bucket under one prefix: read, written once, or exchanged by compare-and-swap on their ETags.

`obstore` finds endpoint, region and credentials in the environment, as the tools of S3 do. Its errors quote addresses
and the server's answers, which may name keys, so none of their text is passed on: a failure is said in our words,
with the store's own short code.

A store without conditional writes refuses them, or ignores them without a word; `probe` finds out. There, an object
is read before it is written. That keeps a mistake out, not two writers at the same moment.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from obstore.exceptions import (
    AlreadyExistsError,
    BaseError,
    NotSupportedError,
    PermissionDeniedError,
    PreconditionError,
    UnauthenticatedError,
)
from obstore.store import S3Store

from api.settings import Bucket, Proxy, SettingsError
from api.sharing.bounded import BoundedCache
from api.world.by_proxy import named, way_to
from api.world.clock import entropy
from api.world.storage_failures import ChangedElsewhereError, ServerFailure
from fairness.errors import Missing, quote
from fairness.log.checkpoints import CHECKPOINT

if TYPE_CHECKING:
    from obstore import PutMode
    from obstore.store import ClientConfig, S3Config

Result = TypeVar("Result")

_PROBE = "conditional-writes"
_NO_ETAG = '"00000000000000000000000000000000"'
_CODE = re.compile(r"<Code>([A-Za-z.]{1,60})</Code>")
_RETRIES = 2
_ATTEMPTS = 4
"""At an object that others write as well."""
_REMEMBERED = 4096
_SECONDS = 5
_CONNECT_SECONDS = 3
_LOOK_SECONDS = 1
"""A store that has failed is asked something small first, so that it is noticed soon when it is back."""
_NO_CREDENTIALS = re.compile(r"\A[^\n]*/latest/(?:api/token|meta-data/)")
"""What the library reports if nothing has given it credentials, and no cloud of this machine does."""
_CREDENTIALS = (
    "AWS_ACCESS_KEY_ID",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_SKIP_SIGNATURE",
)
_PROFILES = ("AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE")
_HOW = (
    "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_SESSION_TOKEN if there is one:"
    " `aws configure export-credentials --format env` prints those of a profile. Files of profiles, as in ~/.aws, are not read"
)
_MOST_REMOVED = 1000
"""What S3 takes in one request."""


class Objects:
    """The objects of one bucket whose names begin with its prefix. Each method raises `ServerFailure` if the store
    does not answer.
    """

    def __init__(self, bucket: Bucket, proxy: Proxy | None = None) -> None:
        """Nothing is asked before the first use, which may be in another process. ``proxy``: that of the settings."""
        self._bucket, self._proxy = bucket, proxy
        self._is_conditional = True
        self._etags: BoundedCache[str, str] = BoundedCache(_REMEMBERED)
        """Of objects that are written again and again, as this program has left them."""
        self._is_away = False
        """Whether the last call failed, so that the next one looks first whether the store is back."""

    def __str__(self) -> str:
        return str(self._bucket)

    def probe(self) -> bool:
        """Return whether the store honours conditional writes. It does not get another try before the next call."""
        one, other = entropy(16), entropy(16)
        try:
            self._is_conditional = True
            self._remove([_PROBE])
            self._ask(lambda: self._put(_PROBE, one, "create"))
            self._is_conditional = self._is_refused(lambda: self._put(_PROBE, other, "create")) and self._is_refused(
                lambda: self._put(_PROBE, other, {"e_tag": _NO_ETAG})
            )
        except NotImplementedError:
            self._is_conditional = False
        with suppress(ServerFailure):
            self._remove([_PROBE])
        return self._is_conditional

    def read(self, path: str) -> tuple[bytes, str]:
        """Return an object and its ETag. Raises `Missing`."""
        return self._ask(lambda: self._get(path), path)

    def refusal_of_what_is_missing(self) -> str | None:
        """Return what to say if the store does not answer that an object is missing which cannot exist: this service,
        or everybody.

        A store refuses it to whoever may not list the bucket. What it answers everybody is known only if everybody
        may read the checkpoint: otherwise the public reads by another way.
        """
        nothing, public = f"nothing-{entropy(8).hex()}", self._opened(_SECONDS, _RETRIES, skip_signature=True)
        try:
            if _has(self._store, nothing) is not False:
                asker = "this service"
            elif _has(public, CHECKPOINT) and _has(public, nothing) is not False:
                asker = "everybody"
            else:
                return None
        except BaseError:
            # A store that fails, or that takes no call without a signature, is not judged by that; nor is it a reason
            # not to start.
            return None
        return (
            f"{self._bucket} does not answer {asker} with 404 for what does not exist: a file that is gone, or that is withheld,"
            f" looks like a store that fails. Let {asker} list the bucket (s3:ListBucket)"
        )

    def create(self, path: str, data: bytes) -> None:
        """Write an object that is never changed. Raises `ChangedElsewhereError` if it exists with other bytes."""
        if not self._is_conditional:
            if self._found(path) is None:
                self._ask(lambda: self._put(path, data, "overwrite"))
                return
        elif not self._is_refused(lambda: self._put(path, data, "create")):
            return
        # It was there before; or it was written by a request whose answer was lost.
        if (found := self._found(path)) is not None and found[0] != data:
            raise ChangedElsewhereError(
                f"{self._bucket}: {path} exists with other bytes than this log's, and is never changed. Another log is"
                " published there, or somebody has written to it: look at who may, and publish to an empty prefix"
            )

    def replace(self, path: str, data: bytes) -> None:
        """Write an object that may be written again. After this, no request from before changes it, however late it
        arrives.
        """
        if not self._is_conditional:
            self._ask(lambda: self._put(path, data, "overwrite"))
            return
        for _ in range(_ATTEMPTS):
            written = self._put_if(path, data, self._etags.get(path) or self._etag(path))
            self._etags.put(path, written or "")
            if written is not None:
                return
            # Another leader has written it; or a request whose answer was lost did.
        raise ServerFailure(f"{self._bucket}: {path} is written by others all the time: look at who may write there")

    def exchange(self, path: str, data: bytes, seen: str | None) -> str:
        """Replace the object with the ETag ``seen``, or make it if that is `None`; returns the new ETag.

        Raises `ChangedElsewhereError` if the object is not the one that was seen.
        """
        if self._is_conditional:
            if (written := self._put_if(path, data, seen)) is not None:
                return written
        else:
            found = self._found(path)
            if (None if found is None else found[1]) == seen:
                return self._ask(lambda: self._put(path, data, "overwrite"))
        found = self._found(path)
        if found is None and seen is not None:
            # Somebody has deleted it.
            return self.exchange(path, data, None)
        if found is None or found[0] != data:
            raise ChangedElsewhereError(
                f"{self._bucket}: {path} is not what this service left there: another service publishes to it,"
                " or somebody has changed it"
            )
        # It was written by a request whose answer was lost.
        return found[1]

    def remove(self, paths: Iterable[str]) -> None:
        """Delete objects; those that do not exist are deleted already."""
        names = list(paths)
        for start in range(0, len(names), _MOST_REMOVED):
            self._remove(names[start : start + _MOST_REMOVED])

    def names(self, folder: str) -> Iterator[str]:
        """Yield the paths of all objects below a folder, a request for each thousand."""
        pages = iter(self._ask(lambda: self._list(folder)))
        while (page := self._ask(lambda: next(pages, None))) is not None:
            yield from page

    def _etag(self, path: str) -> str | None:
        """Return the ETag of an object; `None` if it is missing."""
        try:
            return self._ask(lambda: self._store.head(path), path)["e_tag"]
        except Missing:
            return None

    def _found(self, path: str) -> tuple[bytes, str] | None:
        try:
            return self.read(path)
        except Missing:
            return None

    def _get(self, path: str) -> tuple[bytes, str]:
        found = self._store.get(path)
        return bytes(found.bytes()), found.meta["e_tag"] or ""

    def _put(self, path: str, data: bytes, mode: PutMode) -> str:
        return self._store.put(path, data, mode=mode)["e_tag"] or ""

    def _put_if(self, path: str, data: bytes, seen: str | None) -> str | None:
        """Write an object in the place of the one with the ETag ``seen``, or of none; its ETag, `None` if another one
        is there.
        """
        done: list[str] = []
        refused = self._is_refused(lambda: done.append(self._put(path, data, {"e_tag": seen} if seen else "create")))
        return None if refused else done[0]

    def _remove(self, paths: list[str]) -> None:
        with suppress(Missing):
            self._ask(lambda: self._store.delete(paths))

    def _list(self, folder: str) -> Iterator[list[str]]:
        return ([each["path"] for each in page] for page in self._store.list(folder, chunk_size=_MOST_REMOVED))

    def _is_refused(self, write: Callable[[], object]) -> bool:
        """Make a conditional write, and say whether its condition did not hold."""

        def attempt() -> bool:
            try:
                write()
            except (AlreadyExistsError, PreconditionError):
                return True
            except FileNotFoundError as error:
                if _code(error) != "NoSuchKey":
                    raise
                return True
            return False

        return self._ask(attempt)

    def _ask(self, call: Callable[[], Result], path: str = "") -> Result:
        """Make a call of the store. Raises `Missing`, `NotImplementedError` or `ServerFailure`."""
        try:
            if self._is_away:
                self._look()
            return call()
        except FileNotFoundError as error:
            if path and _code(error) != "NoSuchBucket":
                raise Missing(path, f"no such object in {self._bucket}") from None
            raise self._failure(error) from None
        except NotSupportedError:
            raise NotImplementedError from None
        except BaseError as error:
            if _code(error) == "NotImplemented":
                raise NotImplementedError from None
            raise self._failure(error) from None

    def _look(self) -> None:
        """Find out whether a store that was away answers again, whatever it says. Raises as the store does."""
        with suppress(FileNotFoundError, PermissionDeniedError, UnauthenticatedError):
            self._opened(_LOOK_SECONDS, retries=0).head(_PROBE)
        self._is_away = False

    def _failure(self, error: Exception) -> ServerFailure:
        self._is_away = True
        if _NO_CREDENTIALS.search(str(error)):
            return ServerFailure(
                f"{self._bucket}: no credentials were found, and no role of this machine gives any: {_HOW}"
            )
        code = _code(error)
        said = "" if code is None else f" ({code})"
        if isinstance(error, PermissionDeniedError | UnauthenticatedError):
            return ServerFailure(
                f"{self._bucket} refuses this service{said}: look at the credentials of its environment, and at what the"
                " bucket's policy allows them. When it is allowed, the service goes on"
            )
        if isinstance(error, FileNotFoundError):
            return ServerFailure(f"{self._bucket} does not exist{said}: make the bucket, and the service goes on")
        return ServerFailure(
            f"{self._bucket}{named(way_to(_endpoint(), self._proxy))} cannot be used{said}: look at the store, and at the way to"
            " it. When it answers, the service goes on by itself"
        )

    @cached_property
    def _store(self) -> S3Store:
        return self._opened(_SECONDS, _RETRIES)

    def _opened(self, seconds: int, retries: int, *, skip_signature: bool = False) -> S3Store:
        """Return the bucket, each request of which has so many seconds, and is repeated so often; as everybody
        without a signature.
        """
        _check_no_profile()
        config: S3Config = {}
        if own := os.environ.get("AWS_ENDPOINT_URL_S3"):
            config["endpoint"] = own
        if skip_signature:
            config["skip_signature"] = True
        by_proxy: ClientConfig = {}
        if self._proxy is not None:
            # Its credentials may be asked for, too, at the machine or in its cloud, so it chooses the way for each
            # address.
            by_proxy = {"proxy_url": self._proxy.secret_address, "proxy_excludes": ",".join(self._proxy.exempt)}
        try:
            return S3Store(
                self._bucket.name,
                prefix=self._bucket.prefix or None,
                client_options={
                    "timeout": timedelta(seconds=seconds),
                    "connect_timeout": timedelta(seconds=min(seconds, _CONNECT_SECONDS)),
                    "allow_http": _endpoint().startswith("http://"),
                    **by_proxy,
                },
                config=config,
                retry_config={"max_retries": retries, "retry_timeout": timedelta(seconds=seconds)},
            )
        except Exception as error:  # noqa: BLE001 -- as said below
            # Whatever it is, it quotes what it was given.
            raise SettingsError(
                f"FOREDRAW_PUBLISH: {quote(type(error).__name__)}: the variables AWS_… of the environment do not say how"
                f" to reach {self._bucket}; what was found is not shown"
            ) from None


def _has(store: S3Store, path: str) -> bool | None:
    """Return whether there is such an object; `None` if the store refuses to say. Raises as the store does."""
    try:
        store.head(path)
    except FileNotFoundError:
        return False
    except (PermissionDeniedError, UnauthenticatedError):
        return None
    return True


def _check_no_profile() -> None:
    """Refuse a profile that is meant, but not read, before a role of this machine is used in its place. Raises
    `SettingsError`.
    """
    named = next((name for name in _PROFILES if os.environ.get(name)), None)
    if named is not None and not any(os.environ.get(name) for name in _CREDENTIALS):
        raise SettingsError(f"{named} is set, and FOREDRAW_PUBLISH uses no profile: {_HOW}")


def _endpoint() -> str:
    """Return the address of the store, as far as a proxy's exceptions are about it."""
    return (
        os.environ.get("AWS_ENDPOINT_URL_S3")
        or os.environ.get("AWS_ENDPOINT_URL")
        or f"https://s3.{os.environ.get('AWS_REGION', 'us-east-1')}.amazonaws.com"
    )


def _code(error: Exception) -> str | None:
    """Return the store's short code of an error, which names nothing of ours."""
    found = _CODE.search(str(error))
    return None if found is None else found[1]
