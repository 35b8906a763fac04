"""Boards: from closed rounds alone, equal to what anybody can reckon from the answers."""

from __future__ import annotations

from collections import defaultdict
from datetime import date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlmodel import Session, select

from bot.card import Image, Table
from bot.usecases.meet_member import Met
from bot.usecases.show_board import BoardView, Period, show_board
from content.library import Library
from storage.tables import Answer, Member, Round, Schedule
from tests.usecases.stage import MEMORY, MULTIPLE, SINGLE, Stage, card, said


def board(stage: Stage, name: str = "noor", period: Period = "week") -> BoardView:
    def look(tx: Session) -> BoardView:
        row = tx.exec(select(Member).where(Member.external_id == name)).one_or_none()
        met = Met(row.id if row and row.id else 0, 1, admin=False)
        return show_board(tx, met, "drills", period, stage.clock.now())

    return stage.read(look)


def places(view: BoardView) -> list[tuple[int, str, int]]:
    return [(line.place.rank, line.place.name, line.place.points) for line in view.lines]


def table(reply: object) -> Table:
    return next(part for part in card(reply).parts if isinstance(part, Table))  # type: ignore[arg-type]


def answer_all(stage: Stage, right: dict[str, int], days: int = 4) -> None:
    """Over ``days`` rounds each member answers all, the first ``right[name]`` of them rightly; then they close."""
    for day in range(days):
        for name, count in right.items():
            (stage.right if day < count else stage.wrong)(name)
        stage.forward(days=1)


def test_equal_points_share_a_rank_and_the_next_rank_is_skipped(drill: Stage) -> None:
    """1, 2, 2, 4, in the order of names where points are equal."""
    answer_all(drill, {"zoe": 4, "yan": 3, "amir": 3, "ben": 1})
    assert places(board(drill)) == [(1, "Zoe", 4000), (2, "Amir", 3000), (2, "Yan", 3000), (4, "Ben", 1000)]


def test_an_open_round_counts_in_nothing(drill: Stage) -> None:
    """Not in points, not in who took part, not in a line of the asking member."""
    drill.right("noor")
    for period in ("week", "month", "all"):
        view = board(drill, period=period)
        assert (view.lines, view.nearby, view.took_part, view.active, view.rounds) == ((), (), 0, 0, 0)
    drill.clock.move_to(drill.rounds("posted")[0].closes_at - timedelta(microseconds=1))
    assert board(drill).lines == ()
    drill.clock.forward(timedelta(microseconds=1))
    assert places(board(drill)) == [(1, "Noor", 1000)]


def test_weeks_and_months_are_of_local_dates(stage: Stage) -> None:
    """Rounds of 30 November and 1 December lie in one week and two months, whenever they close."""
    stage.save("setup time=09:30 zone=UTC days=daily kinds=single")
    stage.local("2026-11-30 09:30")
    answer_all(stage, {"noor": 2}, days=2)
    assert places(board(stage)) == [(1, "Noor", 2000)]
    month = board(stage, period="month")
    assert (places(month), month.label, month.first, month.last) == (
        [(1, "Noor", 1000)], "2026-12", date(2026, 12, 1), date(2026, 12, 31),
    )  # fmt: skip
    assert places(board(stage, period="all")) == [(1, "Noor", 2000)]


def test_movement_is_measured_against_the_period_before(drill: Stage) -> None:
    """Who moved up has a plus, who is new has none; all time has no movement at all."""
    answer_all(drill, {"ann": 7, "bea": 3}, days=7)
    answer_all(drill, {"ann": 1, "bea": 3, "cay": 2}, days=3)
    view = board(drill)
    assert [(line.place.name, line.movement) for line in view.lines] == [("Bea", 1), ("Cay", None), ("Ann", -2)]
    shown = table(drill.typed("ann", "board"))
    assert [row[-1] for row in shown.rows] == ["▲1", "new", "▼2"]
    assert [row[-1] for row in table(drill.typed("ann", "board all")).rows] == ["", "", ""]


def test_members_who_hide_or_left_are_on_no_board_but_keep_their_history(drill: Stage) -> None:
    answer_all(drill, {"ann": 4, "bea": 3, "cay": 2})

    def hide(tx: Session) -> None:
        for name in ("ann", "bea"):
            row = tx.exec(select(Member).where(Member.external_id == name)).one()
            row.hidden = name == "ann"
            row.left_at = drill.clock.now() if name == "bea" else None
            tx.add(row)

    drill.change(hide)
    view = board(drill, "ann")
    assert places(view) == [(1, "Cay", 2000)]
    assert (view.took_part, view.active, view.nearby) == (1, 1, ())
    assert "4 / 4 (100 %)" in said(drill.typed("ann", "me"))


def test_a_member_who_comes_back_is_ranked_again(drill: Stage) -> None:
    answer_all(drill, {"ann": 4})

    def leave(tx: Session) -> None:
        row = tx.exec(select(Member).where(Member.external_id == "ann")).one()
        row.left_at = drill.clock.now()
        tx.add(row)

    drill.change(leave)
    assert places(board(drill)) == []
    drill.right("ann")
    assert places(board(drill)) == [(1, "Ann", 4000)]


def test_n_of_m_took_part(drill: Stage) -> None:
    """M are those who answered in the last 28 days, the 28th day counted, the 29th not."""
    answer_all(drill, {"ann": 1, "bea": 1}, days=1)
    drill.local("2026-12-27 09:30")
    answer_all(drill, {"ann": 1}, days=1)  # the round of 27 December, closed on the 28th, a Monday
    view = board(drill, period="week")
    assert (view.first, view.active) == (date(2026, 12, 28), 1)
    drill.clock.set(datetime.fromisoformat("2026-12-27T23:00:00+00:00"))
    assert board(drill).active == 2


def test_the_posted_board_counts_its_own_week(drill: Stage) -> None:
    """On Monday, for the ISO week before: title, table, how many took part; the open round is not in it."""
    for _ in range(6):
        drill.right("ann")
        drill.forward(days=1)
    drill.wrong("bea")
    drill.right("ann")
    drill.forward(days=1)
    posts = [w.card for w in drill.chat.log if w.kind == "post" and w.card and "Board of the week" in w.card.text]
    (posted,) = posts
    assert "Board of the week · Mon 30 Nov – Sun 6 Dec" in said(posted)
    assert "2 of 2 took part · 7 closed rounds" in said(posted)
    assert [row[:4] for row in table_of(posted).rows] == [("1", "Ann", "70", "7"), ("2", "Bea", "0", "1")]
    order = [w.kind for w in drill.chat.log if w.at.isoformat() == "2026-12-07T09:30:00+00:00"]
    assert order == ["edit", "reply", "post", "post"]  # close, result, board, question


def table_of(shown: object) -> Table:
    return next(part for part in shown.parts if isinstance(part, Table))  # type: ignore[attr-defined]


def test_the_best_rounds_of_the_week_count_where_the_schedule_says_so(drill: Stage) -> None:
    """Someone who was away two days is not behind; months and all time count everything."""
    drill.save("setup best=2")
    for day in range(4):
        drill.right("ann")
        if day < 2:
            drill.right("bea")
        drill.forward(days=1)
    assert places(board(drill)) == [(1, "Ann", 2000), (1, "Bea", 2000)]
    assert places(board(drill, period="all")) == [(1, "Ann", 4000), (2, "Bea", 2000)]
    assert "Points this week\n20\n" in said(drill.typed("ann", "me"))


def test_a_member_outside_the_first_five_sees_their_neighbours_privately(drill: Stage) -> None:
    answer_all(drill, {f"p{n}": 8 - n for n in range(8)}, days=8)
    view = board(drill, "p6", "all")
    assert [line.place.name for line in view.lines] == ["P0", "P1", "P2", "P3", "P4"]
    assert [(p.rank, p.name) for p in view.nearby] == [(6, "P5"), (7, "P6"), (8, "P7")]
    assert "You and your neighbours" in said(drill.typed("p6", "board all"))
    assert "You and your neighbours" not in said(drill.typed("p1", "board all"))
    assert [p.name for p in board(drill, "p7", "all").nearby] == ["P6", "P7"]
    assert board(drill, "stranger", "all").nearby == ()


def test_neighbours_with_equal_points_have_equal_ranks(drill: Stage) -> None:
    answer_all(drill, {f"p{n}": 6 - n for n in range(5)} | {"x": 0, "y": 0, "z": 0}, days=6)
    assert [(p.rank, p.name) for p in board(drill, "y", "all").nearby] == [(6, "X"), (6, "Y"), (6, "Z")]


def test_a_tie_at_the_edge_shows_at_most_ten_lines(drill: Stage) -> None:
    answer_all(drill, {f"p{n:02d}": 1 for n in range(15)}, days=1)
    view = board(drill)
    assert len(view.lines) == 10
    assert {line.place.rank for line in view.lines} == {1}
    assert view.took_part == 15


def test_names_on_a_board_are_plain_text(drill: Stage) -> None:
    answer_all(drill, {"<!channel>": 1}, days=1)
    assert table(drill.typed("noor", "board")).rows[0][1] == "<!Channel>"


def test_each_word_for_a_period_is_known_and_others_are_not(drill: Stage) -> None:
    for typed in ("board", "board week", "board Month", "board ALL", "board 周", "board 月", "board 总榜"):
        assert "Board of" in said(drill.typed("noor", typed)), typed
    for typed in ("board year", "board week month", "board ''; --", "board 年"):
        assert "choose week, month or all" in said(drill.typed("noor", typed)), typed


def test_a_board_in_chinese(drill: Stage) -> None:
    answer_all(drill, {"ann": 1}, days=1)
    shown = said(drill.typed("ann", "board", language="zh"))
    assert "周排行榜 · 11月30日周一至12月6日周日" in shown
    assert "1 人中 1 人参与 · 1 道已截止的题" in shown


def test_another_channels_answers_and_another_workspaces_members_are_not_on_it(drill: Stage) -> None:
    answer_all(drill, {"ann": 1}, days=1)
    assert "/drill setup" in said(drill.typed("eve", "board", workspace="other"))


def test_a_missed_board_is_made_on_start_from_the_answers(drill: Stage) -> None:
    """The bot was down from Saturday to Wednesday: the board is what it would have been, posted late."""
    answer_all(drill, {"ann": 3, "bea": 1}, days=5)
    drill.clock.move_to(datetime.fromisoformat("2026-12-09T12:00:00+00:00"))
    drill.beat()
    (posted,) = [w for w in drill.chat.log if w.kind == "post" and w.card and "Board of the week" in w.card.text]
    assert posted.at.isoformat() == "2026-12-09T12:00:00+00:00"
    assert [row[1:3] for row in table_of(posted.card).rows] == [("Ann", "30"), ("Bea", "10")]
    assert [(r.local_date.day, r.state) for r in drill.rounds("missed")] == [
        (6, "missed"),
        (7, "missed"),
        (8, "missed"),
    ]


def test_a_board_with_pictures_has_alt_text(tmp_path: Path) -> None:
    with Stage(tmp_path) as stage:
        stage.app.outbox.pictures = True
        stage.save("setup time=09:30 zone=UTC days=daily kinds=single")
        stage.local("2026-12-06 09:30")
        stage.right("ann")
        stage.forward(days=1)
        (posted,) = [w.card for w in stage.chat.log if w.kind == "post" and w.card and "Board of" in w.card.text]
        (picture,) = [part for part in posted.parts if isinstance(part, Image)]
        assert picture.png.startswith(b"\x89PNG")
        assert "Ann" in picture.alt


# --- against an independent reckoning ----------------------------------------------------------------------------

TAPS = st.lists(
    st.tuples(st.integers(0, 8), st.sampled_from("abcd"), st.floats(0, 30), st.booleans()), min_size=0, max_size=12
)


def reckon(tx: Session, period: str, best: int | None, now: datetime) -> list[tuple[int, str, int, int]]:
    """The whole board from the raw rows, the slow and obvious way."""
    points: dict[str, list[int]] = defaultdict(list)
    for row, round_, member in tx.exec(
        select(Answer, Round, Member).where(Answer.round_id == Round.id, Answer.member_id == Member.id)
    ):
        today = now.date()
        same = {
            "week": round_.local_date.isocalendar()[:2] == today.isocalendar()[:2],
            "month": (round_.local_date.year, round_.local_date.month) == (today.year, today.month),
            "all": True,
        }[period]
        if same and round_.closes_at <= now and not row.late and not member.hidden:
            points[member.name].append(row.points)
    sums = {name: (sum(sorted(got, reverse=True)[:best]), len(got)) for name, got in points.items()}
    return sorted(
        ((1 + sum(other > own for other, _ in sums.values()), name, own, count) for name, (own, count) in sums.items()),
        key=lambda line: (line[0], line[1]),
    )


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(TAPS, min_size=1, max_size=9), st.sampled_from([None, 1, 3]), st.sampled_from(["instant", "together"]))
def test_boards_equal_an_independent_reckoning(
    days: list[list[tuple[int, str, float, bool]]], best: int | None, mode: str
) -> None:
    """Over random answers, late ones, changes and hidden members, for the week, the month and all time."""
    library = Library.of([SINGLE, MULTIPLE])
    with TemporaryDirectory(dir=MEMORY) as folder, Stage(Path(folder), library=library) as stage:
        stage.save(f"setup time=09:30 zone=UTC days=daily mode={mode} best={best or 'all'}")
        stage.local("2026-11-30 09:30")
        for taps in days:
            round_id, start = stage.open, stage.clock.now()
            for member, key, hours, hidden in sorted(taps, key=lambda tap: tap[2]):
                stage.clock.move_to(start + timedelta(hours=hours))
                stage.tap(f"m{member}", f"answer:{round_id}:{key}")
                if hidden:
                    stage.change(lambda tx, member=member: hide(tx, f"m{member}"))
            stage.local((start + timedelta(days=1, hours=hours_after(stage, start))).strftime("%Y-%m-%d %H:%M"))
        now = stage.clock.now()
        for period in ("week", "month", "all"):
            wanted = stage.read(lambda tx, period=period: reckon(tx, period, best if period == "week" else None, now))
            view = board(stage, period=period)
            shown = [(p.place.rank, p.place.name, p.place.points, p.place.answered) for p in view.lines]
            assert shown == [line for line in wanted if line[0] <= 5][:10]
            assert view.took_part == len(wanted)


def hours_after(stage: Stage, start: datetime) -> float:
    """Answers may have come after the next post; then the day is longer."""
    return max(0.0, (stage.clock.now() - start).total_seconds() / 3600 - 24)


def hide(tx: Session, name: str) -> None:
    row = tx.exec(select(Member).where(Member.external_id == name)).one_or_none()
    if row is not None and name == "m0":
        row.hidden = True
        tx.add(row)


# --- one's own progress ------------------------------------------------------------------------------------------


def test_progress_counts_closed_rounds_alone(together: Stage) -> None:
    """In together mode nothing about an open round can be read from *me*, but that the streak goes on."""
    together.right("noor")
    together.wrong("mira")
    assert said(together.typed("noor", "me")) == said(together.typed("mira", "me"))
    assert "Right\n0 / 0 (–)" in said(together.typed("noor", "me"))
    together.forward(days=1)
    assert "Right\n1 / 1 (100 %)" in said(together.typed("noor", "me"))
    assert "Right\n0 / 1 (0 %)" in said(together.typed("mira", "me"))
    assert "1 now, 1 longest" in said(together.typed("mira", "me"))


def test_a_case_is_neither_right_nor_wrong(stage: Stage) -> None:
    """It counts for the streak alone: accuracy and topics say nothing of what only the member can judge."""
    stage.save("setup time=09:30 zone=UTC days=daily kinds=single,case topics=kv-cache,canary-release")
    stage.local("2026-11-30 09:30")
    for _ in range(2):
        if stage.rounds("posted")[-1].question_id == SINGLE.id:
            stage.right("noor")
        else:
            stage.typed("noor", "answer I would watch a metric")
        stage.forward(days=1)
    shown = said(stage.typed("noor", "me"))
    assert "Right\n1 / 1 (100 %)" in shown
    assert "2 now, 2 longest" in shown
    assert "0 / 1" not in shown


def test_topics_come_with_the_weakest_first(stage: Stage) -> None:
    stage.save("setup time=09:30 zone=UTC days=daily kinds=single,true_false topics=kv-cache,optimizers")
    stage.local("2026-11-30 09:30")
    stage.right("noor")
    stage.forward(days=1)
    stage.tap("noor", f"answer:{stage.open}:true")
    stage.forward(days=1)
    shown = said(stage.typed("noor", "me"))
    assert shown.index("0 / 1") < shown.index("1 / 1", shown.index("weakest first"))


def test_a_streak_survives_two_misses_and_then_begins_again(drill: Stage) -> None:
    """Two freezes to begin; each miss spends one after its late day; the third miss ends the streak."""
    for answers, shown in ((True, "1 now"), (False, "1 now"), (True, "2 now"), (False, "2 now"), (False, "0 now")):
        if answers:
            drill.wrong("noor")
        drill.forward(days=1)
        drill.clock.forward(timedelta(hours=24))
        assert shown in said(drill.typed("noor", "me")), shown
        drill.clock.set(drill.clock.now() - timedelta(hours=24))
    assert "Freezes\n0" in said(drill.typed("noor", "me"))


def test_rounds_the_bot_missed_and_paused_days_break_no_streak(drill: Stage) -> None:
    drill.right("noor")
    drill.admin("pause 2026-12-03")
    drill.local("2026-12-04 09:30")
    drill.right("noor")
    drill.clock.move_to(datetime.fromisoformat("2026-12-08T20:00:00+00:00"))
    drill.beat()
    assert len(drill.rounds("missed")) == 4
    drill.local("2026-12-09 09:30")
    drill.right("noor")
    drill.forward(days=2)
    assert "3 now, 3 longest" in said(drill.typed("noor", "me"))


def test_a_stranger_has_no_progress_and_leaves_no_row(drill: Stage) -> None:
    assert "0 / 0 (–)" in said(drill.typed("eve", "me"))
    assert drill.count(Member) == 1


def test_a_second_schedule_of_a_channel_is_impossible(drill: Stage) -> None:
    """The database itself refuses it."""
    row = drill.schedule()

    def again(tx: Session) -> None:
        values = {c: getattr(row, c) for c in Schedule.model_fields if c != "id"}
        tx.add(Schedule(**values))

    with pytest.raises(Exception, match="UNIQUE"):
        drill.change(again)
