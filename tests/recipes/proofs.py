"""Merkle trees and their proofs; the digests of bets.

What is expected comes from the recursive definitions of RFC 6962 (``tests/oracles/merkle_oracle.py``).
"""

from __future__ import annotations

import base64
from hashlib import sha256

from fairness.hashing import leaf_hash
from fairness.limits import LARGEST_EXTRA
from fairness.log.checkpoints import Checkpoint
from fairness.log.fork import Fork
from fairness.log.notes import SigningKey
from fairness.log.proof import Inclusion, TlogProof
from fairness.player.bets import BetReceipt, receipts
from tests.oracles.merkle_oracle import consistency_proof, inclusion_proof, tree_hash
from tests.oracles.strange_signatures import made_without_a_secret, of_small_order
from tests.recipes import Case, Format, Json, invalid, spelled, valid
from tests.recipes.notes import KEY, NAME, STRANGER, VKEY, signature_line, vkey_of

ENTRIES = [f"entry {number}".encode() for number in range(70)]
LEAVES = [leaf_hash(entry) for entry in ENTRIES]
SIZES = (0, 1, 2, 3, 4, 5, 7, 8, 9, 33, 64, 70)


def _roots() -> list[Case]:
    return [
        valid(
            f"{size} entries",
            {"entries": [entry.hex() for entry in ENTRIES[:size]]},
            {"root": tree_hash(LEAVES[:size]).hex()},
        )
        for size in SIZES
    ]


def _inclusion(index: int, size: int) -> Json:
    leaves = LEAVES[:size]
    return {
        "index": index,
        "leaf": leaves[index].hex(),
        "path": [digest.hex() for digest in inclusion_proof(index, leaves)],
        "root": tree_hash(leaves).hex(),
        "size": size,
    }


def _inclusions() -> list[Case]:
    good = _inclusion(5, 7)
    path: list[str] = good["path"]
    prefixed = [*path[:-1], _flipped(path[-1])]

    def false(name: str, catches: str, **changes: object) -> Case:
        return invalid(name, good | changes, catches)

    return [
        *(
            valid(f"leaf {index} of {size}", _inclusion(index, size))
            for size in SIZES[1:]
            for index in sorted({0, size // 2, size - 1})
        ),
        false("another leaf", "a leaf that is not hashed in", leaf=LEAVES[4].hex()),
        false("the neighbour's index", "an index that does not decide left and right", index=4),
        false("an index of the same path length", "an index that does not decide left and right", index=3),
        false("another size", "a size that does not decide the path's length", size=9),
        false("an index equal to the size", "a place past the end", index=7),
        false("an index far past the end", "an index whose high bits are dropped", index=5 + (1 << 32)),
        false("a hash too few", "a path that ends early", path=path[:-1]),
        false("a hash too many", "hashes that are passed over", path=[*path, path[0]]),
        false("no path", "a proof that compares nothing", path=[]),
        false("the path reversed", "another order", path=path[::-1]),
        false("a flipped bit in the last hash", "a root that is not compared", path=prefixed),
        false("another root", "a root that is not compared", root=tree_hash(LEAVES[:8]).hex()),
        invalid(
            "a leaf in the place of the root",
            _inclusion(0, 1) | {"leaf": LEAVES[1].hex()},
            "a tree of one leaf whose root is not compared",
        ),
        invalid(
            "a leaf of no tree", good | {"index": 0, "path": [], "size": 0}, "an empty tree that holds something"
        ),
        invalid(
            "a node taken for a leaf",
            {
                "index": 0,
                "leaf": tree_hash(LEAVES[:2]).hex(),
                "path": [tree_hash(LEAVES[2:4]).hex()],
                "root": tree_hash(LEAVES[:4]).hex(),
                "size": 4,
            },
            "a path of any length",
        ),
    ]


def _flipped(digest: str) -> str:
    return f"{int(digest[0], 16) ^ 1:x}{digest[1:]}"


def _consistency(old: int, size: int) -> Json:
    return {
        "old_root": tree_hash(LEAVES[:old]).hex(),
        "old_size": old,
        "path": [digest.hex() for digest in consistency_proof(old, LEAVES[:size])],
        "root": tree_hash(LEAVES[:size]).hex(),
        "size": size,
    }


def _consistencies() -> list[Case]:
    good = _consistency(6, 8)
    path: list[str] = good["path"]
    forked = [*LEAVES[:5], sha256(b"another").digest()]

    def false(name: str, catches: str, **changes: object) -> Case:
        return invalid(name, good | changes, catches)

    pairs = [
        (1, 1),
        (1, 2),
        (2, 3),
        (3, 4),
        (3, 7),
        (4, 7),
        (6, 8),
        (7, 8),
        (8, 9),
        (32, 33),
        (33, 64),
        (64, 70),
        (70, 70),
    ]
    return [
        *(valid(f"{old} begins {size}", _consistency(old, size)) for old, size in pairs),
        false("a forked smaller tree", "a smaller root that is not compared", old_root=tree_hash(forked).hex()),
        false("another larger tree", "a larger root that is not compared", root=tree_hash(LEAVES[:9]).hex()),
        false("the roots exchanged", "roots that are not told apart", old_root=good["root"], root=good["old_root"]),
        false("a hash too few", "a path that ends early", path=path[:-1]),
        false("a hash too many", "hashes that are passed over", path=[*path, path[0]]),
        false("no path", "a proof that compares nothing", path=[]),
        false("the path reversed", "another order", path=path[::-1]),
        false("another smaller size", "sizes that do not decide how hashes are joined", old_size=5),
        false("an empty smaller tree", "a tree of nothing that begins any", old_size=0, path=[]),
        false("the larger tree first", "a smaller tree that is the larger one", old_size=8, size=6),
        invalid(
            "a whole subtree with its root told",
            _consistency(4, 7) | {"path": [tree_hash(LEAVES[:4]).hex(), *_consistency(4, 7)["path"]]},
            "the older rule, by which a whole subtree's root is in the path",
        ),
        invalid(
            "equal sizes, other roots",
            _consistency(7, 7) | {"old_root": tree_hash(forked).hex()},
            "equal sizes whose roots are not compared",
        ),
        invalid("equal sizes with a path", _consistency(7, 7) | {"path": path[:1]}, "hashes that are passed over"),
    ]


def _bets() -> list[Case]:
    lines = [
        "7f3a19c2e0b6d4518a92f7c3305de61b 37 lower 500 AMD",
        "c05e88d14b7fa2963ed1580c97f4b2aa 10-37 1000 AMD",
        "the same line twice",
        "the same line twice",
        "",
    ]

    def whole(name: str, count: int) -> Case:
        root = tree_hash([leaf_hash(line.encode()) for line in lines[:count]])
        return valid(name, {"lines": lines[:count]}, {"count": count, "root": root.hex()})

    return [
        whole("no bets", 0),
        whole("one bet", 1),
        whole("the two bets of the specification", 2),
        whole("five bets, two alike, one empty", 5),
        valid(
            "a line of 1024 bytes",
            {"lines": ["x" * 1024]},
            {"count": 1, "root": leaf_hash(b"x" * 1024).hex()},
        ),
        valid(
            "a line above ASCII",
            {"lines": ["5 € on red"]},
            {"count": 1, "root": leaf_hash("5 € on red".encode()).hex()},
        ),
        invalid("a line of 1025 bytes", {"lines": ["x" * 1025]}, "a line without limit"),
        invalid("a line with a line feed", {"lines": ["one\ntwo"]}, "two bets that are counted as one"),
        invalid("1024 characters of two bytes", {"lines": ["é" * 1024]}, "a limit that counts characters"),
    ]


def _lined(line: bytes) -> Json:
    """The receipt of the only bet of a round, with any line."""
    table_id = sha256(b"a table").hexdigest()
    head = f"foredraw/v1/bet\ntable {table_id}\nround 7\ncount 1\nindex 0\nline "
    return {"text": f"{head}{base64.b64encode(line).decode()}\n"}


def _receipts() -> list[Case]:
    lines = [f"{number:032x} bet {number}".encode() for number in range(5)]
    table_id = sha256(b"a table").digest()
    made = receipts(lines, table_id=table_id, round_number=7)
    (empty,) = receipts([b""], table_id=table_id, round_number=7)

    def good_one(name: str, receipt: BetReceipt) -> Case:
        told = {
            "count": receipt.bets.count,
            "index": receipt.index,
            "line": receipt.line.hex(),
            "root": receipt.bets.root,
            "round": 7,
            "table_id": table_id.hex(),
        }
        return valid(name, spelled(bytes(receipt)), told)

    cases = [good_one(f"bet {receipt.index} of 5", receipt) for receipt in made]
    cases.append(good_one("a bet of no bytes", empty))
    good = bytes(made[1])

    def false(name: str, old: bytes, new: bytes, catches: str) -> Case:
        return invalid(name, spelled(good.replace(old, new, 1)), catches)

    hashes = good.split(b"\n")[6:-1]
    return [
        *cases,
        valid("a file of a later version", spelled(good.replace(b"/v1/", b"/v12/", 1)), {"unknown": True}),
        false("version 0", b"/v1/", b"/v0/", "a version that is not looked at"),
        false("an index equal to the count", b"index 1", b"index 5", "a place past the end"),
        false("an index with a leading zero", b"index 1", b"index 01", "int() of Python"),
        false("a count with a plus", b"count 5", b"count +5", "int() of Python"),
        false("a count that asks for a shorter path", b"count 5", b"count 2", "a path of any length"),
        false("round 0", b"round 7", b"round 0", "rounds counted from 0"),
        false("round 2 to the 48th", b"round 7", b"round 281474976710656", "a round without limit"),
        false(
            "a table's id in upper case",
            table_id.hex().encode(),
            table_id.hex().upper().encode(),
            "hex in both cases",
        ),
        false("a hash too few", hashes[-1] + b"\n", b"", "a path that ends early"),
        false(
            "a hash too many", hashes[0] + b"\n", hashes[0] + b"\n" + hashes[0] + b"\n", "hashes that are passed over"
        ),
        false("a hash without padding", b"=\n" + hashes[1], b"\n" + hashes[1], "a lenient decoder of Base64"),
        false("the keys in another order", b"round 7\ncount 5\n", b"count 5\nround 7\n", "keys found by name"),
        false("carriage returns", b"\n", b"\r\n", "lines that end in two ways"),
        false("two spaces", b"index 1", b"index  1", "a line that is split at white space"),
        good_one("a bet of 1024 bytes", BetReceipt(table_id, 7, 1, 0, b"x" * 1024, ())),
        invalid("a bet of 1025 bytes", _lined(b"x" * 1025), "a line without limit"),
        invalid("a bet with a line feed", _lined(b"one\ntwo"), "two bets that are counted as one"),
        invalid(
            "a count of 2 to the 53rd",
            spelled(
                f"foredraw/v1/bet\ntable {table_id.hex()}\nround 7\ncount {1 << 53}\nindex 0\nline\x20\n".encode()
                + (base64.b64encode(bytes(32)) + b"\n") * 53
            ),
            "numbers that are floating point",
        ),
        invalid("no line feed at the end", spelled(good[:-1]), "a reader that trims"),
        invalid("an empty line at the end", spelled(good + b"\n"), "a reader that trims"),
        invalid("a space before", spelled(b" " + good), "a reader that trims"),
        invalid("nothing", spelled(b""), "a reader that reads past the end"),
    ]


def _tlog_proofs() -> list[Case]:
    index, size = 5, 7
    head = Checkpoint(NAME, size, tree_hash(LEAVES[:size]))
    path = inclusion_proof(index, LEAVES[:size])
    good = bytes(TlogProof(Inclusion(index, tuple(path)), head.sign(KEY)))
    given = {"key": VKEY, "leaf": LEAVES[index].hex()}
    told = {"index": index, "origin": NAME, "root": head.root.hex(), "size": size}
    extra = bytes(TlogProof(Inclusion(index, tuple(path)), head.sign(KEY), b"a note of nobody"))
    witness = good + STRANGER.sign(str(head)).rsplit(b"\n\n", 1)[1]
    alone = bytes(TlogProof(Inclusion(0, ()), Checkpoint(NAME, 1, LEAVES[0]).sign(KEY)))
    first = good.split(b"\n")[2]

    def false(name: str, old: bytes, new: bytes, catches: str) -> Case:
        return invalid(name, spelled(good.replace(old, new, 1)) | given, catches)

    def proof_with(more: bytes) -> bytes:
        return bytes(TlogProof(Inclusion(index, tuple(path)), head.sign(KEY), more))

    return [
        valid("record 5 of 7", spelled(good) | given, told),
        valid("an extra line, which proves nothing", spelled(extra) | given, told),
        valid("a witness has signed, too", spelled(witness) | given, told),
        valid(
            "the only record",
            spelled(alone) | given | {"leaf": LEAVES[0].hex()},
            {"index": 0, "origin": NAME, "root": LEAVES[0].hex(), "size": 1},
        ),
        valid("65536 extra bytes", spelled(proof_with(bytes(LARGEST_EXTRA))) | given, told),
        invalid("65537 extra bytes", spelled(proof_with(bytes(LARGEST_EXTRA + 1))) | given, "an extra without limit"),
        invalid(
            "no index",
            spelled(
                good.replace(b"index 5\n", b"").replace(b"\n".join(good.split(b"\n")[2 : 2 + len(path)]) + b"\n", b"")
            )
            | given,
            "a reader that reads past the end",
        ),
        false("an index without its name", b"index 5", b"5", "a line that is found by its place"),
        invalid("another record", spelled(good) | given | {"leaf": LEAVES[4].hex()}, "a leaf that is not hashed in"),
        false("another version", b"@v1", b"@v2", "a version that is not looked at"),
        false("another index", b"index 5", b"index 4", "an index that does not decide left and right"),
        false("an index past the end", b"index 5", b"index 7", "a place past the end"),
        false("an index with a leading zero", b"index 5", b"index 05", "int() of Python"),
        false("an index with a plus", b"index 5", b"index +5", "int() of Python"),
        false("a hash too few", first + b"\n", b"", "a path that ends early"),
        false("a hash too many", first + b"\n", (first + b"\n") * 2, "hashes that are passed over"),
        false("a hash without padding", first, first.rstrip(b"="), "a lenient decoder of Base64"),
        false("no empty line", b"\n\n", b"\n", "a part that is found by its form"),
        false("carriage returns", b"\n", b"\r\n", "lines that end in two ways"),
        false("a checkpoint of another size", b"\n7\n", b"\n8\n", "a signature that is not verified"),
        invalid(
            "signed by a stranger",
            spelled(bytes(TlogProof(Inclusion(index, tuple(path)), STRANGER.sign(str(head))))) | given,
            "a checkpoint that anybody signed",
        ),
        invalid("an empty line before", spelled(b"\n" + good) | given, "a reader that trims"),
        invalid("nothing", spelled(b"") | given, "a reader that reads past the end"),
    ]


_UNOWNED = of_small_order()["y 1"]


def _signed_by_nobody(head: Checkpoint) -> bytes:
    text = str(head)
    key_id = bytes.fromhex(vkey_of(NAME, _UNOWNED).split("+")[1])
    return f"{text}\n".encode() + signature_line(NAME, key_id + made_without_a_secret(_UNOWNED, text.encode()))


def _forks() -> list[Case]:
    size, old = 7, 5
    other = [*LEAVES[: old - 1], sha256(b"another").digest()]
    larger = Checkpoint(NAME, size, tree_hash(LEAVES[:size]))
    smaller = Checkpoint(NAME, old, tree_hash(other))
    begun = tree_hash(LEAVES[:old])
    path = consistency_proof(old, LEAVES[:size])
    same = Checkpoint(NAME, size, tree_hash([*other, *LEAVES[old:size]]))
    first, second = sorted((same, larger), key=lambda head: head.root)

    def made(one: Checkpoint, two: Checkpoint, hashes: list[bytes], key: SigningKey = KEY) -> Json:
        return spelled(bytes(Fork(one.sign(key), two.sign(KEY), tuple(hashes)))) | {"key": VKEY}

    def told(one: Checkpoint, two: Checkpoint, root: bytes) -> Json:
        sizes = {"larger_size": two.size, "smaller_size": one.size}
        return sizes | {"root_in_larger": root.hex()}

    good = made(smaller, larger, [begun, *path])
    honest = Checkpoint(NAME, old, begun)
    reordered = Fork(larger.sign(KEY), smaller.sign(KEY), (begun, *path))
    return [
        valid("two sizes", good, told(smaller, larger, begun)),
        valid("equal sizes", made(first, second, []), told(first, second, second.root)),
        invalid("no contradiction", made(honest, larger, [begun, *path]), "a proof of consistency taken for a fork"),
        invalid("one checkpoint twice", made(larger, larger, []), "two equal roots taken for a fork"),
        invalid("no hashes", made(smaller, larger, []), "a larger log taken for a fork"),
        invalid("a hash too few", made(smaller, larger, [begun, *path[:-1]]), "a path of any length"),
        invalid("a hash too many", made(smaller, larger, [begun, *path, path[0]]), "hashes that are passed over"),
        invalid(
            "hashes that lead nowhere",
            made(smaller, larger, [begun, *path[:-1], begun]),
            "a proof that fails, which anybody can make, taken for a fork",
        ),
        invalid(
            "the forked root as the beginning", made(smaller, larger, [smaller.root, *path]), "a root not compared"
        ),
        invalid(
            "signed by a stranger",
            made(smaller, larger, [begun, *path], STRANGER),
            "a second log that anybody made up",
        ),
        invalid(
            "another log",
            made(Checkpoint("four.example/log", old, smaller.root), larger, [begun, *path]),
            "checkpoints of two logs",
        ),
        invalid(
            "signed by nobody, with a key of small order",
            spelled(bytes(Fork(_signed_by_nobody(smaller), _signed_by_nobody(larger), (begun, *path))))
            | {"key": vkey_of(NAME, _UNOWNED)},
            "evidence that anybody could make",
        ),
        invalid("the larger one first", spelled(bytes(reordered)) | {"key": VKEY}, "sizes that are not compared"),
        valid("a later version", {"text": "foredraw/v2/fork\n", "key": VKEY}, {"unknown": True}),
        invalid(
            "another first line",
            {"text": good["text"].replace("/v1/", "/v0/", 1), "key": VKEY},
            "a version that is not looked at",
        ),
        invalid("a hash between equal sizes", made(first, second, [begun]), "hashes that are passed over"),
        invalid("the greater root first", made(second, first, []), "roots that are not put in order"),
        invalid(
            "the larger one first, without hashes",
            made(larger, smaller, []),
            "sizes that are not put in order",
        ),
        invalid(
            "a fifth part",
            {"text": good["text"] + "\n" + good["text"].split("\n\n", 1)[1], "key": VKEY},
            "parts that are not counted",
        ),
        invalid(
            "a line more at the end",
            {"text": good["text"] + "\nmore\n", "key": VKEY},
            "a file that is split as far as it is needed",
        ),
        invalid("nothing", {"text": "", "key": VKEY}, "a reader that reads past the end"),
    ]


FORMATS = [
    Format("merkle-root", "compute", "2", _roots),
    Format("inclusion", "check", "2", _inclusions),
    Format("consistency", "check", "2", _consistencies),
    Format("tlog-proof", "check", "5.5", _tlog_proofs),
    Format("fork", "check", "8.5", _forks),
    Format("bets", "digest", "7", _bets),
    Format("bet-receipt", "parse", "7", _receipts),
]
