"""Three browsers with an engine of their own, each started with an address: no driver steers all of them.

A page of the test reports what it finds there to the test's own server.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.support.browser.fonts import FONTS, configure
from tests.support.running_service import PATIENCE_SECONDS

# Everything but loopback goes to a port where nobody listens.
_FIREFOX = """\
user_pref("network.proxy.type", 1);
user_pref("network.proxy.http", "127.0.0.1");
user_pref("network.proxy.http_port", 9);
user_pref("network.proxy.ssl", "127.0.0.1");
user_pref("network.proxy.ssl_port", 9);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
"""
_ROOT = os.getuid() == 0


@contextmanager
def browsing(engine: str, url: str) -> Iterator[None]:
    """An engine's browser has opened an address."""
    with ExitStack() as stack:
        home = Path(stack.enter_context(TemporaryDirectory()))
        fonts = {"FONTCONFIG_FILE": str(configure(home, FONTS[0]))}
        environment = {**os.environ, **fonts, "HOME": str(home), "XDG_RUNTIME_DIR": str(home), "NO_AT_BRIDGE": "1"}
        stack.enter_context(ENGINES[engine](home, url, environment))
        yield


@contextmanager
def _chromium(home: Path, url: str, environment: Mapping[str, str]) -> Iterator[None]:
    own = ["--no-sandbox"] if _ROOT else []
    quiet = (
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-dev-shm-usage",
        "--remote-debugging-port=0",
    )
    with _running(["chromium-headless-shell", *own, *quiet, f"--user-data-dir={home}", url], environment):
        yield


@contextmanager
def _firefox(home: Path, url: str, environment: Mapping[str, str]) -> Iterator[None]:
    profile = home / "profile"
    profile.mkdir()
    (profile / "user.js").write_text(_FIREFOX, "ascii")
    with _running(["firefox-esr", "--headless", "--no-remote", "--profile", str(profile), url], environment):
        yield


@contextmanager
def _webkit(_home: Path, url: str, environment: Mapping[str, str]) -> Iterator[None]:
    """WebKitGTK's own small browser draws on a screen, and its processes have no sandbox as root."""
    program = next(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"))
    own = {"WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1"} if _ROOT else {}
    reading, writing = os.pipe()
    screen = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x900x24", "-nolisten", "tcp"]
    with os.fdopen(reading) as display, _running(screen, environment, pass_fds=(writing,)):
        os.close(writing)
        shown = {"DISPLAY": f":{display.readline().strip()}", "WEBKIT_DISABLE_COMPOSITING_MODE": "1"}
        with _running([str(program), "--private", url], {**environment, **shown, **own}):
            yield


ENGINES: Final[Mapping[str, Callable[[Path, str, Mapping[str, str]], AbstractContextManager[None]]]] = {
    "chromium": _chromium,
    "firefox": _firefox,
    "webkit": _webkit,
}


@contextmanager
def _running(command: list[str], environment: Mapping[str, str], pass_fds: tuple[int, ...] = ()) -> Iterator[None]:
    """A program and all that it starts, which end together."""
    assert shutil.which(command[0]), f"there is no {command[0]}: `make tools TIER=nightly` installs it"
    with subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=pass_fds,
        start_new_session=True,
    ) as process:
        try:
            yield
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(PATIENCE_SECONDS)
