"""The policy that a custodian published: by whose word it releases seeds, as far as this version knows its words
(SPEC 5.9).
"""

from __future__ import annotations

from contextlib import suppress

from fairness.beacon.chain import Beacon
from fairness.errors import Malformed
from fairness.hashing import sha256
from fairness.log.notes import Ed25519Key, VerifierKey
from fairness.policy.cosignatures import WitnessKey
from fairness.policy.policy import CUSTODIAN_NAME, FORMS, THRESHOLD, Policies, lines_of, words_of
from fairness.spelling import parse_base64

_KEYS: dict[str, type[Ed25519Key]] = {"log": VerifierKey, "witness": WitnessKey, "custodian": VerifierKey}


def read_published(data: bytes, log: VerifierKey) -> Policies | None:
    """Read a policy that must name ``log``; `None` if it has words or keys of a later version, so that its meaning is
    unknown.

    Raises `Malformed`. Of the other lines of a later policy the form alone is judged, and that one of them is for the
    log's key; names, members and the number of quorums are not.
    """
    lines = [words for line in lines_of(data) if (words := words_of(line))]
    known = [words for words in lines if not _is_newer(words)]
    for words in known:
        _check_form(words)
    if not any(words[0] == "log" and VerifierKey.parse(words[1]) == log for words in known):
        raise Malformed("a custodian's policy", expected=f"a line for the log {log}", found="none")
    return Policies.parse(data) if len(known) == len(lines) else None


def _is_newer(words: list[str]) -> bool:
    """Return whether a line begins with a word of a later version, or has a key of a type that this one does not know
    there.
    """
    if words[0] not in FORMS:
        return True
    at = 1 if words[0] == "log" else 2
    if words[0] not in _KEYS or len(words) <= at:
        return False
    typed = _typed_key(words[at])
    return typed is not None and typed[:1] != _KEYS[words[0]].TYPE


def _typed_key(vkey: str) -> bytes | None:
    """Return the type and the key of a text in a verifier key's form, if its id is that of this name and key."""
    name, _, rest = vkey.partition("+")
    key_id, _, encoded = rest.partition("+")
    with suppress(Malformed):
        typed = parse_base64(encoded.encode("utf-8", "surrogateescape"), what="key")
        hashed = sha256(name.encode("utf-8", "surrogateescape") + b"\n" + typed)
        if name and hashed[:4].hex() == key_id:
            return typed
    return None


def _check_form(words: list[str]) -> None:
    """Check a line by itself."""
    match words:
        case ["log", vkey, *url] if len(url) <= 1:
            VerifierKey.parse(vkey)
        case ["witness", _, vkey, *url] if len(url) <= 1:
            WitnessKey.parse(vkey)
        case ["custodian", name, vkey, *url] if len(url) <= 1 and CUSTODIAN_NAME.fullmatch(name):
            VerifierKey.parse(vkey)
        case ["group", _, threshold, _, *_] if threshold in {"all", "any"} or THRESHOLD.fullmatch(threshold):
            pass
        case ["quorum", _]:
            pass
        case ["beacon", *parts]:
            Beacon.parse(parts)
        case _:
            raise Malformed("a custodian's policy", expected=FORMS[words[0]], found=" ".join(words))
