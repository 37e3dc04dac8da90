"""The parts of the verifier in JavaScript: hashes, trees and outcomes against ours, typing errors, commands,
fetching.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Event

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from fairness.draws.stream import Stream, context
from fairness.errors import Malformed, Unknown
from fairness.hashing import leaf_hash
from fairness.limits import LARGEST_NOTE
from fairness.player.round_code import RoundCode
from fairness.records.record import parse_record
from fuzz.edits import LIMITS, honest_records, places_in
from games import GAMES
from tests.lies import history
from tests.oracles.merkle_oracle import consistency_proof, inclusion_proof, tree_hash
from tests.oracles.second_verifier import Json, SecondVerifier
from tests.support.codes import code_of
from tests.support.dishonest_operator import KEY, Operator
from tests.support.log_server import answering, serving
from tests.support.proofs import proof_of
from tests.support.running_service import PATIENCE_SECONDS
from verifier.typing_error import locate_typing_error

VKEY = str(KEY.verifier_key)
ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
CODE = str(RoundCode.of("crash", bytes(range(32)), 1042, [bytes(range(100, 132))]))
START = len("crash1")

some = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    phases=(Phase.generate,),
)


@pytest.fixture(name="second", scope="module")
def _second() -> Iterator[SecondVerifier]:
    with SecondVerifier() as second:
        yield second


def test_hashes_of_every_length(second: SecondVerifier) -> None:
    """Around the ends of blocks, and longer."""
    dice = random.Random(1)
    texts = [dice.randbytes(size) for size in (*range(200), 1000, 65_537)]
    key = dice.randbytes(32)
    answer = second.ask("hashes", texts=[text.hex() for text in texts], key=key.hex())
    assert answer["sha256"] == [hashlib.sha256(text).hexdigest() for text in texts]
    assert answer["hmac"] == [hmac.digest(key, text, "sha256").hex() for text in texts]


@some
@given(entries=st.lists(st.binary(max_size=4), max_size=70))
def test_random_trees(entries: list[bytes], second: SecondVerifier) -> None:
    """Roots by RFC 6962's own recursion, and each entry's audit path."""
    answer = second.ask("tree", entries=[entry.hex() for entry in entries])
    leaves = [leaf_hash(entry) for entry in entries]
    assert answer["root"] == answer["edge"] == tree_hash(leaves).hex()
    assert answer["paths"] == [[h.hex() for h in inclusion_proof(at, leaves)] for at in range(len(leaves))]


@some
@given(
    size=st.integers(1, 80),
    places=st.tuples(st.integers(0, 100), st.integers(0, 100), st.integers(0, 12)),
    spoil=st.sampled_from(("nothing", "less", "more", "size")),
)
def test_random_proofs_lead_to_the_root_or_nowhere(
    size: int, places: tuple[int, int, int], spoil: str, second: SecondVerifier
) -> None:
    """Audit paths and consistency proofs of the right length; one hash less or more, or another size, is refused."""
    entries = [bytes([at]) for at in range(size)]
    leaves = [leaf_hash(entry) for entry in entries]
    index, old = places[0] % size, 1 + places[1] % size
    wrong = size + (spoil == "size")
    for kind, path in (
        ("inclusion", inclusion_proof(index, leaves)),
        ("consistency", consistency_proof(old, leaves)),
    ):
        given_path = [*map(bytes.hex, path)]
        given_path = (
            given_path[:-1] if spoil == "less" else [*given_path, "5a" * 32] if spoil == "more" else given_path
        )
        if kind == "inclusion":
            root = second.ask(kind, leaf=leaves[index].hex(), index=index, size=wrong, path=given_path)["root"]
            holds = root == tree_hash(leaves).hex()
        else:
            old_root = tree_hash(leaves[:old]).hex()
            asked = {"old_size": old, "old_root": old_root, "size": wrong, "path": given_path}
            holds = second.ask(kind, **asked)["roots"] == [old_root, tree_hash(leaves).hex()]
        if spoil == "nothing" or (spoil == "less" and not path):
            assert holds
        elif spoil in {"less", "more"}:
            assert not holds


def test_every_value_at_a_limit_in_every_place_of_a_record(second: SecondVerifier) -> None:
    """Both implementations accept the same ones, refuse the same ones, and take the same ones for newer than
    themselves.
    """
    texts = []
    for data in honest_records():
        for at in range(len(places_in(json.loads(data)))):
            for limit in LIMITS:
                value = json.loads(data)
                holder, key = places_in(value)[at]
                holder[key] = limit
                texts.append(json.dumps(value, sort_keys=True, separators=(",", ":")))
    texts = sorted(set(texts))
    found = [_form(text.encode()) for text in texts]
    different = [
        pair
        for pair in zip(texts, found, second.ask("forms", texts=texts)["verdicts"], strict=True)
        if pair[1] != pair[2]
    ]
    assert different == []
    assert set(found) == {"held", "failed", "unknown"}


def _form(data: bytes) -> str:
    try:
        parse_record(data)
    except Malformed:
        return "failed"
    except Unknown:
        return "unknown"
    return "held"


def test_random_outcomes_of_every_game(second: SecondVerifier) -> None:
    """With one to eight custodians, and all kinds of rules."""
    dice = random.Random(2)
    rounds: list[Json] = []
    expected: list[object] = []
    for number in range(1500):
        game = sorted(GAMES)[number % len(GAMES)]
        rules = {"version": 1}
        if game in {"crash", "rocketon"}:
            rules |= {"cap": dice.choice((101, 1_000_000, 10**9)), "rtp": dice.choice((1, 9700, 10_000))}
        batch_id, salt = dice.randbytes(32), dice.choice((bytes(32), dice.randbytes(32)))
        seeds = [dice.randbytes(32) for _ in range(1 + dice.randrange(8))]
        played = dice.randrange(1, 1 << dice.randrange(1, 49))
        rounds.append(
            {
                "game": game,
                "rules": rules,
                "batch_id": batch_id.hex(),
                "salt": salt.hex(),
                "round": played,
                "seeds": [seed.hex() for seed in seeds],
            }
        )
        expected.append(dict(GAMES[game].outcome(Stream(seeds, context(batch_id, salt), played), rules)))
    assert second.ask("outcomes", rounds=rounds)["outcomes"] == expected


def test_codes_are_spelled_alike(second: SecondVerifier) -> None:
    """Parsed and printed again, with one to eight custodians."""
    dice = random.Random(3)
    codes = [
        str(
            RoundCode.of(game, dice.randbytes(32), dice.randrange(1, 1 << 48), [dice.randbytes(32) for _ in range(n)])
        )
        for game in GAMES
        for n in range(1, 9)
    ]
    assert second.ask("spelled", texts=[*codes, *map(str.upper, codes)])["codes"] == codes * 2


def located(second: SecondVerifier, *texts: str) -> list[Json]:
    """What both languages say about each text."""
    found: list[Json] = second.ask("typing", texts=texts)["found"]
    assert found == json.loads(msgspec.json.encode([locate_typing_error(text) for text in texts]))
    return found


def test_a_code_has_no_typing_error(second: SecondVerifier) -> None:
    """In upper or lower case."""
    assert located(second, CODE, CODE.upper()) == [None, None]


def test_every_wrong_character_is_located(second: SecondVerifier) -> None:
    """At its place, counted from 1, with the right character."""
    places = range(START, len(CODE))
    texts = [CODE[:at] + ALPHABET[(ALPHABET.index(CODE[at]) + 1 + at % 31) % 32] + CODE[at + 1 :] for at in places]
    for at, found in zip(places, located(second, *texts), strict=True):
        assert found == {"kind": "substitution", "places": [at + 1], "suggestion": CODE, "missing": None}


def test_two_wrong_characters_are_located(second: SecondVerifier) -> None:
    """Wherever they are; two swapped neighbours are reported as swapped."""
    dice = random.Random(4)
    texts, places = [], []
    for _ in range(60):
        first, other = sorted(dice.sample(range(START, len(CODE)), 2))
        wrong = list(CODE)
        for at in (first, other):
            wrong[at] = ALPHABET[ALPHABET.index(CODE[at]) ^ dice.randrange(1, 32)]
        texts.append("".join(wrong))
        places.append([first + 1, other + 1])
    for expected, found in zip(places, located(second, *texts), strict=True):
        assert (found["places"], found["suggestion"]) == (expected, CODE)
        assert found["kind"] in {"substitution", "transposition"}
    swaps = [at for at in range(START, len(CODE) - 1) if CODE[at] != CODE[at + 1]]
    texts = [CODE[:at] + CODE[at + 1] + CODE[at] + CODE[at + 2 :] for at in swaps]
    for at, found in zip(swaps, located(second, *texts), strict=True):
        assert (found["kind"], found["places"], found["suggestion"]) == ("transposition", [at + 1, at + 2], CODE)


def test_a_character_too_few_or_too_many_is_located(second: SecondVerifier) -> None:
    """In a run of the same character, any place of the run is correct."""
    for at in range(START, len(CODE), 7):
        missing, extra = located(second, CODE[:at] + CODE[at + 1 :], CODE[:at] + "z" + CODE[at:])
        assert (missing["kind"], missing["suggestion"]) == ("missing", CODE)
        assert (extra["kind"], extra["suggestion"]) == ("extra", CODE)
        place = missing["places"][0] - 1
        assert set(CODE[min(place, at) : max(place, at) + 1]) == {CODE[at]}


@pytest.mark.parametrize(
    ("text", "kind", "places", "suggestion", "missing"),
    [
        ("", "empty", [], None, None),
        (CODE[:20].upper() + CODE[20:], "mixed-case", [], CODE, None),
        (CODE[:9] + "b" + CODE[10:], "character", [10], CODE, None),
        (CODE[:9] + "bi" + CODE[11:] + " ", "character", [10, 11, len(CODE) + 1], None, None),
        (" " + CODE + "\n", "character", [1, len(CODE) + 2], CODE, None),
        (CODE[:30] + " " + CODE[30:], "character", [31], CODE, None),
        ("crush" + CODE[5:], "no-game", [], CODE, None),
        ("tombola1qqqqqq", "length", [], None, 69),
        ("crash", "no-game", [], None, None),
        (CODE[:-3], "length", [], None, 3),
        (CODE + "qq", "length", [], None, -2),
        ("crash1" + "q" * 75, "several", [], None, None),
        ("q" * 1025, "length", [], None, None),
    ],
)
def test_what_else_is_wrong_with_a_code(
    text: str, kind: str, places: list[int], suggestion: str | None, missing: int | None, second: SecondVerifier
) -> None:
    """With its place if that can be known, and otherwise without."""
    assert located(second, text) == [{"kind": kind, "places": places, "suggestion": suggestion, "missing": missing}]


@some
@given(text=st.text(max_size=90) | st.text(ALPHABET, max_size=90).map("sic-bo1".__add__))
def test_any_text_has_a_typing_error(text: str, second: SecondVerifier) -> None:
    """Whatever is suggested is a code."""
    (found,) = located(second, text)
    assert found["suggestion"] is None or located(second, found["suggestion"]) == [None]


def commands(report: Json, *labels: str) -> list[Json]:
    """The commands of all steps, or those that compute one of these names."""
    return [each for step in report["steps"] for each in step["how"] if not labels or each["label"] in labels]


def run(folder: Path, found: list[Json]) -> None:
    """Run all of them in one POSIX shell; each must print what the page says."""
    script = "\n".join(f"{each['command']}\necho '----'" for each in found)
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    environment = {**os.environ, "PATH": path, "TMPDIR": str(folder)}
    done = subprocess.run(["sh", "-u", "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n----\n")[:-1] == [each["prints"] for each in found]


def test_every_command_line_computes_what_it_should(second: SecondVerifier, tmp_path: Path) -> None:
    """For a code and a proof file, every game, one custodian and eight, and a text that a shell would execute."""
    operator = history()
    operator.table("quotes", "sic-bo", ["house", "lab"])
    operator.batch("quotes", 20)
    operator.give_up("quotes", reason="it's $(touch owned) `touch owned` \"\\ %s")
    operator.reveal("quotes")
    operator.write(tmp_path)
    found: list[Json] = []
    for name, number in (("quotes", 1), *((f"{game}-1", 3) for game in GAMES), ("eight", 30)):
        report = second.ask("code", text=str(code_of(operator, name, number)), key=VKEY, folder=str(tmp_path))
        found += commands(report, *(() if name == "quotes" else ("stream", "outcome")))
    proof = second.ask("proof", hex=bytes(proof_of(operator, "keno-express-1", 3)).hex(), key=VKEY)
    found += commands(proof, "root", "commitment", "anchor")
    assert {each["label"] for each in found} == {
        *("payload", "signature", "leaf-hash", "root", "anchor", "commitment", "context", "stream", "outcome")
    }
    run(tmp_path, found)
    assert not list(Path().glob("owned"))


def test_one_round_takes_a_handful_of_files(second: SecondVerifier, tmp_path: Path) -> None:
    """However many rounds there are; and no file is requested twice."""
    operator = Operator()
    operator.table("keno", "keno-express")
    for _ in range(4):
        operator.batch("keno", 300)
        operator.play("keno", 290)
    operator.write(tmp_path)
    for number in (1, 250, 700, 1160):
        code = str(code_of(operator, "keno", number))
        report = second.ask("code", text=code, key=VKEY, folder=str(tmp_path))
        assert report["verdict"] == "held"
        assert len(report["paths"]) <= 20
        assert len(set(report["paths"])) == len(report["paths"])


def fetched(second: SecondVerifier, url: str, patience: int = 5000) -> Json:
    """What the script says about a code of the log at ``url``."""
    return second.ask("code", text=CODE, key=VKEY, url=url, patience=patience)


@pytest.mark.nightly("waits for a server that does not answer")
def test_a_server_that_does_not_answer_is_no_evidence(second: SecondVerifier) -> None:
    """Nobody listens, it fails, redirects or stalls: unreadable, within a time limit. A file that is too long is
    false.
    """
    gave_up, released = Event(), list[bool]()

    def send(request: BaseHTTPRequestHandler, status: int, body: bytes = b"", **headers: str) -> None:
        request.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        request.wfile.write(body)

    def stall(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Length", "100")
        request.end_headers()
        released.append(gave_up.wait(PATIENCE_SECONDS))

    assert fetched(second, "http://127.0.0.1:9")["unreadable"]["path"] == "checkpoint"
    for answer in (
        lambda request: send(request, 503),
        lambda request: send(request, 403),
        lambda request: send(request, 302, Location="/elsewhere"),
        lambda request: send(request, 404),
        stall,
    ):
        with answering(answer) as address:
            report = fetched(second, address, 300 if answer is stall else 5000)
        assert (report["verdict"], report["unreadable"]["path"]) == ("unreadable", "checkpoint")
        assert [step["state"] for step in report["steps"]] == ["held"] + ["skipped"] * 7
        assert report["words"] == "COULD NOT BE READ: no verdict"
    # The server still stalls: what ended the call was not the end of that.
    assert not released
    gave_up.set()
    with answering(lambda request: send(request, 200, bytes(LARGEST_NOTE + 1))) as address:
        report = fetched(second, address)
    assert (report["verdict"], report["unreadable"]["isForeign"]) == ("unreadable", True)


@pytest.mark.nightly("waits as a server asks for")
@pytest.mark.parametrize("word", ["1", "Fri, 20 Nov 2026 22:00:01 GMT"], ids=["seconds", "date"])
def test_a_server_that_asks_to_wait_is_asked_later(second: SecondVerifier, word: str) -> None:
    """Each file is refused once with 429; for more than a minute nobody waits, and the words say what was asked
    for.
    """
    operator = Operator()
    operator.table("keno", "keno-express")
    operator.batch("keno", 6)
    operator.play("keno", 2)
    files, refused = operator.files(), set[str]()

    def busy(request: BaseHTTPRequestHandler) -> None:
        path = request.path.lstrip("/")
        status, body, headers = (200, files[path], {}) if path in files else (404, b"", {})
        if path in files and path not in refused:
            refused.add(path)
            status, body, headers = 429, b"", {"Retry-After": word}
        request.send_response_only(status)
        for name, value in {
            "Content-Length": str(len(body)),
            "Date": "Fri, 20 Nov 2026 22:00:00 GMT",
            **headers,
        }.items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(body)

    with answering(busy) as address:
        code = str(code_of(operator, "keno", 1))
        assert second.ask("code", text=code, key=VKEY, url=address, patience=5000)["verdict"] == "held"
        refused.clear()
        word = "3600"
        assert "asks to wait 3600 s" in fetched(second, address)["unreadable"]["why"]
        assert refused == {"checkpoint"}


def test_a_code_of_another_log_is_reported_as_such_over_the_web(second: SecondVerifier, tmp_path: Path) -> None:
    """A finding aid that the server does not have leads to a failed check, not to an unreadable log."""
    operator = Operator()
    operator.table("keno", "keno-express")
    operator.batch("keno", 6)
    with serving(operator.write(tmp_path)) as address:
        report = fetched(second, address)
    assert (report["verdict"], report["failure"]["check"]) == ("not-shown", "code-table")
    assert [step["state"] for step in report["steps"]] == ["held", "held"] + ["skipped"] * 6
