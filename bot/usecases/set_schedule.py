"""Make or change a channel's schedule: read what an admin typed, show it, save it when they agree."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any

from sqlmodel import Session, col, delete

from bot.chat import Place
from bot.drill.calendar import (
    Calendar,
    check_country,
    check_zone,
    parse_time,
    parse_weekdays,
)
from bot.drill.errors import DraftGone, NoQuestion, WrongInput
from bot.usecases.meet_member import Met, clean_name
from bot.usecases.plan_rounds import NewKey, forget_plans, plan_schedule
from bot.usecases.schedules import calendar_of, candidates_of, coming_dates
from content.library import Library
from content.question import LANGUAGES, Kind
from content.taxonomy import Taxonomy, Topic, UnknownTopicError, fold
from storage import audit, schedules
from storage.tables import Schedule, SetupDraft

DRAFT_LIVES = timedelta(days=2)
SHOWN_DATES = 5


@dataclass(frozen=True, slots=True)
class Plan:
    """What a schedule says, as plain data (times and weekdays as they are stored).

    ``least``: the workspace's own, where it is to be changed along with the schedule.
    """

    weekdays: tuple[int, ...] = (1, 2, 3, 4, 5)
    at: str = "09:30"
    zone: str = "UTC"
    country: str = ""
    topics: tuple[str, ...] = ()
    weekday_topics: Mapping[str, tuple[str, ...]] | None = None
    kinds: tuple[str, ...] = ()
    easiest: int = 1
    hardest: int = 5
    languages: tuple[str, ...] = ("en",)
    mode: str = "instant"
    reactions: bool = False
    window_minutes: int = 24 * 60
    board_day: int = 1
    best_rounds: int | None = None
    least: int | None = None


@dataclass(frozen=True, slots=True)
class Proposal:
    """A plan with what it would mean, before anything is saved. ``empty``: topics of it that no question fits."""

    draft_id: int
    plan: Plan
    place: Place
    channel_name: str
    next_dates: tuple[tuple[date, datetime], ...]
    questions: int
    exists: bool
    empty: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Saved:
    schedule: Schedule
    next_dates: tuple[tuple[date, datetime], ...]


class WrongOptions(WrongInput):
    """Several faulty options at once; ``faults`` by field."""

    def __init__(self, faults: list[WrongInput]) -> None:
        super().__init__(faults[0].field, " ".join(f.en for f in faults), "".join(f.zh for f in faults))
        self.faults = faults


def read_options(base: Plan, options: Mapping[str, str], taxonomy: Taxonomy) -> Plan:
    """``base`` with the options that are given; raises ``WrongOptions`` with all that cannot be read."""
    changes: dict[str, Any] = {}
    faults: list[WrongInput] = []
    for name, typed in options.items():
        text = unicodedata.normalize("NFKC", typed)  # full-width digits and signs are typed as often as narrow ones
        if not text.strip():
            continue
        try:
            changes |= _READERS[name](text.strip(), taxonomy)
        except WrongInput as fault:
            faults.append(fault)
        except ValueError as fault:
            faults.append(WrongInput(name, str(fault), _ZH[name].format(text.strip()[:40])))
    if "mode" in changes:
        changes = {"reactions": False} | changes
    plan = replace(base, **changes)
    if plan.reactions and plan.mode != "together":
        faults.append(
            WrongInput(
                "reactions" if "reactions" in options else "mode",
                "Everyone sees reactions, so they only go with mode=together.",
                "表情回应所有人可见，只能用于统一模式（mode=together）。",
            )
        )
    if faults:
        raise WrongOptions(faults)
    return plan


def propose_schedule(
    tx: Session,
    met: Met,
    place: Place,
    channel_name: str,
    options: Mapping[str, str],
    library: Library,
    taxonomy: Taxonomy,
    now: datetime,
    weekday_topics: Mapping[str, tuple[str, ...]] | None = None,
    changing: int | None = None,
    as_form: bool = False,
) -> Proposal:
    """Read the options on top of what the channel has (or the defaults) and keep the result as a draft to look at.

    ``changing``: the draft they are on top of instead. ``as_form``: all that a form holds is given, touched or not.
    """
    existing = schedules.of_channel(tx, met.workspace_id, place.channel)
    base = _base(tx, met, place, changing) or (plan_of(existing) if existing else default_plan(met))
    plan = read_options(base, options, taxonomy)
    if weekday_topics is not None:
        plan = replace(plan, weekday_topics=weekday_topics)
    elif "topics" in options and not (as_form and plan.topics == base.topics):
        # Who names topics wants them asked: sets of single weekdays would hide them.
        plan = replace(plan, weekday_topics={})
    fitting = fitting_questions(plan, library)
    if not fitting:
        raise NoQuestion
    calendar = _calendar(tx, plan, existing)
    tx.exec(delete(SetupDraft).where(col(SetupDraft.created_at) < now - DRAFT_LIVES))
    draft = SetupDraft(
        workspace_id=met.workspace_id,
        channel_id=place.channel,
        channel_name=clean_name(channel_name),
        member_id=met.id,
        plan=asdict(plan),
        created_at=now,
    )
    tx.add(draft)
    tx.flush()
    assert draft.id is not None
    dates = coming_dates(tx, existing, calendar, now, SHOWN_DATES)
    shape = Schedule(workspace_id=0, channel_id="", seed=0, **columns_of(plan))
    named = dict.fromkeys([*plan.topics, *(t for topics in (plan.weekday_topics or {}).values() for t in topics)])
    empty = tuple(topic for topic in named if not candidates_of(shape, library, (topic,)))
    return Proposal(draft.id, plan, place, channel_name, dates, fitting, existing is not None, empty)


def _base(tx: Session, met: Met, place: Place, draft_id: int | None) -> Plan | None:
    draft = schedules.draft(tx, draft_id) if draft_id is not None else None
    if draft is None or (draft.workspace_id, draft.channel_id) != (met.workspace_id, place.channel):
        return None
    return _plan_from(draft.plan)


def save_schedule(
    tx: Session, met: Met, draft_id: int, library: Library, now: datetime, new_key: NewKey, new_seed: Callable[[], int]
) -> Saved:
    """Save a proposal. A channel's schedule keeps its id and its dates when it is made again."""
    draft = schedules.draft(tx, draft_id)
    if draft is None or draft.workspace_id != met.workspace_id or draft.created_at < now - DRAFT_LIVES:
        raise DraftGone
    plan = _plan_from(draft.plan)
    schedule = schedules.of_channel(tx, met.workspace_id, draft.channel_id)
    if schedule is None:
        schedule = Schedule(
            workspace_id=met.workspace_id,
            channel_id=draft.channel_id,
            seed=new_seed(),
            created_at=now,
            changed_at=now,
            plan_at=now,
            **columns_of(plan),
        )
    for name, value in columns_of(plan).items():
        setattr(schedule, name, value)
    schedule.channel_name = draft.channel_name or schedule.channel_name
    schedule.made_by = met.id
    schedule.told_used_up = False
    schedule.changed_at = now
    if plan.least is not None:
        schedules.set_least(tx, met.workspace_id, plan.least)
    tx.add(schedule)
    tx.delete(draft)
    tx.flush()
    forget_plans(tx, schedule, now)
    plan_schedule(tx, schedule, library, now, new_key)
    detail = {"channel": draft.channel_id, "plan": asdict(plan)}
    audit.record(tx, met.workspace_id, met.id, now, "schedule", detail)
    return Saved(schedule, coming_dates(tx, schedule, calendar_of(tx, schedule), now, SHOWN_DATES))


def drop_draft(tx: Session, met: Met, draft_id: int) -> None:
    """The admin thought better of it."""
    draft = schedules.draft(tx, draft_id)
    if draft is not None and draft.workspace_id == met.workspace_id:
        tx.delete(draft)


def draft_plan(tx: Session, met: Met, draft_id: int) -> tuple[SetupDraft, Plan]:
    """A proposal to change further."""
    draft = schedules.draft(tx, draft_id)
    if draft is None or draft.workspace_id != met.workspace_id:
        raise DraftGone
    return draft, _plan_from(draft.plan)


def plan_of(schedule: Schedule) -> Plan:
    """What a stored schedule says."""
    return Plan(
        weekdays=tuple(schedule.weekdays),
        at=schedule.at.strftime("%H:%M"),
        zone=schedule.zone,
        country=schedule.country,
        topics=tuple(schedule.topics),
        weekday_topics={day: tuple(topics) for day, topics in schedule.weekday_topics.items()},
        kinds=tuple(schedule.kinds),
        easiest=schedule.easiest,
        hardest=schedule.hardest,
        languages=tuple(schedule.languages),
        mode=schedule.mode,
        reactions=schedule.reactions,
        window_minutes=schedule.window_minutes,
        board_day=schedule.board_day,
        best_rounds=schedule.best_rounds,
    )


def default_plan(met: Met) -> Plan:
    """Defaults for a new channel: the admin's own zone and language, where the platform told them."""
    language = "zh" if met.language.lower().startswith("zh") else "en"
    try:
        zone = check_zone(met.zone) if met.zone else "UTC"
    except ValueError:
        zone = "UTC"
    return Plan(zone=zone, languages=(language,))


def _plan_from(plain: Mapping[str, Any]) -> Plan:
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in plain.items()}
    if values.get("weekday_topics"):
        values["weekday_topics"] = {day: tuple(topics) for day, topics in values["weekday_topics"].items()}
    return Plan(**values)


def columns_of(plan: Plan) -> dict[str, Any]:
    """A plan as the columns of a schedule."""
    return {
        "weekdays": sorted(plan.weekdays),
        "at": parse_time(plan.at),
        "zone": plan.zone,
        "country": plan.country,
        "topics": list(plan.topics),
        "weekday_topics": {day: list(topics) for day, topics in (plan.weekday_topics or {}).items()},
        "kinds": list(plan.kinds),
        "easiest": plan.easiest,
        "hardest": plan.hardest,
        "languages": list(plan.languages),
        "mode": plan.mode,
        "reactions": plan.reactions,
        "window_minutes": plan.window_minutes,
        "board_day": plan.board_day,
        "best_rounds": plan.best_rounds,
    }


def _calendar(tx: Session, plan: Plan, existing: Schedule | None) -> Calendar:
    shape = Calendar(frozenset(plan.weekdays), parse_time(plan.at), plan.zone, plan.country)
    if existing is None:
        return shape
    kept = calendar_of(tx, existing)
    return Calendar(shape.weekdays, shape.at, shape.zone, shape.country, kept.holidays, kept.extra_dates, kept.pauses)


def fitting_questions(plan: Plan, library: Library) -> int:
    """How many questions fit the plan; 0 where one of its weekdays would have none."""
    shape = Schedule(workspace_id=0, channel_id="", seed=0, **columns_of(plan))
    own = {int(day): topics for day, topics in (plan.weekday_topics or {}).items()}
    for day in plan.weekdays:
        if not candidates_of(shape, library, tuple(own.get(day) or plan.topics)):
            return 0
    every = set(plan.topics)
    for topics in (plan.weekday_topics or {}).values():
        every |= set(topics)
    return len(candidates_of(shape, library, tuple(sorted(every)) if plan.topics else ()))


# --- one reader an option ----------------------------------------------------------------------------------------


def _days(text: str, _: Taxonomy) -> dict[str, Any]:
    return {"weekdays": tuple(sorted(parse_weekdays(text)))}


def _time(text: str, _: Taxonomy) -> dict[str, Any]:
    return {"at": parse_time(text).strftime("%H:%M")}


def _zone(text: str, _: Taxonomy) -> dict[str, Any]:
    return {"zone": check_zone(text)}


def _country(text: str, _: Taxonomy) -> dict[str, Any]:
    return {"country": "" if text.lower() in ("none", "no", "-", "无") else check_country(text)}


def read_topics(text: str, taxonomy: Taxonomy) -> tuple[str, ...]:
    """Topic slugs, names that mean one topic, or areas, parted by commas; ``all`` is every topic."""
    if text.strip().lower() in ("all", "*", "any", "全部", "所有"):
        return ()
    found = []
    for name in (part.strip() for part in re.split(r"[,，、;；\n]", text)):
        if name:
            area = [] if name.lower() in taxonomy else _area_topics(name, taxonomy)
            found += area or [_one_topic(name, taxonomy)]
    if not found:
        raise WrongInput("topics", "No topic is named; write topics, or all.", "没有写出主题，请写主题，或写 all。")
    return tuple(dict.fromkeys(found))


def _area_topics(name: str, taxonomy: Taxonomy) -> list[str]:
    """The topics of the area of that name; none where it is no area's."""
    wanted = fold(re.sub(r"^(area|领域)\s*[:：]\s*", "", name, flags=re.IGNORECASE))
    for area in taxonomy.areas:
        if wanted in (fold(area.slug), fold(area.name.en), fold(area.name.zh)):
            return [topic.slug for topic in area.topics]
    return []


def _one_topic(name: str, taxonomy: Taxonomy) -> str:
    try:
        return taxonomy.topic(name.lower()).slug
    except UnknownTopicError as error:
        matches = taxonomy.search(name, limit=3)
        if matches and _means(name, matches[0]) and (len(matches) == 1 or _means(name, matches[0], whole=True)):
            return matches[0].slug
        near = [topic.slug for topic in matches] or list(error.suggestions)
        hint = f"; did you mean {', '.join(near)}?" if near else "; `topics search` finds them by name."
        zh_hint = f"，是不是 {'、'.join(near)}？" if near else "，可用 topics search 按名称查找。"
        raise WrongInput(
            "topics", f"There is no topic “{name[:60]}”{hint}", f"没有主题“{name[:60]}”{zh_hint}"
        ) from None


def _means(name: str, topic: Topic, *, whole: bool = False) -> bool:
    """Does the topic have that name (or, unless ``whole``, a name with that in it)? Look-alikes do not."""
    wanted = fold(name)
    names = [fold(known) for known in (topic.slug, topic.name.en, topic.name.zh, *topic.aliases)]
    return any(wanted == known if whole else wanted in known for known in names)


def _topics(text: str, taxonomy: Taxonomy) -> dict[str, Any]:
    return {"topics": read_topics(text, taxonomy)}


def _kinds(text: str, _: Taxonomy) -> dict[str, Any]:
    if text.lower() in ("all", "any", "*", "全部", "所有"):
        return {"kinds": ()}
    kinds = []
    for name in re.split(r"[,，、;；\s]+", text.lower().strip(" ,，、;；")):
        kind = _KIND_NAMES.get(name.replace("-", "_").removesuffix("题"))
        if kind is None:
            raise ValueError(f"“{name[:40]}” is no kind of question; choose from {', '.join(k.value for k in Kind)}.")
        kinds.append(kind.value)
    return {"kinds": tuple(dict.fromkeys(kinds))}


_KIND_NAMES = {kind.value: kind for kind in Kind} | {
    "单选": Kind.SINGLE,
    "多选": Kind.MULTIPLE,
    "判断": Kind.TRUE_FALSE,
    "填空": Kind.BLANK,
    "数值": Kind.NUMERIC,
    "计算": Kind.NUMERIC,
    "案例": Kind.CASE,
}


def _difficulty(text: str, _: Taxonomy) -> dict[str, Any]:
    match = re.fullmatch(r"([1-5])(?:\s*(?:-|–|~|到|至|to|\.\.)\s*([1-5]))?", text.lower())
    if not match or (match[2] and match[1] > match[2]):
        raise ValueError(f"“{text[:40]}” is no range of difficulty; write it like 1-3, with levels from 1 to 5.")
    return {"easiest": int(match[1]), "hardest": int(match[2] or match[1])}


def _language(text: str, _: Taxonomy) -> dict[str, Any]:
    names = {"en": "en", "english": "en", "英文": "en", "英语": "en", "zh": "zh", "zh-cn": "zh", "chinese": "zh"}
    names |= {"中文": "zh", "汉语": "zh", "cn": "zh"}
    if text.lower() in ("both", "双语", "bilingual"):
        return {"languages": LANGUAGES}
    found = [names.get(part) for part in re.split(r"[+,，、/\s]+", text.lower()) if part]
    if not found or None in found:
        raise ValueError(f"“{text[:40]}” is no language here; write en, zh, or en+zh.")
    return {"languages": tuple(dict.fromkeys(found))}


def _mode(text: str, _: Taxonomy) -> dict[str, Any]:
    if re.fullmatch(r"(together|统一|一起)\s*[+＋]\s*(reactions|表情)", text.lower()):
        return {"mode": "together", "reactions": True}
    modes = {"instant": "instant", "together": "together", "即时": "instant", "统一": "together", "一起": "together"}
    if text.lower() not in modes:
        raise ValueError(f"“{text[:40]}” is no answer mode; write instant or together.")
    return {"mode": modes[text.lower()]}


def _reactions(text: str, _: Taxonomy) -> dict[str, Any]:
    choices = dict.fromkeys(("on", "yes", "开", "是"), True) | dict.fromkeys(("off", "no", "none", "关", "否"), False)
    if text.lower() not in choices:
        raise ValueError(f"“{text[:40]}” is neither on nor off.")
    return {"reactions": choices[text.lower()]}


def _window(text: str, _: Taxonomy) -> dict[str, Any]:
    match = re.fullmatch(r"(\d{1,4})\s*(m|min|minutes?|h|hours?|d|days?|分钟?|小时|天)?", text.lower())
    unit = (match[2] or "h")[0] if match else ""
    minutes = int(match[1]) * {"m": 1, "分": 1, "h": 60, "小": 60, "d": 1440, "天": 1440}[unit] if match else 0
    if not 10 <= minutes <= 7 * 1440:
        raise ValueError(f"“{text[:40]}” is no answer window; write it like 8h or 24h, from 10 minutes to 7 days.")
    return {"window_minutes": minutes}


def _board(text: str, _: Taxonomy) -> dict[str, Any]:
    days = parse_weekdays(text)
    if len(days) != 1:
        raise ValueError(f"“{text[:40]}” names several days; the board comes on one, such as mon.")
    return {"board_day": next(iter(days))}


def _best(text: str, _: Taxonomy) -> dict[str, Any]:
    if text.lower() in ("all", "全部"):
        return {"best_rounds": None}
    if not re.fullmatch(r"[1-7]", text):
        raise ValueError(f"“{text[:40]}” is no number of rounds; write 1 to 7, or all.")
    return {"best_rounds": int(text)}


def _least(text: str, _: Taxonomy) -> dict[str, Any]:
    if text not in ("3", "5"):
        raise ValueError(f"“{text[:40]}” is no number of answers; write 5, or 3 for small teams.")
    return {"least": int(text)}


_READERS: dict[str, Callable[[str, Taxonomy], dict[str, Any]]] = {
    "days": _days,
    "time": _time,
    "zone": _zone,
    "topics": _topics,
    "difficulty": _difficulty,
    "kinds": _kinds,
    "language": _language,
    "mode": _mode,
    "reactions": _reactions,
    "window": _window,
    "board": _board,
    "holidays": _country,
    "best": _best,
    "least": _least,
}
OPTIONS = tuple(_READERS)

_ZH = {
    "days": "“{}”看不出是哪几天，请写成 mon-fri、周一到周五 或 1,3,5。",
    "time": "“{}”不是一个时刻，请写成 09:30 或 上午9:30。",
    "zone": "没有时区“{}”，请写成 Asia/Shanghai 或 Europe/Berlin。",
    "topics": "看不懂主题“{}”。",
    "difficulty": "“{}”不是难度范围，请写成 1-3（1 到 5 级）。",
    "kinds": "“{}”不是题型，可选：单选、多选、判断、填空、数值、案例。",
    "language": "不支持语言“{}”，请写 en、zh 或 en+zh。",
    "mode": "没有答题模式“{}”，请写 instant（即时）或 together（统一）。",
    "reactions": "“{}”应当是 on（开）或 off（关）。",
    "window": "“{}”不是答题时长，请写成 8h 或 24h（10 分钟到 7 天）。",
    "board": "“{}”应当是一个星期几，例如 mon 或 周一。",
    "holidays": "不认识国家或地区代码“{}”，请写成 CN、DE 或 none。",
    "best": "“{}”应当是 1 到 7，或 all。",
    "least": "“{}”应当是 5，小团队可用 3。",
}
