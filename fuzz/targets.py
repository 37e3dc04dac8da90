"""What must hold for any bytes: only the protocol's own errors are raised, and an accepted value prints the same
bytes.

A target takes bytes and raises if its promise is broken. Seed inputs are valid values, so that the fuzzer
starts deep inside the code; the words of its dictionary are taken from them.
"""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
import py_arkworks_bls12381 as arkworks

from fairness.beacon.bls import InvalidSignature
from fairness.beacon.chain import QUICKNET
from fairness.beacon.pulse import verify_pulse
from fairness.draws.commitments import commitments_root, split_commitments_file
from fairness.draws.game import RulesRefused
from fairness.draws.stream import Stream
from fairness.errors import CheckFailed, Malformed, Unknown, Unreadable
from fairness.hashing import HASH_SIZE, leaf_hash, parse_hex, sha256
from fairness.log.checkpoints import Checkpoint
from fairness.log.fork import Fork
from fairness.log.notes import SigningKey, VerifierKey, open_note
from fairness.log.proof import Inclusion, TlogProof
from fairness.log.tiles import AuthenticTiles, bundle_of, root_from_edge, split_bundle
from fairness.player import bech32m
from fairness.player.bets import BetReceipt, receipts
from fairness.player.round_code import NewerCode, RoundCode
from fairness.policy.cosignatures import WitnessKey
from fairness.policy.policy import Policy
from fairness.records.record import Record, encode_record, parse_record, parse_records
from fairness.round.finding_aids import RoundPositions, TablePositions
from fairness.round.log_files import largest_file
from fairness.round.proof import RoundProof
from fairness.spelling import base64_text, parse_base64, parse_decimal
from fairness.times import check_time, format_time
from fuzz.edits import MemorySource, check_edited_files, check_edited_records, honest_files, honest_records
from games.bets.bet import BetRefused
from games.bets.catalogue import data
from games.bets.game_bets import GameBets
from games.bets.paytable.read import Paytable
from games.bets.paytable.source import paytable_of
from games.bets.settlement import settle
from games.declared.catalogue import catalogue
from games.declared.declaration import Declaration
from standalone.stand_ins import py_arkworks_bls12381 as stand_in
from tests.oracles.record_oracle import is_record
from tests.support.dishonest_operator import KEY
from tests.support.our_witness import request
from verifier.audit.audit import replay_log
from verifier.audit.remembered import AuditState
from verifier.audit.state_file import StateDamaged, load_state, save_state
from verifier.forks.evidence import check_evidence
from verifier.round.proof_check import check_proof
from verifier.round.proving import prove_number
from verifier.witness.request import Request

Seeds = Callable[[], Sequence[bytes]]


@dataclass(frozen=True)
class Target:
    """``check`` takes any bytes; ``seeds`` makes valid ones."""

    check: Callable[[bytes], None]
    seeds: Seeds


TARGETS: dict[str, Target] = {}


def _target(name: str, seeds: Seeds) -> Callable[[Callable[[bytes], None]], Callable[[bytes], None]]:
    def add(check: Callable[[bytes], None]) -> Callable[[bytes], None]:
        TARGETS[name] = Target(check, seeds)
        return check

    return add


def _text(data: bytes) -> str:
    """Any text, including lone surrogates."""
    return data.decode("utf-8", "surrogateescape")


@lru_cache(maxsize=1)
def _kinds() -> list[bytes]:
    """A record of each type."""
    return list({found.type: data for data in honest_records() if (found := _parsed(data))}.values())


def _parsed(data: bytes) -> Record | None:
    """`None` also for what is newer than this program: neither is a record of these versions."""
    try:
        return parse_record(data)
    except (Malformed, Unknown):
        return None


@_target("record", _kinds)
def record(data: bytes) -> None:
    """The parser of records agrees with the slow and literal one, and prints what it parsed."""
    found = _parsed(data)
    assert (found is not None) == is_record(data)
    assert found is None or encode_record(found) == data


@_target("records", lambda: [b"\0".join(_kinds()), b"\0".join(_kinds()[3:5] * 3), b"\0".join(honest_records()[-4:])])
def records(data: bytes) -> None:
    """Many records at once are the same as one by one. Line feeds inside an entry are the trap."""
    entries = data.split(b"\0")
    one_by_one = [_parsed(entry) for entry in entries]
    try:
        at_once: list[Record] | None = parse_records(entries)
    except (Malformed, Unknown):
        at_once = None
    assert at_once == (None if None in one_by_one else one_by_one)


@_target("replay", lambda: [b"", bytes(40), bytes(range(64))])
def replay(data: bytes) -> None:
    """A correctly signed log with edited records: an audit and the plain replay find the same failure first."""
    check_edited_records(data)


@_target("tiles", lambda: [b"", bytes(40), bytes(range(64))])
def tiles(data: bytes) -> None:
    """A server that edits files: a record is the log's own, or one of our errors is raised."""
    check_edited_files(data)


_PROVEN = 299
_SIGNED = "fore.example/log\n7\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n"
_WITNESS = SigningKey("witness.example", bytes(32))


@_target("note", lambda: [KEY.sign(_SIGNED), KEY.sign(_SIGNED) + _WITNESS.sign(_SIGNED).partition(b"\n\n")[2]])
def note(data: bytes) -> None:
    """Only the key can make a note: what opens is the one text that it signed here."""
    try:
        text = open_note(data, KEY.verifier_key)
    except (Malformed, CheckFailed):
        return
    assert text == _SIGNED


@_target("checkpoint", lambda: [_SIGNED.encode()])
def checkpoint(data: bytes) -> None:
    """Whatever a log signs: three lines in their one spelling, or one of our errors."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return
    try:
        found = Checkpoint.open(KEY.sign(text + "\n" * (not text.endswith("\n"))), KEY.verifier_key)
    except CheckFailed:
        return
    assert str(found).removesuffix("\n") == text.removesuffix("\n")
    assert found.origin == KEY.name


@_target("verifier-key", lambda: [str(KEY.verifier_key).encode()])
def verifier_key(data: bytes) -> None:
    """One spelling of each key."""
    try:
        assert str(VerifierKey.parse(_text(data))) == _text(data)
    except Malformed:
        return


@_target("policy", lambda: [_policy_text()])
def policy(data: bytes) -> None:
    """Whatever is read believes keys that are spelled in it, and a quorum that all witnesses together meet."""
    try:
        found = Policy.parse(data)
    except Malformed:
        return
    keys = [found.log, *(each.key for each in found.witnesses), *(each.key for each in found.custodians)]
    assert all(str(key).encode() in data for key in keys)
    if found.quorum is not None:
        assert found.quorum.is_met_by(found.witnesses)
        assert not found.quorum.is_met_by(())
        assert found.quorum.least_shared <= found.quorum.least <= len(found.witnesses)


def _policy_text() -> bytes:
    """Two witnesses whose keys are those of other logs, a custodian and a beacon."""
    keys = [SigningKey(f"{name}.example", sha256(name.encode())).verifier_key for name in ("one", "two", "house")]
    witnesses = [WitnessKey(key.name, key.public_key) for key in keys[:2]]
    lines = [
        f"log {KEY.verifier_key}",
        f"witness one {witnesses[0]}",
        f"witness two {witnesses[1]} https://two.example",
    ]
    lines += [
        "# both",
        "group both all one two",
        "quorum both",
        f"custodian house {keys[2]}",
        f"beacon {QUICKNET}",
        "",
    ]
    return "\n".join(lines).encode()


_PULSE = bytes.fromhex(
    "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39"
)


@_target("pulse", lambda: [_PULSE, b"\xc0" + bytes(47)])
def pulse(data: bytes) -> None:
    """Only one signature is quicknet's of round 1000; and arkworks and the one-file verifier read the same points."""
    signature = data[:48].ljust(48, b"\0")
    try:
        verify_pulse(QUICKNET, 1000, signature)
    except InvalidSignature:
        assert signature != _PULSE
    else:
        assert signature == _PULSE
    assert _is_point(arkworks.G1Point.from_compressed_bytes, signature) == _is_point(
        stand_in.G1Point.from_compressed_bytes, signature
    )


def _is_point(read: Callable[[bytes], Any], data: bytes) -> bool:
    try:
        return bool(read(data).to_compressed_bytes() == data)
    except ValueError:
        return False


@_target("add-checkpoint", lambda: [request(KEY.sign(_SIGNED), at, *[bytes(32)] * at) for at in (0, 1, 7)])
def add_checkpoint(data: bytes) -> None:
    """What a witness is asked."""
    try:
        found = Request.parse(data)
    except Malformed:
        return
    assert request(found.note, found.old, *found.proof) == data


@_target("signing-key", lambda: [KEY.secret_text().encode()])
def signing_key(data: bytes) -> None:
    """One spelling of each key file."""
    try:
        assert SigningKey.parse(_text(data)).secret_text() == _text(data)
    except Malformed:
        return


@_target("bundle", lambda: [bytes([3]) + bundle_of([b"first", b"", b"third"])])
def bundle(data: bytes) -> None:
    """Records that give the same bytes again."""
    count, rest = int.from_bytes(data[:1], "big"), data[1:]
    try:
        found = split_bundle(rest, count=count, where="bundle")
    except CheckFailed:
        return
    assert len(found) == count
    assert bundle_of(found) == rest


@_target("finding-aid", lambda: [data for path, data in honest_files().items() if path.startswith("find/")])
def finding_aid(data: bytes) -> None:
    """Positions that give the same bytes again."""
    for kind in (TablePositions, RoundPositions):
        try:
            found = kind.parse_file(data)
        except Malformed:
            continue
        assert b"".join(map(bytes, found)) == data


_CODE = RoundCode("sic-bo", b"\1\2\3\4", 77, (bytes(range(32)),))


@_target("bech32m", lambda: [str(_CODE).encode(), b"A1LQFN3A", b"?1v759aa"])
def bech32m_text(data: bytes) -> None:
    """One spelling of each payload, except for the case of all letters."""
    try:
        prefix, payload = bech32m.decode(_text(data))
    except (Malformed, CheckFailed):
        return
    assert bech32m.encode(prefix, payload) == _text(data).lower()


@_target("round-code", lambda: [b"sic-bo\0" + bech32m.decode(str(_CODE))[1]])
def round_code(data: bytes) -> None:
    """Any payload and prefix with a correct checksum: one spelling of each code."""
    name, _, payload = data.partition(b"\0")
    text = bech32m.encode(_text(name), payload)
    try:
        assert str(RoundCode.parse(text)) == text
    except (Malformed, CheckFailed, NewerCode):
        return


def _least_rules(found: Declaration) -> dict[str, int]:
    rules = {name: least for name, (least, _) in found.parameters.plain.items()} | {"version": 1}
    for prefix, (size, (least, _)) in found.parameters.families.items():
        rules |= dict.fromkeys((f"{prefix}{number}" for number in range(1, rules[size] + 1)), least)
    return rules


@_target("declaration", lambda: [each.declaration.text for each in catalogue()])
def declaration(data: bytes) -> None:
    """One spelling of each declaration; what is one can be drawn, if its smallest parameters are rules of a batch."""
    try:
        found = Declaration.parse(data)
    except (Malformed, Unknown):
        return
    assert found.text == data
    rules = _least_rules(found)
    try:
        found.check_rules(rules)
    except RulesRefused:
        return
    places = {place for step in found.steps for place in step.places}
    assert found.outcome(Stream([bytes(32)], bytes(32), 1), rules).keys() <= places


def _paytables() -> list[bytes]:
    return [game.encode() + b"\0" + paytable_of(data(), game) for game in data()["games"]]


@_target("paytable", _paytables)
def paytable(given: bytes) -> None:
    """A file of a game: refused, or one that answers every bet on a round."""
    name, _, file = given.partition(b"\0")
    declarations = {each.game.encode(): each.declaration for each in catalogue()}
    declaration = declarations.get(name, declarations[b"sic-bo"])
    try:
        found = Paytable.parse(file, declaration)
    except (Malformed, Unknown):
        return
    rules = _least_rules(declaration)
    outcome = declaration.outcome(Stream([bytes(32)], bytes(32), 1), rules)
    bets = GameBets.of(found)
    for offer in bets.offers:
        text = offer.form.text
        for letter, choice in offer.form.choices.items():
            text = re.sub(rf"\b{letter}\b", str(next(iter(getattr(choice, "meanings", "1")))), text)
        with contextlib.suppress(BetRefused):
            settle(bets.bet(text, rules, [outcome]), outcome, "played")


@_target("time", lambda: [b"2026-11-20T22:49:01.123Z", b"2999-12-31T23:59:59.999Z", b"2000-02-29T00:00:00.000Z"])
def time(data: bytes) -> None:
    """A time is what the calendar prints, in the years 2000 to 2999; nothing else is one."""
    text = _text(data)
    try:
        spelled = format_time(datetime.fromisoformat(text)) == text and text[:1] == "2"
    except (ValueError, OverflowError):
        spelled = False
    try:
        check_time(text)
    except Malformed:
        assert not spelled
    else:
        assert spelled


@_target("commitments", lambda: [bytes([2]) + bytes(range(128))])
def commitments(data: bytes) -> None:
    """A file of commitments has what its roots promise, and a changed byte is detected."""
    count, rest = int.from_bytes(data[:1], "big"), data[1:]
    size = count * HASH_SIZE
    parts = [rest[at : at + size] for at in range(0, len(rest), size)] if size else []
    custodians = [[part[at : at + HASH_SIZE] for at in range(0, len(part), HASH_SIZE)] for part in parts]
    roots = [commitments_root(part) for part in custodians]
    try:
        found = split_commitments_file(rest, count=count, roots=roots, where="commitments")
    except CheckFailed:
        assert len(rest) != size * len(roots)
        return
    assert found == custodians
    if rest:
        try:
            split_commitments_file(rest[:-1] + bytes([rest[-1] ^ 1]), count=count, roots=roots, where="commitments")
        except CheckFailed:
            return
        raise AssertionError("a changed commitment went unnoticed")


_BETS = [b"4f2a 10-37 1000 AMD", b"", b"\xff\0"]
_RECEIPTS = receipts(_BETS, table_id=bytes(32), round_number=7)


@_target("bet-receipt", lambda: [bytes(each) for each in _RECEIPTS])
def bet_receipt(data: bytes) -> None:
    """One spelling of each receipt, and it leads to a digest."""
    try:
        found = BetReceipt.parse(data)
    except Malformed:
        return
    assert bytes(found) == data
    assert found.bets.count == found.count


def _proofs() -> list[bytes]:
    inclusion = Inclusion(_PROVEN, tuple(_tiles().inclusion_path(_PROVEN)))
    return [bytes(TlogProof(inclusion, honest_files()["checkpoint"], extra)) for extra in (b"", b"extra")]


@_target("tlog-proof", _proofs)
def tlog_proof(data: bytes) -> None:
    """One spelling of each proof, and no proof of a record that the log does not have there."""
    try:
        found = TlogProof.parse(data)
    except Malformed:
        return
    assert bytes(found) == data
    try:
        found.check(_last_leaf(), KEY.verifier_key)
    except CheckFailed:
        return
    assert found.inclusion.index == _PROVEN


@lru_cache(maxsize=1)
def _last_leaf() -> bytes:
    return leaf_hash(split_bundle(honest_files()["tile/entries/001.p/44"], count=44, where="bundle")[-1])


@lru_cache(maxsize=1)
def _tiles() -> AuthenticTiles:
    checkpoint = Checkpoint.open(honest_files()["checkpoint"], KEY.verifier_key)
    return AuthenticTiles(checkpoint, MemorySource(honest_files()).read)


def _accusations() -> list[bytes]:
    """Checkpoints of one honest log, in the form of evidence that it was forked."""
    files, found = honest_files(), []
    for size in (0, 5, 256):
        root = root_from_edge(_tiles().prefix_edge(size))
        smaller = Checkpoint(KEY.name, size, root).sign(KEY)
        found += [bytes(Fork(smaller, files["checkpoint"], (root, *_tiles().consistency_path(size))))]
    return [*found, bytes(Fork(files["checkpoint"], files["checkpoint"]))]


@_target("evidence", _accusations)
def evidence(data: bytes) -> None:
    """One spelling of evidence, and no evidence against a log that was not forked."""
    try:
        assert bytes(Fork.parse(data)) == data
    except Malformed:
        return
    try:
        check_evidence(data, KEY.verifier_key, name="evidence")
    except (CheckFailed, Unreadable):
        return
    raise AssertionError("an honest operator stands accused")


def _round_proofs() -> list[bytes]:
    source = MemorySource(honest_files())
    table_id = leaf_hash(split_bundle(honest_files()["tile/entries/000"], count=256, where="bundle")[0])
    return [prove_number(source, KEY.verifier_key, table_id, number)[0] for number in (1, 9, 190)]


@_target("round-proof", _round_proofs)
def round_proof(data: bytes) -> None:
    """One spelling of each proof, and what it proves is in the signed log."""
    try:
        found = RoundProof.parse(data)
    except Malformed:
        return
    assert bytes(found) == data
    try:
        check_proof(data, KEY.verifier_key)
    except CheckFailed:
        return
    for _, proven in found.records():
        assert _tiles().record(proven.inclusion.index) == proven.data


_STATE = Path(tempfile.gettempdir(), f"foredraw-fuzz-{id(TARGETS)}.state")


def _states() -> list[bytes]:
    """The inner part: the checksum is added to it, or no input would get past it."""
    checkpoint = KEY.sign(_SIGNED).decode()
    remembered = replay_log(MemorySource(honest_files()), KEY.verifier_key).state
    return [msgspec.json.encode(each) for each in (remembered, AuditState("", checkpoint, {}, {}))]


@_target("state", _states)
def state(data: bytes) -> None:
    """A state that this program did not write is reported as damaged; one that it wrote is loaded as it was saved."""
    _STATE.write_bytes(b'{"sha256":"%s","state":%s,"v":1}' % (sha256(data).hex().encode(), data))
    try:
        found = load_state(_STATE)
        assert found is not None
        save_state(_STATE, found)
        assert load_state(_STATE) == found
    except StateDamaged:
        return
    finally:
        _STATE.unlink()


@_target("path", lambda: [path.encode() for path in honest_files()])
def path(data: bytes) -> None:
    """No path that a source reads is outside its folder."""
    text = _text(data)
    try:
        limit = largest_file(text)
    except ValueError:
        return
    assert 0 < limit <= 1 << 25
    assert re.fullmatch(r"[a-z0-9]+(/[a-z0-9]+)*(\.p/[0-9]+)?", text, re.ASCII)


@_target("spelling", lambda: [b"0", b"9223372036854775807", b"AAAA", b"AAE=", bytes(32).hex().encode()])
def spelling(data: bytes) -> None:
    """Numbers, Base64 and hexadecimal digits: one spelling each."""
    for parse, spell in (
        (lambda: parse_decimal(data, what="number"), lambda value: str(value).encode()),
        (lambda: parse_base64(data, what="bytes"), lambda value: base64_text(value).encode()),
        (lambda: parse_hex(_text(data), len(data) // 2), lambda value: value.hex().encode()),
    ):
        try:
            value = parse()
        except Malformed:
            continue
        assert spell(value) == data


def _believe(data: bytes) -> None:
    assert not data.startswith(b"2"), "every year begins with another digit"


TESTING_ONLY = {"testing-only-broken": Target(_believe, lambda: [b"1999"])}
"""A target whose promise does not hold: a test checks that the fuzzer detects it."""
