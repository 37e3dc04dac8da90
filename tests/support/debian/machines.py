"""Machines with Debian: each in a network namespace, with processes and a root of its own, on a layer over one tree.

Nothing of them is visible to other programs, and all of it ends with the test.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.network import Network, network
from tests.support.running_service import wait_until

STAND_IN = Path(__file__).with_name("stand_in.py")
_NAMES = ("systemctl", "systemd-run", "apt-get", "init")
_PATH = "/run/stand-ins:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_BOOT = """
set -e
mount --make-rprivate /
mount -t overlay overlay -o lowerdir={tree},upperdir={folder}/upper,workdir={folder}/work {folder}/root
cd {folder}/root
mount -t proc proc proc
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp
mount -t tmpfs -o mode=755 tmpfs dev
for each in null zero full random urandom tty; do touch dev/$each; mount --bind /dev/$each dev/$each; done
ln -s /proc/self/fd dev/fd
mkdir dev/shm
mount -t tmpfs -o mode=1777 tmpfs dev/shm
mkdir run/stand-ins run/shared run/wheels run/lock
mount --bind {stand_ins} run/stand-ins
mount --bind {shared} run/shared
mount --bind {wheels} run/wheels
hostname {name}
exec env -i PATH={path} chroot . /run/stand-ins/init
"""


@dataclass(slots=True)
class Machine:
    """One machine, which is on or off. What is on its disk stays when it loses its power."""

    name: str
    folder: Path
    script: str
    network: Network
    _process: subprocess.Popen[bytes] | None = None

    def power_on(self) -> None:
        """Boot: what is enabled is started."""
        command = ["unshare", "--mount", "--pid", "--uts", "--ipc", "--fork", "--kill-child", "sh", "-c", self.script]
        with self.network.at(self.name), (self.folder / "console").open("ab") as console:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=console, stderr=console)
        wait_until(self._has_booted, f"{self.name} to boot")

    def _has_booted(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, (self.folder / "console").read_text("utf-8")
        return bool(self._children()) and Path(f"/proc/{self.pid}/root/run/booted").exists()

    def power_off(self) -> None:
        """End all processes at once, as when the power fails."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def run(self, line: str, *, where: str = "/root", check: bool = True) -> subprocess.CompletedProcess[str]:
        """What a person types there, as root."""
        enter = ["nsenter", "--target", str(self.pid), "--mount", "--uts", "--ipc", "--net", "--pid", "--root"]
        own = ["env", "-i", f"PATH={_PATH}", "HOME=/root", "LC_ALL=C.UTF-8", "sh", "-c", f"cd {where} && {line}"]
        done = subprocess.run(
            [*enter, *own],
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=900,
        )
        assert not check or done.returncode == 0, f"{self.name}# {line}\n{done.stdout}{done.stderr}{self.output()}"
        return done

    def put(self, path: str, data: bytes, mode: int = 0o644) -> None:
        """Write a file on its disk, while it is off or on."""
        root = self.folder / "upper" if self._process is None else Path(f"/proc/{self.pid}/root")
        file = root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        file.chmod(mode)

    @property
    def pid(self) -> int:
        """Its first process."""
        return int(self._children()[0])

    def _children(self) -> list[str]:
        assert self._process is not None
        return Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text("ascii").split()

    def said(self, unit: str) -> str:
        """What a unit has written."""
        return (self.folder / "upper/var/log/units" / unit).read_text("utf-8", "replace")

    def output(self) -> str:
        """What its units have written, the end of it."""
        folder = self.folder / "upper/var/log/units"
        files = sorted(folder.glob("*")) if folder.exists() else []
        return "".join(f"\n--- {file.name}\n{file.read_text('utf-8', 'replace')[-3000:]}" for file in files)


@dataclass(slots=True)
class Machines:
    """Some machines, by their names, and the network between them."""

    network: Network
    shared: Path
    """What the machines share, in the place of NFS."""
    known: dict[str, Machine] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Machine:
        return self.known[name]


@contextmanager
def machines(
    folder: Path, tree: Path, wheels: Path, names: Sequence[str], *, others: Sequence[str] = (), also: str = ""
) -> Iterator[Machines]:
    """Boot fresh machines, which know each other's names; ``others`` have an address and nothing else.

    ``also``: more lines of ``/etc/hosts``, in which ``{name}`` is a machine's address.
    """
    stand_ins, shared = folder / "stand-ins", folder / "shared"
    stand_ins.mkdir()
    shared.mkdir()
    for own_name in _NAMES:
        (stand_ins / own_name).write_bytes(STAND_IN.read_bytes())
        (stand_ins / own_name).chmod(0o755)
    with ExitStack() as stack:
        net = stack.enter_context(network(*names, *others))
        made = Machines(net, shared)
        every = [*names, *others]
        hosts = "127.0.0.1 localhost\n" + "".join(f"{net.address(each)} {each}\n" for each in every)
        hosts += also.format(**{each.replace("-", "_"): net.address(each) for each in every})
        key = folder / "ssh"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
        for name in names:
            own = folder / name
            for layer in ("upper", "work", "root"):
                (own / layer).mkdir(parents=True)
            script = _BOOT.format(
                tree=tree, folder=own, stand_ins=stand_ins, shared=shared, wheels=wheels, name=name, path=_PATH
            )
            machine = made.known[name] = Machine(name, own, script, net)
            stack.callback(machine.power_off)
            machine.put("/etc/hosts", hosts.encode())
            machine.put("/etc/hostname", f"{name}\n".encode())
            machine.put("/etc/pip.conf", b"[global]\nno-index = true\nfind-links = /run/wheels\n")
            machine.put("/root/.ssh/authorized_keys", key.with_suffix(".pub").read_bytes(), 0o600)
            machine.put("/root/.ssh/id_ed25519", key.read_bytes(), 0o600)
            machine.put("/root/.ssh/config", b"StrictHostKeyChecking accept-new\nLogLevel ERROR\n", 0o600)
            machine.put("/etc/ssh/sshd_config.d/machine.conf", f"UsePAM no\nSetEnv PATH={_PATH}\n".encode())
            (own / "upper/root/.ssh").chmod(0o700)
            (own / "upper/root").chmod(0o700)
            machine.power_on()
        yield made
