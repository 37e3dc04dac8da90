"""An S3 server for tests: SeaweedFS, as operators run it, on one machine: master, volume server, filer and S3
gateway.

It is other people's, keeps its objects on a disk, checks signatures, and honours conditional writes. Anybody can
read.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import urllib3
from obstore.exceptions import BaseError
from obstore.store import S3Store

from tests.support.log_server import answering
from tests.support.running_service import PATIENCE_SECONDS, free_port, wait_until

ACCESS, SECRET = "AKIAFOREDRAWTESTS", "b0RqfL-never-shown-7TzZ"
UNSIGNED = "unsigned"
"""The name of a bucket that anybody may change, too: what a proxy changes on its way is not what was signed."""
_PROGRAM = Path(sys.executable).with_name("weed")
_SOCKETS = Path("/tmp")
"""Where the program puts them, whatever it is told."""
_WHO = {
    "identities": [
        {
            "name": "foredraw",
            "credentials": [{"accessKey": ACCESS, "secretKey": SECRET}],
            "actions": ["Read", "Write", "List"],
        },
        {"name": "anonymous", "actions": ["Read", f"Write:{UNSIGNED}", f"List:{UNSIGNED}"]},
    ]
}


@dataclass(slots=True)
class S3Server:
    """A server on these ports, whose files are in a folder."""

    folder: Path
    ports: Mapping[str, int]
    options: Sequence[str]
    host: str
    _process: subprocess.Popen[bytes] | None = None

    @property
    def port(self) -> int:
        """Where its S3 gateway listens."""
        return self.ports["s3"]

    @property
    def pid(self) -> int:
        """Its process."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start it with what its folder has, and wait until objects can be written."""
        with (self.folder / "s3.output").open("ab") as output:
            self._process = subprocess.Popen(
                [_PROGRAM, "server", *self.options],
                env={**os.environ, "WEED_MASTER_VOLUME_GROWTH_COPY_1": "1", "TMPDIR": str(self.folder)},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        wait_until(self._answers, "the S3 server to answer")

    def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, (self.folder / "s3.output").read_text("utf-8")
        # It takes a while until the volume server is known to the others.
        return self._has_made("probe")

    def _has_made(self, bucket: str) -> bool:
        """Make a bucket if there is none: whether it takes objects."""
        try:
            made = urllib3.request("POST", f"http://{self.host}:{self.ports['filer']}/buckets/{bucket}/")
            self.put(f"{bucket}/probe", b"")
            self._store(bucket).delete("probe")
        except (urllib3.exceptions.HTTPError, BaseError):
            return False
        return made.status in {201, 409}

    def kill(self) -> None:
        """Kill it. What it has answered is on its disk."""
        assert self._process is not None
        self._process.kill()
        self._process.wait(PATIENCE_SECONDS)

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://{self.host}:{self.port}"

    @property
    def variables(self) -> Mapping[str, str]:
        """The environment of its clients."""
        return {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": ACCESS,
            "AWS_SECRET_ACCESS_KEY": SECRET,
        }

    def make(self, bucket: str) -> None:
        """Make a bucket, which is a folder of the filer, if there is none; its first object makes its volumes, which
        takes a while.
        """
        wait_until(lambda: self._has_made(bucket), f"the bucket {bucket} to take objects")

    def check_same(self, folder: Path, address: str) -> None:
        """What is published to a bucket is the log's folder, but for partial files of a time when it was not
        published there.
        """
        place = address.removeprefix("s3://")
        # What a crash left beside its place is no file of the log.
        paths = [file for file in folder.rglob("*") if file.is_file() and file.suffix != ".new"]
        ours = {str(file.relative_to(folder)): file.read_bytes() for file in paths}
        theirs = {name.removeprefix(f"{place}/"): self.get(name) for name in self.names(f"{place}/")}
        assert {name for name in ours if ".p/" not in name} <= theirs.keys() <= ours.keys()
        assert [name for name, data in theirs.items() if data != ours[name]] == []

    def get(self, path: str) -> bytes | None:
        """An object by its bucket and name; `None` if it is missing."""
        answer = urllib3.request("GET", f"{self.url}/{path}")
        return answer.data if answer.status == 200 else None

    def names(self, path: str) -> list[str]:
        """All names that begin so, each with its bucket."""
        bucket, _, prefix = path.partition("/")
        store = self._store(bucket)
        return [f"{bucket}/{each['path']}" for page in store.list(prefix) for each in page]

    def put(self, path: str, data: bytes) -> None:
        """Write an object, whatever was there."""
        bucket, _, name = path.partition("/")
        self._store(bucket).put(name, data)

    def _store(self, bucket: str) -> S3Store:
        return S3Store(
            bucket,
            endpoint=self.url,
            region="us-east-1",
            access_key_id=ACCESS,
            secret_access_key=SECRET,
            client_options={"allow_http": True},
        )

    @contextmanager
    def away(self) -> Iterator[None]:
        """It stands still: connections are accepted, and nothing is answered."""
        os.kill(self.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self.pid, signal.SIGCONT)


@contextmanager
def s3_server(folder: Path, host: str = "127.0.0.1") -> Iterator[S3Server]:
    """Run one, without any bucket, on the folder's disk."""
    data, who = folder / "s3", folder / "s3.json"
    data.mkdir()
    who.write_text(json.dumps(_WHO), encoding="ascii")
    ports = {part: free_port() for part in ("master", "volume", "filer", "s3")}
    options = [f"-{part}.port={port}" for part, port in ports.items()]
    inner = {part: free_port() for part in ports}
    options += [f"-{part}.port.grpc={port}" for part, port in inner.items()]
    options += [f"-ip={host}", f"-ip.bind={host}", "-master.telemetry=false", f"-dir={data}"]
    # Volumes grow with what is in them, and each bucket has its own.
    options += ["-filer", "-volume.max=500", "-master.volumeSizeLimitMB=16"]
    options += ["-s3", f"-s3.config={who}", "-s3.iam=false", "-s3.port.iceberg=0", "-s3.port.lance=0"]
    server = S3Server(folder, ports, [*options, "-s3.autoCreateBucket=false"], host)
    try:
        server.start()
        yield server
    finally:
        server.kill()
        for port in (*ports.values(), *inner.values()):
            for socket in _SOCKETS.glob(f"seaweedfs-*-{port}.sock"):
                socket.unlink()


@contextmanager
def refusing(server: S3Server, *, unsigned_alone: bool) -> Iterator[str]:
    """A store that refuses what does not exist, as Amazon's does to whoever may not list: to all, or to whoever signs
    nothing.
    """

    def answer(request: BaseHTTPRequestHandler) -> None:
        # The address of the store is signed, too.
        given = urllib3.request(
            request.command,
            server.url + request.path,
            body=request.rfile.read(int(request.headers.get("Content-Length", 0))),
            headers=dict(request.headers),
            retries=False,
        )
        is_refused = given.status == 404 and not (unsigned_alone and "Authorization" in request.headers)
        request.send_response(403 if is_refused else given.status)
        for name in ("ETag", "Last-Modified", "Content-Type"):
            if name in given.headers:
                request.send_header(name, given.headers[name])
        request.send_header("Content-Length", given.headers.get("Content-Length", str(len(given.data))))
        request.end_headers()
        request.wfile.write(given.data)

    with answering(answer) as address:
        yield address
