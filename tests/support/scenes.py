"""The files in the folder in which a document's commands run: `test_console_blocks` writes them before each
command.
"""

from __future__ import annotations

from pathlib import Path

from api.programs.demo import GAMES_OF
from fairness.hashing import leaf_hash, sha256
from fairness.log.checkpoints import Checkpoint
from fairness.log.merkle import root_of_hashes
from fairness.log.notes import SigningKey
from fairness.log.proof import Inclusion, TlogProof
from fairness.policy.witnessed import witnessed_path
from tests.house import HOUSE
from tests.oracles.merkle_oracle import inclusion_proof
from tests.support import dispute
from tests.support.beacons import OURS
from tests.support.dishonest_operator import Batch, Operator
from tests.support.documents import PAGES, fenced
from tests.support.witnesses import Cosigner, cosigned, policy_text

README_KEY = SigningKey("foredraw.localhost/log", sha256(b"the key of the log that README shows"))
TABLE = "keno-1"
_DEMO_WITNESSES = (Cosigner("witness-1"), Cosigner("witness-2"))
_EVENING = 1_795_219_140
"""2026-11-20T23:59:00Z, after everything that README shows."""


def readme(folder: Path, command: str) -> None:
    """Nine tables as `make run` plays them, each committed through round 2,000, salted, and seen by both witnesses
    of the demo.
    """
    del command
    operator = Operator(origin=README_KEY.name)
    for game in GAMES_OF["kinds"]:
        name = f"{game}-1"
        rules = {"runners": 6, **{f"w{number}": 500_000 for number in range(1, 7)}} if game == "racing" else {}
        operator.table(name, game, salted_by=OURS.chain_hash.hex(), rules=rules)
        for _ in range(2):
            operator.batch(name, 1000)
            operator.salt(name)
        operator.play(name, 19)
    log = operator.write(folder / "log")
    for table in operator.tables.values():
        for batch in table.batches:
            seen = log / witnessed_path(batch.batch_id)
            seen.parent.mkdir(parents=True, exist_ok=True)
            seen.write_bytes(_witnessed(operator, batch))
    (log / "checkpoint").write_bytes(_cosigned(operator, len(operator.records), _EVENING))
    (folder / "data").mkdir(exist_ok=True)
    trust = policy_text(README_KEY.verifier_key, witnesses=_DEMO_WITNESSES) + f"beacon {OURS}\n".encode()
    (folder / "data" / "demo-policy").write_bytes(trust)


def _witnessed(operator: Operator, batch: Batch) -> bytes:
    """What shows that a batch was seen 20 seconds before its pulse, in the log that ends with it."""
    path = inclusion_proof(batch.index, [leaf_hash(each) for each in operator.records[: batch.index + 1]])
    assert batch.beacon is not None
    note = _cosigned(operator, batch.index + 1, OURS.time_of(batch.beacon) - 20)
    return bytes(TlogProof(Inclusion(batch.index, tuple(path)), note))


def _cosigned(operator: Operator, size: int, time: int) -> bytes:
    """The checkpoint of an operator's first records, with both witnesses of the demo."""
    root = root_of_hashes([leaf_hash(each) for each in operator.records[:size]])
    return cosigned(Checkpoint(README_KEY.name, size, root).sign(README_KEY), *_DEMO_WITNESSES, time=time)


def auditing(folder: Path, command: str) -> None:
    """A table that played four rounds, gave one up, and was closed; and a copy of its log with one false byte."""
    del command
    operator = Operator()
    operator.table(TABLE, "keno-express")
    operator.batch(TABLE, 1000)
    operator.batch(TABLE, 1000)
    operator.play(TABLE).drop(TABLE).play(TABLE, 3)
    operator.end(TABLE)
    operator.close(TABLE)
    operator.write(folder / "copy")
    bundle = operator.write(folder / "damaged-copy") / "tile/entries/000.p/15"
    bundle.write_bytes(bundle.read_bytes().replace(b"keno-express", b"keno-Express", 1))


def disputed(folder: Path, command: str) -> None:
    """The casino of `dispute`: round 4 has not been opened when its receipt is made."""
    is_before_the_bet = " -o before.proof" in command
    (dispute.before() if is_before_the_bet else dispute.after()).write(folder / "log")
    dispute.false_outcome().write(folder / "false-log")
    dispute.other_face().write(folder / "other-log")
    dispute.write_bets(folder)


def bets(folder: Path, command: str) -> None:
    """The two bets of the examples, one per line."""
    del command
    (folder / "bets.txt").write_bytes(b"".join(line + b"\n" for line in dispute.LINES))


def sources(folder: Path, command: str) -> None:
    """The files of the repository that commands name."""
    del command
    for name in ("tests", "verifier"):
        link = folder / name
        if not link.is_symlink():
            link.symlink_to(HOUSE / name)


def policies(folder: Path, command: str) -> None:
    """The policy that docs/trust.md shows."""
    del command
    (block,) = (each for each in fenced(PAGES[Path("docs/trust.md")], "text") if each.startswith("log "))
    (folder / "fore.policy").write_text(block)
