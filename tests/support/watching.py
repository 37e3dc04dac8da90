"""``foredraw-verify watch``, turn by turn in this process, and logs that are replaced meanwhile."""

from __future__ import annotations

from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from fairness.log.fork import Fork
from fairness.policy.policy import Trust
from tests.support.dishonest_operator import KEY, Operator
from verifier.audit.remembered import AuditState
from verifier.audit.state_file import load_state, save_state
from verifier.forks.evidence import keep_evidence
from verifier.sources.source import FolderSource
from verifier.watch.events import Event, EventKind
from verifier.watch.watch import Effects, Watch

PATIENCE = 100.0


class Watching:
    """A watch of a folder, with a clock that is set by hand."""

    def __init__(self, folder: Path, log: Path, trust: Trust = KEY.verifier_key) -> None:
        self.state_file, self.log, self.trust = folder / "state", log, trust
        self.now, self.news = 1000.0, list[Event]()
        self.fails = False
        self.begin()

    def begin(self) -> None:
        """Start or restart from the state file."""
        effects = Effects(self.news.append, self._save, self._keep, lambda: self.now)
        state = load_state(self.state_file)
        self.watch = Watch(FolderSource(self.log), self.trust, state, patience=PATIENCE, effects=effects)

    def _save(self, state: AuditState) -> None:
        if self.fails:
            raise OSError(28, "No space left on device")
        save_state(self.state_file, state)

    def _keep(self, fork: Fork) -> str:
        if self.fails:
            raise OSError(28, "No space left on device")
        return str(keep_evidence(self.state_file, fork))

    def turn(self, after: float = 1.0) -> list[tuple[EventKind, str]]:
        """Run one turn after this many seconds; returns what it reported."""
        self.now += after
        told = len(self.news)
        self.watch.turn()
        return [(news.kind, news.text) for news in self.news[told:]]

    def kinds(self, after: float = 1.0) -> list[EventKind]:
        """The kinds of events that a turn reported."""
        return [kind for kind, _ in self.turn(after)]


def write_again(operator: Operator, folder: Path) -> None:
    """Replace a folder with another log."""
    rmtree(folder, ignore_errors=True)
    operator.write(folder)


def publish(operator: Operator, link: Path) -> None:
    """Replace a folder with another log atomically, because a watch may be reading it."""
    folder = operator.write(Path(mkdtemp(prefix="log-", dir=link.parent)))
    new = link.with_name("new")
    new.symlink_to(folder)
    new.replace(link)
