"""The witness's HTTP server: one call, on connections that are kept alive.

All connections are read by one thread, so a slow or silent client holds up nobody; what it sent so far is forgotten
when others want its place. Answers are made one at a time in a second thread. Who wants TLS, more paths or limits per
client puts a web server in front.
"""

from __future__ import annotations

import asyncio
import errno
import os
import re
import resource
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus

from verifier.witness.request import LARGEST_REQUEST, Answer

PATH = "/add-checkpoint"
MOST_CONNECTIONS = 200
"""The next one takes the place of that from which nothing complete has come for the longest."""
LONGEST_IDLE = 120.0
"""Seconds from an answer to the beginning of the next request on the same connection."""
LONGEST_REQUEST = 10.0
"""Seconds from its beginning to its end, and for the first one from the connection on; also for reading an answer."""
LARGEST_HEAD = 16_384
"""Bytes of a request's line and headers."""
_BACKLOG = 100
"""Connections that are accepted at once, at most."""
_OPEN_FILES = 1024
"""Files that the process may have open: all connections, five times those that are accepted at once until as many
others are closed, and our files.
"""

_REQUEST_LINE = re.compile(r"([A-Z]{1,16}) (\S{1,2048}) HTTP/1\.([01])", re.ASCII)
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", re.ASCII)
_CONTROL = re.compile(r"[^\t\x20-\x7e\x80-\xff]", re.ASCII)
_LENGTH = re.compile(r"\d{1,18}", re.ASCII)

AddCheckpoint = Callable[[bytes], Answer]


def allow_open_files() -> None:
    """Let this process have as many connections as it accepts. Raises `OSError` if the system does not let it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= _OPEN_FILES:
        return
    if hard != resource.RLIM_INFINITY and hard < _OPEN_FILES:
        words = f"a witness needs {_OPEN_FILES} open files, and the system allows it {hard}: raise the hard limit (ulimit -Hn)"
        raise OSError(errno.EMFILE, words)
    resource.setrlimit(resource.RLIMIT_NOFILE, (_OPEN_FILES, hard))


class _Refused(Exception):
    """No request of which another could follow on the same connection."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.answer = Answer.words(status, why)


class Server:
    """Serves one witness on one address."""

    def __init__(self, add_checkpoint: AddCheckpoint, about: str) -> None:
        """``about`` is the text that people get at ``/``."""
        self._add_checkpoint, self._about = add_checkpoint, Answer.words(HTTPStatus.OK, about)
        self._waiting: dict[asyncio.StreamWriter, None] = {}
        """The connections from which a request is awaited, the one that waits the longest first."""
        self._connections: dict[asyncio.StreamWriter, asyncio.Task[None] | None] = {}
        self._thread = ThreadPoolExecutor(1, "witness")

    async def serve(self, host: str, port: int, ready: Callable[[str], None], ended: asyncio.Event) -> None:
        """Serve until ``ended`` is set. ``ready`` is called with the address. Raises `OSError` if it is taken."""
        limit = LARGEST_HEAD + LARGEST_REQUEST
        try:
            server = await asyncio.start_server(self._converse, host, port, limit=limit, backlog=_BACKLOG)
        except OSError as error:
            # A name that is no address has an error with a negative number, and words of its own.
            why = os.strerror(error.errno) if error.errno is not None and error.errno > 0 else error.strerror
            raise OSError(error.errno, why, f"{host}:{port}") from error
        try:
            address = server.sockets[0].getsockname()
            ready(f"http://{f'[{address[0]}]' if ':' in address[0] else address[0]}:{address[1]}")
            await ended.wait()
        finally:
            server.close()
            for writer in self._connections:
                writer.transport.abort()
            tasks = [task for task in self._connections.values() if task is not None]
            if tasks:
                await asyncio.wait(tasks, timeout=1)

    async def in_turn(self, work: Callable[[], None]) -> None:
        """Do something between two answers."""
        await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def is_idle(self, patience: float) -> bool:
        """Wait so many seconds for the answer that is being made, and let nothing else begin; returns whether it
        ended.
        """
        last = asyncio.wrap_future(self._thread.submit(lambda: None))
        self._thread.shutdown(wait=False)
        return bool((await asyncio.wait([last], timeout=patience))[0])

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self._has_room():
            writer.transport.abort()
            return
        self._connections[writer] = asyncio.current_task()
        patience = LONGEST_REQUEST
        try:
            with suppress(OSError, TimeoutError, asyncio.IncompleteReadError):
                while writer in self._connections and await self._exchange(reader, writer, patience):
                    patience = LONGEST_IDLE
        finally:
            self._connections.pop(writer, None)
            writer.close()

    def _has_room(self) -> bool:
        """Return whether there is a place for one more connection, if need be that of the one that waits the
        longest.
        """
        if len(self._connections) < MOST_CONNECTIONS:
            return True
        longest = next(iter(self._waiting), None)
        if longest is None:
            return False
        # Aborting takes effect later, and the next newcomer must not find the same one here.
        del self._waiting[longest], self._connections[longest]
        longest.transport.abort()
        return True

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, patience: float) -> bool:
        """Answer one request, which begins in ``patience`` seconds, and return whether another may follow."""
        goes_on, is_head = False, False
        try:
            async with self._waits_for_client(writer, patience) as limit:
                start = await reader.readexactly(1)
                limit.reschedule(asyncio.get_running_loop().time() + LONGEST_REQUEST)
                method, path, headers, goes_on = _head(start + await _until_empty_line(reader))
                is_head = method == "HEAD"
                body = await _body(reader, writer, headers)
        except _Refused as refused:
            answer, goes_on = refused.answer, False
        else:
            answer = await self._answer(method, path, body)
        async with self._waits_for_client(writer, LONGEST_REQUEST):
            writer.write(_spelled(answer, goes_on=goes_on, with_body=not is_head))
            await writer.drain()
        return goes_on

    @asynccontextmanager
    async def _waits_for_client(self, writer: asyncio.StreamWriter, seconds: float) -> AsyncIterator[asyncio.Timeout]:
        """Wait for a client, which may lose its place meanwhile. Raises `TimeoutError` after ``seconds``."""
        self._waiting[writer] = None
        try:
            async with asyncio.timeout(seconds) as limit:
                yield limit
        finally:
            self._waiting.pop(writer, None)

    async def _answer(self, method: str, path: str, body: bytes) -> Answer:
        if path == "/" and method in {"GET", "HEAD"}:
            return self._about
        if path != PATH:
            return Answer.words(HTTPStatus.NOT_FOUND, f"a witness has only {PATH}")
        if method != "POST":
            return Answer.words(HTTPStatus.METHOD_NOT_ALLOWED, f"{PATH} takes POST")
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._add_checkpoint, body)


async def _until_empty_line(reader: asyncio.StreamReader) -> bytes:
    """Return the rest of a request's line and headers, of which one byte was read."""
    try:
        data = await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        data = b""
    if not data or len(data) >= LARGEST_HEAD:
        raise _Refused(
            HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, f"headers of at most {LARGEST_HEAD} bytes are read"
        )
    return data


def _head(data: bytes) -> tuple[str, str, dict[str, str], bool]:
    """Return the method, the path, the headers by their names in lower case, and whether the connection stays
    open.
    """
    first, *lines = data.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
    request = _REQUEST_LINE.fullmatch(first)
    if request is None:
        raise _Refused(HTTPStatus.BAD_REQUEST, "no request of HTTP/1.1")
    headers: dict[str, str] = {}
    for name, value in map(_header, lines):
        if name in headers and name == "content-length":
            raise _Refused(HTTPStatus.BAD_REQUEST, "one Content-Length is enough")
        headers[name] = value
    wish = headers.get("connection", "keep-alive" if request[3] == "1" else "close").lower()
    return request[1], request[2], headers, wish == "keep-alive"


def _header(line: str) -> tuple[str, str]:
    """Return the name in lower case, and the value."""
    # A pattern for the whole line would go back over every run of spaces in it, which takes a stranger's line
    # minutes.
    name, colon, value = line.partition(":")
    if not colon or _CONTROL.search(value) or not _HEADER_NAME.fullmatch(name):
        raise _Refused(HTTPStatus.BAD_REQUEST, "no header of HTTP/1.1")
    return name.lower(), value.strip(" \t")


async def _body(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, headers: dict[str, str]) -> bytes:
    if "transfer-encoding" in headers:
        raise _Refused(HTTPStatus.LENGTH_REQUIRED, "a body needs a Content-Length")
    length = headers.get("content-length", "0")
    if not _LENGTH.fullmatch(length):
        raise _Refused(HTTPStatus.BAD_REQUEST, "a Content-Length is a number")
    if int(length) > LARGEST_REQUEST:
        raise _Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request has at most {LARGEST_REQUEST} bytes")
    if headers.get("expect", "").lower() == "100-continue":
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    return await reader.readexactly(int(length))


def _spelled(answer: Answer, *, goes_on: bool, with_body: bool) -> bytes:
    lines = [
        f"HTTP/1.1 {answer.status.value} {answer.status.phrase}",
        f"Content-Type: {answer.content_type}",
        f"Content-Length: {len(answer.body)}",
        "Cache-Control: no-store",
        *(["Allow: POST"] if answer.status is HTTPStatus.METHOD_NOT_ALLOWED else []),
        *([] if goes_on else ["Connection: close"]),
    ]
    return "\r\n".join([*lines, "", ""]).encode() + (answer.body if with_body else b"")
