"""The week's board of a channel with half of a million answers, against hand-written SQL on the same file.

The floor gives the same board: first places with names and movement, how many took part, of how many. It is
written for this file alone; the product's verb has to find rounds, weeks and rules out of the rows first.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock_time
from pathlib import Path

from sqlmodel import Session, SQLModel

from bot.drill.calendar import Week
from bot.usecases.show_board import week_board
from storage.database import Database
from storage.tables import Answer, Member, Round, Schedule, Workspace

BIG_MEMBERS, WEEKS, SMALL_CHANNELS = 20_000, 5, 500
NOW = datetime(2026, 12, 7, 12, tzinfo=UTC)


def fill(database: Database, answers: int) -> None:
    """Half of the answers in channel 1 (20,000 members, 25 rounds), the rest spread over 500 small channels."""
    rng = random.Random(7)
    monday = date(2026, 11, 2)
    with database.engine.begin() as connection:
        connection.execute(
            Workspace.__table__.insert(),  # type: ignore[attr-defined]
            [{"id": 1, "platform": "slack", "external_id": "T", "name": "T", "created_at": NOW}],
        )
        members = [
            {
                "id": n,
                "workspace_id": 1,
                "external_id": f"U{n}",
                "name": f"Member {n}",
                "language": "",
                "zone": "",
                "hidden": False,
                "created_at": NOW,
            }
            for n in range(1, BIG_MEMBERS + 1)
        ]
        connection.execute(Member.__table__.insert(), members)  # type: ignore[attr-defined]
        schedules, rounds = [], []
        for channel in range(1, SMALL_CHANNELS + 2):
            schedules.append(
                {
                    "id": channel,
                    "workspace_id": 1,
                    "channel_id": f"C{channel}",
                    "channel_name": "",
                    "weekdays": [1, 2, 3, 4, 5],
                    "at": clock_time(9),
                    "zone": "UTC",
                    "country": "",
                    "topics": [],
                    "weekday_topics": {},
                    "kinds": [],
                    "easiest": 1,
                    "hardest": 5,
                    "languages": ["en"],
                    "mode": "instant",
                    "window_minutes": 1440,
                    "board_day": 1,
                    "seed": 1,
                    "told_used_up": False,
                    "created_at": NOW,
                    "changed_at": NOW,
                    "plan_at": NOW,
                }
            )
            for number in range(WEEKS * 5):
                day = monday + timedelta(days=7 * (number // 5) + number % 5)
                at = datetime(day.year, day.month, day.day, 9, tzinfo=UTC)
                rounds.append(
                    {
                        "id": (channel - 1) * WEEKS * 5 + number + 1,
                        "schedule_id": channel,
                        "local_date": day,
                        "posts_at": at,
                        "closes_at": at + timedelta(days=1),
                        "state": "posted",
                        "reason": "",
                        "question_id": "q",
                        "topic": "t",
                        "used_up": False,
                        "number": number + 1,
                        "option_order": [],
                        "message_id": "m",
                        "thread_id": "",
                        "shown_count": 0,
                    }
                )
        connection.execute(Schedule.__table__.insert(), schedules)  # type: ignore[attr-defined]
        connection.execute(Round.__table__.insert(), rounds)  # type: ignore[attr-defined]
        big = [(round_, member) for round_ in range(1, WEEKS * 5 + 1) for member in range(1, BIG_MEMBERS + 1)]
        rng.shuffle(big)
        per_round = (answers // 2) // (SMALL_CHANNELS * WEEKS * 5)
        small = [
            (WEEKS * 5 + 1 + n, 1 + (n * 7 + k) % BIG_MEMBERS)
            for n in range(SMALL_CHANNELS * WEEKS * 5)
            for k in range(per_round)
        ]
        rows = big[: answers // 2] + small
        for start in range(0, len(rows), 20_000):
            connection.execute(
                Answer.__table__.insert(),  # type: ignore[attr-defined]
                [
                    {
                        "round_id": round_,
                        "member_id": member,
                        "choices": ["a"],
                        "text": "",
                        "credit": 1.0,
                        "points": rng.choice((0, 500, 1000, 1500, 2000)),
                        "correct": True,
                        "late": False,
                        "changes": 0,
                        "first_at": NOW,
                        "answered_at": NOW,
                    }
                    for round_, member in rows[start : start + 20_000]
                ],
            )
    with database.engine.connect() as connection:
        connection.exec_driver_sql("ANALYZE")


FLOOR = """
WITH gone AS (SELECT id FROM member WHERE hidden OR left_at IS NOT NULL),
this AS MATERIALIZED (SELECT member_id, SUM(points) p, COUNT(*) n, SUM(correct) c FROM answer
  WHERE round_id IN ({this}) AND late = 0 AND member_id NOT IN gone GROUP BY member_id),
last AS MATERIALIZED (SELECT member_id, SUM(points) p FROM answer
  WHERE round_id IN ({last}) AND late = 0 AND member_id NOT IN gone GROUP BY member_id),
top AS MATERIALIZED (SELECT * FROM this ORDER BY p DESC, member_id LIMIT 10)
SELECT m.name, top.p, top.n, top.c,
  (SELECT 1 + COUNT(*) FROM last o WHERE o.p > mine.p), (SELECT COUNT(*) FROM this),
  (SELECT COUNT(*) FROM member x WHERE workspace_id = 1 AND EXISTS
     (SELECT 1 FROM answer a WHERE a.member_id = x.id AND a.round_id IN ({recent})))
FROM top JOIN member m ON m.id = top.member_id LEFT JOIN last mine ON mine.member_id = top.member_id
ORDER BY top.p DESC
"""
TOP_ONLY = """
SELECT member_id, SUM(points) p FROM answer WHERE round_id IN ({this}) AND late = 0
GROUP BY member_id ORDER BY p DESC LIMIT 5
"""


def measure(answers: int = 1_000_000, repeat: int = 9) -> tuple[float, float, float]:
    """Median seconds of (the product's board, the floor, only the five first names' sums)."""
    with tempfile.TemporaryDirectory() as folder:
        database = Database(f"sqlite:///{Path(folder) / 'bench.db'}")
        SQLModel.metadata.create_all(database.engine)
        fill(database, answers)
        spans = {
            "this": ",".join(map(str, range(21, 26))),
            "last": ",".join(map(str, range(16, 21))),
            "recent": ",".join(map(str, range(6, 26))),
        }
        week = Week.of(date(2026, 12, 4))
        times: tuple[list[float], list[float], list[float]] = ([], [], [])
        for _ in range(repeat):
            with Session(database.engine) as tx:
                schedule = tx.get_one(Schedule, 1)
                start = time.perf_counter()
                view = week_board(tx, schedule, week, NOW)
                times[0].append(time.perf_counter() - start)
            with database.engine.connect() as connection:
                start = time.perf_counter()
                rows = connection.exec_driver_sql(FLOOR.format(**spans)).all()
                times[1].append(time.perf_counter() - start)
                start = time.perf_counter()
                connection.exec_driver_sql(TOP_ONLY.format(**spans)).all()
                times[2].append(time.perf_counter() - start)
            # The floor must give the same board, or the ratio says nothing.
            assert view.took_part == rows[0][5]
            assert view.active == rows[0][6]
            assert [line.place.points for line in view.lines] == [row[1] for row in rows[: len(view.lines)]]
        database.close()
    first, second, third = (statistics.median(t) for t in times)
    return first, second, third


def main() -> None:
    board, floor, top = (seconds * 1e3 for seconds in measure())
    print(f"week's board, 500,000 of 1,000,000 answers: {board:.1f} ms; best SQL for the same {floor:.1f} ms")
    print(f"  ratio {board / floor:.2f} (wanted: at most 1.50)")
    print(f"  for orientation: the five highest sums alone, without names, movement or counts: {top:.1f} ms")


if __name__ == "__main__":
    main()
