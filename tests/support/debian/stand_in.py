#!/usr/bin/python3
"""In the place of systemd on a machine of `tests.support.debian`: reads units, and starts what they say as they say.

By its name it is `systemctl`, `systemd-run`, `apt-get`, or the machine's first process, `init`. It knows commands,
accounts, variables, folders, working folders and restarts; nothing of a sandbox, a timer or an order of units.
The machine's own Python runs it, so it imports nothing of ours.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

UNITS = [Path(folder) for folder in ("/etc/systemd/system", "/usr/local/lib/systemd/system", "/lib/systemd/system")]
RUNNING, OUTPUT, INSTALLED = Path("/run/units"), Path("/var/log/units"), Path("/var/lib/stand-in")
WANTED = Path("/etc/systemd/system/multi-user.target.wants")
DEBIANS = {"nginx-light": "nginx.service", "postgresql": "postgresql.service"}
"""What Debian starts when it installs a package."""
PATH = "/run/stand-ins:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
SHARED = "/run/shared"
"""In the place of what another machine exports."""


class Unit:
    """What the files of a unit say."""

    def __init__(self, name: str) -> None:
        self.name = name if "." in name else f"{name}.service"
        self.instance = self.name.partition("@")[2].rpartition(".")[0]
        template = re.sub("@.*\\.", "@.", self.name)
        files = [folder / each for folder in UNITS for each in (self.name, template) if (folder / each).is_file()]
        if not files:
            sys.exit(f"Unit {self.name} not found.")
        drop_ins = [file for folder in UNITS for file in sorted((folder / f"{self.name}.d").glob("*.conf"))]
        self._says: dict[str, list[str]] = {}
        for file in (files[0], *drop_ins):
            for line in file.read_text("utf-8").replace("\\\n", " ").splitlines():
                key, is_setting, value = line.strip().partition("=")
                if is_setting and not key.startswith(("#", ";")):
                    self._says[key] = [*self._says.get(key, []), value] if value else []

    def every(self, key: str) -> list[str]:
        """All values of a setting."""
        return [value.replace("%i", self.instance).replace("%I", self.instance) for value in self._says.get(key, [])]

    def last(self, key: str, default: str = "") -> str:
        """The value that counts."""
        return (self.every(key) or [default])[-1]

    def words(self, key: str) -> list[str]:
        """All words of a setting."""
        return [word for value in self.every(key) for word in shlex.split(value)]


def of_file(path: str) -> dict[str, str]:
    """What an ``EnvironmentFile=`` sets."""
    file = Path(path.removeprefix("-"))
    if path.startswith("-") and not file.exists():
        return {}
    lines = [
        line for line in file.read_text("utf-8").splitlines() if line.strip() and not line.startswith(("#", ";"))
    ]
    return {name: value.strip("\"'") for name, _, value in (line.partition("=") for line in lines)}


def environment(unit: Unit, account: pwd.struct_passwd) -> dict[str, str]:
    """What a command of the unit finds."""
    found = {"PATH": PATH, "LANG": "C.UTF-8", "HOME": account.pw_dir, "USER": account.pw_name}
    found |= dict(word.split("=", 1) for word in unit.words("Environment"))
    for file in unit.every("EnvironmentFile"):
        found |= of_file(file)
    return found


def expanded(line: str, variables: dict[str, str]) -> list[str]:
    """The words of a command, with systemd's rules for variables."""
    words: list[str] = []
    for word in shlex.split(line.replace("%%", "%")):
        if whole := re.fullmatch(r"\$(\w+)", word):
            words += variables.get(whole[1], "").split()
        else:
            words.append(re.sub(r"\$\{(\w+)\}", lambda name: variables.get(name[1], ""), word).replace("$$", "$"))
    return words


def own(path: Path, mode: int, account: pwd.struct_passwd) -> None:
    """Make a folder of the unit, and give it to its account."""
    path.mkdir(parents=True, exist_ok=True)
    if path.stat().st_uid != account.pw_uid:
        for each in (path, *path.rglob("*")):
            os.chown(each, account.pw_uid, account.pw_gid, follow_symlinks=False)
    path.chmod(mode)


def run(unit: Unit, key: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start the commands of a unit's setting, one after the other is asked for."""
    for line in unit.every(key):
        prefix = line[: len(line) - len(line.lstrip("-+!@:"))]
        command = line[len(prefix) :]
        user = unit.last("User", "root")
        account = pwd.getpwnam(user)
        as_root = "+" in prefix or user == "root"
        for kind, root in (
            ("StateDirectory", "/var/lib"),
            ("CacheDirectory", "/var/cache"),
            ("RuntimeDirectory", "/run"),
        ):
            for name in unit.words(kind):
                own(Path(root, name), int(unit.last(f"{kind}Mode", "0755"), 8), account)
        variables = environment(unit, account)
        limit = unit.last("LimitNOFILE")
        yield subprocess.Popen(
            expanded(command, variables),
            env=variables,
            cwd=unit.last("WorkingDirectory", "/").replace("~", account.pw_dir),
            user=None if as_root else account.pw_uid,
            group=None if as_root else account.pw_gid,
            extra_groups=None if as_root else os.getgrouplist(user, account.pw_gid),
            umask=int(unit.last("UMask", "0022"), 8),
            preexec_fn=partial(limits, int(limit)) if limit.isdigit() else None,  # noqa: PLW1509 (one thread)
            start_new_session=True,
        )


def limits(files: int) -> None:
    """The number of files that a program may have open."""
    import resource  # noqa: PLC0415 (only this needs it)

    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))


def whole(unit: Unit, key: str) -> bool:
    """Run the commands of a setting to their ends. Returns whether all that matter have succeeded."""
    ignored = [value.lstrip("+!@:").startswith("-") for value in unit.every(key)]
    return all(process.wait() == 0 or may_fail for process, may_fail in zip(run(unit, key), ignored, strict=False))


def supervise(unit: Unit) -> None:
    """Keep the main process of a unit running until SIGTERM."""
    ending: list[int] = []
    main: list[subprocess.Popen[bytes]] = []

    def end(number: int, _frame: object) -> None:
        ending.append(number)
        for process in main:
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGTERM)

    signal.signal(signal.SIGTERM, end)
    while not ending:
        if whole(unit, "ExecStartPre"):
            main[:] = run(unit, "ExecStart")
            whole(unit, "ExecStartPost")
            status = main[0].wait()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(main[0].pid, signal.SIGKILL)
            os.write(1, f"stand-in: {unit.name} ended with {status}\n".encode())
        if unit.last("Restart") != "always":
            return
        for _ in range(int(unit.last("RestartSec", "1")) * 10):
            if not ending:
                time.sleep(0.1)


def pid_of(unit: Unit) -> int | None:
    """The process that supervises a unit, if it runs."""
    try:
        pid = int((RUNNING / unit.name).read_text())
        os.kill(pid, 0)
    except (OSError, ValueError):
        return None
    return pid


def detached(unit: Unit, work: Callable[[Unit], None]) -> None:
    """Let this work go on without us, with its output in a file."""
    OUTPUT.mkdir(parents=True, exist_ok=True)
    RUNNING.mkdir(parents=True, exist_ok=True)
    pid = os.fork()
    if pid:
        (RUNNING / unit.name).write_text(f"{pid}\n")
        return
    os.setsid()
    output = os.open(OUTPUT / unit.name, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for number in (1, 2):
        os.dup2(output, number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    try:
        work(unit)
    finally:
        os._exit(0)


def debians(name: str) -> list[str]:
    """What a unit of Debian stands for: `postgresql.service` is each of its clusters."""
    if name.removesuffix(".service") != "postgresql":
        return [name]
    return [f"postgresql@{each.parent.name}-{each.name}" for each in Path("/etc/postgresql").glob("*/*")]


def start(name: str) -> None:
    """Start a unit and what it requires, unless it runs."""
    unit = Unit(name)
    if unit.name.endswith(".timer"):
        return
    if unit.name.endswith(".mount"):
        where = Path(unit.last("Where"))
        where.mkdir(parents=True, exist_ok=True)
        if not os.path.ismount(where):
            subprocess.run(["mount", "--bind", SHARED, where], check=True)
        return
    for required in unit.words("Requires"):
        if required.endswith(".service"):
            start(required)
    if pid_of(unit) is not None:
        return
    kind = unit.last("Type", "simple")
    if kind in {"oneshot", "forking"}:
        if not (whole(unit, "ExecStartPre") and whole(unit, "ExecStart") and whole(unit, "ExecStartPost")):
            sys.exit(f"Job for {unit.name} failed.")
    else:
        detached(unit, supervise)


def stop(name: str) -> None:
    """Stop a unit, and wait for its end."""
    unit = Unit(name)
    if unit.last("Type") == "forking":
        whole(unit, "ExecStop")
    elif pid := pid_of(unit):
        os.kill(pid, signal.SIGTERM)
        while pid_of(unit):
            time.sleep(0.05)


def enable(name: str) -> None:
    """Start a unit at each boot from now on."""
    unit = Unit(name)
    WANTED.mkdir(parents=True, exist_ok=True)
    (INSTALLED / "enabled").mkdir(parents=True, exist_ok=True)
    (INSTALLED / "enabled" / unit.name).touch()


def systemctl(arguments: list[str]) -> None:
    """`systemctl`."""
    words = [word for word in arguments if not word.startswith("-")]
    verb, names = words[0], [each for name in words[1:] for each in debians(name)]
    for name in names:
        if verb == "enable":
            enable(name)
        if verb in {"stop", "restart"} or (verb == "disable" and "--now" in arguments):
            stop(name)
        if verb in {"start", "restart"} or (verb == "enable" and "--now" in arguments):
            start(name)
        if verb == "reload":
            whole(Unit(name), "ExecReload")
    if verb not in {"enable", "disable", "start", "stop", "restart", "reload", "daemon-reload"}:
        sys.exit(f"no such verb here: {verb}")


def systemd_run(arguments: list[str]) -> None:
    """`systemd-run --pipe --wait`: one command, as a unit of these properties."""
    options = []
    while arguments and arguments[0].startswith("--"):
        options.append(arguments.pop(0))
    made, properties = [], {"uid": "User", "gid": "Group"}
    for option in options:
        name, _, value = option.removeprefix("--").partition("=")
        if name == "property":
            made.append(value)
        elif name == "setenv":
            made.append(f"Environment={shlex.quote(value)}")
        elif name in properties:
            made.append(f"{properties[name]}={value}")
    RUNNING.mkdir(parents=True, exist_ok=True)
    name = f"run-{os.getpid()}.service"
    command = " ".join(shlex.quote(word.replace("%", "%%")) for word in arguments)
    file = UNITS[0] / name
    file.write_text("\n".join(["[Service]", *made, f"ExecStart={command}", ""]), "utf-8")
    try:
        unit = Unit(name)
    finally:
        file.unlink()
    (process,) = run(unit, "ExecStart")
    sys.exit(process.wait())


def apt_get(arguments: list[str]) -> None:
    """Debian's `apt-get`; then start what the installation of a package starts, as no systemd does it."""
    done = subprocess.run(["/usr/bin/apt-get", *arguments], check=False)
    if done.returncode == 0:
        for package in set(arguments) & DEBIANS.keys():
            for name in debians(DEBIANS[package]):
                enable(name)
                start(name)
    sys.exit(done.returncode)


def init(_arguments: list[str]) -> None:
    """The first process: boots, and then buries processes that nobody waits for."""
    Path("/run/sshd").mkdir(exist_ok=True)
    if Path("/usr/sbin/sshd").exists():
        subprocess.run(["/usr/sbin/sshd"], check=True)
    enabled = INSTALLED / "enabled"
    for each in sorted(enabled.glob("*"), key=lambda file: (file.name.endswith(".service"), file.name)):
        if os.fork() == 0:
            start(each.name)
            os._exit(0)
        os.wait()
    Path("/run/booted").touch()
    while True:
        try:
            os.wait()
        except ChildProcessError:
            time.sleep(0.05)


if __name__ == "__main__":
    programs = {"systemctl": systemctl, "systemd-run": systemd_run, "apt-get": apt_get, "init": init}
    programs[Path(sys.argv[0]).name](sys.argv[1:])
