"""Samples for a test laboratory: the fast path gives the bytes of the stream, and outcomes are those of the games."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from llvmlite import binding as llvm

from fairness.draws import stream
from fairness.draws.game import Game
from fairness.draws.stream import Stream, context
from fairness.hashing import leaf_hash, sha256, u64
from fairness.records.replay import Replay
from games import GAMES
from games.declared.catalogue import listed
from tests.support.ran import Ran, apart
from verifier.commands.command import HELD, UNREADABLE, USAGE
from verifier.lab.kernel import GROUP_SIZE, LANES, Kernel
from verifier.lab.raw import LARGEST_SHARE, fast, reference
from verifier.lab.rounds import (
    BATCH_SIZE,
    ORIGIN,
    TABLE,
    Round,
    batches,
    from_entropy,
    repeatable,
    rounds,
    table_record,
)

SEED = sha256(b"a test's collection")
ROULETTE = GAMES.declared("roulette", listed("roulette").declaration.text.decode())
PROGRAM = (sys.executable, "-m", "verifier", "collect")
LAST_BLOCK = (1 << 32) - 1


@pytest.fixture(name="kernel", scope="module")
def _kernel() -> Kernel:
    return Kernel()


def dealt() -> Iterator[Round]:
    """The rounds of a sample."""
    return rounds(GAMES["sic-bo"], {"version": 1}, repeatable(SEED))


def test_the_kernel_makes_the_bytes_of_the_stream(kernel: Kernel) -> None:
    """Random seeds, batches, salts and rounds; sizes around every boundary."""
    chance = random.Random(1)
    sizes = [0, 1, 31, 32, 33, GROUP_SIZE - 1, GROUP_SIZE, GROUP_SIZE + 1, 3 * GROUP_SIZE + 77, 40_001]
    for size in sizes * 5:
        batch_context = context(chance.randbytes(32), chance.randbytes(32))
        seed, number = chance.randbytes(32), chance.choice([1, 2, 1 << 31, 1 << 32, (1 << 48) - 1])
        wanted = Stream([seed], batch_context, number).take(size)
        assert bytes(kernel.blocks(seed, batch_context, number, 0, size)) == wanted


def test_the_kernel_makes_every_block_number(kernel: Kernel) -> None:
    """From any block on, up to the largest number of a block."""
    chance = random.Random(2)
    seed, batch_context, number = chance.randbytes(32), chance.randbytes(32), 7
    for first in (1, 5, LANES, 1 << 16, (1 << 31) - 3, LAST_BLOCK - LANES, LAST_BLOCK):
        count = min(3 * LANES, LAST_BLOCK + 1 - first)
        wanted = b"".join(
            stream._block([seed], batch_context + u64(number), block) for block in range(first, first + count)
        )
        assert bytes(kernel.blocks(seed, batch_context, number, first, 32 * count)) == wanted


def test_the_kernel_rotates_sixteen_words_in_one_instruction(kernel: Kernel) -> None:
    """If the processor supports it; otherwise the kernel would be several times slower than necessary."""
    assert ("vprord" in kernel.assembly) == llvm.get_host_cpu_features().get("avx512f", False)


@pytest.mark.parametrize("share", [1, 32, 100, 4096, 4097, 1 << 18, (1 << 18) + 1, 1 << 20])
def test_the_fast_path_is_the_reference(kernel: Kernel, share: int) -> None:
    """For any number of bytes per round, wherever the sample ends, and across batches."""
    for size in (1, share, 3 * share + 1, 2345 * min(share, 100)):
        wanted = b"".join(reference(dealt(), size, share))
        assert len(wanted) == size
        assert b"".join(fast(kernel.blocks, dealt(), size, share)) == wanted


def test_a_round_is_made_as_the_service_makes_it() -> None:
    """Seeds of a chain that ends with the batch's last seed; contexts from real records."""
    first, *_, last = made = list(islice(dealt(), 2 * BATCH_SIZE))
    assert [each.number for each in made] == list(range(1, 2 * BATCH_SIZE + 1))
    assert last.seed == repeatable(SEED)(2) == sha256(b"foredraw/v1/collection\0" + SEED + u64(2))
    assert made[BATCH_SIZE - 1].seed == repeatable(SEED)(1)
    assert len({each.batch_context for each in made}) == 2
    assert next(reference([first], 8, 8)) == Stream([first.seed], first.batch_context, 1).take(8)
    assert SEED.hex() not in repr(first)
    assert first.seed.hex() not in repr(first)


@pytest.mark.parametrize("game", [GAMES["sic-bo"], ROULETTE], ids=lambda game: game.name)
def test_the_records_of_a_collection_are_legal(game: Game) -> None:
    """Replay accepts them: table and batches are what they would be in a log."""
    two = [record for record, *_ in islice(batches(game, {"version": 1}, repeatable(SEED)), 2)]
    replay = Replay(ORIGIN, GAMES)
    for data in (table_record(game), *two):
        replay.advance(data)
    assert replay.tables[TABLE].committed_through == 2 * BATCH_SIZE
    assert next(rounds(game, {"version": 1}, repeatable(SEED))).batch_context == context(leaf_hash(two[0]))


def test_seeds_are_fresh_unless_they_are_given() -> None:
    """Two collections without ``--seed`` have nothing in common."""
    assert len({from_entropy(1) for _ in range(100)}) == 100


def ran(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run the program as a laboratory does."""
    return subprocess.run([*PROGRAM, *arguments], capture_output=True, check=False, env=os.environ | environment)


@pytest.mark.parametrize("game", [*GAMES.values(), ROULETTE], ids=lambda game: game.name)
def test_outcomes_are_the_games(game: Game, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line for each round, spelled as in the log."""
    rules = {"cap": 500, "rtp": 9600, "version": 1} if game.has_flight else {"version": 1}
    file = tmp_path / "outcomes"
    told = Ran(
        capsys,
        *("collect", "--outcomes", game.name, "1005", "--seed", SEED.hex()),
        *("--rules", json.dumps(rules), "-o", file, "--json"),
    )
    assert told.status == HELD
    assert told.json == {
        "v": 1,
        "command": "collect",
        "game": game.name,
        "outcomes": 1005,
        "rules": rules,
        "seeds": "a test chain from --seed",
    }
    lines = file.read_bytes().splitlines(keepends=True)
    made = islice(rounds(game, rules, repeatable(SEED)), 1005)
    assert [json.loads(line) for line in lines] == [game.outcome(each.stream(), rules) for each in made]
    assert all(line.endswith(b"}\n") and b" " not in line for line in lines)


@pytest.mark.nightly("collects with programs")
def test_a_sample_on_the_standard_output_is_nothing_else(tmp_path: Path) -> None:
    """Its description is on the standard error; the same seed gives the same bytes, also in a file."""
    arguments = ("--raw", "100001", "--share", "50000", "--seed", SEED.hex())
    made = ran(*arguments)
    assert made.returncode == HELD
    assert made.stdout == b"".join(reference(dealt(), 100_001, 50_000))
    program, said = apart(made.stderr.decode())
    assert program, "a laboratory's sample names the version that made it"
    assert said.splitlines() == [
        "Sample     100,001 bytes of streams, of each round the first 50,000",
        "Seeds      a test chain from --seed",
        "Made by    the kernel",
    ]
    file = tmp_path / "raw"
    told = ran(*arguments, "-o", str(file))
    assert (told.stdout, told.stderr) == (made.stderr, b"")
    assert file.read_bytes() == made.stdout


@pytest.mark.nightly("starts the program, which compiles the stream")
def test_without_the_extra_the_bytes_are_the_same(tmp_path: Path) -> None:
    """The reference makes them, and the program says so."""
    (tmp_path / "llvmlite.py").write_text("raise ImportError\n", "utf-8")
    made = ran("--raw", "50001", "--seed", SEED.hex(), PYTHONPATH=str(tmp_path))
    assert made.stdout == ran("--raw", "50001", "--seed", SEED.hex()).stdout
    assert "Made by    the reference; larger shares, with the extra `lab`," in made.stderr.decode()
    assert ran("--raw", "50001", "--share", "32").stderr.splitlines()[3] == made.stderr.splitlines()[3]


@pytest.mark.nightly("starts the program, which compiles the stream")
def test_a_reader_that_has_enough_is_no_error() -> None:
    """Programs that test randomness read as much as they need."""
    with subprocess.Popen(
        [*PROGRAM, "--raw", str(1 << 50)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        assert len(program.stdout.read(100_000)) == 100_000
        program.stdout.close()
        assert b"Traceback" not in program.stderr.read()
        assert program.wait() == HELD


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--raw", "0"], "a whole number from 1 to"),
        (["--raw", "1e6"], "a whole number from 1 to"),
        (["--raw", "9", "--json"], "--json needs -o"),
        (["--raw", "9", "--share", str(LARGEST_SHARE + 1)], "a round's stream has 137438953472 bytes"),
        (["--raw", "9", "--rules", "{}"], "--rules go with --outcomes"),
        (["--raw", "9", "--seed", "0"], "64 lower-case digits"),
        (["--raw", "9", "--outcomes", "crash", "9"], "not allowed with"),
        ([], "one of the arguments --raw --outcomes is required"),
        (["--outcomes", "chess", "9"], "no game chess; there are crash, rocketon"),
        (["--outcomes", "lotto", "9"], "--rules of lotto: expected"),
        (["--outcomes", "sic-bo", "-1"], "a whole number from 1 to"),
        (["--outcomes", "crash", "9"], "--rules of crash: expected cap 101 to 1000000000"),
        (["--outcomes", "crash", "9", "--rules", "["], "expected a JSON object"),
        (["--outcomes", "crash", "9", "--rules", "[]"], "expected a JSON object"),
        (["--outcomes", "crash", "9", "--rules", '{"cap":"a","rtp":"b","version":1}'], "expected a JSON object"),
        (["--outcomes", "crash", "9", "--rules", '{"cap":1e5,"rtp":9700,"version":1}'], "expected a JSON object"),
        (["--outcomes", "sic-bo", "9", "--rules", '{"version":true}'], "expected a JSON object"),
    ],
)
def test_wrong_usage_is_reported(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """In one line, before anything is written; a program that asked for JSON has that instead of a sample."""
    told = Ran(capsys, "collect", *arguments)
    assert told.status == USAGE
    assert said in (told.json["why"] if "--json" in arguments else told.errors)
    assert told.errors
    assert "--json" in arguments or not told.output


def test_a_file_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The error names it, and there is no traceback."""
    told = Ran(capsys, "collect", "--raw", "9", "-o", tmp_path)
    assert told.status == UNREADABLE
    assert "it could not be written: Is a directory" in told.output


@pytest.mark.nightly("starts the program, which compiles the stream")
def test_a_sample_that_cannot_be_written_is_an_error() -> None:
    """A full disk behind the standard output."""
    arguments = [sys.executable, "-m", "verifier", "collect", "--raw", "100000"]
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(arguments, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ran.returncode == UNREADABLE
    assert "standard output Why it could not be written: No space left on device" in " ".join(ran.stderr.split())
