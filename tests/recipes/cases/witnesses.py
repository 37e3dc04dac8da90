"""Lies about what witnesses saw: of a head, and of a batch before its pulse."""

from __future__ import annotations

from fairness.checks import Check
from fairness.log.fork import Fork
from fairness.log.tiles import root_from_edge
from fairness.policy.witnessed import witnessed_path
from fairness.times import milliseconds, seconds_in_words
from tests.lies.witnessed import LEGAL as TRUE_FILES
from tests.lies.witnessed import LIES as FALSE_FILES
from tests.lies.witnessed import Log
from tests.recipes import Json
from tests.recipes.cases.small import small, tiles_of
from tests.recipes.cases.told import CHOSEN, TWO_FACES, Told, below
from tests.support.codes import code_of
from tests.support.dishonest_operator import KEY, Operator
from tests.support.proofs import proof_from, proof_of, seen_sections
from tests.support.witnessed import POLICY, SALTED_BY, pulse_time, salted_operator, witnessed_file, witnessed_log
from tests.support.witnesses import LAB, NOON, PRESS, REGULATOR, cosigned, policy_text
from verifier.audit.bundle_times import own_time
from verifier.sentences import NotChecked


def about_witnesses() -> list[Told]:
    """What a policy refuses, or tells, although the log's own key signed it."""
    operator, other = small(), small()
    honest, grown = operator.files(), other.play("keno-1").files()
    note, later = honest["checkpoint"], grown["checkpoint"]
    policy = {"policy": policy_text(KEY.verifier_key)}
    fork = _fork(operator)

    def audited(what: str, check: Check | None, head: bytes, tells: Json | None = None) -> Told:
        log = below("log", honest | {"checkpoint": head})
        return Told(what, TWO_FACES, policy | log, [["audit", "log"]], check, tells=tells or {})

    only_one = cosigned(note, LAB)
    proof = bytes(proof_of(operator, "keno-1", 2)).replace(note, only_one)
    halves = cosigned(note, LAB, PRESS)
    return [
        audited("a log that one of two witnesses saw", Check.CHECKPOINT_QUORUM, only_one),
        audited("a log that one witness saw twice", Check.CHECKPOINT_QUORUM, only_one + LAB.line(note, NOON + 60)),
        audited("a line of a witness under another head", Check.NOTE_SIGNATURE, halves + REGULATOR.line(later)),
        Told(
            "a proof of a log that one of two witnesses saw",
            TWO_FACES,
            policy | {"round.proof": proof},
            [["proof", "round.proof"]],
            Check.CHECKPOINT_QUORUM,
        ),
        audited(
            "two witnesses, and the hours are still the operator's",
            None,
            halves,
            {
                "witnessed": {
                    "shared": 1,
                    "witnesses": [
                        {"name": "lab", "at": seconds_in_words(NOON)},
                        {"name": "press", "at": seconds_in_words(NOON)},
                    ],
                },
                "not_checked": [NotChecked.WITNESSED.fill(shared=1)],
            },
        ),
        Told(
            "a quorum whose halves share no witness",
            TWO_FACES,
            {"policy": policy_text(KEY.verifier_key, asked="any")} | below("log", honest | {"checkpoint": only_one}),
            [["audit", "log"]],
            tells={"witnessed": {"shared": 0}, "not_checked": [NotChecked.WITNESSED_APART]},
        ),
        Told(
            "a witness that cosigned both sides of a fork",
            TWO_FACES,
            policy
            | {
                "fork.txt": bytes(Fork(cosigned(fork.smaller, LAB, PRESS), cosigned(fork.larger, PRESS), fork.hashes))
            },
            [["evidence", "fork.txt"]],
            tells={"cosigned_both": ["press"]},
        ),
    ]


def about_witnessed() -> list[Told]:
    """Batches that were not witnessed before their pulses; with the key alone, all of these logs are legal."""
    log = Log(salted_operator().play("salty-1", 3))
    policy, index, table_id = {"policy": POLICY}, log.batch.index, log.operator.tables["salty-1"].table_id

    def audited(
        what: str, files: dict[str, bytes], check: Check | None, record: int | None = None, tells: Json | None = None
    ) -> Told:
        given = policy | below("log", files)
        return Told(what, CHOSEN, given, [["audit", "log"]], check, record, tells=tells or {})

    def proof(data: bytes | None, number: int) -> bytes:
        return bytes(proof_from(log.files(data), table_id, number))

    def proven(what: str, data: bytes, check: Check | None) -> Told:
        at = index if check is Check.BATCH_WITNESSED else None
        return Told(what, CHOSEN, policy | {"round.proof": data}, [["proof", "round.proof"]], check, at)

    late, good = log.seen(log.pulse - 9), proof(log.honest(), 5)
    section = seen_sections(good)
    before, _, after = section.partition(b"\n\n\xe2")
    another = next(lie for lie in FALSE_FILES if lie.name == "the file of another batch").make(log)
    code = code_of(log.operator, "salty-1", 5)
    plain = bytes(proof_of(small(), "keno-1", 2))
    unsalted = plain.replace(b"\n\nlock\n", b"\n\n" + section + b"lock\n")
    unsigned = good.replace(section, before + b"\n\n\n\n" + after.partition(b"\n\n")[2])
    gap = good.replace(b"\n\ncheckpoint\n", b"\n\ncheckpoint\n\n")
    spare, slow = salted_operator(), salted_operator()
    spare.table("spare-1", "keno-express", salted_by=SALTED_BY)
    spare.batch("spare-1", 4)
    unplayed = spare.tables["spare-1"].batches[0]
    seen_late = witnessed_file(spare.records, unplayed.index, pulse_time(spare, unplayed) - 9)
    # After the last salt its clock is set back by twenty seconds.
    slow.rest(-20 / 3600)
    slow.play("sic-bo-1")
    behind = {"milliseconds": 8000, "record": slow.tables["sic-bo-1"].locks[1]}
    ahead = {"milliseconds": 4000, "record": index}
    early = milliseconds(own_time(log.operator.records[index])) // 1000 - 5
    told = {"witnessed_files": 2, "clock": {"slow": None}, "not_checked": [NotChecked.SALT_WITNESSED]}
    return [
        *(
            audited(lie.name, log.files(lie.make(log)), lie.check, None if lie.check is Check.LOG_EXTENDS else index)
            for lie in FALSE_FILES
        ),
        *(audited(f"a batch with {each.name}", log.files(each.make(log)), None, tells=told) for each in TRUE_FILES),
        audited(
            "a batch that is never played, and was seen too late",
            witnessed_log(spare) | {witnessed_path(unplayed.batch_id): seen_late},
            Check.BATCH_WITNESSED,
            unplayed.index,
        ),
        audited("a table that was never played", witnessed_log(spare), None, tells={"never_played": ["spare-1"]}),
        proven("a proof without what witnesses saw", good.replace(section, b""), Check.BATCH_WITNESSED),
        proven("a proof of a batch that was seen too late", proof(late, 5), Check.BATCH_WITNESSED),
        proven("a proof with the file of another batch", proof(another, 5), Check.BATCH_WITNESSED),
        proven("a proof of a witnessed batch", good, None),
        proven("a section witnessed where there is no salt", unsalted, Check.PROOF_FORM),
        proven("a section witnessed without signatures", unsigned, Check.PROOF_FORM),
        proven("a checkpoint below an empty line", gap, Check.PROOF_FORM),
        audited("a clock that was set back", witnessed_log(slow), None, tells={"clock": {"slow": behind}}),
        audited("a clock that was fast", log.files(log.seen(early)), None, tells={"clock": {"fast": ahead}}),
        Told(
            "a code of a batch that was seen too late",
            CHOSEN,
            policy | below("log", log.files(late)),
            [["code", str(code), "--log", "log"]],
            Check.BATCH_WITNESSED,
            index,
        ),
    ]


def _fork(operator: Operator) -> Fork:
    """Evidence that this log's key signed another one, too, which has one record more."""
    other = Operator()
    other.table("keno-1", "keno-express", ["another"])
    other.batch("keno-1", 12)
    other.play("keno-1", 5)
    smaller, larger = sorted((tiles_of(operator), tiles_of(other)), key=lambda tiles: tiles.checkpoint.size)
    size = smaller.checkpoint.size
    hashes = (root_from_edge(larger.prefix_edge(size)), *larger.consistency_path(size))
    return Fork(smaller.checkpoint.sign(KEY), larger.checkpoint.sign(KEY), hashes)
