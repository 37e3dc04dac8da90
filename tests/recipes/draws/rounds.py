"""From seeds to codes: chains, commitments, streams, draws, outcomes, round codes.

The values of ``protocol.json`` were made by an implementation that shares no code with this one.
"""

from __future__ import annotations

import json
from hashlib import sha256

from fairness.draws.commitments import commitment
from fairness.draws.seed_chain import previous_seed, seeds_and_anchor
from fairness.hashing import tag, u48, u64
from fairness.limits import LARGEST_BATCH
from fairness.player import bech32m
from tests.house import HOUSE
from tests.recipes import Case, Format, Json, invalid, valid
from tests.recipes.draws.declarations import declared_outcomes

PROTOCOL: Json = json.loads((HOUSE / "tests" / "vectors" / "protocol.json").read_text("utf-8"))
NO_SALT = "00" * 32
TABLE_ID = sha256(b"a table").digest()
SEED = sha256(b"a seed").digest()


def _game(table: Json) -> str:
    game: str = json.loads(table["table_record"])["game"]
    return game


def _chains() -> list[Case]:
    cases = []
    for table in PROTOCOL["tables"]:
        batch = table["batches"][0]
        record = json.loads(batch["record"])
        first, count = record["first"], record["count"]
        for custodian, last_seed in enumerate(batch["last_seeds"]):
            seeds = [entry["seeds"][custodian] for entry in table["rounds"][first - 1 : first - 1 + count]]
            given = {"count": count, "first": first, "last_seed": last_seed, "table_id": table["table_id"]}
            cases.append(
                valid(
                    f"{_game(table)}, custodian {custodian + 1}",
                    given,
                    {"anchor": record["anchors"][custodian], "seeds": seeds},
                )
            )
    first = (1 << 48) - 3
    seeds, anchor = seeds_and_anchor(SEED, table_id=TABLE_ID, first=first, count=3)
    given = {"count": 3, "first": first, "last_seed": SEED.hex(), "table_id": TABLE_ID.hex()}
    cases.append(
        valid("the last rounds there are", given, {"anchor": anchor.hex(), "seeds": [seed.hex() for seed in seeds]})
    )
    return [
        *cases,
        invalid("no rounds", given | {"count": 0}, "a batch of no rounds"),
        invalid("a round too many", given | {"count": LARGEST_BATCH + 1, "first": 1}, "no limit on a batch"),
        invalid("a seed of 31 bytes", given | {"last_seed": SEED[:31].hex()}, "a seed of any length"),
    ]


def _links() -> list[Case]:
    number = 0x0102
    honest = previous_seed(SEED, table_id=TABLE_ID, round_number=number)
    given = {"before": honest.hex(), "round": number, "seed": SEED.hex(), "table_id": TABLE_ID.hex()}

    def false(name: str, before: bytes, catches: str) -> Case:
        return invalid(name, given | {"before": before.hex()}, catches)

    start = tag("seed") + TABLE_ID
    return [
        valid("a link", given),
        false("a flipped bit", honest[:-1] + bytes([honest[-1] ^ 1]), "a comparison of a part"),
        false("without a tag", sha256(TABLE_ID + u64(number) + SEED).digest(), "a hash without its tag"),
        false(
            "another tag",
            sha256(tag("commitment") + TABLE_ID + u64(number) + SEED).digest(),
            "one tag for all hashes",
        ),
        false("a tag without its NUL", sha256(start[:17] + start[18:]).digest(), "a tag without its last byte"),
        false("without the table", sha256(tag("seed") + u64(number) + SEED).digest(), "one chain serves two tables"),
        false("without the round", sha256(start + SEED).digest(), "one chain serves one table twice"),
        false(
            "the round before's number",
            previous_seed(SEED, table_id=TABLE_ID, round_number=number - 1),
            "a link that takes the number of the round to which it leads",
        ),
        false(
            "a little-endian round",
            sha256(start + number.to_bytes(8, "little") + SEED).digest(),
            "the other byte order",
        ),
        false("a round of 4 bytes", sha256(start + number.to_bytes(4, "big") + SEED).digest(), "another width"),
        false("hashed in hexadecimal", sha256(start + u64(number) + SEED.hex().encode()).digest(), "text for bytes"),
        false("the seed itself", SEED, "a comparison that never hashed"),
    ]


def _commitments() -> list[Case]:
    table = PROTOCOL["tables"][0]
    entry = table["rounds"][0]
    honest = {
        "commitment": entry["commitments"][0],
        "round": entry["round"],
        "seed": entry["seeds"][0],
        "table_id": table["table_id"],
    }
    seed, table_id = bytes.fromhex(entry["seeds"][0]), bytes.fromhex(table["table_id"])

    def false(name: str, digest: bytes, catches: str) -> Case:
        return invalid(name, honest | {"commitment": digest.hex()}, catches)

    return [
        *(
            valid(
                f"{_game(table)}, round {entry['round']}",
                {
                    "commitment": entry["commitments"][-1],
                    "round": entry["round"],
                    "seed": entry["seeds"][-1],
                    "table_id": table["table_id"],
                },
            )
            for table in PROTOCOL["tables"]
            for entry in table["rounds"][::18]
        ),
        false("the link's tag", previous_seed(seed, table_id=table_id, round_number=1), "one tag for all hashes"),
        false("the next round's", commitment(seed, table_id=table_id, round_number=2), "rounds counted from 0"),
        false("a bare hash of the seed", sha256(seed).digest(), "a hash without tag, table and round"),
        false("another table's", commitment(seed, table_id=TABLE_ID, round_number=1), "a commitment for any table"),
    ]


def _streams() -> list[Case]:
    cases = []
    for table in PROTOCOL["tables"]:
        for batch in table["batches"][:1]:
            entry = table["rounds"][json.loads(batch["record"])["first"] - 1]
            size = len(entry["stream"]) // 2
            given = {"batch_id": batch["batch_id"], "round": entry["round"], "salt": NO_SALT, "seeds": entry["seeds"]}
            cases.append(valid(_game(table), given | {"size": size}, {"hex": entry["stream"]}))
            cases.append(
                valid(f"{_game(table)}, not whole blocks", given | {"size": size - 5}, {"hex": entry["stream"][:-10]})
            )
    return cases


def _outcomes() -> list[Case]:
    cases = [
        valid(
            f"{_game(table)}, round {entry['round']}",
            {
                "batch_id": batch["batch_id"],
                "game": _game(table),
                "round": entry["round"],
                "rules": record["rules"],
                "salt": NO_SALT,
                "seeds": entry["seeds"],
            },
            {"outcome": entry["outcome"]},
        )
        for table in PROTOCOL["tables"]
        for batch in table["batches"]
        for record in [json.loads(batch["record"])]
        for entry in table["rounds"][record["first"] - 1 : record["first"] - 1 + record["count"]]
    ]
    crash, plain = cases[0].given, cases[-1].given

    def ruled(name: str, given: Json, rules: Json, catches: str) -> Case:
        return invalid(name, given | {"rules": rules}, catches)

    rules: Json = {"cap": 1_000_000, "rtp": 9700, "version": 1}
    return [
        *cases,
        invalid("an unknown game", plain | {"game": "roulette"}, "a default for what is unknown"),
        ruled("crash of version 2", crash, rules | {"version": 2}, "version 1's rules for any version"),
        ruled("crash without a cap", crash, {"rtp": 9700, "version": 1}, "a default for what is missing"),
        ruled("crash with a key more", crash, rules | {"edge": 300}, "a rule that is not looked at"),
        ruled("an rtp of 0", crash, rules | {"rtp": 0}, "an rtp without its smallest value"),
        ruled("an rtp above 100 percent", crash, rules | {"rtp": 10_001}, "an rtp without its largest value"),
        ruled("a cap of 1.00", crash, rules | {"cap": 100}, "a cap without its smallest value"),
        ruled("a cap above ten million", crash, rules | {"cap": 1_000_000_001}, "a cap without its largest value"),
        ruled(
            "a parameter for a game that has none", plain, {"cap": 5, "version": 1}, "rules that are not looked at"
        ),
        ruled("no rules", plain, {}, "a default for what is missing"),
        *declared_outcomes(),
    ]


def _below() -> list[Case]:
    named = {
        "fffffffcfffffffb": "the first word of the cut-off run is refused",
        "fffffffffffffffc00000000": "two words are refused, one after the other",
        "ffffffeaffffffeb00000007": "the last word that is taken, and what is left over",
        "8000000180000000": "a limit above 2 to the 31st",
        "ffffffff00000005": "the largest word is refused",
    }
    edges = [
        valid(
            named[vector["bytes"]],
            {"hex": vector["bytes"], "limit": vector["below"]},
            {"number": vector["result"], "taken": len(vector["bytes"]) // 2 - vector["bytes_left"]},
        )
        for vector in PROTOCOL["from_given_bytes"]
        if "below" in vector
    ]
    return [
        *edges,
        valid("a limit of 1 takes a word, too", {"hex": "ffffffff", "limit": 1}, {"number": 0, "taken": 4}),
        valid(
            "a limit of 2 to the 32nd", {"hex": "ffffffff", "limit": 1 << 32}, {"number": (1 << 32) - 1, "taken": 4}
        ),
        invalid("a limit of 0", {"hex": "00000000", "limit": 0}, "a division by zero"),
        invalid(
            "a limit above 2 to the 32nd", {"hex": "00000000", "limit": (1 << 32) + 1}, "a limit that wraps around"
        ),
    ]


def _multipliers() -> list[Case]:
    return [
        valid(
            f"rtp {vector['multiplier'][0]}, cap {vector['multiplier'][1]}, word {vector['bytes']}",
            {"cap": vector["multiplier"][1], "hex": vector["bytes"], "rtp": vector["multiplier"][0]},
            {"hundredths": vector["result"], "taken": 8},
        )
        for vector in PROTOCOL["from_given_bytes"]
        if "multiplier" in vector
    ]


def _samples() -> list[Case]:
    first = bytes.fromhex("000000030000000000000005")
    return [
        valid("three of ten", {"count": 3, "hex": first.hex(), "size": 10}, {"numbers": [3, 1, 7], "taken": 12}),
        valid("none of ten", {"count": 0, "hex": "", "size": 10}, {"numbers": [], "taken": 0}),
        valid("all of one", {"count": 1, "hex": "00000007", "size": 1}, {"numbers": [0], "taken": 4}),
        valid(
            "three of 2 to the 32nd",
            {"count": 3, "hex": "ffffffff0000000000000001", "size": 1 << 32},
            {"numbers": [(1 << 32) - 1, 1, 3], "taken": 12},
        ),
        valid(
            "five of 2 to the 32nd, places that were drawn before",
            {"count": 5, "hex": "00000004" + "00000003" + "00000002" + "00000001" + "00000000", "size": 1 << 32},
            {"numbers": [4, 0, 1, 2, 3], "taken": 20},
        ),
        invalid(
            "one of 2 to the 32nd plus 1",
            {"count": 1, "hex": first.hex(), "size": (1 << 32) + 1},
            "a draw from more than a word can name",
        ),
        invalid(
            "a word that is cut off", {"count": 1, "hex": "ffffff", "size": 10}, "a reader that reads past the end"
        ),
        invalid(
            "three of two", {"count": 3, "hex": first.hex(), "size": 2}, "a sample larger than what it is taken of"
        ),
    ]


def _code(game: str, payload: bytes) -> Json:
    return {"text": bech32m.encode(game, payload)}


def _codes() -> list[Case]:
    cases = []
    for table in PROTOCOL["tables"]:
        for entry in table["rounds"][:2]:
            result = {
                "game": _game(table),
                "round": entry["round"],
                "seeds": entry["seeds"],
                "table_prefix": table["table_id"][:8],
            }
            cases.append(valid(f"{_game(table)}, round {entry['round']}", {"text": entry["code"]}, result))
    code = cases[0]
    shouted = {"text": code.given["text"].upper()}
    shouted_keno = bech32m.encode("keno-express", b"\x01" + TABLE_ID[:4] + u48(7) + SEED).upper()
    payload = b"\x01" + TABLE_ID[:4] + u48(7)
    return [
        *cases,
        valid("upper case", shouted, code.result),
        valid(
            "eight seeds",
            _code("hi-lo", payload + SEED * 8),
            {"game": "hi-lo", "round": 7, "seeds": [SEED.hex()] * 8, "table_prefix": TABLE_ID[:4].hex()},
        ),
        valid(
            "a declared game, with a 1 in its name",
            _code("toto-11", payload + SEED),
            {"game": "toto-11", "round": 7, "seeds": [SEED.hex()], "table_prefix": TABLE_ID[:4].hex()},
        ),
        invalid(
            "a name with an underscore", _code("toto_11", payload + SEED), "a name that no table's game can have"
        ),
        invalid("a name of 33 characters", _code("x" * 33, payload + SEED), "a name that no table's game can have"),
        *(
            invalid(vector["bug"], {"text": vector["code"]}, _CODE_BUGS.get(vector["bug"], _accepts(vector["bug"])))
            for vector in PROTOCOL["codes_to_refuse"]
            # Since games are declared, every name is that of a game.
            if vector["bug"] != "unknown game"
        ),
        invalid("nine seeds", _code("hi-lo", payload + SEED * 9), "a code of any number of seeds"),
        invalid("a byte after the seeds", _code("hi-lo", payload + SEED + b"\0"), "a reader that drops what is over"),
        invalid("version 0", _code("hi-lo", b"\0" + payload[1:] + SEED), "a reader that knows only what is newer"),
        invalid("nothing but a version", _code("hi-lo", b"\x01"), "a reader that reads past the end"),
        invalid("five characters behind the 1", {"text": "hi-lo1qqqqq"}, "a checksum that is not there"),
        invalid("no 1", {"text": "qqqqqqqqqqqqqqqq"}, "a reader that splits at what is not there"),
        invalid("no payload", _code("hi-lo", b""), "a reader that reads past the end"),
        invalid(
            "a name in lower case, the rest in upper", {"text": _mixed(code.given["text"])}, _accepts("mixed case")
        ),
        invalid(
            "a Kelvin sign for a K", {"text": shouted_keno.replace("K", "\u212a", 1)}, "lower() of other scripts"
        ),
        invalid("more than 1024 characters", _code("hi-lo", payload + SEED * 20), "a code of any length"),
    ]


_CODE_BUGS = {
    "one character changed": "a checksum that is not verified",
    "last character missing": "a checksum that is not verified",
    "a character added": "a checksum that is not verified",
    "space before": "a reader that trims",
    "line feed after": "a reader that trims",
    "Bech32 checksum, not Bech32m": "the constant of the older checksum",
    "padding bits set": "a reader that drops the last bits, so that one code has many spellings",
    "a group too many": "a reader that drops the last group",
}


def _accepts(name: str) -> str:
    return f"a reader that accepts: {name}"


def _mixed(code: str) -> str:
    name, _, rest = code.partition("1")
    return f"{name}1{rest.upper()}"


FORMATS: list[Format] = [
    Format("seed-chain", "unroll", "3.1", _chains),
    Format("seed-link", "check", "3.1", _links),
    Format("commitment", "check", "3.2", _commitments),
    Format("stream", "read", "3.3", _streams),
    Format("draw-below", "draw", "3.4", _below),
    Format("draw-multiplier", "draw", "3.4", _multipliers),
    Format("draw-sample", "draw", "3.4", _samples),
    Format("outcome", "compute", "3.5 to 3.9", _outcomes),
    Format("round-code", "parse", "6", _codes),
]
