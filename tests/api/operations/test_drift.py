"""The drift monitor: false alarms are as rare as stated, a bias is detected, and no failure loses an alarm."""

from __future__ import annotations

import json
import math
import os
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest
import scipy
from prometheus_client.parser import text_string_to_metric_families

from api.access.tokens import Role, create_token
from api.operations.drift import EVERY, FALSE_ALARMS, Law, TableDrift, law_of, stand
from api.operations.health import PARTS
from api.operations.monitor import AT_ONCE, read_drifts
from api.operations.overview import MONITOR_STALLS
from api.problems import Code
from api.server.app import create_app
from api.settings import Settings
from api.world.statuses import write_status
from fairness.draws.stream import NO_SALT, Stream, context
from games import GAMES
from games.bets.returns import stored
from games.bets.worth import of_payments
from games.declared.catalogue import catalogue, listed
from games.declared.declaration import Declaration
from tests.support.in_process_service import InProcessService

PLAIN, FLIGHT = '{"version":1}', '{"cap":1000000,"rtp":9700,"version":1}'
DRAW, CARDS = "keno-1", "cards-1"


def rules_of(game: str) -> str:
    return FLIGHT if GAMES[game].has_flight else PLAIN


def deal(chance: random.Random, game: str, rules: str | None = None) -> str:
    """An outcome by the game's own rules, from a random stream."""
    stream = Stream([chance.randbytes(32)], context(chance.randbytes(32), NO_SALT), 1)
    return json.dumps(GAMES[game].outcome(stream, json.loads(rules or rules_of(game))))


def followed(law: Law, outcomes: Iterator[str], rounds: int) -> TableDrift:
    """The monitor's state of a table after this many rounds."""
    drift = law.begin("a table", PLAIN)
    for number in range(1, rounds + 1):
        law.look(drift, number, next(outcomes))
    return drift


def without_end(deal_one: Callable[[], str]) -> Iterator[str]:
    while True:
        yield deal_one()


# The statistics


@pytest.mark.parametrize("game", sorted(GAMES))
def test_evidence_is_one_on_average_under_the_law(game: str) -> None:
    """After one round, for each count, by enumeration of its law, as Ville's inequality requires."""
    for test in law_of(game, rules_of(game)).tests:
        law = [(int(many), float(chance)) for many, chance in test.law]
        average = sum(chance * math.exp(test.evidence(1, paid)) for paid, chance in law)
        assert average == pytest.approx(1, abs=1e-9), test.name
        assert test.expected == float(of_payments(test.law).returned)


def declared(game: str) -> tuple[str, str]:
    """A game of the catalogue with its declaration."""
    (text,) = (each.declaration.text.decode() for each in catalogue() if each.game == game)
    return game, text


def usual(game: str) -> dict[str, int]:
    """The rules of its stored returns, or the largest that the declaration allows."""
    kept = stored().get(game)
    return dict(kept.rules) if kept else largest(listed(game).declaration)


def largest(declaration: Declaration) -> dict[str, int]:
    """The largest rules that the declaration allows."""
    parameters = declaration.parameters
    rules = {"version": 1} | {name: bounds.most for name, bounds in parameters.plain.items()}
    for prefix, (size, bounds) in parameters.families.items():
        rules |= {f"{prefix}{at}": bounds.most for at in range(1, rules[size] + 1)}
    return rules


def law_declared(game: str, rules: dict[str, int]) -> Law:
    """The law of a game of the catalogue."""
    return law_of(game, json.dumps(rules), declared(game)[1])


DECLARED = sorted(each.game for each in catalogue())


@pytest.mark.parametrize("game", DECLARED)
def test_every_game_of_the_catalogue_is_followed(game: str) -> None:
    """Evidence is one on average for each count, and no law is one of those that take long."""
    tests = law_declared(game, usual(game)).tests
    assert len({test.name for test in tests}) == len(tests) > 0
    for test in tests:
        assert len(test.law) <= 5_000
        law = [(int(many), float(chance)) for many, chance in test.law]
        assert sum(chance * math.exp(test.evidence(1, paid)) for paid, chance in law) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("game", ["keno", "poker", "racing", "andar-bahar", "lightning-dice", "monopoly-live"])
def test_a_round_has_as_many_things_as_are_expected(game: str) -> None:
    """All parts of a device together: every round draws the same number of things. Of a race and a whole pack not all
    count.
    """
    law = law_declared(game, usual(game))
    drift = followed(law, iter([played(game, random.Random(2))]), 1)
    found, expected = Counter[str](), defaultdict[str, float](float)
    for test, many in zip(law.tests, drift.paid, strict=True):
        device = test.name.partition(": ")[0]
        found[device] += many
        expected[device] += test.expected
    assert found == pytest.approx(expected)


def test_a_game_that_this_program_does_not_know_is_not_followed() -> None:
    """Nothing fails."""
    assert law_of("own", PLAIN, '{"draw":[["x","a-later-kind"]]}').tests == []


@pytest.mark.parametrize(
    ("game", "name", "expected", "most"),
    [
        ("keno", "balls: 7", 20 / 80, 1),
        ("baccarat", "first four cards: 7h", 4 / 52, 4),
        ("poker", "cards: 7h", 26 / 52, 1),
        ("racing", "order: 1", None, 1),
        ("roulette", "pocket: 0", 1 / 37, 1),
        ("hi-lo", "colours: red", 12 / 25, 1),
        ("sic-bo", "triples: a triple", 1 / 36, 1),
        ("sic-bo", "throws: 6-6-4 to 6-6-6", 3 / 216, 1),
        ("penalty", "ends: bar", 1 / 26, 1),
        ("keno-express", "numbers: 100", 1 / 100, 1),
        ("crash", "multiplier: 2.00 or more", 1 / 2, 1),
        ("backgammon", "dice: 6", 2 / 6, 2),
    ],
)
def test_things_are_counted_by_their_names(game: str, name: str, expected: float | None, most: int) -> None:
    """Twenty of eighty balls; four cards of eight decks; of a deck that is dealt to the last card, the first half."""
    rules = usual(game)
    (test,) = (test for test in law_declared(game, rules).tests if test.name == name)
    assert [int(many) for many, _ in test.law] == list(range(most + 1))
    weights = [rules[key] for key in rules if re.fullmatch(r"w\d+", key)]
    assert test.expected == pytest.approx(rules["w1"] / sum(weights) if expected is None else expected)


@pytest.mark.parametrize("steps", [[["m", "flight"], ["n", "number", 1, 6]], [["m", "flight"], ["o", "flight"]]])
def test_a_flight_beside_something_else_is_counted_by_what_it_reaches(steps: list[list[object]]) -> None:
    """What reaches 2.00 has reached 1.10, whatever else a round draws; only a game of one flight is a multiplier."""
    own = Declaration.of({"draw": steps, "moves": 1, "rules": {"cap": [101, 10_000], "rtp": [9000, 9900]}})
    law = law_of("own", json.dumps({"cap": 10_000, "rtp": 9700, "version": 1}), own.text.decode())
    expected = {test.name: test.expected for test in law.tests}
    assert expected["m: 2.00 or more"] == pytest.approx(0.97 / 2)
    assert expected["m: 1.10 or more"] == pytest.approx(0.97 / 1.1)
    assert not own.is_flight


def test_the_balls_of_a_large_drum_are_counted_by_tens() -> None:
    """No table costs more than a hundred counts for a device, and no ball is left out."""
    own = Declaration.of({"draw": [["balls", "take", 5]], "drum": [1, 1_000]})
    law = law_of("own", PLAIN, own.text.decode())
    assert len(law.tests) == 100
    assert law.tests[99].name == "balls: 991 to 1000"
    assert sum(test.expected for test in law.tests) == pytest.approx(5)
    drift = law.begin("a table", PLAIN)
    law.look(drift, 1, json.dumps({"balls": [1, 1_000, 10, 11, 995]}))
    assert {place: units for place, units in enumerate(drift.paid) if units} == {0: 2, 1: 1, 99: 2}


def played(game: str, chance: random.Random) -> str:
    """An outcome of a declared game."""
    stream = Stream([chance.randbytes(32)], context(chance.randbytes(32), NO_SALT), 1)
    return json.dumps(listed(game).declaration.outcome(stream, usual(game)))


def without_ball_7(outcome: str) -> str:
    """Ball 7 sticks: another one comes in its place."""
    balls = json.loads(outcome)["balls"]
    other = next(ball for ball in range(1, 81) if ball not in balls)
    return json.dumps({"balls": [other if ball == 7 else ball for ball in balls]})


def without_seven_of_hearts(outcome: str) -> str:
    """The shoe was filled wrongly."""
    return outcome.replace("7h", "7d")


def held_back(outcome: str) -> str:
    """The last runner never wins: it is second."""
    order = json.loads(outcome)["order"]
    return json.dumps({"order": [order[1], order[0], *order[2:]] if order[0] == len(order) else order})


@pytest.mark.parametrize(
    ("game", "fault", "blamed", "rounds"),
    [
        ("keno", without_ball_7, "balls: 7", 640),
        ("baccarat", without_seven_of_hearts, "first four cards: 7h", 2_560),
        ("racing", held_back, "order: 6", 1_280),
    ],
)
def test_a_fault_of_each_kind_is_found_and_honest_rounds_are_not_blamed(
    game: str, fault: Callable[[str], str], blamed: str, rounds: int
) -> None:
    """Balls, cards and races: the alarm names what is wrong."""
    law, chance = law_declared(game, usual(game)), random.Random(3)
    honest = [played(game, chance) for _ in range(rounds)]
    assert not any(followed(law, iter(honest), rounds).alarms)
    biased = followed(law, iter([fault(each) for each in honest]), rounds)
    assert blamed in {test.name for test, alarm in zip(law.tests, biased.alarms, strict=True) if alarm}


def test_a_declared_table_that_drifts_raises_an_alarm() -> None:
    """Zero comes in one more round of thirty; honest rounds raise none."""
    name, text = declared("roulette")
    law, chance = law_of(name, PLAIN, text), random.Random(4)
    honest = followed(law, without_end(lambda: json.dumps({"pocket": chance.randrange(37)})), 6_000)
    assert not any(honest.alarms)
    biased = followed(
        law,
        without_end(lambda: json.dumps({"pocket": 0 if chance.random() < 1 / 30 else chance.randrange(37)})),
        6_000,
    )
    assert any(biased.alarms)


@pytest.mark.nightly("sums over all that can happen")
@pytest.mark.parametrize(("name", "rate"), [("colours: yellow", 0.2), ("ends: sector 1", 0.01)])
def test_the_exact_rate_of_false_alarms_is_below_what_is_stated(name: str, rate: float) -> None:
    """For one count over 4,000 rounds: the chance of every number of rounds that have it, without paths that already
    had an alarm.
    """
    (test,) = (test for test in law_of("penalty", PLAIN).tests if test.name == name)
    chance = test.expected
    step = scipy.stats.binom.pmf(np.arange(EVERY + 1), EVERY, chance)
    silent = np.ones(1)
    for looks in range(1, 4_000 // EVERY):
        silent = np.convolve(silent, step)
        evidence = [test.evidence(looks * EVERY, wins) for wins in range(silent.size)]
        silent[np.array(evidence) >= math.log(1 / rate)] = 0
    assert 0 < 1 - silent.sum() <= rate


@pytest.mark.nightly("counts thousands of rounds")
@pytest.mark.parametrize(
    ("game", "tables", "rounds"),
    [
        *[("hi-lo", 60, 640), ("crash", 30, 640), ("keno-express", 10, 320)],
        *[("keno", 10, 320), ("baccarat", 10, 320), ("racing", 30, 640)],
    ],
)
def test_clean_tables_raise_alarms_at_the_stated_rate_and_no_more(game: str, tables: int, rounds: int) -> None:
    """All counts of a table together; the rate is raised here, so that there are some alarms to count."""
    chance = random.Random(1)
    law = law_of.__wrapped__(game, rules_of(game)) if game in GAMES else law_declared(game, usual(game))
    law.alarm_at = math.log(len(law.tests) / 0.2)
    outcomes = without_end(lambda: deal(chance, game) if game in GAMES else played(game, chance))
    alarmed = sum(any(followed(law, outcomes, rounds).alarms) for _ in range(tables))
    assert scipy.stats.binom.sf(alarmed - 1, tables, 0.2) > 0.001


@pytest.mark.parametrize(
    ("game", "bet", "rounds", "biased"),
    [
        # Some black cards are drawn again, which looks like void rounds that somebody chose.
        ("hi-lo", "colours: red", 4_000, lambda chance: redrawn(chance, "hi-lo", '"black"', 0.3)),
        ("keno-express", "numbers: 100", 3_000, lambda chance: redrawn(chance, "keno-express", " 100}", 1)),
        (
            "crash",
            "multiplier: 1.01 or more",
            8_000,
            lambda chance: deal(chance, "crash", FLIGHT.replace("9700", "9300")),
        ),
    ],
)
def test_a_biased_table_raises_an_alarm(
    game: str, bet: str, rounds: int, biased: Callable[[random.Random], str]
) -> None:
    """At the stated rate, and the alarm stays."""
    chance, law = random.Random(2), law_of(game, rules_of(game))
    drift = followed(law, without_end(lambda: biased(chance)), rounds)
    found = {now.name: now for now in stand(law, drift) if now.alarm}
    assert bet in found
    assert 0 < found[bet].alarm < rounds
    assert found[bet].evidence >= len(law.tests) / FALSE_ALARMS
    assert found[bet].observed != pytest.approx(found[bet].expected, abs=0.001)


def redrawn(chance: random.Random, game: str, unwanted: str, share: float) -> str:
    """An outcome that is sometimes drawn again if it is unwanted."""
    outcome = deal(chance, game)
    return deal(chance, game) if unwanted in outcome and chance.random() < share else outcome


# The monitor


@pytest.fixture(name="running")
def _running(tmp_path: Path) -> Iterator[InProcessService]:
    made = InProcessService.create(
        tmp_path / "data", tables=[(DRAW, "keno-express"), (CARDS, "hi-lo")], batch_size=100
    )
    for part in PARTS:
        write_status(made.settings.heartbeat_of(part), made.service.timekeeper)
    yield made
    made.stop()


def known(settings: Settings) -> dict[str, TableDrift]:
    """The content of the monitor's file."""
    return read_drifts(settings.drift)


def test_only_rounds_that_have_ended_are_looked_at(running: InProcessService) -> None:
    """Void rounds are skipped; about a locked round nothing is known."""
    running.play(DRAW, 3)
    running.open(DRAW, 4)
    running.void(DRAW, 4)
    running.play(DRAW, 2)
    running.open(DRAW, 7)
    running.lock(DRAW, 7)
    running.service.monitor().turn()
    drift = known(running.settings)[DRAW]
    assert (drift.through, drift.played) == (6, 5)
    paid = dict(zip(stand_names("keno-express"), drift.paid, strict=True))
    numbers = [int(str(running.told[DRAW, number]).split()[-1].strip("}")) for number in (1, 2, 3, 5, 6)]
    assert [paid[f"numbers: {number}"] for number in range(1, 101)] == [numbers.count(each) for each in range(1, 101)]
    assert paid["tens: 1 to 10"] == sum(number <= 10 for number in numbers)


def test_declared_tables_are_followed(tmp_path: Path) -> None:
    """By pockets, by cards, by dice; and shown."""
    games = ("roulette", "blackjack", "backgammon")
    made = InProcessService.create(tmp_path / "data", tables=[(f"{game}-1", game) for game in games])
    try:
        for game in games:
            made.play(f"{game}-1", 2)
        made.service.monitor().turn()
        found = known(made.settings)
        assert {table: drift.played for table, drift in found.items()} == {f"{game}-1": 2 for game in games}
        assert sum(found["backgammon-1"].paid) == 4
        shown = made.service.observer.overview().drifts
        assert [now.rounds for now in shown["roulette-1"]] == [2] * len(found["roulette-1"].paid)
        assert [now.name for now in shown["backgammon-1"]] == [f"dice: {pips}" for pips in range(1, 7)]
    finally:
        made.stop()


def stand_names(game: str) -> list[str]:
    return [test.name for test in law_of(game, rules_of(game)).tests]


def test_a_few_rounds_wait_until_the_file_is_written(running: InProcessService) -> None:
    """Between two writings a table is read only if many of its rounds have ended."""
    monitor = running.service.monitor()
    monitor.turn()
    running.play(CARDS, AT_ONCE - 1)
    monitor.turn()
    assert monitor._tables[CARDS].through == 0
    running.play(CARDS, 1)
    monitor.turn()
    assert monitor._tables[CARDS].through == AT_ONCE


def test_restarts_lose_nothing(running: InProcessService) -> None:
    """With its file, without it, and with a damaged one or one of other tables, the sums are the same."""
    monitor = running.service.monitor()
    running.play(CARDS, 40)
    monitor.turn()
    running.play(CARDS, 30)
    running.service.monitor().turn()
    whole = known(running.settings)
    assert whole[CARDS].through == 70
    file = running.settings.drift
    good = file.read_bytes()
    for damage in (
        b"",
        b"{",
        good[:-9],
        b"[]",
        b'{"tables":{},"v":2}',
        good.replace(b'"paid":[', b'"paid":["'),
        b"\xff",
    ):
        file.write_bytes(damage)
        running.service.monitor().turn()
        assert known(running.settings) == whole
    for key, other in (("table_id", "another"), ("rules", "{}"), ("through", 9_999), ("paid", [1])):
        changed = msgspec.to_builtins(whole)
        changed[CARDS][key] = other
        file.write_bytes(msgspec.json.encode({"tables": changed, "v": 1}))
        running.service.monitor().turn()
        assert known(running.settings) == whole
    file.unlink()
    running.service.monitor().turn()
    assert known(running.settings) == whole
    file.unlink()
    file.mkdir()
    assert running.service.monitor()._tables == known(running.settings) == {}


def test_what_goes_wrong_in_the_monitor_stops_no_game(
    running: InProcessService, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It reports the error, and its file becomes old, which /ops shows."""
    monitor = running.service.monitor()
    running.play(CARDS, 2)
    monitor.turn()
    monkeypatch.setattr(Law, "look", lambda *_: 1 / 0)
    running.play(CARDS, AT_ONCE)
    monitor.turn()
    monitor.turn()
    assert caplog.text.count("the monitor died: ZeroDivisionError") == 1
    old = time.time() - MONITOR_STALLS - 5
    os.utime(running.settings.drift, (old, old))
    assert "monitor" in [kind for kind, _ in running.service.observer.overview().troubles()]
    running.play(CARDS, 1)


@pytest.mark.parametrize("damage", ["UPDATE tables SET queued_state = x'00'", "UPDATE tables SET rules = 'x'"])
def test_a_damaged_table_is_passed_over(running: InProcessService, damage: str) -> None:
    """Its rounds cannot be read; those of other tables are."""
    running.play(DRAW, 2)
    running.play(CARDS, 2)
    assert running.tamper(f"{damage} WHERE name = ?", DRAW) == 1
    running.service.monitor().turn()
    assert known(running.settings).keys() == {CARDS}


def test_an_alarm_is_reported_once_and_shown(running: InProcessService, caplog: pytest.LogCaptureFixture) -> None:
    """In the program's messages, on the operator's page, and in the figures."""
    running.play(CARDS, EVERY)
    monitor = running.service.monitor()
    law = law_of("hi-lo", PLAIN)
    row = running._row(CARDS)
    biased = law.begin(row.table_id, row.rules)
    red = stand_names("hi-lo").index("colours: red")
    # Everything is as expected so far, except that every card was red.
    biased.played = 99 * EVERY
    for place, test in enumerate(law.tests):
        biased.paid[place] = round(test.expected * biased.played)
    biased.paid[red] = 99 * EVERY
    monitor._tables[CARDS] = biased
    monitor.turn()
    assert caplog.text.count(f"{CARDS} drifts from its law") == 1
    (trouble,) = [about for kind, about in running.service.observer.overview().troubles() if kind == "drift"]
    assert (trouble["table"], trouble["others"]) == (CARDS, 0)
    assert (trouble["count"].name, trouble["count"].alarm) == ("colours: red", EVERY)
    assert running.service.monitor()._tables[CARDS].alarms[red] == EVERY
    browser = create_app(running.service).test_client()
    token = create_token(running.service.database, running.service.clock, "ani", Role.OPERATOR, ["*"])
    home = {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}
    browser.post("/ops/login", data={"token": token}, headers=home)
    page = browser.get("/ops").text
    assert f"{CARDS} drifts from its law." in page
    assert "“colours: red” came" in page


# The figures


def figures(running: InProcessService, token: str | None) -> dict[tuple[str, ...], float]:
    """The content of ``/metrics`` by name and labels, as Prometheus reads it."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    answer = create_app(running.service).test_client().get("/metrics", headers=headers)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert answer.headers["Cache-Control"] == "no-store"
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def token_of(running: InProcessService, role: Role, *tables: str) -> str:
    service = running.service
    return create_token(service.database, service.clock, f"{role} {tables}", role, list(tables))


def test_the_figures_are_for_the_operator(running: InProcessService) -> None:
    """No other token is accepted, and a token for some tables shows only those."""
    browser = create_app(running.service).test_client()
    assert browser.get("/metrics").status_code == 401
    engine = token_of(running, Role.ENGINE, "*")
    assert browser.get("/metrics", headers={"Authorization": f"Bearer {engine}"}).status_code == 403
    running.play(DRAW, 1)
    running.service.monitor().turn()
    seen = figures(running, token_of(running, Role.OPERATOR, CARDS))
    assert {labels[0] for _, *labels in seen if labels} == {
        *("keeper", "sequencer", "monitor", CARDS),
        *(code.text for code in Code),
        *(
            "database",
            "custodian",
            "log",
            "background",
            "clock",
            "beacon",
            "witnesses",
            "policy",
            "entropy",
            "software",
        ),
        *("0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1.0", "+Inf"),
    }


def test_the_figures_are_how_things_stand(running: InProcessService) -> None:
    """About a locked round they say only that it is locked."""
    running.play(CARDS, 3)
    running.service.monitor().turn()
    before = figures(running, token_of(running, Role.OPERATOR, "*"))
    running.open(CARDS, 4)
    running.lock(CARDS, 4)
    running.service.monitor().turn()
    after = figures(running, token_of(running, Role.OPERATOR, CARDS, DRAW))
    bets = {key for key in before if key[0].startswith("foredraw_drift_")}
    assert {key: before[key] for key in bets} == {key: after[key] for key in bets}
    assert after["foredraw_table_next_round", CARDS] == 5
    assert after["foredraw_table_committed_ahead", CARDS] == before["foredraw_table_committed_ahead", CARDS] - 1
    assert after["foredraw_drift_rounds", CARDS, "colours: red"] == 3
    assert after["foredraw_drift_expected", CARDS, "colours: red"] == 12 / 25
    assert after["foredraw_drift_alarm_round", CARDS, "colours: red"] == 0
    assert after["foredraw_queue_records",] == 0
    assert after["foredraw_log_records",] == running.size
    assert after["foredraw_drift_false_alarms",] == FALSE_ALARMS
