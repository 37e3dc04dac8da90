"""Verifier keys, signed notes and checkpoints."""

from __future__ import annotations

import base64

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from fairness.hashing import sha256
from fairness.limits import LARGEST_NOTE, MOST_SIGNATURES
from fairness.log.checkpoints import Checkpoint
from fairness.log.merkle import EMPTY_ROOT
from fairness.log.notes import SigningKey, VerifierKey
from tests.oracles.strange_signatures import (
    ORDER,
    PRIME,
    Signer,
    in_a_second_spelling,
    no_point,
    of_small_order,
)
from tests.oracles.strange_signatures import spelled as point
from tests.recipes import Case, Format, Json, invalid, spelled, valid

NAME = "fore.example/log"
KEY = SigningKey(NAME, sha256(b"an example, not a secret key"))
VKEY = str(KEY.verifier_key)
STRANGER = SigningKey("witness.example/one", sha256(b"a stranger's key"))
TEXT = "a first line\nand a second one\n"
ROOT = sha256(b"a root")
ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

# The example of C2SP's signed-note, and the one that opens the tests of Go's sumdb/note.
C2SP_VKEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
C2SP_NOTE = (
    "This is an example message.\n\n"
    "— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n"
).encode()
GO_VKEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
GO_TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
GO_NOTE = (
    f"{GO_TEXT}\n— PeterNeumann "
    "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
).encode()


def _of(text: str) -> Json:
    key = VerifierKey.parse(text)
    return {"key_id": key.key_id.hex(), "name": key.name, "public_key": key.public_key.hex()}


def vkey_of(name: str, public_key: bytes) -> str:
    """The vkey of any 32 bytes, whether they are a key or not."""
    return _other(name, b"\x01" + public_key)


def _other(head: str, typed_key: bytes, key_id: bytes | None = None) -> str:
    """A vkey of these parts, with the right id unless another one is given."""
    found = sha256(head.encode() + b"\n" + typed_key)[:4] if key_id is None else key_id
    return f"{head}+{found.hex()}+{base64.b64encode(typed_key).decode()}"


def _keys() -> list[Case]:
    name, key_id, encoded = VKEY.split("+", 2)
    public = KEY.verifier_key.public_key
    typed = b"\x01" + public
    return [
        valid("a log's key", {"text": VKEY}, _of(VKEY)),
        valid("the key of C2SP's example", {"text": C2SP_VKEY}, _of(C2SP_VKEY)),
        valid("the key of Go's example", {"text": GO_VKEY}, _of(GO_VKEY)),
        *(
            invalid(case, {"text": text}, catches)
            for case, text, catches in (
                ("a false key id", _other(NAME, typed, b"\0\0\0\0"), "an id that is not computed from name and key"),
                (
                    "an id over the key alone",
                    _other(NAME, typed, sha256(typed)[:4]),
                    "an id that leaves out the name",
                ),
                ("another name", f"fore.example/lag+{key_id}+{encoded}", "an id that leaves out the name"),
                ("an id in upper case", f"{name}+{key_id.upper()}+{encoded}", "hexadecimal in both cases"),
                ("an id without its leading digits", f"{name}+{key_id[2:]}+{encoded}", "an id of any length"),
                ("an ECDSA key", _other(NAME, b"\x02" + public), "a key's type that is not looked at"),
                ("a witness's key", _other(NAME, b"\x04" + public), "a key's type that is not looked at"),
                ("a key without a type", _other(NAME, public), "a key's type that is not looked at"),
                ("a key of 31 bytes", _other(NAME, typed[:-1]), "a key of any length"),
                ("a key of 33 bytes", _other(NAME, typed + b"\0"), "a key that is cut to its length"),
                ("no name", _other("", typed), "a key of nobody"),
                ("a space in the name", _other("fore example", typed), "a name that ends early in a signature line"),
                ("a name above ASCII", _other("foré.example", typed), "names that look alike"),
                ("a key that lacks its last character", VKEY[:-1], "a lenient decoder of Base64"),
                ("a space before", f" {VKEY}", "a reader that trims"),
                ("a line feed after", f"{VKEY}\n", "a reader that trims"),
                ("the parts exchanged", f"{key_id}+{name}+{encoded}", "parts that are found by their form"),
                ("nothing after the id", f"{name}+{key_id}", "a reader that reads past the end"),
                ("a secret key", KEY.secret_text(), "a secret key taken for a public one"),
                (
                    "a key with y above the prime",
                    vkey_of(NAME, in_a_second_spelling()),
                    "a key in a second spelling",
                ),
                (
                    "an ECDSA key under the id of an Ed25519 key",
                    _other(NAME, b"\x02" + public, KEY.verifier_key.key_id),
                    "a key's type that is not looked at",
                ),
                ("a control character in the name", _other("fore\x07example", typed), "a name that a terminal obeys"),
                ("a key that is no point", vkey_of(NAME, no_point()), "a key that is not decoded"),
            )
        ),
        *(
            invalid(f"a key of small order, {name}", {"text": vkey_of(NAME, key)}, "a key by which anybody signs")
            for name, key in of_small_order().items()
        ),
    ]


def signature_line(name: str, blob: bytes) -> bytes:
    """The line of a signature, from the key's id and the signature."""
    return f"\N{EM DASH} {name} {base64.b64encode(blob).decode()}\n".encode()


def second_line(note: bytes, name: str) -> bytes:
    """The note with a line by another Ed25519 key of this ``name``, which signs something else: nobody may look at
    it.
    """
    other = SigningKey(name, STRANGER.secret)
    return note + signature_line(name, other.verifier_key.key_id + bytes(64))


def later_line(note: bytes, name: str) -> bytes:
    """The note with a line as a key of type 06 (ML-DSA-44) of this ``name`` would add it."""
    key_id = sha256(name.encode() + b"\n\x06" + bytes(1312))[:4]
    return note + signature_line(name, key_id + bytes(2420) + bytes(8))


def _first(note: bytes) -> bytes:
    """The same note, whose last signature line comes first."""
    text, lines = note.split(b"\n\n")
    *others, last = lines.splitlines(keepends=True)
    return text + b"\n\n" + last + b"".join(others)


def _notes() -> list[Case]:
    note = KEY.sign(TEXT)
    body, line = note.rsplit(b"\n\n", 1)
    head = body + b"\n\n"
    stranger = STRANGER.sign(TEXT).rsplit(b"\n\n", 1)[1]
    key_id = KEY.verifier_key.key_id
    bad = signature_line(NAME, key_id + bytes(64))
    unknown = signature_line(NAME, b"\0\1\2\3" + bytes(64))
    long = signature_line("pq.example", b"\4\5\6\7" + bytes(2428))

    def opened(name: str, data: bytes, text: str = TEXT) -> Case:
        return valid(name, spelled(data) | {"key": VKEY}, {"text": text})

    def refused(name: str, data: bytes, catches: str) -> Case:
        return invalid(name, spelled(data) | {"key": VKEY}, catches)

    empty = KEY.sign("a text\n\nwith an empty line\n")
    long_text = "x" * (LARGEST_NOTE - len(KEY.sign("\n"))) + "\n"
    return [
        opened("a note", note),
        valid(
            "the example of C2SP", spelled(C2SP_NOTE) | {"key": C2SP_VKEY}, {"text": "This is an example message.\n"}
        ),
        valid("the first example of Go", spelled(GO_NOTE) | {"key": GO_VKEY}, {"text": GO_TEXT}),
        opened("an empty line in the text", empty, "a text\n\nwith an empty line\n"),
        opened("a stranger's signature before", head + stranger + line),
        opened("a stranger's signature after", head + line + stranger),
        opened("a signature of the same name by an unknown key", head + unknown + line),
        opened("a signature of more than 2000 bytes", head + line + long),
        opened("the same signature twice", head + line * 2),
        opened("sixteen signatures", head + line + stranger * 15),
        opened("as many signatures as there may be", head + line + stranger * (MOST_SIGNATURES - 1)),
        opened("a text above ASCII", KEY.sign("naïve\n"), "naïve\n"),
        *_strange(),
        refused("another text", note.replace(b"first", b"f1rst"), "a signature that is not verified"),
        refused("another key's signature alone", head + stranger, "a note that anybody signed"),
        refused(
            "another key under our name",
            SigningKey(NAME, STRANGER.secret).sign(TEXT),
            "a signature that is found by its name alone",
        ),
        refused(
            "a false signature and a good one",
            head + bad + line,
            "a reader that stops at the first good signature, or passes over those of a known key that fail",
        ),
        valid("a note of 1000000 bytes", spelled(KEY.sign(long_text)) | {"key": VKEY}),
        refused("a note of 1000001 bytes", KEY.sign("x" + long_text), "a note without limit"),
        refused("no text", KEY.sign("\n").removeprefix(b"\n\n"), "signatures without a text and an empty line"),
        refused("no dash", head + line.removeprefix("\N{EM DASH} ".encode()), "a line without its dash"),
        refused(
            "a stranger's signature of no bytes",
            head + signature_line("pq.example", b"\4\5\6\7") + line,
            "a signature that is a key id alone",
        ),
        refused(
            "a plus in a stranger's name",
            head + signature_line("pq+example", b"\4\5\6\7" + bytes(64)) + line,
            "a name that no verifier key can have",
        ),
        refused("no signature", head, "a note that nobody signed"),
        refused("no empty line", body + b"\n" + line, "a text of which the signatures are a part"),
        refused(
            "a signature of 63 bytes", head + signature_line(NAME, key_id + bytes(63)), "a signature of any length"
        ),
        refused(
            "signed without the last line feed",
            head + signature_line(NAME, key_id + _signature(TEXT[:-1])),
            "a signature over the text without its last line feed",
        ),
        refused(
            "signed with the empty line",
            head + signature_line(NAME, key_id + _signature(TEXT + "\n")),
            "a signature over the text and the empty line",
        ),
        refused("a hyphen for the dash", head + line.replace("\N{EM DASH}".encode(), b"-"), "a dash of any kind"),
        refused("a line without a name", head + line + b"\xe2\x80\x94 " + line.split(b" ")[2], "a line of two parts"),
        refused("two spaces", head + line.replace(b" ", b"  ", 1), "a line that is split at white space"),
        refused("no line feed at the end", note[:-1], "a reader that trims"),
        refused("a line after the signatures", note + b"more\n", "lines that are no signatures are passed over"),
        refused("an empty line after the signatures", note + b"\n", "a reader that trims"),
        refused("carriage returns", note.replace(b"\n", b"\r\n"), "lines that end in two ways"),
        refused("a control character", KEY.sign("a\x07b\n"), "text that a terminal obeys"),
        refused("a NUL", KEY.sign("a\0b\n"), "text that ends early in another language"),
        refused("a tab", KEY.sign("a\tb\n"), "white space that is not a space"),
        refused("bytes that are no UTF-8", note.replace(b"first", b"f\xffrst"), "a decoder that replaces"),
        refused("a byte order mark", b"\xef\xbb\xbf" + note, "a reader that drops a byte order mark"),
        refused(
            "a line separator of Unicode before the signatures",
            note.replace(b"\n\n", "\n\u2028".encode()),
            "splitlines() of Python, which splits at U+2028",
        ),
        refused(
            "loose bits in the Base64", head + _loose(line), "a decoder that ignores the bits behind the last byte"
        ),
        refused(
            "more signatures than there may be", head + line + stranger * MOST_SIGNATURES, "a reader without limit"
        ),
        refused("nothing", b"", "a reader that reads past the end"),
    ]


def _strange() -> list[Case]:
    """Signatures of a dishonest signer, about which verifiers could disagree (SPEC 5.1)."""
    plain, mixed = Signer(), Signer(small=1)
    text = TEXT.encode()

    def signed(signer: Signer, signature: bytes) -> Json:
        key = VerifierKey(NAME, signer.key)
        return spelled(f"{TEXT}\n".encode() + signature_line(NAME, key.key_id + signature)) | {"key": str(key)}

    honest = plain.with_parts(text, 0, cancel=True)
    number = int.from_bytes(honest[32:], "little") + ORDER
    cancelled = mixed.with_parts(text, 3, cancel=True)
    return [
        valid("a key and an R whose parts of small order cancel", signed(mixed, cancelled), {"text": TEXT}),
        invalid(
            "a key with a part of small order",
            signed(mixed, mixed.with_parts(text, 0, cancel=False)),
            "the equation with cofactor",
        ),
        invalid(
            "an R with a part of small order",
            signed(plain, plain.with_parts(text, 1, cancel=False)),
            "the equation with cofactor",
        ),
        invalid(
            "an S above the order",
            signed(plain, honest[:32] + number.to_bytes(32, "little")),
            "a signature with a second spelling",
        ),
        invalid("an R of small order", signed(plain, plain.sign(text, point(1), 0)), "an R that is no secret's"),
        invalid(
            "an R with y above the prime",
            signed(plain, plain.sign(text, point(PRIME + 1), 0)),
            "an R in a second spelling",
        ),
        invalid(
            "an R with the sign of no x",
            signed(plain, plain.sign(text, point(1, negative=True), 0)),
            "an R in a second spelling",
        ),
    ]


def _signature(text: str) -> bytes:
    """A valid signature over bytes other than a note's text."""
    return Ed25519PrivateKey.from_private_bytes(KEY.secret).sign(text.encode())


def _loose(line: bytes) -> bytes:
    """The same signature line with one of the loose bits of its Base64 set."""
    at = line.index(b"=") - 1
    return line[:at] + ALPHABET[ALPHABET.index(line[at : at + 1]) + 1 :][:1] + line[at + 1 :]


def _checkpoints() -> list[Case]:
    honest = Checkpoint(NAME, 70_000, ROOT)
    body = str(honest)

    def opened(name: str, head: Checkpoint, note: bytes | None = None) -> Case:
        told = {"origin": head.origin, "root": head.root.hex(), "size": head.size}
        return valid(name, spelled(head.sign(KEY) if note is None else note) | {"key": VKEY}, told)

    def refused(name: str, text: str, catches: str) -> Case:
        return invalid(name, spelled(KEY.sign(text)) | {"key": VKEY}, catches)

    def sized(name: str, size: str, catches: str) -> Case:
        return refused(name, body.replace("70000", size), catches)

    witness = STRANGER.sign(body).rsplit(b"\n\n", 1)[1]
    other = SigningKey("other.example/log", KEY.secret)
    root = base64.b64encode(ROOT).decode()
    return [
        opened("a checkpoint", honest),
        opened("a witness has signed, too", honest, honest.sign(KEY) + witness),
        opened("another key of the log's own name has signed, too", honest, second_line(honest.sign(KEY), NAME)),
        opened(
            "a key of a later type and of the log's own name has signed, too",
            honest,
            later_line(honest.sign(KEY), NAME),
        ),
        opened("the lines of other keys of the log's name first", honest, _first(later_line(honest.sign(KEY), NAME))),
        opened("an empty log", Checkpoint(NAME, 0, EMPTY_ROOT)),
        opened("one record", Checkpoint(NAME, 1, ROOT)),
        opened("the largest size that JSON has", Checkpoint(NAME, (1 << 53) - 1, ROOT)),
        sized("a size with a leading zero", "070000", "a reader that skips leading zeros, or reads octal"),
        sized("a size with a plus", "+70000", "int() of Python"),
        sized("a size with an underscore", "70_000", "int() of Python"),
        sized("a size with a space", " 70000", "a reader that trims"),
        sized("a negative size", "-1", "a reader that takes a sign"),
        sized("a size in digits of another script", "\uff170000", "int() of Python"),
        sized("a size of 2 to the 63rd", str(1 << 63), "a number of 64 bits that wraps around"),
        sized("a size with an exponent", "7e4", "a reader of floating point numbers"),
        sized("no size", "", "a reader that takes nothing for 0"),
        refused("an extension line", body + "an extension\n", "lines that are passed over, though they are signed"),
        refused("an empty line at the end", body + "\n", "a reader that trims"),
        refused("no origin", body.removeprefix(NAME), "a checkpoint of no log"),
        refused("no root", f"{NAME}\n70000\n", "a reader that reads past the end"),
        refused("the lines exchanged", f"70000\n{NAME}\n{root}\n", "lines that are found by their form"),
        refused("a root of 31 bytes", str(Checkpoint(NAME, 70_000, ROOT[:31])), "a root of any length"),
        refused(
            "a root of 33 bytes", str(Checkpoint(NAME, 70_000, ROOT + b"\0")), "a root that is cut to its length"
        ),
        refused("a root without padding", body.replace("=", ""), "a lenient decoder of Base64"),
        refused("a root in hexadecimal", body.replace(root, ROOT.hex()), "a reader that guesses the spelling"),
        refused(
            "a root with loose bits",
            _loose(body.encode()).decode(),
            "a decoder that ignores the bits behind the last byte",
        ),
        refused("another log's origin", body.replace("fore", "four"), "a key that speaks for any log"),
        refused("the origin in upper case", body.replace(NAME, NAME.upper()), "names that are compared without case"),
        invalid(
            "signed under another name",
            spelled(Checkpoint("other.example/log", 70_000, ROOT).sign(other)) | {"key": VKEY},
            "a signature that is found by its key alone",
        ),
        invalid(
            "signed by a witness alone",
            spelled(STRANGER.sign(body)) | {"key": VKEY},
            "a checkpoint that anybody signed",
        ),
    ]


FORMATS = [
    Format("vkey", "parse", "5.1", _keys),
    Format("note", "open", "5.1", _notes),
    Format("checkpoint", "open", "5.1", _checkpoints),
]
