"""The page's own words, in English and Chinese. What the bot says comes from the engine."""

from __future__ import annotations

from datetime import datetime

from bot.texts import texts

WORDS: dict[str, tuple[str, str]] = {
    "product": ("Team Drills", "Team Drills"),
    "skip": ("Skip to the messages", "跳到消息"),
    "app": ("APP", "应用"),
    "clock": ("Demo clock", "演示时钟"),
    "waiting": ("waiting for you", "等你作答"),
    "running": ("running", "走动中"),
    "finished": ("in real time", "与真实时间同步"),
    "lost": ("no connection", "连接已断开"),
    "go on": ("Go on", "继续"),
    "next day": ("Next day", "下一天"),
    "you are": ("You are", "你是"),
    "who are you": ("Who are you?", "你是谁"),
    "admin": ("admin", "管理员"),
    "pages": ("Pages", "页面"),
    "direct": ("Messages to you", "给你的私信"),
    "language": ("Language", "语言"),
    "messages": ("Messages", "消息"),
    "topic": ("One good question a day", "每天一道好题"),
    "only you": ("Only you can see this", "只有你能看到"),
    "dismiss": ("Dismiss", "关闭"),
    "open": ("open", "进行中"),
    "closed": ("closed", "已结束"),
    "replies": ("Answer and reasons", "答案和解析"),
    "reactions": ("Reactions, which everyone sees", "表情回应（所有人可见）"),
    "right": ("right", "正确"),
    "wrong": ("wrong", "错误"),
    "chosen": ("your choice", "你选的"),
    "empty": ("Nothing here yet", "还没有内容"),
    "empty channel": (
        "The first question comes when the channel's clock reaches its time.",
        "到了设定的时间，第一题会出现在这里。",
    ),
    "empty direct": ("The bot writes here when it has something for you alone.", "机器人有事单独找你时，会写在这里。"),
    "new below": ("New message", "有新消息"),
    "older": ("Older messages are not shown: {count}", "更早的 {count} 条消息未显示"),
    "command": ("Command", "命令"),
    "send": ("Send", "发送"),
    "cancel": ("Cancel", "取消"),
    "close form": ("Close", "关闭"),
    "try": ("Try", "试试"),
    "notice": (
        "Real engine, real database, a week in about a minute. While you are here the clock waits at each question.",
        "真实的引擎和数据库，约一分钟过完一周。你在场时，时钟会在每道题前停下。",
    ),
    "without script": (
        "Without scripts this page does not update by itself; load it again to see what is new.",
        "浏览器未启用脚本，页面不会自动更新；请刷新查看新内容。",
    ),
    "welcome title": ("One good question a day, in your team's chat", "每天一道好题，就在团队的聊天里"),
    "welcome": (
        "This page is a chat channel of eight people. Come in, answer by tapping, and see what only you see.",
        "这个页面是一个八人的聊天频道。进来点一下作答，看看只有你能看到的回复。",
    ),
    "your name": ("Your name", "你的名字"),
    "name hint": ("Shown on the board.", "会显示在排行榜上。"),
    "your language": ("Your language", "你的语言"),
    "come in": ("Come in", "进入频道"),
    "through eyes": ("Or see it through the eyes of somebody in the team", "或者用团队里某个人的身份看看"),
    "new visitor": ("Another visitor", "换个访客"),
    "back": ("Back to the channel", "回到频道"),
    "no name": ("Write the name that the others shall see.", "请写下大家会看到的名字。"),
    "name taken": ("There is a {name} in the team already; choose another name.", "团队里已经有 {name}，请换个名字。"),
    "full": ("The playground is full; start the demo again.", "访客太多了，请重新启动演示。"),
    "no member": ("Nobody here goes by that address; begin at the front page.", "没有这个人，请从首页进入。"),
    "no page": ("There is no such page; begin at the front page.", "没有这个页面，请从首页进入。"),
    "no form": (
        "That form could not be read; open the page again and send it from there.",
        "看不懂这份表单，请重新打开页面后再提交。",
    ),
    "too long": ("That is too long; send less at once.", "内容太长，请少发一些。"),
    "own fault": ("Something went wrong on our side. Please try again.", "我们这边出了点问题，请再试一次。"),
    "fault": ("That did not work", "没有成功"),
}


class Words:
    """The page's words in one language (``en`` or ``zh``)."""

    def __init__(self, language: str) -> None:
        self.language = "zh" if language.startswith("zh") else "en"

    @property
    def tag(self) -> str:
        """For ``<html lang>``."""
        return "zh-CN" if self.language == "zh" else "en"

    def __call__(self, key: str, **values: object) -> str:
        return WORDS[key][self.language == "zh"].format(**values)

    def day(self, moment: datetime, zone: str) -> str:
        """The date in ``zone``: ``Mon 30 Nov`` · ``11月30日周一``."""
        from bot.drill.calendar import local_date

        return texts(self.language).day(local_date(moment, zone))

    def time(self, moment: datetime, zone: str) -> str:
        return texts(self.language).time(moment, zone)
