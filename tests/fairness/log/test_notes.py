"""Signed notes and their keys, against the values of C2SP and of Go's ``sumdb/note``."""

from __future__ import annotations

import base64
import traceback

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairness.checks import Check
from fairness.errors import CheckFailed, Malformed
from fairness.limits import LARGEST_NOTE, MOST_SIGNATURES
from fairness.log.notes import SigningKey, VerifierKey, open_note
from tests.oracles.known_values import KNOWN

# The example of signed-note.md.
SPEC_VKEY: str = KNOWN["signed_notes"][0]["vkey"]
SPEC_NOTE: bytes = KNOWN["signed_notes"][0]["note"].encode()
SPEC_TEXT, SPEC_SIGNATURE = SPEC_NOTE.decode().split("\n\n")
SPEC_TEXT += "\n"

# The key and the note that open the tests of Go's sumdb/note.
GO_KEY_FILE: str = KNOWN["signing_keys"][0]["key"]
GO_VKEY: str = KNOWN["signing_keys"][0]["vkey"]
GO_TEXT: str = KNOWN["signing_keys"][0]["text"]
GO_SIGNATURE: str = KNOWN["signing_keys"][0]["note"].removeprefix(f"{GO_TEXT}\n")

KEY = VerifierKey.parse(SPEC_VKEY)


def line(name: str, value: bytes) -> str:
    return f"— {name} {base64.b64encode(value).decode()}\n"


def note(*lines: str, text: str = SPEC_TEXT) -> bytes:
    return f"{text}\n{''.join(lines)}".encode()


def test_the_note_of_the_specification_opens() -> None:
    """The text is returned with its line feed, without the empty line."""
    assert open_note(SPEC_NOTE, KEY) == SPEC_TEXT
    assert str(KEY) == SPEC_VKEY
    assert KEY.key_id.hex() == "530d903a"


def test_gos_key_makes_gos_note() -> None:
    """Ed25519 is deterministic: the same key and text give the same bytes in both programs."""
    key = SigningKey.parse(GO_KEY_FILE)
    assert key.secret_text() == GO_KEY_FILE
    assert str(key.verifier_key) == GO_VKEY
    assert key.sign(GO_TEXT) == note(GO_SIGNATURE, text=GO_TEXT)
    assert open_note(key.sign(GO_TEXT), VerifierKey.parse(GO_VKEY)) == GO_TEXT


@pytest.mark.nightly("each change of each byte")
@pytest.mark.slow
def test_every_change_of_one_byte_of_a_note_is_refused() -> None:
    """Each place, each of 256 values: no other note opens, and only our own errors are raised."""
    for at in range(len(SPEC_NOTE)):
        for value in range(256):
            if value != SPEC_NOTE[at]:
                with pytest.raises((Malformed, CheckFailed)):
                    open_note(SPEC_NOTE[:at] + bytes([value]) + SPEC_NOTE[at + 1 :], KEY)


@pytest.mark.slow
def test_every_part_of_a_note_is_refused() -> None:
    """Cut at any start or end, it is no longer a signed note."""
    size = len(SPEC_NOTE)
    for start in range(size):
        for end in range(start, size + 1):
            if end - start < size:
                with pytest.raises((Malformed, CheckFailed)):
                    open_note(SPEC_NOTE[start:end], KEY)


def changes(text: str) -> list[str]:
    """Every change of one character, every cut, and every additional character."""
    characters = [chr(code) for code in range(128)] + ["\x85", "é", "\u2028", "\ud800"]
    changed = [text[:at] + c + text[at + 1 :] for at in range(len(text)) for c in characters]
    longer = [text[:at] + c + text[at:] for at in range(len(text) + 1) for c in characters]
    cuts = [text[start:end] for start in range(len(text)) for end in range(start, len(text) + 1)]
    return [other for other in {*changed, *longer, *cuts, ""} if other != text]


def test_every_change_of_a_verifier_key_is_refused() -> None:
    """The key id covers the name and the key, and all three have one spelling."""
    for text in changes(SPEC_VKEY):
        with pytest.raises(Malformed):
            VerifierKey.parse(text)


@pytest.mark.nightly("each change of each byte")
def test_every_change_of_a_signing_key_is_refused_without_quoting_it() -> None:
    """Whatever is wrong with a key file, the error and its traceback do not quote it."""
    encoded = GO_KEY_FILE.rpartition("+")[2]
    for text in changes(GO_KEY_FILE):
        with pytest.raises(Malformed) as failure:
            SigningKey.parse(text)
        shown = "".join(traceback.format_exception_only(failure.value)) + repr(failure.value)
        assert failure.value.__suppress_context__
        assert not any(encoded[at : at + 8] in shown for at in range(len(encoded) - 7))


def test_a_signing_key_never_shows_its_secret() -> None:
    """Neither ``repr`` nor ``str`` has it in any spelling; only the method named for it does."""
    key = SigningKey.parse(GO_KEY_FILE)
    for shown in (repr(key), str(key), f"{key}"):
        assert key.name in shown
        for secret in (
            key.secret.hex(),
            base64.b64encode(key.secret).decode()[:-4],
            repr(key.secret),
            GO_KEY_FILE[-20:],
        ):
            assert secret not in shown


@pytest.mark.parametrize("size", [0, 31, 33, 64])
def test_keys_have_32_bytes(size: int) -> None:
    """A key of another size cannot be constructed."""
    with pytest.raises(ValueError, match="32 bytes"):
        SigningKey("log.example", bytes(size))
    with pytest.raises(Malformed, match="32 bytes"):
        VerifierKey("log.example", bytes(size))


@pytest.mark.parametrize("name", ["", "a b", "a+b", "a\nb", "a\u00a0b", "a\u2003b", "é", "a\x00b", "a\x7f"])
def test_a_key_of_our_own_has_a_plain_name(name: str) -> None:
    """Printable ASCII without spaces or plus, so that its text form can be parsed."""
    with pytest.raises(Malformed, match="key name"):
        SigningKey(name, bytes(32))
    with pytest.raises(Malformed, match="key name"):
        VerifierKey(name, bytes(32))


@pytest.mark.parametrize("kind", [b"\x00", b"\x02", b"\x04", b"\x06", b"\xff"])
def test_a_verifier_key_of_another_algorithm_is_refused(kind: bytes) -> None:
    """Also with a correct key id: a cosignature key of type 04 signs other bytes."""
    typed = kind + KEY.public_key
    text = f"w.example+00000000+{base64.b64encode(typed).decode()}"
    with pytest.raises(Malformed, match="Ed25519 key"):
        VerifierKey.parse(text)


STRANGERS = [
    line("witness.example", b"\x00\x00\x00\x01" + bytes(72)),
    line("a-post-quantum-witness.example", b"\x00\x00\x00\x02" + bytes(2428)),
    line("тест/\u200b", b"\x00\x00\x00\x03" + b"x"),
    # The log's own name with another key, and another name with the log's key id.
    line(KEY.name, b"\x00\x00\x00\x04" + bytes(64)),
    line("other.example", KEY.key_id + bytes(64)),
]


def test_signatures_of_strangers_are_ignored() -> None:
    """Whatever their name, size or algorithm, before and after the log's own; witnesses add such lines."""
    assert open_note(note(*STRANGERS, SPEC_SIGNATURE), KEY) == SPEC_TEXT
    assert open_note(note(SPEC_SIGNATURE, *STRANGERS), KEY) == SPEC_TEXT
    with pytest.raises(CheckFailed, match=r"only witness\.example\+00000001") as failure:
        open_note(note(*STRANGERS), KEY)
    assert failure.value.check is Check.NOTE_SIGNATURE


@pytest.mark.parametrize("count", [1, 16, MOST_SIGNATURES])
def test_many_signatures_are_accepted(count: int) -> None:
    """C2SP requires at least 16 lines; up to 100 are read."""
    lines = [line("w.example", i.to_bytes(4, "big") + bytes(72)) for i in range(count - 1)]
    assert open_note(note(*lines, SPEC_SIGNATURE), KEY) == SPEC_TEXT


def test_more_signatures_or_bytes_than_the_limits_are_refused() -> None:
    """One line more than 100, one byte more than a million: malformed, before anything is verified."""
    strangers = [line("w.example", bytes(76))] * MOST_SIGNATURES
    with pytest.raises(Malformed, match="at most 100 signatures"):
        open_note(note(*strangers, SPEC_SIGNATURE), KEY)
    key = SigningKey.parse(GO_KEY_FILE)
    overhead = len(key.sign("\n")) - 1
    text = "x" * (LARGEST_NOTE - overhead - 1) + "\n"
    assert len(key.sign(text)) == LARGEST_NOTE
    assert open_note(key.sign(text), key.verifier_key) == text
    with pytest.raises(Malformed, match="at most 1000000 bytes"):
        open_note(key.sign("x" + text), key.verifier_key)


def test_a_bad_signature_in_the_keys_name_spoils_the_note() -> None:
    """Also next to a good one: a log that signs twice, once wrongly, is not to be trusted."""
    for bad in (bytes(64), bytes(63), bytes(65), b"x"):
        bad_line = line(KEY.name, KEY.key_id + bad)
        for lines in ((bad_line, SPEC_SIGNATURE), (SPEC_SIGNATURE, bad_line), (bad_line,)):
            with pytest.raises(CheckFailed, match="one that does not verify") as failure:
                open_note(note(*lines), KEY)
            assert failure.value.check is Check.NOTE_SIGNATURE


def test_a_signature_stands_for_its_own_text() -> None:
    """A valid signature line under another text does not verify."""
    with pytest.raises(CheckFailed):
        open_note(note(SPEC_SIGNATURE, text="This is another message.\n"), KEY)


@pytest.mark.parametrize(
    "text", ["\n", "\n\n", "a\n\nb\n", "a\n\n", "\na\n", "— a b\n", "a\n\n— a AAAAAAA=\n", "é\n"]
)
def test_the_last_empty_line_ends_the_text(text: str) -> None:
    """A text may have empty lines, and lines that look like signatures."""
    key = SigningKey.parse(GO_KEY_FILE)
    assert open_note(key.sign(text), key.verifier_key) == text


@pytest.mark.parametrize("text", ["", "no line feed"])
def test_a_text_ends_in_a_line_feed(text: str) -> None:
    """Any other text is the caller's mistake and is not signed."""
    with pytest.raises(ValueError, match="line feed"):
        SigningKey.parse(GO_KEY_FILE).sign(text)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"\n\n",
        SPEC_TEXT.encode(),
        f"{SPEC_TEXT}\n".encode(),
        f"{SPEC_TEXT}{SPEC_SIGNATURE}".encode(),
        SPEC_NOTE + b"\n",
        SPEC_NOTE + b"more\n",
        SPEC_NOTE.replace(b"\n", b"\r\n"),
        SPEC_NOTE.replace("— ".encode(), b"- "),
        SPEC_NOTE.replace("— ".encode(), "—\u00a0".encode()),
        SPEC_NOTE.replace(b"foo ", b"foo  "),
        SPEC_NOTE.replace(b"=\n", b"\n"),
        SPEC_NOTE.replace(b"QM=", b"QN="),
        note("—  AAAAAAA=\n", SPEC_SIGNATURE),
        note("— w.example AAAAAA==\n", SPEC_SIGNATURE),
        note("— w.example \n", SPEC_SIGNATURE),
        note("— w+x AAAAAAA=\n", SPEC_SIGNATURE),
        note("— w\u2003x AAAAAAA=\n", SPEC_SIGNATURE),
        note("— w.example AAAÄAAA=\n", SPEC_SIGNATURE),
        b"\xff" + SPEC_NOTE,
        b"\xed\xa0\x80" + SPEC_NOTE,
        b"\t" + SPEC_NOTE,
        b"\0" + SPEC_NOTE,
    ],
)
def test_other_spellings_are_malformed(data: bytes) -> None:
    """Line ends, dashes, spaces, padding, control characters and encodings have only one form."""
    with pytest.raises(Malformed):
        open_note(data, KEY)


@given(data=st.binary() | st.text().map(lambda text: f"{text}\n\n{SPEC_SIGNATURE}".encode("utf-8", "surrogatepass")))
def test_any_bytes_are_refused_with_our_own_errors(data: bytes) -> None:
    """Hostile bytes never open, and cause no other error."""
    with pytest.raises((Malformed, CheckFailed)):
        open_note(data, KEY)
