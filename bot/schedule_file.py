"""Schedules as a YAML file: written in a stable order, read strictly, with every fault and its line at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Any, Literal

import yaml

from bot.drill.errors import WrongInput
from bot.usecases.apply_schedules import Wanted
from bot.usecases.export_schedules import DAYS
from bot.usecases.set_schedule import OPTIONS, Plan, WrongOptions, read_options, read_topics
from content.taxonomy import Taxonomy

HEAD = """\
# The schedules of Team Drills. Values are written as in /drill setup (docs/commands.md).
# `drills schedules apply FILE --dry-run` shows what this file would change.
"""
PLATFORMS = ("slack", "discord", "playground")
WORKSPACE_KEYS = ("platform", "id", "name", "least", "channels")
PLAN_KEYS = tuple(name for name in OPTIONS if name != "least")  # that one is the workspace's
DATE_KEYS = ("days_off", "skipped", "extra")
CHANNEL_KEYS = ("id", "name", *PLAN_KEYS, "weekday_topics", *DATE_KEYS, "questions", "paused")
MOST_BYTES = 5_000_000


class ScheduleFileFault(Exception):
    """The file cannot be used; a line for each reason."""

    def __init__(self, faults: Sequence[str]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(faults))


@dataclass(frozen=True, slots=True)
class _Value:
    """A value with its line, from 1."""

    line: int
    plain: Any  # str, list[_Value] or dict[str, _Value]


def write_schedules(workspaces: Sequence[dict[str, Any]]) -> str:
    """The file for what ``export_schedules`` found."""
    body = yaml.safe_dump(
        {"workspaces": list(workspaces)}, sort_keys=False, allow_unicode=True, width=110, default_flow_style=None
    )
    return HEAD + body


def read_schedules(text: str, name: str, taxonomy: Taxonomy) -> list[Wanted]:
    """The channels in the file. Raises ``ScheduleFileFault`` with ``file:line: what is wrong; how to mend it``."""
    return _Reader(name, taxonomy).read(text)


class _Reader:
    def __init__(self, name: str, taxonomy: Taxonomy) -> None:
        self._name = name
        self._taxonomy = taxonomy
        self._faults: list[str] = []
        self._known: set[int] = set()

    def read(self, text: str) -> list[Wanted]:
        if len(text.encode("utf-8", "replace")) > MOST_BYTES:
            raise ScheduleFileFault([f"{self._name}: the file is longer than 5 MB; give one of schedules alone."])
        try:
            node = yaml.compose(text, Loader=yaml.SafeLoader)
            top = self._value(node) if node is not None else _Value(1, {})
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else 1
            raise ScheduleFileFault(
                [f"{self._name}:{line}: this is no YAML ({error.problem}); mend this line."]
            ) from None
        except (yaml.YAMLError, RecursionError):
            raise ScheduleFileFault([f"{self._name}:1: this is no YAML; export a file and change that."]) from None
        found: list[Wanted] = []
        seen: dict[tuple[str, str, str], int] = {}
        for workspace in self._list(self._mapping(top, ("workspaces",)).get("workspaces"), top.line):
            for line, wanted in self._workspace(workspace):
                if wanted.place in seen:
                    self._fault(
                        line, f"channel {wanted.channel} stands in line {seen[wanted.place]} already", "keep one"
                    )
                seen.setdefault(wanted.place, line)
                found.append(wanted)
        if not found and not self._faults:
            self._fault(1, "there is no channel in this file", "export a file and change that")
        if self._faults:
            raise ScheduleFileFault(self._faults)
        return found

    def _workspace(self, value: _Value) -> list[tuple[int, Wanted]]:
        fields = self._mapping(value, WORKSPACE_KEYS)
        platform = self._text(fields, "platform", value.line)
        if platform and platform not in PLATFORMS:
            self._fault(fields["platform"].line, f"“{platform[:40]}” is no platform", f"write {', '.join(PLATFORMS)}")
        workspace = self._text(fields, "id", value.line)
        least = self._options(fields, ("least",), Plan(), value.line).least or 5
        channels = self._list(fields.get("channels"), value.line)
        found = [(channel.line, self._channel(platform, workspace, channel)) for channel in channels]
        return [(line, replace(wanted, least=least)) for line, wanted in found]

    def _channel(self, platform: str, workspace: str, value: _Value) -> Wanted:
        fields = self._mapping(value, CHANNEL_KEYS)
        plan = self._options(fields, PLAN_KEYS, Plan(), value.line)
        weekday_topics = self._weekday_topics(fields.get("weekday_topics"))
        days = {name: self._dates(fields.get(name)) for name in DATE_KEYS}
        self._check_once(fields, days)
        return Wanted(
            platform,
            workspace,
            self._text(fields, "id", value.line),
            self._words(fields["name"]) if "name" in fields else "",
            _with_weekdays(plan, weekday_topics),
            days["days_off"],
            days["skipped"],
            days["extra"],
            self._questions(fields.get("questions")),
            self._paused(fields.get("paused")),
        )

    def _options(self, fields: dict[str, _Value], names: Sequence[str], plan: Plan, line: int) -> Plan:
        """``plan`` with what these fields say; each fault with its line."""
        typed = {name: self._words(fields[name]) for name in names if name in fields}
        try:
            return read_options(plan, {name: text for name, text in typed.items() if text.strip()}, self._taxonomy)
        except WrongOptions as error:
            for fault in error.faults:
                place = fields[fault.field].line if fault.field in fields else line
                self._faults.append(f"{self._name}:{place}: {fault.field}: {fault.en}")
        return plan

    def _check_once(self, fields: dict[str, _Value], days: dict[str, tuple[date, ...]]) -> None:
        seen: dict[date, str] = {}
        for name in DATE_KEYS:
            for day in days[name]:
                if day in seen:
                    self._fault(fields[name].line, f"{day} stands under {seen[day]} already", "keep one")
                seen[day] = name

    def _questions(self, value: _Value | None) -> dict[date, str]:
        found: dict[date, str] = {}
        if value is None or value.plain in ("", []):
            return found
        if not isinstance(value.plain, dict):
            self._fault(value.line, "questions by date are wanted here", "write 2026-12-24: question-id")
            return found
        for typed, question in value.plain.items():
            day = self._date(typed, question.line)
            if day is not None and self._words(question).strip():
                found[day] = self._words(question).strip()
        return found

    def _paused(self, value: _Value | None) -> date | datetime | Literal["yes", "no"]:
        typed = self._words(value).strip() if value is not None else "no"
        if value is None or typed.lower() in ("", "no", "false", "off"):
            return "no"
        if typed.lower() in ("yes", "true", "on"):
            return "yes"
        until = typed.removeprefix("until").strip()
        try:
            if len(until) == len("2026-12-24"):
                last = date.fromisoformat(until)
                if last.year < 9000:  # where the calendar ends, zones cannot be reckoned with
                    return last
            elif (end := datetime.fromisoformat(until)).tzinfo is not None:
                return end.astimezone(UTC)
        except (ValueError, OverflowError):
            pass
        cure = "write yes, no, or until 2026-12-24"
        self._fault(value.line, f"“{typed[:40]}” does not say whether it is paused", cure)
        return "no"

    def _weekday_topics(self, value: _Value | None) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for day, topics in (self._mapping(value, DAYS) if value is not None else {}).items():
            try:
                found[str(DAYS.index(day) + 1)] = read_topics(self._words(topics), self._taxonomy)
            except WrongInput as error:
                self._faults.append(f"{self._name}:{topics.line}: {error.en}")
        return found

    def _dates(self, value: _Value | None) -> tuple[date, ...]:
        found: list[date] = []
        for item in self._list(value, 1) if value is not None else ():
            day = self._date(self._words(item), item.line)
            found += [day] if day is not None else []
        return tuple(sorted(set(found)))

    def _date(self, typed: str, line: int) -> date | None:
        try:
            found = date.fromisoformat(typed.strip())
        except ValueError:
            found = date.max
        if found.year < 9000:  # where the calendar ends, zones cannot be reckoned with
            return found
        self._fault(line, f"“{typed[:40]}” is no date", "write it like 2026-12-24")
        return None

    # --- YAML ------------------------------------------------------------------------------------------------

    def _value(self, node: yaml.Node) -> _Value:
        line = node.start_mark.line + 1
        # Aliases of aliases would grow without end; a file for people needs none.
        if id(node) in self._known:
            self._fault(line, "an alias (*) repeats what stands here", "write it out")
            return _Value(line, "")
        self._known.add(id(node))
        if isinstance(node, yaml.MappingNode):
            fields: dict[str, _Value] = {}
            for key, part in node.value:
                name = str(key.value) if isinstance(key, yaml.ScalarNode) else "?"
                if name in fields:
                    self._fault(key.start_mark.line + 1, f"“{name[:40]}” stands here twice", "keep one")
                fields[name] = self._value(part)
            return _Value(line, fields)
        if isinstance(node, yaml.SequenceNode):
            return _Value(line, [self._value(part) for part in node.value])
        null = node.tag == "tag:yaml.org,2002:null"
        return _Value(line, "" if null else str(node.value))

    def _mapping(self, value: _Value, known: Sequence[str]) -> dict[str, _Value]:
        if not isinstance(value.plain, dict):
            if value.plain != "":
                self._fault(value.line, "names with values are wanted here", f"write {known[0]}: …")
            return {}
        for name, part in value.plain.items():
            if name not in known:
                self._fault(part.line, f"“{name[:40]}” is not known here", f"use {', '.join(known)}")
        return {name: part for name, part in value.plain.items() if name in known}

    def _list(self, value: _Value | None, line: int) -> list[_Value]:
        if value is None or value.plain == "":
            return []
        if not isinstance(value.plain, list):
            self._fault(value.line, "a list is wanted here", "begin each line with -")
            return []
        return value.plain

    def _text(self, fields: dict[str, _Value], name: str, line: int) -> str:
        text = self._words(fields[name]).strip() if name in fields else ""
        if not text:
            self._fault(fields[name].line if name in fields else line, f"{name} is missing", f"write {name}: …")
        return text

    def _words(self, value: _Value) -> str:
        """A value as it is typed; a list is its items with commas between."""
        if isinstance(value.plain, list):
            return ", ".join(self._words(part) for part in value.plain)
        return value.plain if isinstance(value.plain, str) else ""

    def _fault(self, line: int, fault: str, cure: str) -> None:
        self._faults.append(f"{self._name}:{line}: {fault}; {cure}.")


def _with_weekdays(plan: Plan, topics: dict[str, tuple[str, ...]]) -> Plan:
    return replace(plan, weekday_topics=topics) if topics else plan
