"""With a policy, nothing is published that its quorum has not cosigned; and whatever witnesses do, rounds go on as
far as that allows.
"""

from __future__ import annotations

import errno
import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from api.answers.rounds import Pending
from api.http.view import show_table
from api.log.recovery import RecoveryError
from api.problems import Code, Problem
from api.programs.background.heart import Heartbeat
from api.programs.background.loop import Loop
from api.rounds.tables import add_table
from api.witnesses.publisher import CLOCKS_DIFFER
from api.witnesses.reports import ALARM_AFTER, AWAY_AFTER, read_witnesses
from api.witnesses.standing import AGAIN, LONGEST_PAUSE
from api.world.storage_failures import in_words
from fairness.log.checkpoints import Checkpoint
from tests.support.witness_server import (
    LocalWitness,
    Response,
    another_tree,
    as_somebody_else,
    away,
    forgets,
    rubbish,
)
from tests.support.witnessed_service import WitnessedService, witnessed_service


@pytest.fixture(name="running")
def _running(tmp_path: Path) -> Iterator[WitnessedService]:
    with witnessed_service(tmp_path) as running:
        yield running


def pause(running: WitnessedService) -> None:
    """Let so much time pass that every witness is asked again."""
    running.clock.step(LONGEST_PAUSE.total_seconds())
    running.settle()


def refusal(running: WitnessedService, table: str = "crash-1") -> Problem:
    """Why the next round cannot be opened, which its table says, too."""
    with pytest.raises(Problem) as refused:
        running.open(table, running.state(table).next_round)
    told = show_table(running.service.database, running.service.openings, table)
    assert told.why_not[0] == refused.value.code.text
    return refused.value


def test_whole_rounds_are_played_and_every_checkpoint_has_the_quorum(running: WitnessedService) -> None:
    """All witnesses see every head that is published, and sign it."""
    running.play("crash-1", 3)
    running.play("keno-1", 3)
    running.check()
    assert running.cosigned_by == ["lab", "press", "regulator"]
    for note in running.disk.checkpoints:
        size = Checkpoint.open(note, running.key).size
        assert size == 0 or note.count(b"\n\xe2\x80\x94 ") >= 3


def test_one_of_three_may_be_away(running: WitnessedService) -> None:
    """The quorum of two suffices; the one that comes back signs the newest head, and what it missed is one proof."""
    lab = running.witnesses[0]
    lab.behaves = away
    running.play("crash-1", 5)
    running.settle()
    assert running.cosigned_by == ["press", "regulator"]
    lab.behaves = LocalWitness.answer
    pause(running)
    assert running.cosigned_by == ["lab", "press", "regulator"]
    assert lab.cosigned[-1].size == running.size
    running.check()


def test_without_the_quorum_nothing_is_published_and_everything_waits(running: WitnessedService) -> None:
    """`lock` is pending, `open` refused, and no outcome leaves; all goes on by itself when witnesses are back."""
    running.open("crash-1", 1)
    for witness in running.witnesses[:2]:
        witness.behaves = away
    before = running.size
    answer = running.locking("crash-1", 1)
    assert not answer.is_published
    assert isinstance(running.service.rounds.reveal("crash-1", 1), Pending)
    assert running.size == before
    running.clock.step(AWAY_AFTER.total_seconds())
    running.settle()
    refused = refusal(running, "keno-1")
    assert refused.code is Code.WITNESSES_AWAY
    assert "lab" in refused.detail
    assert "regulator:" not in refused.detail
    for witness in running.witnesses:
        witness.behaves = LocalWitness.answer
    pause(running)
    assert running.size > before
    running.lock("crash-1", 1)
    running.reveal("crash-1", 1)
    running.play("keno-1", 2)
    running.check()


def a_clock_ahead(witness: LocalWitness, body: bytes) -> Response | None:
    """An hour ahead."""
    witness.ahead = 3600
    return witness.answer(body)


def a_clock_behind(witness: LocalWitness, body: bytes) -> Response | None:
    """An hour behind."""
    witness.ahead = -3600
    return witness.answer(body)


def every_size(_: LocalWitness, body: bytes) -> Response:
    """Never remembers the size that it is asked for."""
    old = int(body.split(b"\n")[0].removeprefix(b"old "))
    return 409, "text/x.tlog.size", b"0\n" if old else b"1\n"


def no_size(_: LocalWitness, __: bytes) -> Response:
    """A conflict without a size."""
    return 409, "text/plain", b"no\n"


def endless(_: LocalWitness, __: bytes) -> Response:
    """Far too much."""
    return 200, "text/plain", b"\xe2\x80\x94 a b\n" * 100_000


def elsewhere(_: LocalWitness, __: bytes) -> Response:
    """A redirection, which is not followed."""
    return 307, "text/plain", b""


def refusing(status: int) -> Callable[[LocalWitness, bytes], Response | None]:
    """Answers with this status."""
    return lambda _, __: (status, "text/plain", b"")


MISBEHAVIOUR: dict[Callable[[LocalWitness, bytes], Response | None], str] = {
    rubbish: "no signature lines",
    another_tree: "does not verify for this checkpoint",
    as_somebody_else: "it signs as stranger",
    a_clock_ahead: "its clock is 3[56][0-9]{2} seconds ahead of",
    a_clock_behind: "its clock is 3[56][0-9]{2} seconds behind",
    every_size: "does not keep to the size",
    no_size: "does not say of which size",
    endless: "more than 16384 bytes",
    elsewhere: "the status 307",
    refusing(400): "calls the request malformed",
    refusing(403): "does not know the key",
    refusing(404): "does not know this log",
    refusing(422): "does not extend",
    refusing(500): "the status 500",
}


@pytest.mark.parametrize("misbehaves", MISBEHAVIOUR)
def test_a_witness_that_misbehaves_holds_up_nobody(
    misbehaves: Callable[[LocalWitness, bytes], Response | None], running: WitnessedService
) -> None:
    """Its lines are not kept, it is reported by name, and the other two are the quorum."""
    running.witnesses[1].behaves = misbehaves
    running.play("crash-1", 3)
    pause(running)
    assert running.cosigned_by == ["lab", "regulator"]
    [press] = [each for each in read_witnesses(running.settings.witnesses).witnesses if each.name == "press"]
    assert press.why is not None
    assert re.search(MISBEHAVIOUR[misbehaves], press.why), press.why
    running.check()


def test_a_witness_that_forgot_everything_cosigns_again(running: WitnessedService) -> None:
    """It names size 0, and is shown the log without a proof, as if it had never seen it."""
    running.witnesses[1].behaves = forgets
    running.play("crash-1", 3)
    running.settle()
    assert running.cosigned_by == ["lab", "press", "regulator"]
    running.check()


def test_heads_batch_by_themselves(running: WitnessedService) -> None:
    """While one head waits for its quorum, the sequencer goes on; then only the newest of those that came is
    published.
    """
    running.open("crash-1", 1)
    running.open("keno-1", 1)
    for witness in running.witnesses:
        witness.behaves = away
    first = len(running.disk.checkpoints)
    for table in ("crash-1", "keno-1"):
        running.locking(table, 1)
    add_table(running.service.writer, "dice", "sic-bo")
    for _ in range(4):
        running.keeper.turn()
        running.turn()
    for witness in running.witnesses:
        witness.behaves = LocalWitness.answer
    asked = len(running.witnesses[0].cosigned)
    pause(running)
    sizes = {Checkpoint.open(note, running.key).size for note in running.disk.checkpoints[first:]}
    assert len(sizes) == 2
    assert len(running.witnesses[0].cosigned) == asked + 2
    running.check()


def test_the_same_head_is_cosigned_again_every_ten_minutes(running: WitnessedService) -> None:
    """So that everybody sees that the witnesses are there, and that nothing was hidden since."""
    times = running.published.last_seen
    running.settle()
    assert running.published.last_seen == times
    running.clock.step(AGAIN.total_seconds())
    running.settle()
    running.turn()
    later = running.published.last_seen
    assert running.published.checkpoint.size == running.size
    assert all(later[witness] - times[witness] >= AGAIN.total_seconds() for witness in times)
    running.check_log()


def test_before_the_quorum_of_this_run_no_round_is_opened(running: WitnessedService) -> None:
    """The head is cosigned again at each start, although the folder has it with cosignatures."""
    running.stop()
    for witness in running.witnesses[:2]:
        witness.behaves = away
    running.start()
    running.turn()
    assert refusal(running).code is Code.WITNESSES_AWAY
    for witness in running.witnesses[:2]:
        witness.behaves = LocalWitness.answer
    pause(running)
    running.play("crash-1")
    running.check()


def test_alarms_after_a_minute(running: WitnessedService, caplog: pytest.LogCaptureFixture) -> None:
    """Once for a witness, and once for the service; and again when they are back."""
    for witness in running.witnesses:
        witness.behaves = away
    running.open("crash-1", 1)
    running.locking("crash-1", 1)
    caplog.clear()
    for _ in range(5):
        running.clock.step(ALARM_AFTER.total_seconds() / 2)
        running.settle()
    critical = [each.getMessage() for each in caplog.records if each.levelno == logging.CRITICAL]
    assert len([each for each in critical if "nothing is published" in each]) == 1
    errors = [each.getMessage() for each in caplog.records if each.levelno == logging.ERROR]
    assert len([each for each in errors if "witness lab: away for a minute" in each]) == 1
    for witness in running.witnesses:
        witness.behaves = LocalWitness.answer
    pause(running)
    assert "rounds go on" in caplog.text
    running.check()


def test_a_larger_size_at_the_start_stops_the_service(running: WitnessedService) -> None:
    """Witnesses that have seen more name an old backup before anything is signed by a quorum."""
    running.stop()
    for witness in running.witnesses[1:]:
        head = witness.seen
        assert head is not None
        witness.seen = Checkpoint(head.origin, head.size + 7, bytes(32))
    with pytest.raises(RecoveryError, match=r"regulator.*old backup.*foredraw rebuild.*leave its line in the policy"):
        running.start()


def test_one_witness_alone_stops_no_service_that_the_others_can_vouch_for(
    running: WitnessedService, caplog: pytest.LogCaptureFixture
) -> None:
    """It may lie. What it says is an alarm, and the quorum of the others shows that the log is the newest."""
    running.stop()
    head = running.witnesses[2].seen
    assert head is not None
    running.witnesses[2].seen = Checkpoint(head.origin, head.size + 1000, bytes(32))
    running.start()
    running.play("crash-1", 2)
    pause(running)
    assert [each.levelno for each in caplog.records if "old backup" in each.getMessage()] == [logging.CRITICAL]
    assert running.cosigned_by == ["lab", "press"]
    running.check()


def test_another_history_at_the_start_stops_the_service(running: WitnessedService) -> None:
    """A witness that refuses the proof (422) has seen what this log does not extend. Its words are quoted."""
    running.stop()
    for witness in running.witnesses[:2]:
        head = witness.seen
        assert head is not None
        witness.seen = Checkpoint(head.origin, head.size - 1, bytes(32))
    with pytest.raises(RecoveryError, match=r"does not extend.*: the proof does not verify\..*old backup"):
        running.start()


def test_the_words_of_a_refusal_are_quoted(running: WitnessedService) -> None:
    """Its first line, as far as it can be shown."""
    running.witnesses[1].behaves = lambda _, __: (503, "text/plain", b"cannot read \x1b[31mtile 7\nmore\n")
    running.play("crash-1")
    pause(running)
    [press] = [each for each in read_witnesses(running.settings.witnesses).witnesses if each.name == "press"]
    assert press.why == "the status 503: cannot read \\x1b[31mtile 7"


def test_a_witness_that_forgets_again_and_again_does_not_fill_the_messages(
    running: WitnessedService, caplog: pytest.LogCaptureFixture
) -> None:
    """It is reported once a minute, with how often it was."""
    running.witnesses[1].behaves = forgets
    for _ in range(10):
        running.play("crash-1")
        running.clock.step(1)
        running.settle()
    assert caplog.text.count("has forgotten") == 1
    running.clock.step(ALARM_AFTER.total_seconds())
    running.play("crash-1")
    times = re.findall("so far, ([0-9]+) times", caplog.text)
    assert len(times) == 2
    assert int(times[1]) > int(times[0]) + 9


def requests_in_a_minute(running: WitnessedService, witness: LocalWitness) -> int:
    """How often it is asked while a minute passes and the log grows all the time."""
    before = len(witness.asked)
    for number in range(600):
        if number % 10 == 0 and witness is not running.witnesses[0]:
            running.settle()
            running.play("keno-1")
        running.clock.step(0.1)
        running.turn()
    return len(witness.asked) - before


def test_a_witness_that_fails_is_asked_less_often(
    running: WitnessedService, caplog: pytest.LogCaptureFixture
) -> None:
    """Every ten seconds at last; every second if the quorum needs it, as it does once another one fails; one message
    each.
    """
    lab, press, _ = running.witnesses
    press.behaves = away
    assert requests_in_a_minute(running, press) <= 15
    lab.behaves = away
    caplog.clear()
    running.open("keno-1", running.state("keno-1").next_round)
    running.locking("keno-1", running.state("keno-1").next_round)
    assert 50 <= requests_in_a_minute(running, lab) <= 70
    assert [each.getMessage() for each in caplog.records if each.levelno == logging.WARNING] == [
        "witness lab: it hung up before the end of its answer"
    ]
    [failures] = [
        each.failures for each in read_witnesses(running.settings.witnesses).witnesses if each.name == "lab"
    ]
    assert 50 <= failures <= 70


def test_a_witness_that_fails_by_turns_is_away_until_it_is_steady(
    running: WitnessedService, caplog: pytest.LogCaptureFixture
) -> None:
    """Two messages, however often it changes: that it is away, and that it cosigns, with how many requests failed."""
    press, answers = running.witnesses[1], [0]

    def by_turns(witness: LocalWitness, body: bytes) -> Response | None:
        answers[0] += 1
        return witness.answer(body) if answers[0] % 2 else None

    caplog.clear()
    press.behaves = by_turns
    requests = requests_in_a_minute(running, press)
    assert requests <= 30
    press.behaves = LocalWitness.answer
    requests_in_a_minute(running, press)
    said = [each.getMessage() for each in caplog.records if "press" in each.getMessage()]
    assert said[0] == "witness press: it hung up before the end of its answer"
    assert re.fullmatch(
        "witness press: cosigns, after 1 minute; [0-9]+ requests failed, the last: it hung up .*", said[1]
    )
    assert len(said) == 2


def test_a_larger_size_while_it_runs_is_an_alarm(running: WitnessedService, caplog: pytest.LogCaptureFixture) -> None:
    """The others go on."""
    head = running.witnesses[2].seen
    assert head is not None
    running.witnesses[2].seen = Checkpoint(head.origin, head.size + 1000, bytes(32))
    running.play("crash-1", 2)
    pause(running)
    assert [each.levelno for each in caplog.records if "old backup" in each.getMessage()] == [logging.CRITICAL]
    assert running.cosigned_by == ["lab", "press"]
    running.check()


def test_a_witness_with_another_tree_is_an_alarm(running: WitnessedService, caplog: pytest.LogCaptureFixture) -> None:
    """Of the same size, or of a smaller one that this log does not extend: somebody is shown two logs."""
    for witness, size in zip(running.witnesses[1:], (running.size, running.size - 1), strict=True):
        witness.seen = Checkpoint(running.key.name, size, bytes(32))
    running.clock.step(AGAIN.total_seconds())
    running.settle()
    pause(running)
    critical = [each.getMessage() for each in caplog.records if each.levelno == logging.CRITICAL]
    assert any("witness press: it remembers another tree" in each for each in critical)
    assert any("witness regulator: it says that this log does not extend" in each for each in critical)


def test_no_witness_is_asked_more_often_than_agreed(running: WitnessedService) -> None:
    """The rate is for all requests, also for those that a correction or a failure causes."""
    running.settings = replace(running.settings, witness_rates=(("regulator", 0.1),))
    running.restart()
    regulator = running.witnesses[2]
    begun, before = running.clock.elapsed(), len(regulator.asked)
    for _ in range(30):
        running.play("keno-1")
        running.clock.step(1)
        running.settle()
    seconds = (running.clock.elapsed() - begun).total_seconds()
    assert 2 <= len(regulator.asked) - before <= seconds / 10 + 1
    assert len(running.witnesses[0].asked) > 30
    running.check()


def test_a_full_disk_is_waited_for(running: WitnessedService, monkeypatch: pytest.MonkeyPatch) -> None:
    """The quorum is met and cannot be published; when there is room again, the same lines are."""
    log, failing = running.service.own_log, [True]
    write = log.write

    def write_or_fail(path: str, data: bytes) -> None:
        if failing and path == "checkpoint":
            raise OSError(errno.ENOSPC, "no room", str(log.folder / path))
        write(path, data)

    monkeypatch.setattr(log, "write", write_or_fail)
    publisher = running.publisher
    assert publisher is not None
    part = Loop(
        "publisher",
        lambda: publisher.turn,
        0.0,
        Event(),
        Heartbeat("publisher", running.settings, running.service.timekeeper).report,
    )
    running.publisher = None
    running.open("crash-1", 1)
    running.locking("crash-1", 1)
    before, told = running.size, None
    for _ in range(3):
        told = part.take_turn() or told
    assert isinstance(told, OSError)
    assert (
        in_words(told, running.settings) == "the disk is full (log/checkpoint). Make room, and the service can go on"
    )
    assert running.size == before
    asked = [len(witness.asked) for witness in running.witnesses]
    failing.clear()
    assert part.take_turn() is None
    assert running.size > before
    assert [len(witness.asked) for witness in running.witnesses] == asked
    running.publisher = publisher
    running.lock("crash-1", 1)
    running.reveal("crash-1", 1)
    running.check()


def test_clocks_may_differ_a_little(running: WitnessedService) -> None:
    """Half a minute is no reason to be without a witness."""
    running.witnesses[0].ahead = int(CLOCKS_DIFFER.total_seconds()) - 5
    running.witnesses[1].ahead = 5 - int(CLOCKS_DIFFER.total_seconds())
    running.play("crash-1", 2)
    running.settle()
    assert running.cosigned_by == ["lab", "press", "regulator"]


def test_a_checkpoint_that_was_deleted_is_written_again(running: WitnessedService) -> None:
    """With its cosignatures."""
    before = (running.settings.log / "checkpoint").read_bytes()
    file = running.settings.log / "checkpoint"
    file.unlink()
    running.turn()
    assert file.read_bytes() == before
    file.write_bytes(b"spoilt")
    running.turn()
    assert file.read_bytes() == before
