"""What the commands are called and how they are described, in English and in both Chinese scripts."""

from __future__ import annotations

import re

import discord
from discord import app_commands

from bot.commands import BY_NAME, CHINESE, COMMANDS, CommandOption, CommandSpec
from bot.texts import texts
from content.traditional import traditional

MEMBERS, ADMINS = "drill", "drill-admin"
ROOTS = {MEMBERS: "One good question a day", ADMINS: "Set up and steer the drills of a channel"}
"""The two commands and their descriptions; their own names stay as they are, because texts speak of them."""

LINE = CommandSpec(
    "admin",
    "admin skip 2026-12-24",
    "Admin commands, typed: for those to whom the drills are delegated",
    options=(CommandOption("line", "What stands after “/drill” elsewhere, such as skip 2026-12-24"),),
)
"""``/drill admin line:…``: on Discord alone."""

WHERE = CommandOption("channel", "Another channel than this one, such as a forum")

COMMAND_NAMES = {LINE.name: "管理", "answer": "回答", "me": "我的进展", "board": "排行榜"}
"""Commands whose first Chinese word is too short for a list; the others' stands in ``bot/commands.py``."""

OPTION_NAMES = {
    "add": "添加",
    "action": "操作",
    "answer": "答案",
    "clear": "清除",
    "confirm": "先确认",
    "count": "数量",
    "from": "从",
    "hide": "隐藏",
    "name": "名称",
    "pause": "暂停到",
    "reason": "理由",
    "recording": "记录作答",
    "reminders": "提醒",
    "page": "页码",
    "to": "换成",
    "user": "成员",
    "with": "换成",
    "best": "计分题数",
    "least": "最少人数",
    "board": "榜单日",
    "channel": "频道",
    "country": "国家",
    "date": "日期",
    "dates": "日期",
    "day": "星期几",
    "days": "星期",
    "difficulty": "难度",
    "extra": "补日期",
    "holidays": "节假日",
    "kinds": "题型",
    "language": "语言",
    "line": "命令",
    "member": "成员",
    "mode": "模式",
    "period": "范围",
    "question": "题目",
    "reactions": "表情作答",
    "remove": "移除",
    "response": "作答",
    "role": "身份组",
    "round": "题号",
    "search": "查找",
    "set": "设为",
    "text": "内容",
    "time": "时间",
    "topics": "主题",
    "until": "截止日",
    "window": "时限",
    "zone": "时区",
}
"""The options' names for people whose Discord speaks Chinese; one that is missing stands in English."""

CHOICES = {
    "en": "英文",
    "zh": "中文",
    "en+zh": "英文 + 中文",
    "zh+en": "中文 + 英文",
    "instant": "即时",
    "together": "一起揭晓",
}
CHOICES |= {
    "client": "跟随客户端",
    "week": "本周",
    "month": "本月",
    "all": "总榜",
    "on": "开",
    "off": "关",
    "yes": "是",
    "no": "否",
}

_SPOKEN = re.compile(r"/drill (?=(?P<name>[a-z]+))")
_OPTIONS = re.compile(rf"\b({'|'.join(sorted({o.name for spec in COMMANDS for o in spec.options}))})=(?=\S)")


def spoken(text: str) -> str:
    """A text that names commands as every platform does, with the names and the options they have here."""
    if "/drill " not in text:
        return text
    named = _SPOKEN.sub(lambda found: f"/{ADMINS} " if _is_admins(found["name"]) else found[0], text)
    return _OPTIONS.sub(lambda found: f"{found[1]}:", named)


def _is_admins(name: str) -> bool:
    return name in BY_NAME and BY_NAME[name].admin


class Chinese(app_commands.Translator):
    """Names and descriptions of commands and options for people whose Discord speaks Chinese."""

    async def translate(
        self,
        string: app_commands.locale_str,
        locale: discord.Locale,
        context: app_commands.TranslationContextTypes,
    ) -> str | None:
        if locale not in (discord.Locale.chinese, discord.Locale.taiwan_chinese):
            return None
        shown = _chinese(string.message, context)
        if shown is None:
            return None
        return traditional(shown) if locale is discord.Locale.taiwan_chinese else shown


def _chinese(text: str, context: app_commands.TranslationContextTypes) -> str | None:
    places = app_commands.TranslationContextLocation
    match context.location:
        case places.command_name:
            words = CHINESE.get(text, "").split()
            return COMMAND_NAMES.get(text) or (words[0] if words else None)
        case places.parameter_name:
            return OPTION_NAMES.get(text)
        case places.choice_name:
            return CHOICES.get(text)
        case places.command_description | places.group_description | places.parameter_description:
            shown = texts("zh")(text)
            return spoken(shown) if shown != text else None
    return None
