"""An S3 server for tests: moto's, which keeps its objects in memory and honours conditional writes as S3 does.

It is other people's and speaks the real protocol over HTTP. What it does not do is check signatures.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import urllib3
from obstore.store import S3Store

from tests.support.running_service import PATIENCE_SECONDS, free_port, wait_until

ACCESS, SECRET = "AKIAFOREDRAWTESTS", "b0RqfL-never-shown-7TzZ"


@dataclass(frozen=True, slots=True)
class S3Server:
    """A running server."""

    port: int
    pid: int

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

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
        """Make a bucket that anybody can read."""
        assert urllib3.request("PUT", f"{self.url}/{bucket}").status == 200
        statement = {
            "Effect": "Allow",
            "Principal": "*",
            "Action": "s3:GetObject",
            "Resource": f"arn:aws:s3:::{bucket}/*",
        }
        policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        assert urllib3.request("PUT", f"{self.url}/{bucket}?policy", body=policy).status in {200, 204}

    def check_same(self, folder: Path, address: str) -> None:
        """What is published to a bucket is the log's folder, but for partial files of a time when it was not published there."""
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
def s3_server(folder: Path) -> Iterator[S3Server]:
    """Run one, without any bucket."""
    port = free_port()
    # Not our variables: its own client would ask itself.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    with (folder / "s3.output").open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    server = S3Server(port, process.pid)

    def answers() -> bool:
        assert process.poll() is None, (folder / "s3.output").read_text("utf-8")
        try:
            return urllib3.request("GET", f"{server.url}/moto-api/", retries=False, timeout=5).status == 200
        except urllib3.exceptions.HTTPError:
            return False

    try:
        wait_until(answers, "the S3 server to answer")
        yield server
    finally:
        process.kill()
        process.wait(PATIENCE_SECONDS)
