"""Variables that are in the environment for other programs change nothing in the service."""

from __future__ import annotations

import os
import re
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from api.world.surroundings.inherited_variables import is_obeyed
from tests.support.running_service import FOREDRAW, family_of, running_service

PACKAGES = (
    *("gunicorn", "flask", "werkzeug", "jinja2", "gevent", "greenlet", "zope"),
    *("urllib3", "obstore", "psycopg", "sqlalchemy", "sqlmodel", "alembic", "mako", "pydantic"),
)
READ = re.compile(
    r"""(?:os\.environ(?:\.get|\.pop)?[(\[]|getenv\(|environment_key = )\s*['"](\w+)['"]|['"](\w+)['"] (?:not )?in os\.environ"""
)
"""How their sources read a variable, or set one for a process of theirs."""
HARMLESS = {
    "SERVER_SOFTWARE": "gunicorn sets it",
    "XDG_RUNTIME_DIR": "the folder of gunicorn's control socket, which is not opened",
    "PWD": "another spelling of the working directory, if it is the same",
    "PYTHONSTARTUP": "flask shell",
    "YOURAPPLICATION_SETTINGS": "an example in a docstring",
    "COMSPEC": "Windows",
    "PATH": "the system's",
    "PYTHONTRACEMALLOC": "Python's own",
    **dict.fromkeys(("PGHOSTADDR", "PGHOST", "PGPORT"), "libpq's, which an operator may set"),
    **dict.fromkeys(
        ("EARTHDATA_HOST", "EARTHDATA_TOKEN", "EARTHDATA_USERNAME", "EARTHDATA_PASSWORD"), "a store that is not ours"
    ),
}
HOSTILE = {
    "SCRIPT_NAME": "/x",
    "GUNICORN_CMD_ARGS": "--proxy-protocol --max-requests 1 --print-config",
    "GUNICORN_PID": "1",
    "GUNICORN_FD": "0",
    "SENDFILE": "no",
    "WEB_CONCURRENCY": "many",
    "PORT": "web",
    "FORWARDED_ALLOW_IPS": "*",
    "LISTEN_FDS": "some",
    "LISTEN_PID": "some",
    "NOTIFY_SOCKET": "/nowhere",
    "FLASK_DEBUG": "1",
    "FLASK_RUN_FROM_CLI": "true",
    "WERKZEUG_RUN_MAIN": "true",
    "GEVENT_DEBUG": "much",
    "GEVENT_RESOLVER": "nobody",
    "GEVENT_MONITOR_THREAD_ENABLE": "1",
    "PSYCOPG_IMPL": "nothing",
    "PURE_PYTHON": "1",
    "SSLKEYLOGFILE": "/nowhere/keys",
    "http_proxy": "http://127.0.0.1:9",
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "All_Proxy": "http://127.0.0.1:9",
}


@pytest.mark.parametrize("package", PACKAGES)
def test_what_packages_read_is_removed_or_known_to_be_harmless(package: str) -> None:
    """So a version that reads another variable is noticed when it comes."""
    spec = find_spec(package)
    assert spec is not None
    read = set[str]()
    for folder in map(Path, spec.submodule_search_locations or ()):
        for file in folder.rglob("*.py"):
            if not re.search(r"test|django", str(file.relative_to(folder))):
                read |= {first or second for first, second in READ.findall(file.read_text("utf-8", "replace"))}
    assert {name for name in read if not is_obeyed(name)} <= HARMLESS.keys()


@pytest.mark.parametrize("name", HOSTILE)
def test_it_is_removed(name: str) -> None:
    """By its name alone, whatever its value."""
    assert is_obeyed(name)


@pytest.mark.parametrize(
    "name",
    ["FOREDRAW_DATA", "PGPASSFILE", "AWS_REGION", "OTEL_SERVICE_NAME", "TMPDIR", "PATH", "TZ", "SUDO_USER", "REPORT"],
)
def test_what_is_meant_for_us_stays(name: str) -> None:
    """Our settings, those of libpq, S3's tools and OpenTelemetry, and the system's."""
    assert not is_obeyed(name)


@pytest.mark.nightly("starts a service of its own")
def test_a_service_plays_whatever_it_inherits(tmp_path: Path) -> None:
    """And no process that it starts gets any of it."""
    with running_service(tmp_path / "data", {"keno-1": "keno-express"}, variables=HOSTILE) as service:
        service.play("keno-1", 1)
        assert service.get("/tables/keno-1", headers={"Accept": "text/html"}).status == 200
        assert service.get("/nowhere", headers={"Accept": "application/json"}).document["code"] == "not-found"
        (_, *started) = family_of(service.process.pid)
        variables = {
            name.partition(b"=")[0].decode()
            for pid in {service.process.pid, *started} - {service.process.pid, service.background}
            for name in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        }
        assert len(started) > 2
        assert "FOREDRAW_DATA" in variables
        assert not variables & HOSTILE.keys()


@pytest.mark.nightly("starts a program for each variable")
def test_a_command_runs_whatever_it_inherits(tmp_path: Path) -> None:
    """Packages read some variables while they are imported."""
    ran = subprocess.run(
        [FOREDRAW, "--data", str(tmp_path / "data"), "init"],
        env={**os.environ, **HOSTILE},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
