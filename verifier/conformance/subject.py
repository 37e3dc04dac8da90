"""``python -m verifier.conformance.subject``: this implementation, in the form that ``foredraw-verify conform``
tests.

One JSON request per line on the standard input, one JSON answer per line on the standard output; the
protocol is described in ``docs/conformance.md``. Every operation is a function from a request's input to the result.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from msgspec import to_builtins

from fairness.beacon.bls import SIGNATURE_SIZE, InvalidSignature
from fairness.beacon.chain import Beacon, Beacons, known_beacons
from fairness.beacon.pulse import salt_of, verify_pulse
from fairness.draws.commitments import commitment, split_commitments_file
from fairness.draws.game import Game, RulesRefused
from fairness.draws.seed_chain import previous_seed, seeds_and_anchor
from fairness.draws.stream import LARGEST_RANGE, Stream, context
from fairness.errors import CheckFailed, ForedrawError, Missing, NotShown, Unknown
from fairness.hashing import leaf_hash, parse_hex, sha256
from fairness.limits import LARGEST_BATCH
from fairness.log.checkpoints import Checkpoint, is_sandbox
from fairness.log.merkle import root_of_hashes
from fairness.log.merkle_proofs import root_of_inclusion, roots_of_consistency
from fairness.log.notes import VerifierKey, open_note
from fairness.log.proof import TlogProof
from fairness.log.tiles import AuthenticTiles, bundle_path, split_bundle, tile_path
from fairness.newer_file import NewerFile
from fairness.player.bets import BetReceipt, digest
from fairness.player.round_code import NewerCode, RoundCode
from fairness.policy.custody import Chain, check_custody
from fairness.policy.head import Head
from fairness.policy.policy import Custodian, Policies, Policy
from fairness.policy.witnessed import check_witnessed
from fairness.records.record import BatchRecord, parse_record
from fairness.records.replay import Replay, read_record
from fairness.records.table_state import TableState
from fairness.round.finding_aids import RoundPositions, TablePositions, place_in_file, rounds_path
from fairness.spelling import parse_base64, parse_decimal
from fairness.times import check_time
from games import GAMES
from games.bets.bet import BetRefused
from games.bets.catalogue import declaration_of
from games.bets.game_bets import GameBets
from games.bets.paytable.read import Paytable
from games.bets.settlement import settle
from games.declared.declaration import Declaration
from games.multipliers import fraction_text
from verifier.conformance.judge import judge
from verifier.forks.evidence import check_evidence
from verifier.round.code_proof_check import check_code_by_proof
from verifier.round.proof_check import check_proof
from verifier.round.proof_report import ProofReport
from verifier.typing_error import CHECKS_OF_CODES

Json = dict[str, Any]


class Refused(Exception):
    """The input is not valid. ``result`` says more, if the vectors require it."""

    def __init__(self, result: Json | None = None) -> None:
        self.result = result
        super().__init__("the input is not valid")


def answer(request: Json) -> Json:
    """Return the answer to one request; `docs/conformance.md` describes both."""
    operation = _OPERATIONS[request["format"], request["operation"]]
    try:
        result = operation(request["input"])
    except Refused as refused:
        return {"valid": False} | ({} if refused.result is None else {"result": refused.result})
    except NewerFile:
        return {"valid": True, "result": {"unknown": True}}
    except (ForedrawError, RulesRefused):
        return {"valid": False}
    return {"valid": True} | ({} if result is None else {"result": result})


def main() -> None:
    """Answer until there are no more requests."""
    for line in sys.stdin:
        sys.stdout.write(json.dumps(answer(json.loads(line))) + "\n")
        sys.stdout.flush()


def _bytes(given: Json) -> bytes:
    return given["text"].encode() if "text" in given else bytes.fromhex(given["hex"])


def _hashes(texts: list[str]) -> list[bytes]:
    return [parse_hex(text) for text in texts]


def _hex(values: list[bytes]) -> list[str]:
    return [value.hex() for value in values]


def _require(condition: bool) -> None:  # noqa: FBT001 -- it reads as an assertion
    if not condition:
        raise Refused


def _record(given: Json) -> Json:
    data = _bytes(given)
    record = parse_record(data)
    return {"leaf_hash": leaf_hash(data).hex(), "table": record.table, "type": record.type}


def _time(given: Json) -> None:
    check_time(given["text"])


def _hexadecimal(given: Json) -> None:
    parse_hex(given["text"], given["size"])


def _decimal(given: Json) -> None:
    parse_decimal(given["text"].encode(), what="number")


def _base64(given: Json) -> Json:
    return {"hex": parse_base64(given["text"].encode(), what="bytes").hex()}


def _vkey(given: Json) -> Json:
    key = VerifierKey.parse(given["text"])
    return {"key_id": key.key_id.hex(), "name": key.name, "public_key": key.public_key.hex()}


def _note(given: Json) -> Json:
    return {"text": open_note(_bytes(given), VerifierKey.parse(given["key"]))}


def _checkpoint(given: Json) -> Json:
    return _values_of(Checkpoint.open(_bytes(given), VerifierKey.parse(given["key"])))


def _values_of(checkpoint: Checkpoint) -> Json:
    return {"origin": checkpoint.origin, "root": checkpoint.root.hex(), "size": checkpoint.size}


def _policy(given: Json) -> Json:
    policy = Policies.parse(_bytes(given))
    quorum = policy.quorum
    return {
        "beacons": [each.chain_hash.hex() for each in policy.beacons],
        "custodians": [[each.name, str(each.key)] for each in policy.custodians],
        "logs": [str(each.key) for each in policy.logs],
        "quorum": quorum and {"least": quorum.least, "missing": quorum.least_missing, "shared": quorum.least_shared},
        "witnesses": [str(each.key) for each in policy.witnesses],
    }


def _cosigned_checkpoint(given: Json) -> Json:
    head = Head.open(_bytes(given), Policy.parse(given["policy"].encode()))
    seen = [[str(witness.key), time] for witness, time in head.last_seen.items()]
    return _values_of(head.checkpoint) | {"witnesses": seen}


def _tile_path(given: Json) -> Json:
    kind, number, width = given["kind"], given["number"], given["width"]
    return {"path": bundle_path(number, width) if kind == "entries" else tile_path(int(kind), number, width)}


def _bundle(given: Json) -> Json:
    return {"entries": _hex(split_bundle(_bytes(given), count=given["count"], where="bundle"))}


def _log(given: Json) -> Json:
    files = {path: bytes.fromhex(data) for path, data in given["files"].items()}

    def read(path: str) -> bytes:
        try:
            return files[path]
        except KeyError as error:
            raise Missing(path, "it is not there") from error

    checkpoint = Checkpoint.open(files["checkpoint"], VerifierKey.parse(given["key"]))
    _require(given["index"] < checkpoint.size)
    return {"text": AuthenticTiles(checkpoint, read).record(given["index"]).decode()}


def _commitments_file(given: Json) -> None:
    split_commitments_file(_bytes(given), count=given["count"], roots=_hashes(given["roots"]), where="file")


def _tables(given: Json) -> Json:
    rows = TablePositions.parse_file(_bytes(given))
    return {"tables": [[row.table, row.end, row.close] for row in rows]}


def _rounds(given: Json) -> Json:
    rows = RoundPositions.parse_file(_bytes(given))
    return {"rounds": [[row.batch, row.salt, row.lock, row.reveal] for row in rows]}


def _rounds_path(given: Json) -> Json:
    number = given["round"]
    return {"path": rounds_path(parse_hex(given["table_id"]), number), "place": place_in_file(number)}


def _seed_chain(given: Json) -> Json:
    _require(1 <= given["count"] <= LARGEST_BATCH)
    seeds, anchor = seeds_and_anchor(
        parse_hex(given["last_seed"]),
        table_id=parse_hex(given["table_id"]),
        first=given["first"],
        count=given["count"],
    )
    return {"anchor": anchor.hex(), "seeds": _hex(seeds)}


def _seed_link(given: Json) -> None:
    before = previous_seed(
        parse_hex(given["seed"]), table_id=parse_hex(given["table_id"]), round_number=given["round"]
    )
    _require(before == parse_hex(given["before"]))


def _commitment(given: Json) -> None:
    seed, table_id = parse_hex(given["seed"]), parse_hex(given["table_id"])
    found = commitment(seed, table_id=table_id, round_number=given["round"])
    _require(found == parse_hex(given["commitment"]))


def _stream_of(given: Json) -> Stream:
    batch = context(parse_hex(given["batch_id"]), parse_hex(given["salt"]))
    return Stream(_hashes(given["seeds"]), batch, given["round"])


def _stream(given: Json) -> Json:
    return {"hex": _stream_of(given).take(given["size"]).hex()}


class _GivenStream(Stream):
    """A stream with given bytes, not derived from seeds."""

    def __init__(self, given: Json) -> None:
        self._bytes = bytes.fromhex(given["hex"])
        self._at = 0

    def _next_block(self) -> bytes:
        raise Refused

    @property
    def taken(self) -> int:
        """How many bytes the draws have read so far; no byte is dropped, because there is only one block."""
        return self._at


def _below(given: Json) -> Json:
    _require(1 <= given["limit"] <= LARGEST_RANGE)
    stream = _GivenStream(given)
    return {"number": stream.below(given["limit"]), "taken": stream.taken}


def _multiplier(given: Json) -> Json:
    stream = _GivenStream(given)
    return {"hundredths": stream.multiplier(rtp=given["rtp"], cap=given["cap"]), "taken": stream.taken}


def _sample(given: Json) -> Json:
    _require(given["count"] <= given["size"] <= LARGEST_RANGE)
    stream = _GivenStream(given)
    return {"numbers": stream.sample(given["size"], given["count"]), "taken": stream.taken}


def _paytable(given: Json) -> Json | None:
    data = _bytes(given)
    try:
        paytable = Paytable.checked(data, sha256(data).hex(), declaration_of("-", given["declaration"]))
    except Unknown:
        return {"unknown": True}
    if "bets" not in given:
        return None
    bets, rules = GameBets.of(paytable), given["rules"]
    return {"settled": [_settled(bets, rules, each) for each in given["bets"]]}


def _settled(bets: GameBets, rules: Json, asked: Json) -> Json | None:
    try:
        found = settle(bets.bet(asked["bet"], rules, asked.get("before", [])), asked["outcome"], "played")
    except BetRefused:
        return None
    odds = {} if found.odds is None else {"odds": str(found.odds)}
    paid = {"next": found.next} if found.pays is None else {"pays": fraction_text(found.pays)}
    return {"result": found.result} | odds | paid


def _declaration(given: Json) -> Json | None:
    try:
        Declaration.parse(_bytes(given))
    except Unknown:
        return {"unknown": True}
    return None


def _outcome(given: Json) -> Json:
    game: Game | Declaration
    if "declaration" in given:
        game = Declaration.parse(given["declaration"].encode())
    else:
        _require(given["game"] in GAMES)
        game = GAMES[given["game"]]
    game.check_rules(given["rules"])
    return {"outcome": game.outcome(_stream_of(given), given["rules"])}


def _round_code(given: Json) -> Json:
    code = RoundCode.parse(given["text"])
    return {
        "game": code.game,
        "round": code.round_number,
        "seeds": _hex(list(code.seeds)),
        "table_prefix": code.table_prefix.hex(),
    }


def _merkle_root(given: Json) -> Json:
    return {"root": root_of_hashes([leaf_hash(bytes.fromhex(entry)) for entry in given["entries"]]).hex()}


def _inclusion(given: Json) -> None:
    index, size = given["index"], given["size"]
    _require(index < size)
    root = root_of_inclusion(parse_hex(given["leaf"]), index, size, _hashes(given["path"]))
    _require(root == parse_hex(given["root"]))


def _consistency(given: Json) -> None:
    old, size = given["old_size"], given["size"]
    _require(1 <= old <= size)
    roots = parse_hex(given["old_root"]), parse_hex(given["root"])
    _require(roots_of_consistency(old, roots[0], size, _hashes(given["path"])) == roots)


def _tlog_proof(given: Json) -> Json:
    proof = TlogProof.parse(_bytes(given))
    checkpoint = proof.check(parse_hex(given["leaf"]), VerifierKey.parse(given["key"]))
    return {"index": proof.inclusion.index} | _values_of(checkpoint)


def _fork(given: Json) -> Json:
    report = check_evidence(_bytes(given), VerifierKey.parse(given["key"]), name="evidence")
    sizes = {"larger_size": report.larger.checkpoint.size, "smaller_size": report.smaller.checkpoint.size}
    return sizes | {"root_in_larger": report.root_in_larger.hex()}


def _witnessed(given: Json) -> Json:
    found = check_witnessed(
        _bytes(given),
        batch_id=parse_hex(given["batch_id"]),
        index=given["index"],
        pulse=given.get("pulse"),
        policy=Policy.parse(given["policy"].encode()),
    )
    return {"size": found.head.checkpoint.size, "time": found.time}


def _custody(given: Json) -> Json | None:
    record = parse_record(given["record"].encode())
    if not isinstance(record, BatchRecord):
        raise Refused
    at = given["place"]
    chain = Chain(
        parse_hex(given["table_id"]),
        record.batch,
        record.first,
        record.count,
        record.anchors[at],
        record.commitments[at],
    )
    custodian = Custodian("custodian", VerifierKey.parse(given["key"]))
    policy = given["policy"].encode() if "policy" in given else None
    log = VerifierKey.parse(given["log"])
    released = check_custody(_bytes(given), policy, chain, custodian, log, given["index"])
    return {"unknown": True} if released.policies is None else None


def _trusted(given: Json) -> Policy:
    if "policy" in given:
        return Policy.parse(given["policy"].encode())
    return Policy(VerifierKey.parse(given["key"]), beacons=tuple(map(_beacon_of, given.get("beacons", []))))


def _round_proof(given: Json) -> Json:
    return _proven(check_proof(_bytes(given), _trusted(given)))


def _code_proof(given: Json) -> Json:
    try:
        return _proven(check_code_by_proof(_bytes(given), _trusted(given), given["code"]))
    except NewerCode:
        return {"unknown": True}
    except NotShown:
        return {"not_shown": True}
    except CheckFailed as error:
        if error.check in CHECKS_OF_CODES:
            raise Refused({"mistyped": True}) from error
        raise


def _proven(report: ProofReport) -> Json:
    result: Json = {"round": report.round, "rounds_ahead": report.ahead, "stage": report.stage}
    outcome = report.reveal.record.outcome if report.reveal else None
    result |= {"outcome": outcome, "table": report.table.record.table}
    result |= {"unknown": True} if report.unknown else {}
    result |= {"sandbox": True} if is_sandbox(report.checkpoint.origin) else {}
    return result | ({"witnessed": report.witnessed.time} if report.witnessed else {})


def _bets(given: Json) -> Json:
    bets: Json = to_builtins(digest([line.encode() for line in given["lines"]]))
    return bets


def _bet_receipt(given: Json) -> Json:
    receipt = BetReceipt.parse(_bytes(given))
    bets: Json = to_builtins(receipt.bets)
    result = {"index": receipt.index, "line": receipt.line.hex(), "round": receipt.round_number}
    return result | {"table_id": receipt.table_id.hex()} | bets


def _beacon_of(text: str) -> Beacon:
    return Beacon.parse(text.split(" "))


def _beacons(given: Json) -> Beacons:
    return known_beacons(map(_beacon_of, given.get("beacons", [])))


def _beacon(given: Json) -> Json:
    beacon = _beacon_of(given["text"])
    return {"chain_hash": beacon.chain_hash.hex(), "times": [beacon.time_of(number) for number in (1, 2, 1 << 32)]}


def _pulse(given: Json) -> Json:
    signature = parse_hex(given["signature"], SIGNATURE_SIZE)
    try:
        verify_pulse(_beacon_of(given["beacon"]), given["round"], signature)
    except InvalidSignature as error:
        raise Refused from error
    return {"salt": salt_of(signature).hex()}


def _replay(given: Json) -> Json:
    replay = Replay(given["origin"], GAMES, None, _beacons(given))
    for index, record in enumerate(given["records"]):
        try:
            data = _bytes(record)
            replay.apply(read_record(data), data)
        except CheckFailed as error:
            raise Refused({"record": index}) from error
    unknown = sorted(name for name, table in replay.tables.items() if table.has_unknown)
    found: Json = {"tables": {name: _counts(table) for name, table in replay.tables.items() if table.game}}
    return found | ({"unknown": unknown} if unknown else {})


def _counts(table: TableState) -> Json:
    counts: Json = to_builtins(table.counts)
    return counts | {"committed": table.committed_through, "smallest_distance": table.smallest_distance}


_OPERATIONS: dict[tuple[str, str], Callable[[Json], Json | None]] = {
    ("time", "parse"): _time,
    ("hex", "parse"): _hexadecimal,
    ("decimal", "parse"): _decimal,
    ("base64", "parse"): _base64,
    ("record", "parse"): _record,
    ("seed-chain", "unroll"): _seed_chain,
    ("seed-link", "check"): _seed_link,
    ("commitment", "check"): _commitment,
    ("stream", "read"): _stream,
    ("beacon", "parse"): _beacon,
    ("pulse", "verify"): _pulse,
    ("draw-below", "draw"): _below,
    ("draw-multiplier", "draw"): _multiplier,
    ("draw-sample", "draw"): _sample,
    ("declaration", "parse"): _declaration,
    ("paytable", "settle"): _paytable,
    ("outcome", "compute"): _outcome,
    ("round-code", "parse"): _round_code,
    ("vkey", "parse"): _vkey,
    ("note", "open"): _note,
    ("checkpoint", "open"): _checkpoint,
    ("policy", "parse"): _policy,
    ("cosigned-checkpoint", "open"): _cosigned_checkpoint,
    ("tile-path", "spell"): _tile_path,
    ("bundle", "split"): _bundle,
    ("log", "read"): _log,
    ("commitments-file", "check"): _commitments_file,
    ("finding-aid-tables", "parse"): _tables,
    ("finding-aid-rounds", "parse"): _rounds,
    ("finding-aid-path", "spell"): _rounds_path,
    ("merkle-root", "compute"): _merkle_root,
    ("inclusion", "check"): _inclusion,
    ("consistency", "check"): _consistency,
    ("tlog-proof", "check"): _tlog_proof,
    ("fork", "check"): _fork,
    ("custody", "check"): _custody,
    ("witnessed", "check"): _witnessed,
    ("round-proof", "check"): _round_proof,
    ("code-proof", "check"): _code_proof,
    ("bets", "digest"): _bets,
    ("bet-receipt", "parse"): _bet_receipt,
    ("replay", "replay"): _replay,
    ("verdict", "judge"): judge,
}


if __name__ == "__main__":
    main()
