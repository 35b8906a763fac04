"""The tables, and nothing else. Every time is UTC-aware; every platform id is the platform's own text.

Points are integer hundredths, so that sums do not depend on their order.
"""

from __future__ import annotations

from datetime import date, datetime, time
from typing import Any

from sqlalchemy import JSON, Column, Index, UniqueConstraint
from sqlmodel import Field, SQLModel


class Workspace(SQLModel, table=True):
    """A Slack team, a Discord guild or the playground.

    ``least_shown``: with fewer answers no distribution is shown. ``inviter``: the person who brought the bot, who is
    greeted once. ``left_at``: the bot was removed.
    """

    __table_args__ = (UniqueConstraint("platform", "external_id"),)

    id: int | None = Field(default=None, primary_key=True)
    platform: str
    external_id: str
    name: str = ""
    created_at: datetime
    least_shown: int = Field(default=5, sa_column_kwargs={"server_default": "5"})
    inviter: str = Field(default="", sa_column_kwargs={"server_default": ""})
    greeted_at: datetime | None = None
    left_at: datetime | None = None


class Member(SQLModel, table=True):
    """A person in a workspace.

    ``language`` and ``zone`` are what their client tells, ``chosen_language`` and ``chosen_zone`` what they set
    (``""``: as the client says). ``opted_out_at``: nothing more is recorded of them. ``forgotten_at``: who they were
    is gone, their answers stay without a name.
    """

    __table_args__ = (
        UniqueConstraint("workspace_id", "external_id"),
        Index("ix_member_reminders", "reminders", "workspace_id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    workspace_id: int = Field(foreign_key="workspace.id")
    external_id: str
    name: str
    language: str = ""
    zone: str = ""
    hidden: bool = False
    left_at: datetime | None = None
    created_at: datetime
    chosen_language: str = Field(default="", sa_column_kwargs={"server_default": ""})
    chosen_zone: str = Field(default="", sa_column_kwargs={"server_default": ""})
    confirm: bool = Field(default=False, sa_column_kwargs={"server_default": "0"})
    reminders: bool = Field(default=False, sa_column_kwargs={"server_default": "0"})
    opted_out_at: datetime | None = None
    forgotten_at: datetime | None = None


class MemberPause(SQLModel, table=True):
    """A member is away: half-open ``[starts_at, ends_at)``; no end yet where it is empty."""

    id: int | None = Field(default=None, primary_key=True)
    member_id: int = Field(foreign_key="member.id", index=True)
    starts_at: datetime
    ends_at: datetime | None = None


class Schedule(SQLModel, table=True):
    """When and what a channel gets; at most one a channel, and it keeps its id when it is made again."""

    __table_args__ = (UniqueConstraint("workspace_id", "channel_id"),)

    id: int | None = Field(default=None, primary_key=True)
    workspace_id: int = Field(foreign_key="workspace.id")
    channel_id: str
    channel_name: str = ""
    weekdays: list[int] = Field(sa_column=Column(JSON, nullable=False))
    at: time
    zone: str
    country: str = ""
    topics: list[str] = Field(sa_column=Column(JSON, nullable=False))
    weekday_topics: dict[str, list[str]] = Field(sa_column=Column(JSON, nullable=False))
    kinds: list[str] = Field(sa_column=Column(JSON, nullable=False))
    easiest: int = 1
    hardest: int = 5
    languages: list[str] = Field(sa_column=Column(JSON, nullable=False))
    mode: str = "instant"
    window_minutes: int = 24 * 60
    board_day: int = 1
    best_rounds: int | None = None
    seed: int
    told_used_up: bool = False
    reactions: bool = Field(default=False, sa_column_kwargs={"server_default": "0"})  # keycaps as a third way in
    channel_state: str = Field(default="", sa_column_kwargs={"server_default": ""})  # archived, deleted, removed, left
    trouble: list[str] = Field(sa_column=Column(JSON, nullable=False, server_default="[]", default=list))
    checked_at: datetime | None = (
        None  # when the platform was last asked what is missing there; ``trouble`` is its answer
    )
    made_by: int | None = Field(default=None, foreign_key="member.id")
    created_at: datetime
    changed_at: datetime
    plan_at: datetime = Field(index=True)  # when rounds have to be planned again


class ScheduleDate(SQLModel, table=True):
    """A date taken out (``holiday``, ``skip``) or put in (``extra``) by an admin."""

    __table_args__ = (UniqueConstraint("schedule_id", "day"),)

    id: int | None = Field(default=None, primary_key=True)
    schedule_id: int = Field(foreign_key="schedule.id")
    day: date
    kind: str


class PinnedQuestion(SQLModel, table=True):
    """An admin chose the question of a date: it stays chosen however often the rounds to come are planned anew."""

    __table_args__ = (UniqueConstraint("schedule_id", "day"),)

    id: int | None = Field(default=None, primary_key=True)
    schedule_id: int = Field(foreign_key="schedule.id")
    day: date
    question_id: str


class SchedulePause(SQLModel, table=True):
    """The channel rests: half-open ``[starts_at, ends_at)``; no end yet where it is empty."""

    id: int | None = Field(default=None, primary_key=True)
    schedule_id: int = Field(foreign_key="schedule.id", index=True)
    starts_at: datetime
    ends_at: datetime | None = None
    reason: str = ""


class QuestionSnapshot(SQLModel, table=True):
    """A question as it stood when a round asked it. ``fingerprint`` is SHA-256 of its plain form."""

    fingerprint: str = Field(primary_key=True)
    question_id: str = Field(index=True)
    version: int
    plain: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))


class Round(SQLModel, table=True):
    """One question in one channel for one local date.

    ``state``: ``planned`` → ``posted`` or ``missed`` (with a reason). Whether it is closed follows from the
    clock and ``closes_at``, and from ``revealed_at``: once its result began to be shown it stays closed, also for a
    clock that is set back. ``number``, ``fingerprint``, ``option_order``, ``mode`` and ``reactions`` are fixed when
    posting begins. ``reactions_read_at``: the platform's list of its keycaps was read, after close.
    """

    __table_args__ = (
        UniqueConstraint("schedule_id", "local_date"),
        Index("ix_round_state_posts_at", "state", "posts_at"),
    )

    id: int | None = Field(default=None, primary_key=True)
    schedule_id: int = Field(foreign_key="schedule.id")
    local_date: date
    posts_at: datetime
    closes_at: datetime
    state: str = "planned"
    reason: str = ""
    question_id: str
    topic: str
    used_up: bool = False
    number: int | None = None
    fingerprint: str | None = Field(default=None, foreign_key="questionsnapshot.fingerprint")
    option_order: list[str] = Field(sa_column=Column(JSON, nullable=False))
    mode: str = ""
    reactions: bool = Field(default=False, sa_column_kwargs={"server_default": "0"})
    reactions_read_at: datetime | None = None
    revealed_at: datetime | None = None
    posted_at: datetime | None = None
    message_id: str = ""
    thread_id: str = ""
    shown_count: int = 0


class Answer(SQLModel, table=True):
    """One member's response to one round. ``points`` are hundredths; a late answer has none."""

    __table_args__ = (
        UniqueConstraint("round_id", "member_id"),
        Index("ix_answer_board", "round_id", "late", "member_id", "points", "correct"),
        Index("ix_answer_member", "member_id", "round_id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    round_id: int = Field(foreign_key="round.id")
    member_id: int = Field(foreign_key="member.id")
    choices: list[str] = Field(sa_column=Column(JSON, nullable=False))
    text: str = ""
    credit: float
    points: int
    correct: bool
    late: bool = False
    changes: int = 0
    first_at: datetime
    answered_at: datetime
    via: str = Field(default="", sa_column_kwargs={"server_default": ""})  # "reaction" where it stands as a keycap


class Board(SQLModel, table=True):
    """The board of one ISO week of a schedule, posted once."""

    __table_args__ = (UniqueConstraint("schedule_id", "week"),)

    id: int | None = Field(default=None, primary_key=True)
    schedule_id: int = Field(foreign_key="schedule.id")
    week: str
    posts_at: datetime
    posted_at: datetime | None = None
    message_id: str = ""


class Delivery(SQLModel, table=True):
    """The ledger of everything the bot shows to a channel: one row a message or edit, for ever.

    ``step``: ``close``, ``result``, ``board``, ``post`` — also their order at one instant (``rank``).
    ``state``: ``waiting`` → ``sending`` (under a lease) → ``sent``, ``failed``, ``missed`` or ``dropped``;
    ``unsure`` when a send may or may not have arrived, until the platform was asked.
    ``key`` is what the platform is given to recognise it by; ``attempt`` fences a sender that froze.
    """

    __table_args__ = (
        UniqueConstraint("step", "subject_id"),
        Index("ix_delivery_due", "state", "due_at"),
        Index("ix_delivery_schedule", "schedule_id", "state"),
    )

    id: int | None = Field(default=None, primary_key=True)
    schedule_id: int = Field(foreign_key="schedule.id")
    step: str
    rank: int
    subject_id: int
    key: str = Field(unique=True)
    due_at: datetime
    deadline: datetime | None = None
    state: str = "waiting"
    attempt: int = 0
    not_before: datetime | None = None
    lease_until: datetime | None = None
    holder: str = ""
    first_sent_at: datetime | None = None
    sent_at: datetime | None = None
    error: str = ""


class SetupDraft(SQLModel, table=True):
    """A schedule that an admin looks at before saving it; kept so that the *Save* button works after a restart."""

    id: int | None = Field(default=None, primary_key=True)
    workspace_id: int = Field(foreign_key="workspace.id")
    channel_id: str
    channel_name: str = ""
    member_id: int = Field(foreign_key="member.id")
    plan: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    created_at: datetime


class AuditRow(SQLModel, table=True):
    """What an admin did; only ever added to."""

    id: int | None = Field(default=None, primary_key=True)
    workspace_id: int = Field(foreign_key="workspace.id", index=True)
    member_id: int | None = Field(default=None, foreign_key="member.id")
    at: datetime
    verb: str
    detail: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))


class Notice(SQLModel, table=True):
    """Something an admin should hear privately (a send that failed, topics used up); told once.

    ``state``: ``""`` waiting, ``telling`` (taken at ``taken_at``, before it is sent; unsure a minute later), ``told``,
    or ``unreached``: nobody could be told, it stands under *status*. ``tried``: ids of those who take no messages.
    """

    __table_args__ = (UniqueConstraint("schedule_id", "code", "subject"),)

    id: int | None = Field(default=None, primary_key=True)
    schedule_id: int = Field(foreign_key="schedule.id")
    code: str
    subject: str
    detail: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    made_at: datetime
    told_at: datetime | None = None
    taken_at: datetime | None = None
    state: str = Field(default="", sa_column_kwargs={"server_default": ""})
    tried: list[str] = Field(sa_column=Column(JSON, nullable=False, server_default="[]", default=list))


class Reminder(SQLModel, table=True):
    """A direct message about an open round: at most one a member and round. ``kind``: ``remind``, or ``pause``
    (“shall I pause?”, after three that were ignored), or ``past``: reminders were switched on anew since."""

    __table_args__ = (UniqueConstraint("round_id", "member_id"),)

    id: int | None = Field(default=None, primary_key=True)
    round_id: int = Field(foreign_key="round.id")
    member_id: int = Field(foreign_key="member.id", index=True)
    kind: str
    made_at: datetime
    told_at: datetime | None = None
    error: str = ""


class ReactionMark(SQLModel, table=True):
    """A keycap that one member left under a round.

    ``at`` is when, empty where only the platform's list told of it; of two at one moment the one with the higher
    ``id`` came later. One that was taken away stays as ``here=False``, so that older news of it changes nothing.
    ``late``: it was left or taken away after close, so what the list says of it then is not taken.
    """

    __table_args__ = (UniqueConstraint("round_id", "member_id", "option"),)

    id: int | None = Field(default=None, primary_key=True)
    round_id: int = Field(foreign_key="round.id")
    member_id: int = Field(foreign_key="member.id")
    option: str
    at: datetime | None = None
    here: bool = Field(default=True, sa_column_kwargs={"server_default": "1"})
    late: bool = Field(default=False, sa_column_kwargs={"server_default": "0"})


class Challenge(SQLModel, table=True):
    """A member disputes a round's answer; for the authors. One a member and round, the last text counts."""

    __table_args__ = (UniqueConstraint("round_id", "member_id"),)

    id: int | None = Field(default=None, primary_key=True)
    round_id: int = Field(foreign_key="round.id")
    member_id: int = Field(foreign_key="member.id")
    question_id: str = Field(index=True)
    fingerprint: str
    text: str
    made_at: datetime
    state: str = "open"


class DrillAdmin(SQLModel, table=True):
    """A member or a role to whom the workspace's admins delegate the drills. ``kind``: ``member``, ``role``."""

    __table_args__ = (UniqueConstraint("workspace_id", "kind", "external_id"),)

    id: int | None = Field(default=None, primary_key=True)
    workspace_id: int = Field(foreign_key="workspace.id")
    kind: str
    external_id: str
    name: str = ""
    made_by: int | None = Field(default=None, foreign_key="member.id")
    made_at: datetime


class Installation(SQLModel, table=True):
    """The bot in one workspace, installed by OAuth. Tokens are sealed (AES-256-GCM) under the key ``key_id``.

    ``refreshing_until``: a process is at trading the refresh token; nobody else does so before.
    """

    __table_args__ = (UniqueConstraint("platform", "workspace"),)

    id: int | None = Field(default=None, primary_key=True)
    platform: str
    workspace: str
    enterprise: str = ""
    app_id: str = ""
    bot_id: str = ""
    bot_user: str = ""
    scopes: str = ""
    token: str
    refresh_token: str = ""
    expires_at: datetime | None = None
    refreshing_until: datetime | None = None
    key_id: str
    installed_by: str = ""
    installed_at: datetime
    changed_at: datetime
    revoked_at: datetime | None = None


class OAuthState(SQLModel, table=True):
    """A walk through OAuth that was begun. ``digest`` is SHA-256 of the state; a used one is deleted."""

    digest: str = Field(primary_key=True)
    browser: str = ""
    expires_at: datetime
