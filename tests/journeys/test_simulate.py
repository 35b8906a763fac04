"""Months of a channel, replayed by ``drills simulate`` and counted from the outside."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, time

import pytest
from typer.testing import CliRunner

from bot.settings import SettingsFault
from bot.simulate import SimulationOptions, simulate
from bot.simulate.calendar import Regime, Rest, clock_changes, expected_slots, first_instant
from bot.simulate.chat import SimulatedChat
from bot.simulate.options import country_of
from bot.simulate.script import write_script

CHANGES = "America/New_York"


@pytest.fixture(scope="module")
def calm() -> dict[str, object]:
    return simulate(SimulationOptions(days=60, members=8, seed=1)).to_json()


@pytest.fixture(scope="module")
def stormy() -> dict[str, object]:
    return simulate(SimulationOptions(days=75, members=8, seed=1, faults="all")).to_json()


def test_without_faults_every_expected_round_is_posted_once_and_in_time(calm: dict[str, object]) -> None:
    assert calm["problems"] == []
    assert calm["posted"] == calm["expected_rounds"]
    assert (calm["posted_late"], calm["missed_reported"], calm["missed_unreported"], calm["duplicates"]) == (0, 0, 0, 0)


def test_every_acknowledged_answer_is_stored_and_every_board_is_as_the_members_remember(
    calm: dict[str, object],
) -> None:
    assert calm["answers_acknowledged"] == calm["answers_stored"] != 0
    assert calm["boards_posted"] == calm["boards_expected"] == calm["boards_equal_recomputed"] != 0
    assert calm["results_equal_recomputed"] == calm["results_posted"] == calm["posted"]


def test_the_same_seed_gives_the_same_months_and_another_seed_gives_others() -> None:
    options = SimulationOptions(days=12, members=3, seed=7, zone="Europe/Berlin", faults="all")
    first = simulate(options).to_json()
    assert simulate(options).to_json() == first
    other = SimulationOptions(days=12, members=3, seed=8, zone="Europe/Berlin", faults="all")
    assert simulate(other).to_json()["answers_acknowledged"] != first["answers_acknowledged"]


def test_with_all_faults_nothing_is_posted_twice_missed_in_silence_or_lost(stormy: dict[str, object]) -> None:
    assert stormy["problems"] == []
    assert (stormy["duplicates"], stormy["missed_unreported"]) == (0, 0)
    assert stormy["posted"] + stormy["missed_reported"] == stormy["expected_rounds"]  # type: ignore[operator]
    assert stormy["answers_acknowledged"] == stormy["answers_stored"]
    assert stormy["boards_posted"] == stormy["boards_equal_recomputed"]


def test_all_faults_really_happen(stormy: dict[str, object]) -> None:
    happened = ("crashes", "outages", "lost_replies", "server_errors", "rate_limits", "refusals", "clock_jumps")
    assert all(stormy[fault] > 0 for fault in happened)  # type: ignore[operator]
    assert stormy["crash_points"] >= 20  # type: ignore[operator]
    assert stormy["posted_late"] > 0  # type: ignore[operator]
    assert stormy["missed_reported"] > 0  # type: ignore[operator]


def test_a_platform_that_forgets_what_it_was_sent_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The counts can fail: where nothing that was posted is ever found again, lost replies become duplicates."""

    async def nothing(*_: object, **__: object) -> None:
        return None

    monkeypatch.setattr(SimulatedChat, "find", nothing)
    report = simulate(SimulationOptions(days=40, members=2, seed=1, faults="all"))
    assert report.counts["duplicates"] > 0
    assert any("posted again" in problem for problem in report.problems)
    assert not report.clean


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (SimulationOptions(zone="Mars/Olympus"), "--zone: "),
        (SimulationOptions(faults="some"), "--faults: “some” is no set of faults; write none or all."),
        (SimulationOptions(days=0), "--days: 0 days cannot be replayed; write 1 to 3660."),
    ],
)
def test_a_wrong_option_is_one_sentence(options: SimulationOptions, sentence: str) -> None:
    with pytest.raises(SettingsFault) as fault:
        simulate(options)
    assert str(fault.value).startswith(sentence)
    assert "\n" not in str(fault.value)


def test_the_command_prints_json_and_exits_by_what_it_found() -> None:
    from bot.cli import app

    run = CliRunner().invoke(app, ["simulate", "--days", "3", "--members", "2", "--seed", "3", "--json"])
    assert run.exit_code == 0
    report = json.loads(run.stdout)
    keys = (
        "expected_rounds posted duplicates missed_unreported answers_acknowledged answers_stored boards_posted "
        "boards_equal_recomputed"
    )
    assert set(keys.split()) <= report.keys()
    assert report["clean"] is True


# --- what it counts with ------------------------------------------------------------------------------------------


def regime(since: datetime, at: time, zone: str = CHANGES, days: str = "1234567") -> Regime:
    return Regime(since, frozenset(map(int, days)), at, zone, "", 1, None)


def test_a_time_that_is_skipped_moves_to_the_end_of_the_gap_and_one_that_comes_twice_is_taken_first() -> None:
    assert first_instant(date(2027, 3, 14), time(2, 30), CHANGES) == datetime(2027, 3, 14, 7, 0, tzinfo=UTC)
    assert first_instant(date(2026, 11, 1), time(1, 30), CHANGES) == datetime(2026, 11, 1, 5, 30, tzinfo=UTC)


def test_a_change_of_the_schedule_neither_doubles_nor_drops_a_date() -> None:
    begin, change = datetime(2026, 10, 2, 4, tzinfo=UTC), datetime(2026, 10, 5, 15, tzinfo=UTC)
    regimes = [regime(begin, time(9, 0)), regime(change, time(18, 0))]
    slots = expected_slots(regimes, [], [], datetime(2026, 10, 8, 4, tzinfo=UTC))
    assert [slot.day.day for slot in slots] == [2, 3, 4, 5, 6, 7]
    assert [slot.at.hour for slot in slots] == [13, 13, 13, 13, 22, 22]


def test_a_rest_takes_its_dates_out_and_a_round_at_once_takes_its_date() -> None:
    begin = datetime(2026, 10, 2, 4, tzinfo=UTC)
    rest = Rest(datetime(2026, 10, 3, 4, tzinfo=UTC), datetime(2026, 10, 5, 4, tzinfo=UTC))
    at_once = datetime(2026, 10, 5, 8, tzinfo=UTC)
    slots = expected_slots([regime(begin, time(9, 0))], [rest], [at_once], datetime(2026, 10, 7, 4, tzinfo=UTC))
    assert [(slot.day.day, slot.at.hour) for slot in slots] == [(2, 13), (5, 8), (6, 13)]


def test_the_clock_changes_of_a_zone_are_found_with_a_time_in_their_midst() -> None:
    found = clock_changes(CHANGES, date(2026, 10, 2), date(2027, 3, 31))
    assert [(c.day.isoformat(), c.wall.isoformat()) for c in found] == [
        ("2026-11-01", "01:30:00"),
        ("2027-03-14", "02:30:00"),
    ]


def test_half_a_year_holds_both_clock_changes_pauses_and_a_change_of_the_schedule() -> None:
    script = write_script(SimulationOptions())
    verbs = [act.verb for act in script.acts]
    assert verbs.count("setup") == 3
    assert {"pause", "resume", "now"} <= set(verbs)
    assert {act.options.get("time") for act in script.acts} >= {"01:30", "02:30"}
    assert country_of("America/New_York") == "US"
    assert country_of("Asia/Shanghai") == "CN"
    assert country_of("UTC") == "US"
