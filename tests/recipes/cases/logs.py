"""Lies about the files of a log, and about its history: two heads, and evidence of them."""

from __future__ import annotations

from fairness.checks import Check
from fairness.draws.commitments import commitments_path
from fairness.hashing import sha256
from fairness.log.checkpoints import Checkpoint
from fairness.log.fork import Fork
from fairness.log.notes import SigningKey
from fairness.log.tiles import AuthenticTiles, root_from_edge
from tests.recipes import Json
from tests.recipes.cases.small import flip, small, tiles_of
from tests.recipes.cases.told import CHANGED, TRUSTING, TWO_FACES, Told, below
from tests.support.dishonest_operator import KEY, ORIGIN, Operator


def about_files() -> list[Told]:
    operator = small()
    honest = operator.files()
    head = Checkpoint.open(honest["checkpoint"], KEY.verifier_key)
    batch = operator.tables["keno-1"].batches[0]
    promised = commitments_path(batch.batch_id)
    audit = [["audit", "log"]]

    def false(
        what: str, check: Check, changes: dict[str, bytes], cheat: str | None = TRUSTING, record: int | None = None
    ) -> Told:
        return Told(what, cheat, below("log", honest | changes), audit, check, record)

    def headed(what: str, check: Check, note: bytes) -> Told:
        return false(what, check, {"checkpoint": note})

    without = {path: data for path, data in honest.items() if path != promised}
    stranger = SigningKey(ORIGIN, sha256(b"somebody else's key"))
    tile, bundle = f"tile/0/000.p/{head.size}", f"tile/entries/000.p/{head.size}"
    return [
        headed("no line feed at its end", Check.NOTE_FORM, head.sign(KEY)[:-1]),
        Told(
            "a log that somebody else signed",
            TRUSTING,
            below("log", honest | {"checkpoint": head.sign(stranger)}),
            audit,
            tells={"verdict": "unreadable", "file": "checkpoint"},
        ),
        headed(
            "another size under the same signature",
            Check.NOTE_SIGNATURE,
            honest["checkpoint"].replace(b"\n%d\n" % head.size, b"\n%d\n" % (head.size - 1)),
        ),
        headed("an extension line", Check.CHECKPOINT_FORM, KEY.sign(f"{head}an extension\n")),
        headed(
            "another log", Check.CHECKPOINT_ORIGIN, Checkpoint("other.example/log", head.size, head.root).sign(KEY)
        ),
        headed("another root, signed", Check.TILE, Checkpoint(ORIGIN, head.size, sha256(head.root)).sign(KEY)),
        false("a changed hash", Check.TILE, {tile: flip(honest[tile])}),
        false("a changed record", Check.BUNDLE, {bundle: flip(honest[bundle], 40)}, CHANGED, 0),
        false(
            "other commitments than promised",
            Check.COMMITMENTS_FILE,
            {promised: flip(honest[promised], 100)},
            TWO_FACES,
            batch.index,
        ),
        Told(
            "commitments that nobody can read",
            TWO_FACES,
            below("log", without),
            audit,
            Check.COMMITMENTS_FILE,
            batch.index,
        ),
    ]


def about_histories() -> list[Told]:
    """What only somebody can see who saw the log before."""
    before, rewritten, cut = small(), Operator(), Operator()
    before.play("keno-1")
    rewritten.table("keno-1", "keno-express", ["another"])
    rewritten.batch("keno-1", 12)
    rewritten.play("keno-1", 5)
    cut.table("keno-1", "keno-express")
    cut.batch("keno-1", 6)
    steps = [["audit", "before", "--state", "seen"], ["audit", "log", "--state", "seen"]]
    return [
        Told(
            "rewritten history",
            TWO_FACES,
            below("before", before.files()) | below("log", rewritten.files()),
            steps,
            Check.LOG_EXTENDS,
        ),
        Told(
            "a log that shrank and may be an older copy",
            TWO_FACES,
            below("before", before.files()) | below("log", cut.files()),
            steps,
            tells={"verdict": "unreadable", "file": "checkpoint"},
        ),
        Told(
            "two people are shown two logs",
            TWO_FACES,
            below("one", before.files()) | below("other", rewritten.files()),
            [["compare", "one", "other"]],
            Check.LOG_EXTENDS,
            0,
        ),
        *_about_evidence(tiles_of(before), tiles_of(rewritten)),
    ]


def _about_evidence(one: AuthenticTiles, other: AuthenticTiles) -> list[Told]:
    """Evidence of a fork, which convinces anybody with the key, and false evidence, which does not."""
    smaller, larger = sorted((one, other), key=lambda tiles: tiles.checkpoint.size)
    size = smaller.checkpoint.size
    begun = root_from_edge(larger.prefix_edge(size))
    hashes = (begun, *larger.consistency_path(size))
    notes = smaller.checkpoint.sign(KEY), larger.checkpoint.sign(KEY)
    honest = Checkpoint(ORIGIN, size, begun).sign(KEY)

    def shown(what: str, check: Check | None, evidence: bytes, tells: Json | None = None) -> Told:
        return Told(what, TWO_FACES, {"fork.txt": evidence}, [["evidence", "fork.txt"]], check, tells=tells or {})

    fork = Fork(*notes, hashes)
    proven = {"smaller": {"size": size}, "larger": {"size": larger.checkpoint.size}, "root_in_larger": begun.hex()}
    return [
        shown("a proven fork", None, bytes(fork), proven),
        shown("evidence that was respelled", Check.FORK_FORM, bytes(fork) + b"\n"),
        shown("a proof that fails", Check.FORK_PROOF, bytes(Fork(*notes, (*hashes[:-1], begun)))),
        shown("a proof of consistency", Check.FORK_ROOTS, bytes(Fork(honest, notes[1], hashes))),
    ]
