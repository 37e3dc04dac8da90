"""Packs what a release puts onto a Debian machine, laid out as there: ``tar -C / -xf foredraw-VERSION-debian.tar``.

That is `deploy/machine`, our wheels beside the locked requirements of each role, and an environment for them that is
still empty. Folders that other packages have are no entries, so nothing that is there is changed.
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping
from pathlib import PurePosixPath

ACCOUNT = 10001
"""The number of the account in ``sysusers.d/foredraw.conf``, and of its group."""
_ROOT, _SHARE = "deploy/machine/", "usr/local/share/foredraw"
PROGRAMS = f"{_ROOT}usr/local/sbin/"
_KEPT = ("deploy/Caddyfile", "deploy/grafana.json", "deploy/prometheus-alerts.yml", "deploy/prometheus.yml")
_LOCKED = {"service.txt": "service.txt", "verifier.txt": "witness.txt"}
"""The requirements, and their names by the roles of machines."""
_FOLDERS = {
    "etc/foredraw": (0o750, 0, ACCOUNT),
    "etc/foredraw/tls": (0o700, 0, 0),
    "var/backups/foredraw": (0o700, ACCOUNT, ACCOUNT),
    "var/lib/foredraw": (0o700, ACCOUNT, ACCOUNT),
    **dict.fromkeys(("opt/foredraw", "opt/foredraw/bin", "usr/local/lib/systemd", _SHARE), (0o755, 0, 0)),
}
_LINKS = {"opt/foredraw/bin/python3": "/usr/bin/python3", "opt/foredraw/bin/python": "python3"}
_ENVIRONMENT = b"home = /usr/bin\ninclude-system-site-packages = false\n"
"""What `python3 -m venv` writes, without the parts that differ from one Python to the next."""
_DATE = 315532800


def machine(release: Mapping[str, bytes]) -> bytes:
    """Return the archive; ``release`` are the files of the release by their paths in its folder."""
    files = {path.removeprefix(_ROOT): data for path, data in release.items() if path.startswith(_ROOT)}
    files |= {f"{_SHARE}/{PurePosixPath(path).name}": release[path] for path in _KEPT}
    files |= {f"{_SHARE}/{path}": data for path, data in release.items() if path.endswith(".whl")}
    # pip takes a path as one from the folder in which it runs.
    files |= {
        f"{_SHARE}/{name}": release[path].replace(b"\n./", f"\n/{_SHARE}/".encode()) for path, name in _LOCKED.items()
    }
    files["opt/foredraw/pyvenv.cfg"] = _ENVIRONMENT
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path, (mode, user, group) in sorted((_FOLDERS | _within(files)).items()):
            archive.addfile(_entry(path, tarfile.DIRTYPE, mode, user, group))
        for path, target in sorted(_LINKS.items()):
            archive.addfile(_entry(path, tarfile.SYMTYPE, 0o777, target=target))
        for path, data in sorted(files.items()):
            mode = 0o755 if path.startswith("usr/local/sbin/") else 0o644
            archive.addfile(_entry(path, tarfile.REGTYPE, mode, size=len(data)), io.BytesIO(data))
    return whole.getvalue()


def _within(files: Mapping[str, bytes]) -> dict[str, tuple[int, int, int]]:
    """Return the folders below those of ours, whatever the user's umask is."""
    parents = {str(parent) for path in files for parent in PurePosixPath(path).parents}
    ours = (f"{_SHARE}/", "usr/local/lib/systemd/", "usr/local/lib/sysusers.d")
    return dict.fromkeys((parent for parent in parents if parent.startswith(ours)), (0o755, 0, 0))


def _entry(
    path: str, kind: bytes, mode: int, user: int = 0, group: int = 0, *, size: int = 0, target: str = ""
) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(path)
    entry.type, entry.mode, entry.size, entry.linkname, entry.mtime = kind, mode, size, target, _DATE
    entry.uid, entry.gid = user, group
    return entry
