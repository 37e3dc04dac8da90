"""The log at its address: what a reader keeps when an older copy is published there."""

from __future__ import annotations

from pathlib import Path

from api.world.objects.remote_log import RemoteLog
from fairness.hashing import sha256
from fairness.log.checkpoints import Checkpoint
from fairness.log.notes import SigningKey
from tests.support.web_servers import static_log

KEY = SigningKey("fore.example/log", sha256(b"the log's key"))


def note_of(size: int) -> bytes:
    """A checkpoint of so many records."""
    return Checkpoint(KEY.name, size, bytes(32)).sign(KEY)


def test_a_reader_does_not_go_back_to_an_older_checkpoint(tmp_path: Path) -> None:
    """It keeps the larger one and says why; it goes on with one that is as large, and takes none without a signature for larger."""
    served = tmp_path / "data" / "log"
    served.mkdir(parents=True)
    with static_log(tmp_path / "nginx", served.parent) as address:
        log = RemoteLog(address, tmp_path / "reader", KEY.verifier_key)
        for size, kept, trouble in (
            (7, 7, None),
            (5, 7, "5 records, and this machine has seen one of 7"),
            (9, 9, None),
        ):
            (served / "checkpoint").write_bytes(note_of(size))
            log._look()
            assert log.read("checkpoint") == note_of(kept)
            assert trouble in (log.trouble or "") if trouble else log.trouble is None
        for unsigned, size in ((b"fore.example/log\n1000\n", 9), (b"", 10)):
            (served / "checkpoint").write_bytes(unsigned)
            log._look()
            (served / "checkpoint").write_bytes(note_of(size))
            log._look()
            assert log.read("checkpoint") == note_of(size)
        log.close()
