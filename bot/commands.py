"""The commands of ``/drill``: one table that Slack, Discord and the playground all read."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from bot.drill.errors import UnknownCommand, WrongInput


@dataclass(frozen=True, slots=True)
class CommandOption:
    """One option; ``rest``: takes everything that is typed after the command without a name.

    ``verbatim``: takes the whole text as it stands, since an answer may hold ``=`` or the option's own name.
    """

    name: str
    help: str
    rest: bool = False
    choices: tuple[str, ...] = ()
    verbatim: bool = False


@dataclass(frozen=True, slots=True)
class CommandSpec:
    name: str
    usage: str
    help: str
    admin: bool = False
    options: tuple[CommandOption, ...] = ()


SCHEDULE_OPTIONS = (
    CommandOption("days", "Days, such as mon-fri"),
    CommandOption("time", "Time of day, such as 09:30"),
    CommandOption("zone", "Time zone, such as Asia/Shanghai"),
    CommandOption("topics", "Topics in turn, parted by commas, or all"),
    CommandOption("difficulty", "Levels, such as 1-3"),
    CommandOption("kinds", "Kinds of question, parted by commas, or all"),
    CommandOption("language", "en, zh, or en+zh", choices=("en", "zh", "en+zh", "zh+en")),
    CommandOption("mode", "instant or together", choices=("instant", "together")),
    CommandOption("reactions", "Public keycap emoji as answers too, in together mode", choices=("on", "off")),
    CommandOption("window", "How long a round is open, such as 8h"),
    CommandOption("board", "Day of the weekly board, such as mon"),
    CommandOption("holidays", "Country code whose holidays have no round, or none"),
    CommandOption("best", "How many of the week's rounds count, 1 to 7, or all"),
    CommandOption("least", "Fewest answers that show a distribution, in the whole workspace", choices=("3", "5")),
)

COMMANDS = (
    CommandSpec("today", "today", "Today's question, in your language"),
    CommandSpec(
        "answer",
        "answer C",
        "Answer by typing: letters, a number or words",
        options=(CommandOption("response", "Letters, a number or words", rest=True, verbatim=True),),
    ),
    CommandSpec("me", "me", "Your points, accuracy, streak and topics"),
    CommandSpec(
        "board",
        "board [week|month|all]",
        "The leaderboard, with you and your neighbours",
        options=(CommandOption("period", "week, month or all", rest=True, choices=("week", "month", "all")),),
    ),
    CommandSpec(
        "challenge",
        "challenge [why]",
        "Dispute the answer of the newest question; the authors read it",
        options=(CommandOption("text", "What is wrong with it", rest=True, verbatim=True),),
    ),
    CommandSpec(
        "settings",
        "settings [language=zh …]",
        "Your language, time zone, pauses, reminders and privacy",
        options=(
            CommandOption("language", "The language you read in, or client", choices=("client", "en", "zh", "zh-TW")),
            CommandOption("zone", "Time zone, such as Asia/Shanghai"),
            CommandOption("hide", "Hide you from boards", choices=("on", "off")),
            CommandOption("pause", "Last day of your pause, such as 2026-12-31, or off"),
            CommandOption("confirm", "Ask you before one tap is final", choices=("on", "off")),
            CommandOption("reminders", "Remind you of open questions, in working hours", choices=("on", "off")),
            CommandOption("recording", "Whether your answers are recorded", choices=("on", "off")),
        ),
    ),
    CommandSpec("export", "export", "Everything that is stored of you, as a file for you alone"),
    CommandSpec("forget", "forget", "Erase you; asks first"),
    CommandSpec("help", "help", "What you can do here"),
    CommandSpec("setup", "setup", "Start or change daily drills in this channel", True, SCHEDULE_OPTIONS),
    CommandSpec(
        "schedule", "schedule [time=10:00 …]", "Show or change when and what this channel gets", True, SCHEDULE_OPTIONS
    ),
    CommandSpec(
        "topics",
        "topics [kv-cache, lora | search …]",
        "Show, search or set this channel's topics",
        True,
        (
            CommandOption("set", "Topics in turn, parted by commas, or all", rest=True),
            CommandOption("day", "Only for this weekday, such as mon"),
            CommandOption("search", "Find topics by name"),
        ),
    ),
    CommandSpec("now", "now", "Post today's question at once", True),
    CommandSpec(
        "pause",
        "pause [2026-12-31]",
        "Pause drills here, until a date or until you resume",
        True,
        (CommandOption("until", "Last day of the pause, such as 2026-12-31", rest=True),),
    ),
    CommandSpec("resume", "resume", "Resume drills here", True),
    CommandSpec(
        "holiday",
        "holiday [2026-12-24 [off]]",
        "Take dates out of this channel's drills, or list them",
        True,
        (CommandOption("date", "Dates, such as 2026-12-24..2026-12-31; off takes it back", rest=True),),
    ),
    CommandSpec(
        "extra",
        "extra [2026-12-26 [off]]",
        "Put extra dates in, such as working weekends",
        True,
        (CommandOption("date", "Dates, such as 2026-12-26; off takes it back", rest=True),),
    ),
    CommandSpec(
        "skip",
        "skip [2026-12-24 [off]]",
        "Skip the next round, or that of a date",
        True,
        (CommandOption("date", "A date; off takes it back", rest=True),),
    ),
    CommandSpec(
        "swap",
        "swap [2026-12-24] [to=…]",
        "Ask another question on a date to come",
        True,
        (
            CommandOption("date", "The date; the next round where it is empty", rest=True),
            CommandOption("to", "A topic, or a question's id"),
        ),
    ),
    CommandSpec(
        "preview",
        "preview [2026-12-24]",
        "See a question to come, for you alone",
        True,
        (CommandOption("date", "The date; the next round where it is empty", rest=True),),
    ),
    CommandSpec(
        "admins",
        "admins [add=@name]",
        "Whom the drills are delegated to",
        True,
        (
            CommandOption("add", "A person or role, mentioned with @"),
            CommandOption("remove", "A person or role, mentioned with @"),
        ),
    ),
    CommandSpec(
        "audit",
        "audit [2]",
        "What admins did here",
        True,
        (CommandOption("page", "Page, 1 is the newest", rest=True),),
    ),
    CommandSpec("status", "status", "The next five rounds with dates and questions", True),
)

BY_NAME = {spec.name: spec for spec in COMMANDS}

CHINESE = {
    "today": "今天 今日 今日题目 每日一题",
    "answer": "答 答案 回答 作答 我答 我选",
    "me": "我 我的 我的进展 进展",
    "board": "榜 榜单 排行 排行榜 排名",
    "challenge": "质疑 申诉 纠错",
    "settings": "个人设置 我的设置 偏好 偏好设置",
    "export": "导出 我的数据 导出数据",
    "forget": "忘记我 删除我 注销",
    "help": "帮助 说明 命令 怎么用",
    "setup": "设置 开始",
    "schedule": "计划 日程 时间表",
    "topics": "主题 话题",
    "now": "现在 马上 立即",
    "pause": "暂停",
    "resume": "恢复 继续",
    "holiday": "假期 节假日 放假",
    "extra": "补班 加题 调休",
    "skip": "跳过",
    "swap": "换题 更换",
    "preview": "预览",
    "admins": "管理员 授权",
    "audit": "记录 审计 日志",
    "status": "状态",
}
"""What people who write Chinese type in place of a command's name (simplified; traditional characters too)."""

_BY_CHINESE = {word: name for name, words in CHINESE.items() for word in words.split()}


def parse(text: str) -> tuple[str, dict[str, str]]:
    """What was typed after ``/drill``: the command's name and its options (``time=10:00 zone=…``, or bare words).

    Raises ``UnknownCommand`` with the nearest name, ``WrongInput`` for an option the command does not have.
    """
    words = text.strip().split(None, 1)
    name = _name(words[0]) if words else "help"
    spec = BY_NAME.get(name)
    if spec is None:
        raise UnknownCommand(name[:40], nearest(name))
    return name, parse_options(spec, words[1] if len(words) > 1 else "")


def _name(word: str) -> str:
    """A command's name as it is typed, full-width or in Chinese; what is none stays as it is."""
    if word.isascii():
        return word.lower()
    from content.text_rules import simplify

    plain = unicodedata.normalize("NFKC", word).lower()
    return _BY_CHINESE.get(simplify(plain), plain)


def parse_options(spec: CommandSpec, text: str) -> dict[str, str]:
    """Options by name; a value runs to the next ``name=``, so it may hold spaces."""
    whole = next((option.name for option in spec.options if option.verbatim), None)
    if whole is not None:
        return {whole: text.strip()} if text.strip() else {}
    names = "|".join(re.escape(option.name) for option in spec.options)
    marks = list(re.finditer(rf"(?:^|(?<=\s))({names})\s*[=＝]\s*", text, re.IGNORECASE)) if names else []
    bare = text[: marks[0].start()] if marks else text
    options = {}
    for mark, following in zip(marks, [*marks[1:], None], strict=False):
        end = following.start() if following else len(text)
        options[mark[1].lower()] = text[mark.end() : end].strip().strip('"“”')
    bare = bare.strip()
    if not bare:
        return options
    first, _, remainder = bare.partition(" ")
    for option in spec.options:
        if not option.rest and first.lower() == option.name and remainder.strip():
            return {option.name: remainder.strip(), **options}
    rest = next((option for option in spec.options if option.rest), None)
    if rest is None or "=" in bare:
        known = ", ".join(option.name for option in spec.options) or "–"
        raise WrongInput(
            "options",
            f"/drill {spec.name} does not understand “{bare[:60]}”; it takes: {known} (write name=value).",
            f"/drill {spec.name} 看不懂“{bare[:60]}”，可用的选项：{known}（写成 名称=值）。",
        )
    if first.lower() == rest.name and remainder.strip():
        bare = remainder.strip()
    return {rest.name: bare, **options}


def nearest(name: str) -> str:
    """The command that was probably meant, or ``""``."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, BY_NAME, n=1, cutoff=0.6)), "")
