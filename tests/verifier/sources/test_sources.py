"""Folders and web servers are not trusted: they cannot cost much memory or time, or lead elsewhere."""

from __future__ import annotations

import gzip
import os
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairness.draws.commitments import commitments_path
from fairness.errors import Missing, Unreadable
from fairness.hashing import sha256
from fairness.limits import LARGEST_NOTE
from fairness.log.tiles import LARGEST_BUNDLE, bundle_path, tile_path
from fairness.round.log_files import largest_file
from tests.support.log_server import answering, serving
from verifier.sources.source import FolderSource, HttpSource, open_source

Answer = Callable[[BaseHTTPRequestHandler], None]

SIZES = {
    "checkpoint": LARGEST_NOTE,
    tile_path(0, 0): 8192,
    tile_path(63, 1234067, 255): 8192,
    bundle_path(70_000, 1): LARGEST_BUNDLE,
    commitments_path(sha256(b"")): 8 * 65_536 * 32,
    "find/tables/00/00ff00ff": 6144,
    f"find/rounds/e3/{sha256(b'').hex()}/x001/000": 8192,
}


@pytest.mark.parametrize(("path", "size"), SIZES.items())
def test_a_file_is_read_up_to_one_byte_past_its_largest_size(path: str, size: int, tmp_path: Path) -> None:
    """A longer file is cut there, so no check accepts it, and never read whole; from a folder and from a server."""
    assert largest_file(path) == size
    file = tmp_path / path
    file.parent.mkdir(parents=True, exist_ok=True)
    with serving(tmp_path) as address:
        for length in (0, 1, size, size + 1, size + 1000):
            file.write_bytes(b"x" * length)
            for source in (FolderSource(tmp_path), HttpSource(address)):
                assert len(source.read(path)) == min(length, size + 1)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/passwd",
        "../checkpoint",
        "tile/0/../../checkpoint",
        "tile/0/000/",
        "checkpoint\n",
        "tile/0/\N{ARABIC-INDIC DIGIT ZERO}00",
        "TILE/0/000",
    ],
)
def test_only_a_logs_paths_are_read(path: str, tmp_path: Path) -> None:
    """Nothing outside a log can be requested."""
    with pytest.raises(ValueError, match="a log has no file"):
        FolderSource(tmp_path).read(path)


@given(path=st.text())
def test_no_path_leaves_the_folder(path: str) -> None:
    """Any other text is refused before a file is opened."""
    with pytest.raises((ValueError, Unreadable)):
        FolderSource("/nonexistent").read(path)


def test_what_is_no_file_is_unreadable(tmp_path: Path) -> None:
    """A folder or a pipe in place of a file is reported at once, even if nobody writes to the pipe."""
    (tmp_path / "checkpoint").mkdir()
    with pytest.raises(Unreadable, match="not a file"):
        FolderSource(tmp_path).read("checkpoint")
    os.mkfifo(tmp_path / "tile")
    with pytest.raises(Missing):
        FolderSource(tmp_path).read(tile_path(0, 0))


@pytest.mark.parametrize("linked", ["tile/0/000", "tile/0", "tile", "a loop"])
def test_no_link_leads_out_of_the_folder(linked: str, tmp_path: Path) -> None:
    """What a link leads to is not read, wherever on the way it is, and is not taken for missing. The folder may be a
    link.
    """
    folder, elsewhere, path = tmp_path / "log", tmp_path / "elsewhere", tile_path(0, 0)
    for top in (folder, elsewhere):
        (top / path).parent.mkdir(parents=True)
        (top / path).write_bytes(bytes(32))
    (tmp_path / "link").symlink_to(folder)
    for source in (FolderSource(folder), FolderSource(tmp_path / "link"), FolderSource(f"{tmp_path}/link/")):
        assert source.read(path) == bytes(32)
    place = path if linked == "a loop" else linked
    (folder / place).rename(tmp_path / "moved")
    (folder / place).symlink_to(folder / place if linked == "a loop" else elsewhere / place)
    with pytest.raises(Unreadable, match="a link stands in its way") as refused:
        FolderSource(folder).read(path)
    assert not isinstance(refused.value, Missing)


def test_a_missing_file_is_distinguished_from_an_unreadable_one(tmp_path: Path) -> None:
    """A missing file is a finding; a failing server is not."""
    with serving(tmp_path) as address, pytest.raises(Missing, match="checkpoint"):
        HttpSource(address).read("checkpoint")
    with pytest.raises(Missing, match="checkpoint"):
        FolderSource(tmp_path).read("checkpoint")
    with answering(lambda request: request.send_error(500)) as address:
        with pytest.raises(Unreadable, match="500") as failed:
            HttpSource(address).read("checkpoint")
        assert not isinstance(failed.value, Missing)


@contextmanager
def traced_memory() -> Iterator[Callable[[], int]]:
    """Yields a function that returns the peak of Python's memory since, in bytes."""
    tracemalloc.start()
    try:
        yield lambda: tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def send(request: BaseHTTPRequestHandler, body: bytes, **headers: str) -> None:
    """Send a complete answer."""
    request.send_response(200)
    for name, value in {"Content-Length": str(len(body)), **headers}.items():
        request.send_header(name.replace("_", "-"), value)
    request.end_headers()
    request.wfile.write(body)


def endless_body(request: BaseHTTPRequestHandler) -> None:
    """Gigabytes."""
    request.send_response(200)
    request.send_header("Content-Length", str(1 << 40))
    request.end_headers()
    while True:
        request.wfile.write(b"x" * 65_536)


def endless_chunk_size(request: BaseHTTPRequestHandler) -> None:
    """A chunked answer whose first chunk's size is a line that never ends."""
    request.send_response(200)
    request.send_header("Transfer-Encoding", "chunked")
    request.end_headers()
    while True:
        request.wfile.write(b"0" * 65_536)


def endless_headers(request: BaseHTTPRequestHandler) -> None:
    """Headers without an end."""
    request.wfile.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        request.wfile.write(b"X: " + b"y" * 60_000 + b"\r\n")


def trickle(request: BaseHTTPRequestHandler) -> None:
    """One byte now and then."""
    request.send_response(200)
    request.send_header("Content-Length", "1000")
    request.end_headers()
    while True:
        request.wfile.write(b"x")
        request.wfile.flush()
        time.sleep(0.05)


def trickling_headers(request: BaseHTTPRequestHandler) -> None:
    """A header, one byte now and then."""
    request.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
    while True:
        request.wfile.write(b"y")
        request.wfile.flush()
        time.sleep(0.05)


def silence(_: BaseHTTPRequestHandler) -> None:
    """No answer at all."""
    time.sleep(2)


def garbage(request: BaseHTTPRequestHandler) -> None:
    """An answer that is not HTTP."""
    request.wfile.write(b"\x00\xff\x00\xff" * 100)


def cut_short(request: BaseHTTPRequestHandler) -> None:
    """Fewer bytes than announced."""
    request.send_response(200)
    request.send_header("Content-Length", "1000")
    request.end_headers()
    request.wfile.write(b"x" * 10)


BOMB = gzip.compress(bytes(50_000_000))


def bomb(request: BaseHTTPRequestHandler) -> None:
    """A few kilobytes that decompress to many megabytes."""
    send(request, BOMB, Content_Encoding="gzip")


def unknown_length(request: BaseHTTPRequestHandler) -> None:
    """A body of unknown length, which ends with the connection, complete or not."""
    request.send_response(200)
    request.end_headers()
    request.wfile.write(b"half a checkpoint")


def redirect(request: BaseHTTPRequestHandler) -> None:
    """A redirect to another host's file."""
    request.send_response(302)
    request.send_header("Location", "file:///etc/passwd")
    request.send_header("Content-Length", "0")
    request.end_headers()


@pytest.mark.slow
@pytest.mark.parametrize(
    "answer",
    [
        *(endless_chunk_size, endless_headers, trickle, trickling_headers, silence),
        *(garbage, cut_short, unknown_length, bomb, redirect),
    ],
    ids=lambda answer: answer.__name__,
)
def test_a_hostile_server_costs_neither_time_nor_memory(answer: Answer) -> None:
    """Whatever it answers, one of our errors is raised, within the reader's patience."""
    with answering(answer) as address:
        started = time.monotonic()
        with traced_memory() as peak:
            with pytest.raises(Unreadable) as refused:
                HttpSource(address, patience=0.4).read("checkpoint")
            assert peak() < 20_000_000
        assert time.monotonic() - started < 10
    assert refused.value.path == "checkpoint"
    assert "\n" not in str(refused.value)


def test_an_endless_body_is_cut() -> None:
    """One byte past the largest size, and the connection is closed."""
    with answering(endless_body) as address:
        assert len(HttpSource(address).read("checkpoint")) == LARGEST_NOTE + 1


@pytest.mark.slow
@pytest.mark.parametrize(("pause", "patience", "held"), [(0.2, 1.5, True), (0.3, 0.8, False)])
def test_a_slow_answer_is_waited_for_so_long(pause: float, patience: float, held: bool) -> None:
    """Ten parts, none of them too late: together they may take longer than the patience, up to three times as
    long.
    """

    def slow(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Length", "10")
        request.end_headers()
        for _ in range(10):
            time.sleep(pause)
            request.wfile.write(b"x")

    with answering(slow) as address:
        source = HttpSource(address, patience=patience)
        if held:
            assert source.read("checkpoint") == b"x" * 10
        else:
            with pytest.raises(Unreadable, match="no answer in time"):
                source.read("checkpoint")


@pytest.mark.parametrize(("failures", "held"), [(2, True), (3, False)])
def test_so_many_failures_are_forgiven(failures: int, held: bool) -> None:
    """Two failures in a row, not three."""
    asked: list[str] = []

    def failing(request: BaseHTTPRequestHandler) -> None:
        asked.append(request.path)
        if len(asked) <= failures:
            request.send_error(503)
        else:
            send(request, b"a checkpoint")

    with answering(failing) as address:
        source = HttpSource(address)
        if held:
            assert source.read("checkpoint") == b"a checkpoint"
        else:
            with pytest.raises(Unreadable, match="503"):
                source.read("checkpoint")
    assert len(asked) == 3


def test_a_server_that_stumbles_is_asked_again() -> None:
    """Two failures in a row are forgiven."""
    asked: list[str] = []

    def stumbling(request: BaseHTTPRequestHandler) -> None:
        asked.append(request.path)
        if len(asked) < 3:
            request.send_error(503)
        else:
            send(request, b"a checkpoint")

    with answering(stumbling) as address:
        assert HttpSource(address + "/log/").read("checkpoint") == b"a checkpoint"
    assert asked == ["/log/checkpoint"] * 3


def test_a_chunked_answer_is_read() -> None:
    """A server need not announce the length of its answer."""

    def chunked(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Transfer-Encoding", "chunked")
        request.end_headers()
        request.wfile.write(b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")

    with answering(chunked) as address:
        assert HttpSource(address).read("checkpoint") == b"abcde"


@pytest.mark.parametrize(
    "text",
    ["ftp://example.com/log", "http://", "http://user@example.com/log", "http://example.com/log?x", "http://[/log"],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    """A misspelled address is the user's error and not read as a folder."""
    with pytest.raises(ValueError, match=r"address|over ftp"):
        open_source(text)


@pytest.mark.parametrize("text", ["ftp://example.com/log", "file:///log", "ftp://example.com/http://a"])
def test_another_scheme_is_named(text: str) -> None:
    """The error names the scheme and the supported ones."""
    scheme = text.partition(":")[0]
    with pytest.raises(ValueError, match=f"^a log is read over http or https, or from a folder, not over {scheme}$"):
        open_source(text)


def test_a_source_is_a_folder_or_an_address(tmp_path: Path) -> None:
    """`open_source` opens what `Source.address` names."""
    for source in (FolderSource(tmp_path), HttpSource("https://fore.example:8443/a/log")):
        again = open_source(source.address)
        assert type(again) is type(source)
        assert again.address == source.address


@pytest.mark.parametrize("most", [1, 7, 100])
def test_a_file_is_read_to_its_end_however_little_comes_at_a_time(
    most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A network file system may return less than requested, and a file may become shorter while it is read."""
    read, data = os.read, bytes(range(50))
    (tmp_path / "checkpoint").write_bytes(data)
    monkeypatch.setattr(os, "read", lambda file, size: read(file, min(size, most)))
    assert FolderSource(tmp_path).read("checkpoint") == data
    left = [data[:20]]
    monkeypatch.setattr(os, "read", lambda _file, _size: left.pop() if left else b"")
    assert FolderSource(tmp_path).read("checkpoint") == data[:20]


@pytest.mark.parametrize(
    ("url", "instead"),
    [
        ("https://казино.example/log", "xn--80aodfsg.example"),
        ("HTTP://Խաղ.example:8000/журнал/", "xn--y9axq.example:8000"),
        ("https://例え。example", "xn--r8jz45g.example"),
        ("https://ｅxample.com/log", "example.com"),
        ("https://straße.example/log", "the spelling with xn-- that browsers copy"),
        ("https://βόλος.example/log", "the spelling with xn-- that browsers copy"),
        ("https://a\N{ARABIC LETTER ALEF}.example/log", "the spelling with xn-- that browsers copy"),
    ],
)
def test_a_host_in_another_script_is_named_as_it_is_to_be_written(url: str, instead: str) -> None:
    """Whatever packages are installed; of a name that old and new rules spell in two ways, neither is chosen."""
    with pytest.raises(ValueError, match="not an address in ASCII") as refused:
        open_source(url)
    assert f"as its host, write {instead} (found " in str(refused.value)


def test_an_address_with_another_script_in_its_path_is_one() -> None:
    """It is encoded as browsers do."""
    source = open_source("https://casino.example/журнал")
    assert isinstance(source, HttpSource)
    assert source.address == "https://casino.example/%D0%B6%D1%83%D1%80%D0%BD%D0%B0%D0%BB"
