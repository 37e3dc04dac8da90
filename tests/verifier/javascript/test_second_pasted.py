"""What people paste, and files that were helped on their way: found and put right alike in both languages."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from fairness.player.round_code import RoundCode
from tests.house import HOUSE
from tests.oracles.second_verifier import SecondVerifier
from verifier.helped_file import as_it_was_written
from verifier.pasted_code import find_codes

CODE, OTHER = (str(RoundCode("sic-bo", bytes([4] * 4), number, (bytes([number] * 32),))) for number in (7, 8))
SHARED = str(RoundCode("hi-lo", bytes(4), 1, (bytes([1] * 32), bytes([2] * 32))))
MISTYPED = CODE[:-1] + ("q" if CODE[-1] != "q" else "p")
HALF = len(CODE) // 2
ONE = [
    CODE,
    CODE.upper(),
    f" {CODE}\n",
    f"{CODE[:HALF]}\n{CODE[HALF:]}",
    "\r\n".join(CODE[at : at + 20] for at in range(0, len(CODE), 20)),
    " ".join(CODE[at : at + 4] for at in range(0, len(CODE), 4)),
    f"\u201c{CODE}\u201d",
    f"({CODE}).",
    f"\u2014{CODE}-",
    f"Your round: {CODE}, thank you",
    f"my code is {CODE} and I lost",
    f"https://fore.example/verify#{CODE}",
    f"https://fore.example/verify#{CODE}?utm_source=mail&utm_medium=x",
    f"https://fore.example/verify%23{CODE}",
    f"<a href='/verify#{CODE}'>{CODE}</a>",
    f"\u200b{CODE[:9]}\u00ad{CODE[9:]}\u2060\ufeff",
    f"\u202a{CODE}\u202c\u200e",
    f"{CODE} {CODE.upper()}",
]


@pytest.fixture(scope="module")
def second() -> Iterator[SecondVerifier]:
    with SecondVerifier() as process:
        yield process


@pytest.mark.parametrize("text", ONE)
def test_one_code_is_found(text: str, second: SecondVerifier) -> None:
    """Whatever stands around it, or in it unseen."""
    found = find_codes(text)
    assert found.codes == (CODE,)
    assert second.ask("pasted", text=text) == {
        "codes": [CODE],
        "longest": found.longest,
        "unseen": list(found.unseen),
    }


@pytest.mark.parametrize(
    ("text", "codes", "longest", "unseen"),
    [
        (f"{CODE} or {OTHER}?", [CODE, OTHER], CODE, []),
        (f"{CODE}\n{OTHER}\n{SHARED}", [CODE, OTHER, SHARED], "", []),
        (f"it is {MISTYPED}\u200b, no?", [], MISTYPED, ["U+200B"]),
        (f"{MISTYPED[:HALF]}\n{MISTYPED[HALF:]}", [], MISTYPED, []),
        (f"a1q and {MISTYPED}", [], MISTYPED, []),
        ("", [], "", []),
        (" \u200b ", [], "", ["U+200B"]),
        ("no code here", [], "nocodehere", []),
        ("\U000e0041", [], "", ["U+E0041"]),
        ("\ud83d\udcff".encode("utf-16", "surrogatepass").decode("utf-16"), [], "\U0001f4ff", []),
        (CODE[:HALF] + CODE[HALF:].upper(), [], CODE[:HALF] + CODE[HALF:].upper(), []),
        ("1" * 40_000, [], None, []),
        ("q1 " * 6000, [], None, []),
        ("a" + "\U0001f600" * 4000 + CODE, [CODE], "", []),
        ("a" + "\U0001f600" * 4094 + CODE, [], None, []),
    ],
    ids=map(str, range(15)),
)
def test_what_is_no_single_code_is_reported_alike(
    text: str, codes: list[str], longest: str | None, unseen: list[str], second: SecondVerifier
) -> None:
    """Several, none, or one with a typing error, which is the longest text that has the form."""
    found = find_codes(text)
    assert (list(found.codes), list(found.unseen)) == (codes, unseen)
    assert longest in {None, "", found.longest}
    told = {"codes": codes, "longest": found.longest, "unseen": unseen}
    assert second.ask("pasted", text=text) == told


def test_of_a_huge_text_the_beginning_is_looked_at() -> None:
    """A browser has no room for an array of all its characters."""
    program = """
        import { findCodes } from "./verifier/browser/player/pasted-code.js";
        console.log(findCodes("x".repeat(2 ** 24)).longest.length);
    """
    arguments = ["node", "--max-old-space-size=64", "--input-type=module", "--eval", program]
    ran = subprocess.run(arguments, cwd=HOUSE, capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout == "4096\n"


LINES = b"first\nsecond\n"
BOM, ENDS, NONE, EMPTY = "byte order mark", "line ends of Windows", "no line feed", "empty lines"


@pytest.mark.parametrize(
    ("given", "right", "helped"),
    [
        (LINES, LINES, []),
        (b"\xef\xbb\xbf" + LINES, LINES, [BOM]),
        (LINES.replace(b"\n", b"\r\n"), LINES, [ENDS]),
        (LINES[:-1], LINES, [NONE]),
        (LINES + b"\n\n", LINES, [EMPTY]),
        (b"\xef\xbb\xbf" + LINES.replace(b"\n", b"\r\n") + b"\r\n", LINES, [BOM, ENDS, EMPTY]),
        (b"one line", b"one line", []),
        (b"one line\n", b"one line\n", []),
        (b"a\rb\n", b"a\rb\n", []),
        (b"", b"", []),
        (b"\n\n", b"\n\n", []),
    ],
)
def test_files_are_put_right_alike(given: bytes, right: bytes, helped: list[str], second: SecondVerifier) -> None:
    """What an editor or a mail program added is named; everything else is as it was."""
    data, named = as_it_was_written(given)
    assert data == right
    assert [words in each for words, each in zip(helped, named, strict=True)] == [True] * len(helped)
    answer = second.ask("helped", hex=given.hex())
    keys = {BOM: "byte-order-mark", ENDS: "line-ends", NONE: "no-line-feed", EMPTY: "empty-lines"}
    assert answer == {"bytes": right.hex(), "helped": [keys[each] for each in helped]}
