"""`SPEC.md` is true: its commands print what it shows, its values are the code's, its tables are complete."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import fields

from fairness.checks import FAULT, MEANING, Fault
from fairness.draws.commitments import commitments, commitments_path, commitments_root
from fairness.draws.seed_chain import seeds_and_anchor
from fairness.draws.stream import Stream, context
from fairness.hashing import leaf_hash, sha256, u48
from fairness.log.checkpoints import Checkpoint, SignedCheckpoint
from fairness.log.edge import LogEdge
from fairness.log.fork import fork_between
from fairness.log.merkle import root_of_hashes
from fairness.log.notes import SigningKey, VerifierKey
from fairness.log.proof import TlogProof
from fairness.log.tiles import AuthenticTiles
from fairness.player import bech32m
from fairness.player.bets import BetReceipt, digest, receipts
from fairness.player.round_code import RoundCode
from fairness.policy.cosignatures import cosigned_message
from fairness.policy.head import Head
from fairness.policy.policy import Policy
from fairness.records.record import (
    BatchRecord,
    CloseRecord,
    EndRecord,
    LockRecord,
    RevealRecord,
    SaltRecord,
    TableRecord,
    parse_record,
)
from fairness.records.replay import Replay
from fairness.round.authentic_log import AuthenticLog
from fairness.round.finder import find_table
from fairness.round.finding_aids import RoundPositions, TablePositions, rounds_path, tables_path
from fairness.round.log_files import largest_file
from fairness.round.prover import prove_round
from fairness.times import seconds_in_words
from games import GAMES
from tests.house import HOUSE
from tests.support.spec_page import HEADINGS, SPEC, blocks, rows, run, section, session
from verifier.sources.source import FolderSource

LOG = blocks("1")[0].encode().splitlines()
TABLE_ID, BATCH_ID = (leaf_hash(record) for record in LOG[:2])
SEEDS, ANCHOR = seeds_and_anchor(sha256(b"an example, not a secret"), table_id=TABLE_ID, first=1, count=4)
COMMITMENTS = commitments(SEEDS, table_id=TABLE_ID, first=1)


@pytest.mark.nightly("starts the verifier for each example")
def test_every_command_prints_what_the_page_shows(tmp_path: Path) -> None:
    """The worked example can be followed by hand, from the last seed to the round code, and the bets' root."""
    commands, outputs = zip(*session(), strict=True)
    assert len(commands) >= 30
    assert run(list(commands), tmp_path) == list(outputs)


def test_the_values_of_the_example_are_the_codes(tmp_path: Path) -> None:
    """The functions of the protocol give what the shell computes step by step."""
    stream = Stream([SEEDS[1]], context(BATCH_ID), 2)
    block = stream.take(32)
    expected = {
        "table": LOG[0].decode(),
        "table_id": TABLE_ID.hex(),
        **{f"seed{n}": seed.hex() for n, seed in enumerate(SEEDS, 1)},
        "anchor": ANCHOR.hex(),
        **{f"C{n}": digest.hex() for n, digest in enumerate(COMMITMENTS, 1)},
        "root": commitments_root(COMMITMENTS).hex(),
        "batch": LOG[1].decode(),
        "batch_id": BATCH_ID.hex(),
        "context": context(BATCH_ID).hex(),
        "block0": block.hex(),
        "word": block[:4].hex(),
    }
    commands = [command for command, _ in session()]
    printed = run([*commands, *(f'printf "%s" "${name}"' for name in expected)], tmp_path)
    assert dict(zip(expected, printed[len(commands) :], strict=True)) == expected


def test_the_log_of_the_example_is_one() -> None:
    """Replay accepts its six records, with the outcome of round 2 that was drawn."""
    replay = Replay("fore.example/log", GAMES)
    for data in LOG:
        replay.advance(data)
    table = replay.tables["keno-1"]
    assert (table.counts.played, table.committed_through, len(LOG)) == (2, 4, 6)
    last = parse_record(LOG[5])
    assert isinstance(last, RevealRecord)
    assert last.outcome == {"number": 52}
    drawn = [output.split() for command, output in session() if "$word % 100 + 1" in command]
    assert [numbers[-1] for numbers in drawn] == ["52"]


def test_the_code_of_the_example() -> None:
    """Payload, characters and checksum are the parts of the code of round 2."""
    code = RoundCode.of("keno-express", TABLE_ID, 2, [SEEDS[1]])
    parts = dict(line.split() for line in blocks("1")[1].splitlines())
    assert parts == {
        "payload": (b"\x01" + TABLE_ID[:4] + u48(2) + SEEDS[1]).hex(),
        "characters": str(code)[len("keno-express1") : -bech32m.CHECKSUM_SIZE],
        "checksum": str(code)[-bech32m.CHECKSUM_SIZE :],
        "code": str(code),
    }


def test_the_checkpoint_of_the_example() -> None:
    """The note of section 5.1 opens with its key, and its root is that of the six records."""
    vkey, note = blocks("5.1")
    edge = LogEdge()
    for data in LOG:
        edge.append(data)
    checkpoint = Checkpoint.open(note.encode(), VerifierKey.parse(vkey.strip()))
    assert checkpoint == Checkpoint("fore.example/log", 6, edge.root)


def test_the_policy_of_the_example() -> None:
    """Section 5.7 shows a policy, a checkpoint that has its quorum, and what one of the witnesses signed."""
    message, _, policy, note = blocks("5.7", "text")
    trust = Policy.parse(policy.encode())
    head = Head.open(note.encode(), trust)
    seen = {witness.name: time for witness, time in head.last_seen.items()}
    assert seen == {"lab": 1795214953, "regulator": 1795214955}
    assert note.startswith(blocks("5.1")[1])
    assert cosigned_message(str(head.checkpoint), seen["lab"]).decode() == message
    assert seconds_in_words(seen["lab"]) in section("5.7")
    assert trust.quorum is not None
    assert trust.quorum.least_shared == 1


def test_the_proof_of_a_record_of_the_example() -> None:
    """Section 5.5 shows the whole file, and it proves the last record."""
    key = VerifierKey.parse(blocks("5.1")[0].strip())
    proof = TlogProof.parse(blocks("5.5")[0].encode())
    assert proof.checkpoint == blocks("5.1")[1].encode()
    assert proof.inclusion.index == 5
    assert proof.check(leaf_hash(LOG[5]), key).size == len(LOG)


def test_the_proof_file_of_the_example(tmp_path: Path) -> None:
    """Section 5.6 shows the file for the example's log, byte for byte."""
    folder, key = example_log(tmp_path), VerifierKey.parse(blocks("5.1")[0].strip())
    log = AuthenticLog.open(FolderSource(folder).read, key)
    table = find_table(log, TABLE_ID)
    assert table is not None
    assert bytes(prove_round(log, table, 2) or b"").decode() == blocks("5.6")[0]


def example_log(folder: Path) -> Path:
    """The folder of the example's log: six records, and everything that sections 5.1 to 5.4 show of it."""
    edge = LogEdge()
    for data in LOG:
        edge.append(data)
    tables_at, tables, rounds_at, *rounds = blocks("5.4")[0].split()
    files = {
        "checkpoint": blocks("5.1")[1].encode(),
        commitments_path(BATCH_ID): b"".join(COMMITMENTS),
        tables_at: bytes.fromhex(tables),
        rounds_at: bytes.fromhex("".join(rounds)),
        **dict(edge.partial_files()),
    }
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


@pytest.mark.nightly("starts the verifier for each example")
def test_the_sample_output_is_the_verifiers(tmp_path: Path) -> None:
    """Section 10 shows what the program prints about the example: one round, the whole log, a typing error. What
    sections 7, 8.5 and 5.6 show holds.
    """
    folder, key = example_log(tmp_path), blocks("5.1")[0].strip()
    code = str(RoundCode.of("keno-express", TABLE_ID, 2, [SEEDS[1]]))
    mistyped = code[:-1] + ("q" if code[-1] != "q" else "p")
    receipt = tmp_path / "1.bet"
    receipt.write_text(blocks("7")[1])
    evidence = tmp_path / "fork.txt"
    own_key, sample = blocks("8.5")
    evidence.write_text(sample, "utf-8")
    proof = tmp_path / "proof"
    proof.write_text(blocks("5.6")[0])
    calls = (
        (0, ["code", code, "--log", str(folder)]),
        (0, ["audit", str(folder)]),
        (8, ["code", mistyped, "--log", str(folder)]),
        (0, ["bet", str(receipt), "--log", str(folder)]),
        (0, ["evidence", str(evidence), "--key", own_key.strip()]),
        (0, ["proof", str(proof)]),
    )
    for (status, call), shown in zip(calls, [*blocks("10"), None, None, None], strict=True):
        command = [sys.executable, "-m", "verifier", call[0], "--key", key, *call[1:]]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=HOUSE)
        assert done.returncode == status
        printed = re.sub(r"^Program .*\n", "", done.stdout + done.stderr, count=1, flags=re.MULTILINE)
        assert shown in {printed, None}


def test_the_evidence_of_the_example() -> None:
    """Section 8.5 shows the evidence of a fork of the example's log."""
    vkey, sample = blocks("8.5")
    lock = json.loads(LOG[4])
    del lock["bets"]
    assert vkey.strip() == str(SigningKey("fore.example/log", sha256(b"an example, not a secret")).verifier_key)
    heads, tiles = [], dict[Checkpoint, AuthenticTiles]()
    key = SigningKey("fore.example/log", sha256(b"an example, not a secret"))
    for records in ([*LOG[:4], json.dumps(lock, sort_keys=True, separators=(",", ":")).encode()], LOG):
        edge = LogEdge()
        for data in records:
            edge.append(data)
        checkpoint = Checkpoint(key.name, edge.size, edge.root)
        heads.append(SignedCheckpoint(checkpoint.sign(key), checkpoint))
        tiles[checkpoint] = AuthenticTiles(checkpoint, dict(edge.partial_files()).__getitem__)
    fork = fork_between(heads[0], heads[1], tiles.__getitem__)
    assert fork is not None
    assert bytes(fork) == sample.encode()


def test_the_finding_aids_of_the_example() -> None:
    """Their paths and bytes are what section 5.4 shows, and each position leads to the record that it names."""
    tables_at, tables, rounds_at, *rounds = blocks("5.4")[0].split()
    assert (tables_at, rounds_at) == (tables_path(TABLE_ID), rounds_path(TABLE_ID, 4))
    assert TablePositions.parse_file(bytes.fromhex(tables)) == [TablePositions(0)]
    found = RoundPositions.parse_file(bytes.fromhex("".join(rounds)))
    assert len(found) == 4
    kinds = [parse_record(data) for data in LOG]
    for number, entry in enumerate(found, 1):
        assert isinstance(kinds[entry.batch], BatchRecord)
        if number <= 2:
            lock, reveal = kinds[entry.lock], kinds[entry.reveal]
            assert isinstance(lock, LockRecord)
            assert isinstance(reveal, RevealRecord)
            assert lock.round == reveal.round == number
        else:
            assert (entry.salt, entry.lock, entry.reveal) == (0, 0, 0)


def test_the_bets_of_the_example() -> None:
    """The digest in the lock of round 2 is that of the two lines of section 7."""
    bets = blocks("7")[0].encode().splitlines()
    lock = parse_record(LOG[4])
    assert isinstance(lock, LockRecord)
    assert lock.bets
    assert (lock.bets.count, lock.bets.root) == (2, root_of_hashes([leaf_hash(bet) for bet in bets]).hex())


def test_the_receipt_of_the_example() -> None:
    """The receipt in section 7 is the second bet's, and leads to the digest in the lock of round 2."""
    lines = blocks("7")[0].encode().splitlines()
    shown = blocks("7")[1].encode()
    assert [bytes(each) for each in receipts(lines, table_id=TABLE_ID, round_number=2)][1] == shown
    lock = parse_record(LOG[4])
    assert isinstance(lock, LockRecord)
    assert BetReceipt.parse(shown).bets == digest(lines) == lock.bets


def test_the_table_of_checks_is_complete() -> None:
    """Section 4.3 lists every check once, by its code, in the words of the code."""
    listed = [(row[0].strip("`"), row[1]) for row in rows(section("4.3"))]
    assert len(dict(listed)) == len(listed)
    assert dict(listed) == {check.value: meaning for check, meaning in MEANING.items()}


def test_the_table_of_faults_is_complete() -> None:
    """Section 8.3 says of every check whose fault it can be: those that it does not list are the operator's, as in
    the code.
    """
    listed = {
        check: fault
        for fault, row in zip(Fault, [row for row in rows(section("8.3")) if not row[0].isdigit()], strict=True)
        for check in re.findall("`([a-z-]+)`", row[0])
        if fault is not Fault.FORK
    }
    assert listed == {check.value: fault for check, fault in FAULT.items() if fault is not Fault.KEY}


@pytest.mark.parametrize(
    "kind", [TableRecord, BatchRecord, SaltRecord, LockRecord, RevealRecord, EndRecord, CloseRecord]
)
def test_the_keys_of_every_type(kind: type[TableRecord]) -> None:
    """Section 4.2 lists the keys of each type in order, and says which may be absent."""
    name = next(field.default for field in fields(kind) if field.name == "type")
    found = re.search(rf"^\*\*`{name}`\*\*.*?\n\n(.*?\n)\n", section("4.2"), re.MULTILINE | re.DOTALL)
    assert found is not None
    listed = [(row[0].strip("*`"), row[0].startswith("*")) for row in rows(found[1])]
    own = [field for field in fields(kind) if field.name not in {"table", "type", "v"}]
    assert listed == [(field.name, not field.required) for field in own]
    assert [field.name for field in fields(kind)][-3:] == ["table", "type", "v"]


def test_the_games_and_their_leads() -> None:
    """Section 3.5 lists every game with the lead in its code."""
    listed = {row[0].split("`")[1]: int(row[2]) for row in rows(section("3.5"))}
    assert listed == {name: game.lead for name, game in GAMES.items()}


def test_sections_that_are_named_exist() -> None:
    """In docstrings, and in the page's own contents and references."""
    numbers = {number for number, _ in HEADINGS}
    for folder in ("fairness", "games", "verifier", "api"):
        for file in sorted((HOUSE / folder).rglob("*.py")):
            for first, last in re.findall(
                r"SPEC (\d+(?:\.\d+)?)(?: (?:and|to) (\d+(?:\.\d+)?))?", file.read_text("utf-8")
            ):
                assert {first, last or first} <= numbers, file.name
    assert (
        set(re.findall(r"[sS]ections? (\d+(?:\.\d)?)\b(?! of RFC)", re.sub(r"RFC \d+, section \S+", "", SPEC)))
        <= numbers
    )
    contents = re.findall(r"^\d+\. \[(.+)\]\(#(\d+)-(.+)\)$", SPEC, re.MULTILINE)
    chapters = [(title, number) for number, title in HEADINGS if "." not in number]
    assert [(title, number) for title, number, _ in contents] == chapters
    for title, _, anchor in contents:
        assert anchor == re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-")


def test_the_largest_size_of_every_file() -> None:
    """Section 8.8 lists the program's limits."""
    listed = {row[0].strip("`"): int(row[1].replace(",", "")) for row in rows(section("8.8")) if row[1][0].isdigit()}
    shown = {"<L>/…": "0/000", "entries/…": "entries/000", "commitments/…": f"commitments/00/{'0' * 64}"}
    shown |= {"tables/…": f"find/tables/00/{'0' * 8}", "rounds/…": f"find/rounds/00/{'0' * 64}/000"}
    assert listed == {
        "checkpoint": largest_file("checkpoint"),
        "tile/<L>/…": largest_file("tile/0/000"),
        "tile/entries/…": largest_file("tile/entries/000"),
        "commitments/…": largest_file(shown["commitments/…"]),
        "witnessed/…": largest_file(f"witnessed/00/{'0' * 64}"),
        "custody/…": largest_file(f"custody/00/{'0' * 64}/house"),
        "policies/…": largest_file(f"policies/{'0' * 64}"),
        "paytables/…": largest_file(f"paytables/{'0' * 64}"),
        "find/tables/…": largest_file(shown["tables/…"]),
        "find/rounds/…": largest_file(shown["rounds/…"]),
    }
