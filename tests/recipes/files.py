"""The files of a log: paths, bundles, whole small logs, commitments, finding aids."""

from __future__ import annotations

from hashlib import sha256

from fairness.draws.commitments import commitments_root
from fairness.log.checkpoints import Checkpoint
from fairness.log.edge import LogEdge
from fairness.log.tiles import bundle_of
from fairness.round.finding_aids import RoundPositions, TablePositions
from tests.recipes import Case, Format, Json, invalid, spelled, valid
from tests.recipes.notes import KEY, NAME, VKEY

Files = dict[str, bytes]


def _paths() -> list[Case]:
    rows = (
        ("0", 0, 256, "tile/0/000"),
        ("0", 273, 112, "tile/0/273.p/112"),
        ("0", 1_234_067, 256, "tile/0/x001/x234/067"),
        ("1", 1_000, 255, "tile/1/x001/000.p/255"),
        ("2", 0, 1, "tile/2/000.p/1"),
        ("entries", 999, 256, "tile/entries/999"),
        ("entries", 1_000_000_000, 7, "tile/entries/x001/x000/x000/000.p/7"),
    )
    return [
        valid(path, {"kind": kind, "number": number, "width": width}, {"path": path})
        for kind, number, width, path in rows
    ]


def _bundles() -> list[Case]:
    entries = [b"first", b"", b"a third, longer one"]
    whole = bundle_of(entries)

    def split(name: str, data: bytes, parts: list[bytes]) -> Case:
        return valid(name, {"count": len(parts), "hex": data.hex()}, {"entries": [part.hex() for part in parts]})

    def refused(name: str, data: bytes, catches: str, count: int = len(entries)) -> Case:
        return invalid(name, {"count": count, "hex": data.hex()}, catches)

    long = b"x" * 0x0102
    return [
        split("three records", whole, entries),
        split("one empty record", b"\0\0", [b""]),
        split("a record of 258 bytes", bundle_of([long]), [long]),
        refused("a byte too few", whole[:-1], "a record that is cut off"),
        refused("a byte too many", whole + b"\0", "bytes that are passed over"),
        refused("a record too few", whole, "a bundle that ends early", 4),
        refused("a record too many", whole, "records that are passed over", 2),
        refused("half a length at the end", bundle_of(entries[:2]) + b"\0", "a reader that reads past the end"),
        refused("a little-endian length", b"\5\0first", "the other byte order", 1),
        refused("a length past the end", b"\xff\xffx", "a reader that reads past the end", 1),
        refused("nothing", b"", "a bundle that ends early", 1),
    ]


def _log_of(count: int) -> tuple[list[bytes], Files]:
    """A log of small entries, which need not be records for tiles."""
    entries, edge, files = [f"entry {number}".encode() for number in range(count)], LogEdge(), Files()
    for entry in entries:
        files |= dict(edge.append(entry))
    files |= dict(edge.partial_files())
    files["checkpoint"] = Checkpoint(NAME, edge.size, edge.root).sign(KEY)
    return entries, files


def _changed(data: bytes, at: int = 0) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def _given(files: Files, index: int) -> Json:
    return {"files": {path: data.hex() for path, data in sorted(files.items())}, "index": index, "key": VKEY}


def _logs() -> list[Case]:
    entries, small = _log_of(5)
    tile, bundle = "tile/0/000.p/5", "tile/entries/000.p/5"
    many, large = _log_of(259)
    full, top, rest = "tile/0/000", "tile/1/000.p/1", "tile/0/001.p/3"
    whole = "tile/entries/000"

    def found(name: str, files: Files, index: int, record: bytes) -> Case:
        return valid(name, _given(files, index), spelled(record))

    def refused(name: str, index: int, catches: str, files: Files) -> Case:
        return invalid(name, _given(files, index), catches)

    _, other = _log_of(4)
    grown = {path: data for path, data in large.items() if path != "checkpoint"}
    grown["checkpoint"] = small["checkpoint"]
    head = Checkpoint(NAME, 5, sha256(b"another root").digest()).sign(KEY)
    return [
        found("the first record", small, 0, entries[0]),
        found("the last record", small, 4, entries[4]),
        found("a record in a full bundle", large, 255, many[255]),
        found("a record at the edge of a larger log", large, 258, many[258]),
        found("a partial file is gone, the full one serves", grown, 3, entries[3]),
        found("another record of the bundle is false", small | {bundle: _changed(small[bundle], 12)}, 3, entries[3]),
        found(
            "what is behind the cut is false",
            grown | {full: _changed(grown[full], 8_000), whole: _changed(grown[whole], len(grown[whole]) - 1)},
            3,
            entries[3],
        ),
        refused("an index past the end", 5, "a reader that reads past the end", small),
        refused("an index past the last tile", 300, "a reader that looks for tiles that there are not", small),
        refused(
            "a full tile that serves is cut short",
            3,
            "a file that serves for a partial one and may have any length",
            grown | {full: grown[full][:-32]},
        ),
        refused(
            "a full bundle that serves is cut short",
            3,
            "a file that serves for a partial one and may have any length",
            grown | {whole: bundle_of(many[:255])},
        ),
        refused(
            "a partial tile with the bytes of a full one",
            3,
            "tiles of any length",
            small | {tile: grown[full]},
        ),
        refused(
            "a changed record and its changed hash in a full tile",
            0,
            "full tiles that are not checked against the level above",
            large
            | {
                whole: bundle_of([b"another", *many[1:256]]),
                full: sha256(b"\0another").digest() + large[full][32:],
            },
        ),
        refused("a changed record", 1, "records that are not hashed", small | {bundle: _changed(small[bundle], 12)}),
        refused(
            "a changed hash", 0, "tiles that are not checked against the root", small | {tile: _changed(small[tile])}
        ),
        refused(
            "a changed record and its changed hash",
            0,
            "tiles that are not checked against the root",
            small
            | {
                bundle: bundle_of([b"another", *entries[1:]]),
                tile: sha256(b"\0another").digest() + small[tile][32:],
            },
        ),
        refused(
            "another root, signed", 0, "tiles that are not checked against the root", small | {"checkpoint": head}
        ),
        refused(
            "a smaller log's checkpoint with this log's size",
            0,
            "a signature that is not verified",
            small | {"checkpoint": other["checkpoint"].replace(b"\n4\n", b"\n5\n")},
        ),
        refused("a tile a byte short", 0, "tiles of any length", small | {tile: small[tile][:-1]}),
        refused("a tile a hash too long", 0, "tiles of any length", small | {tile: small[tile] + small[tile][:32]}),
        refused("a bundle a byte too long", 0, "bytes that are passed over", small | {bundle: small[bundle] + b"\0"}),
        refused(
            "two records exchanged",
            0,
            "hashes of which only the set is checked",
            small | {bundle: bundle_of([entries[1], entries[0], *entries[2:]])},
        ),
        refused(
            "a changed hash in a full tile",
            0,
            "full tiles that are not checked against the level above",
            large | {full: _changed(large[full])},
        ),
        refused("a changed hash of level 1", 0, "a level that is not checked", large | {top: _changed(large[top])}),
        refused(
            "a changed hash at the edge", 0, "an edge that is not checked", large | {rest: _changed(large[rest])}
        ),
        refused(
            "the leaf hashes without their prefix",
            0,
            "leaves that are hashed like nodes",
            _without_prefix(entries),
        ),
    ]


def _without_prefix(entries: list[bytes]) -> Files:
    """A log with leaf hashes without a prefix, up to a signed root."""
    hashes = [sha256(entry).digest() for entry in entries]
    level = hashes
    while len(level) > 1:
        pairs = [sha256(b"\1" + level[i] + level[i + 1]).digest() for i in range(0, len(level) - 1, 2)]
        level = pairs + level[len(pairs) * 2 :]
    return {
        "checkpoint": Checkpoint(NAME, len(entries), level[0]).sign(KEY),
        "tile/0/000.p/5": b"".join(hashes),
        "tile/entries/000.p/5": bundle_of(entries),
    }


def _commitments_files() -> list[Case]:
    digests = [sha256(f"commitment {number}".encode()).digest() for number in range(6)]
    one, two = digests[:3], digests[3:]
    roots = [commitments_root(one).hex(), commitments_root(two).hex()]
    both = b"".join(digests)

    def refused(name: str, data: bytes, catches: str) -> Case:
        return invalid(name, {"count": 3, "hex": data.hex(), "roots": roots}, catches)

    return [
        valid("one custodian", {"count": 3, "hex": b"".join(one).hex(), "roots": roots[:1]}),
        valid("two custodians", {"count": 3, "hex": both.hex(), "roots": roots}),
        valid("one round", {"count": 1, "hex": one[0].hex(), "roots": [commitments_root(one[:1]).hex()]}),
        refused("a flipped bit", _changed(both), "a file that is not checked against the roots"),
        refused("a flipped bit of the second custodian", _changed(both, 100), "a file of which a part is checked"),
        refused("the custodians exchanged", b"".join(two + one), "roots that are checked as a set"),
        refused(
            "round after round",
            b"".join(pair for both in zip(one, two, strict=True) for pair in both),
            "another order",
        ),
        refused("a byte too few", both[:-1], "a file of any length"),
        refused("a byte too many", both + b"\0", "bytes that are passed over"),
        refused("a custodian too few", b"".join(one), "a file of any length"),
        refused("nothing", b"", "a file of any length"),
        invalid(
            "a root without leaf hashes",
            {"count": 1, "hex": one[0].hex(), "roots": [one[0].hex()]},
            "commitments that are taken for leaf hashes",
        ),
    ]


def _tables() -> list[Case]:
    rows = [TablePositions(0), TablePositions(7, 20, 21)]
    data = b"".join(map(bytes, rows))
    return [
        valid("one table", {"hex": data[:24].hex()}, {"tables": [[0, 0, 0]]}),
        valid("two tables whose ids begin alike", {"hex": data.hex()}, {"tables": [[0, 0, 0], [7, 20, 21]]}),
        invalid("nothing", {"hex": ""}, "a file of no tables"),
        invalid("a byte too few", {"hex": data[:-1].hex()}, "an entry that is cut off"),
        invalid("a byte too many", {"hex": (data + b"\0").hex()}, "bytes that are passed over"),
        invalid(
            "257 tables",
            {"hex": b"".join(bytes(TablePositions(number)) for number in range(257)).hex()},
            "a file without limit",
        ),
        invalid(
            "two tables exchanged",
            {"hex": (data[24:] + data[:24]).hex()},
            "positions in any order, so that one list has many spellings",
        ),
        invalid("a table twice", {"hex": (data[24:] * 2).hex()}, "a table that is tried twice"),
    ]


def _rounds() -> list[Case]:
    rows = [RoundPositions(1, 0, 2, 3), RoundPositions(1), RoundPositions((1 << 53) - 1)]
    data = b"".join(map(bytes, rows))
    told = [[1, 0, 2, 3], [1, 0, 0, 0], [(1 << 53) - 1, 0, 0, 0]]
    return [
        valid("three rounds", {"hex": data.hex()}, {"rounds": told}),
        valid("a full file", {"hex": (data[:32] * 256).hex()}, {"rounds": told[:1] * 256}),
        invalid("nothing", {"hex": ""}, "a file of no rounds"),
        invalid("a byte too few", {"hex": data[:-1].hex()}, "an entry that is cut off"),
        invalid("three quarters of an entry", {"hex": data[:24].hex()}, "the other file's width"),
        invalid("257 rounds", {"hex": (data[:32] * 257).hex()}, "a file without limit"),
    ]


def _aid_paths() -> list[Case]:
    table_id = sha256(b"a table").hexdigest()
    rows = ((1, "000", 0), (256, "000", 255), (257, "001", 0), (256_001, "x001/000", 0), ((1 << 48) - 1, None, 254))
    last = "x001/x099/x511/x627/775"
    return [
        valid(
            f"round {number}",
            {"round": number, "table_id": table_id},
            {"path": f"find/rounds/{table_id[:2]}/{table_id}/{file or last}", "place": place},
        )
        for number, file, place in rows
    ]


FORMATS = [
    Format("tile-path", "spell", "5.2", _paths),
    Format("bundle", "split", "5.2", _bundles),
    Format("log", "read", "5.2", _logs),
    Format("commitments-file", "check", "5.3", _commitments_files),
    Format("finding-aid-tables", "parse", "5.4", _tables),
    Format("finding-aid-rounds", "parse", "5.4", _rounds),
    Format("finding-aid-path", "spell", "5.4", _aid_paths),
]
