"""The log of the example in section 1.1 of SPEC.md, by the code of the protocol: one salted table, two witnesses.

The test compares the page with it, so that the page's bytes are made here and nowhere else. All of its secrets are
hashes of sentences.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from api.beacon.node import Node
from fairness.beacon.pulse import salt_of
from fairness.draws.commitments import commitments, commitments_path, commitments_root
from fairness.draws.seed_chain import seeds_and_anchor
from fairness.draws.stream import Stream, context
from fairness.hashing import leaf_hash, sha256
from fairness.log.checkpoints import Checkpoint
from fairness.log.edge import LogEdge
from fairness.log.notes import SigningKey
from fairness.player.round_code import RoundCode
from fairness.policy.witnessed import witnessed_path
from fairness.round.finding_aids import RoundPositions, TablePositions, rounds_path, tables_path
from fairness.spelling import base64_text
from games import GAMES
from tests.support.witnesses import Cosigner, cosigned

ORIGIN = "salt.example/log"
KEY = SigningKey(ORIGIN, sha256(b"the key of a log, not a secret"))
WITNESSES = (Cosigner("auditor"), Cosigner("university"))
NODE = Node.of(sha256(b"the secret of a beacon"), period=30, genesis=1_795_212_000, name="example")
PULSE = 103
COUNT = 3
SEEN = 1_795_214_941
"""When the first witness cosigned the batch: 2026-11-20T22:49:01Z."""
ENDED = 1_795_215_067
"""The same of the whole log: 2026-11-20T22:51:07Z."""


def _record(kind: str, **fields: object) -> bytes:
    told = fields | {"table": "keno-2", "type": kind, "v": 1}
    return json.dumps(told, sort_keys=True, separators=(",", ":")).encode()


TABLE = _record(
    "table",
    created="2026-11-20T22:49:00.000Z",
    custodians=["house"],
    game="keno-express",
    lead=2,
    log=ORIGIN,
    salt=NODE.beacon.chain_hash.hex(),
)
TABLE_ID = leaf_hash(TABLE)
SEEDS, ANCHOR = seeds_and_anchor(sha256(b"another example, not a secret"), table_id=TABLE_ID, first=1, count=COUNT)
COMMITMENTS = commitments(SEEDS, table_id=TABLE_ID, first=1)
BATCH = _record(
    "batch",
    anchors=[ANCHOR.hex()],
    batch=1,
    beacon=PULSE,
    commitments=[commitments_root(COMMITMENTS).hex()],
    committed="2026-11-20T22:49:00.050Z",
    count=COUNT,
    first=1,
    previous=TABLE_ID.hex(),
    rules={"version": 1},
)
BATCH_ID = leaf_hash(BATCH)
CONTEXT = context(BATCH_ID, salt_of(NODE.pulse(PULSE)))
RECORDS = (
    TABLE,
    BATCH,
    _record("salt", batch=1, salted="2026-11-20T22:51:00.400Z", signature=NODE.pulse(PULSE).hex()),
    _record("lock", locked="2026-11-20T22:51:06.000Z", opened="2026-11-20T22:51:01.000Z", round=1),
    _record(
        "reveal",
        outcome=GAMES["keno-express"].outcome(Stream([SEEDS[0]], CONTEXT, 1), {"version": 1}),
        revealed="2026-11-20T22:51:06.250Z",
        round=1,
        seeds=[SEEDS[0].hex()],
        status="played",
    ),
)
CODE = str(RoundCode.of("keno-express", TABLE_ID, 1, [SEEDS[0]]))


def policy() -> str:
    """Whom a verifier of this log believes: both witnesses, and the beacon."""
    names = [each.name for each in WITNESSES]
    lines = [f"log {KEY.verifier_key}", *(f"witness {each.name} {each.key}" for each in WITNESSES)]
    return "\n".join([*lines, f"group both all {' '.join(names)}", "quorum both", f"beacon {NODE.beacon}", ""])


def _edge(records: Sequence[bytes]) -> LogEdge:
    edge = LogEdge()
    for record in records:
        edge.append(record)
    return edge


def checkpoint(size: int, seen: int) -> bytes:
    """The checkpoint of the first ``size`` records, cosigned by one witness after the other from ``seen`` on."""
    note = Checkpoint(ORIGIN, size, _edge(RECORDS[:size]).root).sign(KEY)
    for time, witness in enumerate(WITNESSES, seen):
        note = cosigned(note, witness, time=time)
    return note


def witnessed() -> bytes:
    """The file that shows that the witnesses saw the batch before its pulse (SPEC 5.8)."""
    return f"c2sp.org/tlog-proof@v1\nindex 1\n{base64_text(TABLE_ID)}\n\n".encode() + checkpoint(2, SEEN)


def files() -> dict[str, bytes]:
    """Every file of the log by its path."""
    rounds = [RoundPositions(1, 2, 3, 4), RoundPositions(1, 2), RoundPositions(1, 2)]
    return {
        **dict(_edge(RECORDS).partial_files()),
        "checkpoint": checkpoint(len(RECORDS), ENDED),
        witnessed_path(BATCH_ID): witnessed(),
        commitments_path(BATCH_ID): b"".join(COMMITMENTS),
        tables_path(TABLE_ID): bytes(TablePositions(0)),
        rounds_path(TABLE_ID, 1): b"".join(map(bytes, rounds)),
    }
