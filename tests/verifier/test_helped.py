"""Codes and files as people have them: the verdict is that of the code or the file, and says what was put right."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.codes import code_of
from tests.support.dishonest_operator import KEY, Operator
from tests.support.ran import Ran
from verifier.commands.command import FAILED, HELD, MISTYPED, USAGE, Output
from verifier.output.failures import usage_json

VKEY = str(KEY.verifier_key)
HELPED: dict[str, Callable[[bytes], bytes]] = {
    "a byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "line ends of Windows": lambda data: data.replace(b"\n", b"\r\n"),
    "no line feed": lambda data: data[:-1],
    "empty lines": lambda data: data + b"\n",
}


@pytest.fixture(name="operator", scope="module")
def _operator() -> Operator:
    operator = Operator()
    operator.table("keno-1", "keno-express")
    operator.batch("keno-1", 9)
    return operator.play("keno-1", 3)


@pytest.fixture(name="log")
def _log(operator: Operator, tmp_path: Path) -> Path:
    return operator.write(tmp_path / "log")


def test_a_code_is_found_in_what_was_pasted(
    operator: Operator, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Our own link, a code in two lines, and a character that nobody can see."""
    code = str(code_of(operator, "keno-1", 2))
    for pasted in (
        f"https://fore.example/verify#{code}?utm_source=x",
        f"{code[:40]}\n{code[40:]}",
        f"\u200b\u201c{code}\u201d.",
    ):
        assert Ran(capsys, "code", pasted, "--log", log, "--key", VKEY).status == HELD
        assert Ran(capsys, "prove", pasted, "--log", log, "--key", VKEY, "-o", log.with_name("proof")).status == HELD


def test_of_several_codes_none_is_chosen(operator: Operator, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All are listed."""
    codes = [str(code_of(operator, "keno-1", number)) for number in (1, 2)]
    ran = Ran(capsys, "code", " and ".join(codes), "--log", log, "--key", VKEY)
    assert (ran.status, f"expected one round code, found 2: {', '.join(codes)}" in ran.errors) == (USAGE, True)


def test_a_typing_error_is_reported_beside_what_nobody_can_see(
    operator: Operator, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By its number, for it may be what is wrong."""
    code = str(code_of(operator, "keno-1", 2))
    ran = Ran(capsys, "code", f"round {code[:-1]}\u200b", "--log", log, "--key", VKEY, "--json")
    assert (ran.status, ran.json["check"]) == (MISTYPED, "code-checksum")
    assert code[:-1] in ran.json["found"]
    assert ran.json["found"].endswith("(beside U+200B, which nobody can see)")


@pytest.mark.parametrize("what", HELPED)
def test_a_file_that_was_helped_holds_and_the_verdict_says_so(
    what: str, operator: Operator, log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A proof file and a policy, in text and as JSON."""
    proof, policy = tmp_path / "proof", tmp_path / "policy"
    code = str(code_of(operator, "keno-1", 2))
    assert Ran(capsys, "prove", code, "--log", log, "--key", VKEY, "-o", proof).status == HELD
    proof.write_bytes(HELPED[what](proof.read_bytes()))
    policy.write_bytes(HELPED[what](f"log {VKEY}\nquorum none\n".encode()))
    for trust, files in ((("--key", VKEY), [proof]), (("--policy", policy), [policy, proof])):
        ran = Ran(capsys, "proof", proof, *trust)
        assert ran.status == HELD
        for file in files:
            assert f"Helped     {file} has {what}" in ran.output
        told = Ran(capsys, "proof", proof, *trust, "--json").json
        assert [each.startswith(f"{file} has {what}") for each, file in zip(told["helped"], files, strict=True)] == [
            True
        ] * len(files)
    assert Ran(capsys, "code", code, "--log", log, "--key", f"\ufeff {VKEY}\n").status == HELD


def test_of_many_events_the_first_says_it(capsys: pytest.CaptureFixture[str]) -> None:
    """A watch prints an object for each."""
    output = Output(as_json=True)
    output.helped.append("policy has a byte order mark, which was put right")
    for number in (1, 2):
        said = usage_json("audit", str(number))
        output.report(lambda said=said: said, lambda _: None)  # type: ignore[misc]  # a default binds it
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert (first["why"], len(first["helped"])) == ("1", 1)
    assert second == usage_json("audit", "2")


def test_nothing_is_said_of_a_file_as_it_was_written(
    operator: Operator, log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And what is wrong in another way stays so."""
    proof, code = tmp_path / "proof", str(code_of(operator, "keno-1", 2))
    assert Ran(capsys, "prove", code, "--log", log, "--key", VKEY, "-o", proof).status == HELD
    assert "helped" not in Ran(capsys, "proof", proof, "--key", VKEY, "--json").json
    proof.write_bytes(proof.read_bytes().replace(b"\n", b"\r"))
    assert Ran(capsys, "proof", proof, "--key", VKEY).status == FAILED
