"""What a browser remembers of a log, compared with the log: the same evidence of a fork as the Python verifier
keeps.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fairness.log.checkpoints import Checkpoint
from fairness.log.edge import LogEdge
from fairness.log.fork import fork_between
from fairness.log.notes import SigningKey
from fairness.policy.policy import Policy
from tests.oracles.second_verifier import SecondVerifier
from tests.support.dishonest_operator import KEY
from tests.support.forks import RECORDS, SIZES, VKEY, log_of
from tests.support.witnesses import LAB, PRESS, REGULATOR, cosigned, policy_text
from verifier.forks.evidence import check_evidence

SCRIPT = Path(__file__).with_name("history_in_node.mjs")


def written(folder: Path, records: list[bytes], key: SigningKey = KEY) -> str:
    """Write a log to a folder and return its signed checkpoint."""
    edge, files = LogEdge(), dict[str, bytes]()
    for record in records:
        files.update(edge.append(record))
    files.update(edge.partial_files())
    files["checkpoint"] = Checkpoint(key.name, edge.size, edge.root).sign(key)
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return files["checkpoint"].decode()


def asked(
    *questions: tuple[Path, str | None], policy: bytes | None = None, refuses: bool = False
) -> list[dict[str, Any]]:
    """What the browser's verifier says about logs and about what was seen of them, with the key or a policy.

    A source that ``refuses`` does not say of a file that it is missing.
    """
    trust = {"vkey": VKEY} if policy is None else {"policy": policy.decode()}
    lines = [
        json.dumps({"folder": str(folder), "seen": seen, "refuses": refuses, **trust}) for folder, seen in questions
    ]
    ran = subprocess.run(["node", SCRIPT], input="\n".join(lines), capture_output=True, text=True, check=True)
    return [json.loads(line) for line in ran.stdout.splitlines()]


def with_another(old: int, size: int, at: int) -> list[bytes]:
    """The first ``size`` records, one of them replaced."""
    assert at < old
    return [*RECORDS[:at], b"another", *RECORDS[at + 1 : size]]


def test_a_log_that_grew_is_the_one_that_was_seen(tmp_path: Path) -> None:
    """The newer checkpoint is remembered, also at the first visit and if the log is an old copy."""
    questions, newest = [], []
    for old, size in [(0, 3), *SIZES, (700, 700)]:
        seen = written(tmp_path / f"{old}", RECORDS[:old])
        now = written(tmp_path / f"{old}-{size}", RECORDS[:size])
        questions += [(tmp_path / f"{old}-{size}", seen), (tmp_path / f"{old}-{size}", None)]
        newest += [(now, size)] * 2
    for answer, (checkpoint, size) in zip(asked(*questions), newest, strict=True):
        assert answer["verdict"] == "held", answer
        assert (answer["checkpoint"], answer["size"]) == (checkpoint, size)
        assert (answer["evidence"], answer["failure"]) == (None, None)


@pytest.mark.parametrize("refuses", [False, True])
def test_a_partial_file_that_is_missing_or_refused_is_read_from_the_full_one(refuses: bool, tmp_path: Path) -> None:
    """The files of a log that has outgrown its checkpoint's; without the full one there is no verdict."""
    seen, newer = written(tmp_path / "seen", RECORDS[:100]), written(tmp_path, RECORDS[:300])
    for old in (tmp_path / "tile" / "0" / "001.p", tmp_path / "tile" / "entries" / "001.p"):
        (old / "44").unlink()
    (answer,) = asked((tmp_path, seen), refuses=refuses)
    assert answer["verdict"] == "unreadable"
    written(tmp_path, RECORDS[:600])
    (tmp_path / "checkpoint").write_text(newer, "utf-8")
    (answer,) = asked((tmp_path, seen), refuses=refuses)
    assert (answer["verdict"], answer["size"]) == ("held", 300)


def test_an_old_copy_contradicts_nothing(tmp_path: Path) -> None:
    """If the tiles of what was seen are still served; what was seen stays remembered."""
    seen = written(tmp_path, RECORDS[:600])
    written(tmp_path, RECORDS[:300])
    (answer,) = asked((tmp_path, seen))
    assert (answer["verdict"], answer["checkpoint"], answer["size"]) == ("held", seen, 600)


def test_rewritten_history_is_proven_by_the_same_evidence(tmp_path: Path) -> None:
    """Byte for byte what the Python verifier would keep; and anybody with the key can check it."""
    questions, expected = [], []
    for old, size in [*SIZES, (700, 700)]:
        for at in sorted({0, old // 2, old - 1}):
            folder = tmp_path / f"{old}-{size}-{at}"
            seen = written(tmp_path / "seen", RECORDS[:old])
            records = with_another(old, size, at)
            written(folder, records)
            questions.append((folder, seen))
            fork = fork_between(log_of(RECORDS[:old])[0], *log_of(records))
            assert fork is not None
            expected.append(bytes(fork))
    for answer, evidence in zip(asked(*questions), expected, strict=True):
        assert (answer["verdict"], answer["failure"]["check"]) == ("failed", "log-extends")
        assert answer["evidence"].encode() == evidence
        check_evidence(evidence, KEY.verifier_key, name="evidence")


def test_a_shorter_log_of_another_history_leaves_a_pair_of_checkpoints(tmp_path: Path) -> None:
    """The tiles of the longer one are no longer served; both signed checkpoints are kept nevertheless."""
    seen = written(tmp_path / "seen", RECORDS[:600])
    now = written(tmp_path / "log", with_another(300, 300, 7))
    (answer,) = asked((tmp_path / "log", seen))
    assert (answer["verdict"], answer["failure"], answer["checkpoint"]) == ("unreadable", None, None)
    assert answer["unreadable"]["why"] == (
        "an older copy: 300 records, and it cannot be shown that they begin what was seen, 600 records"
    )
    assert answer["evidence"] == f"foredraw/v1/fork\n\n{now}\n{seen}"


@pytest.mark.parametrize(
    ("spoil", "verdict", "check"),
    [
        (lambda log: (log / "checkpoint").unlink(), "unreadable", None),
        (lambda log: (log / "checkpoint").write_bytes(b"x\n"), "unreadable", None),
        (lambda log: written(log, RECORDS[:300], SigningKey(KEY.name, bytes(32))), "unreadable", None),
        (lambda log: (log / "tile/0/000").unlink(), "unreadable", None),
        (lambda log: (log / "tile/0/000").write_bytes(bytes(8192)), "failed", "tile"),
    ],
    ids=["no checkpoint", "no note", "another key", "a tile is missing", "a false tile"],
)
def test_a_log_that_cannot_be_trusted_proves_no_fork(
    tmp_path: Path, spoil: Callable[[Path], object], verdict: str, check: str | None
) -> None:
    """It is unreadable, or signed by another key; nothing is remembered, and nobody is accused."""
    seen = written(tmp_path / "seen", RECORDS[:100])
    written(tmp_path / "log", RECORDS[:300])
    spoil(tmp_path / "log")
    (answer,) = asked((tmp_path / "log", seen))
    assert (answer["verdict"], answer["evidence"], answer["checkpoint"]) == (verdict, None, None)
    assert (answer["failure"] or {}).get("check") == check


REFUSED: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "no cosignature": ("checkpoint-quorum", lambda note: note),
    "too few": ("checkpoint-quorum", lambda note: cosigned(note, PRESS)),
    "a false line": ("note-signature", lambda note: cosigned(note, LAB, REGULATOR) + PRESS.false_line()),
}


@pytest.mark.parametrize(("check", "signed"), REFUSED.values(), ids=REFUSED.keys())
def test_with_a_policy_the_comparison_comes_first(
    check: str, signed: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    """A fork is proven by the log's signature alone, and both verifiers take the evidence; then the quorum is
    demanded.
    """
    seen, text = written(tmp_path / "seen", RECORDS[:100]), policy_text(KEY.verifier_key)
    for name, records in (("forked", with_another(100, 300, 7)), ("same", RECORDS[:300])):
        note = written(tmp_path / name, records).encode()
        (tmp_path / name / "checkpoint").write_bytes(signed(note))
    forked, same, first = asked(
        (tmp_path / "forked", seen), (tmp_path / "same", seen), (tmp_path / "same", None), policy=text
    )
    assert (forked["verdict"], forked["failure"]["check"]) == ("failed", "log-extends")
    evidence = forked["evidence"].encode()
    assert check_evidence(evidence, Policy.parse(text), name="evidence").larger.checkpoint.size == 300
    with SecondVerifier() as second:
        assert second.ask("evidence", hex=evidence.hex(), policy=text.decode())["verdict"] == "held"
    for answer in (same, first):
        assert (answer["verdict"], answer["failure"]["check"]) == ("failed", check)
        assert (answer["evidence"], answer["checkpoint"]) == (None, None)
