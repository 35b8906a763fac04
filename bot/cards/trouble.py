"""What the bot says of trouble: a reason in one sentence with its cure, notices to admins, what a channel lacks.

A reason is stored as ``cure:code`` (``archived:is_archived``), as a cure alone, or as one of our own words (``down``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

from bot.card import Bold, Button, Buttons, Card, Note, Paragraph, Part
from bot.drill.trouble import CURES
from bot.texts import Texts, texts
from bot.usecases.retry_delivery import Retried

_SAME = {
    "removed": "uninvited",
    "not_in_channel": "uninvited",
    "channel_not_found": "unseen",
    "is_archived": "archived",
    "10003": "deleted",
    "50001": "view",
    "50013": "send",
    "missing_scope": "scope",
    "invalid_auth": "token",
    "token_revoked": "token",
    "account_inactive": "uninstalled",
}
"""States of channels, and codes as they were stored before cures were."""


def reason(stored: str, t: Texts) -> str:
    """Why something could not be done, as a sentence for the person who can mend it."""
    cure, _, code = stored.partition(":")
    return sentences(t).get(_SAME.get(cure, cure)) or t("the platform refused ({code}).", code=code or stored)


def sentences(t: Texts) -> dict[str, str]:
    """Every cure and every reason of ours as a sentence; they follow a colon."""
    return {
        "down": t("the bot was not running at that time."),
        "no-question": t("no question fits the schedule; widen its topics, kinds or difficulty."),
        "archived": t("the channel is archived. Unarchive it, and drills go on by themselves."),
        "deleted": t(
            "the channel is gone. Start drills in another one with /drill setup; results and points are kept."
        ),
        "uninvited": t("the bot is not in the channel; invite it there, and drills go on by themselves."),
        "unseen": t("the bot cannot see the channel: it was deleted, or it is private; invite the bot there."),
        "left": t("the bot was removed from this workspace; add it again, and drills go on by themselves."),
        "view": t("the bot cannot see the channel; give it View Channel."),
        "send": t("the bot may not post there; give it Send Messages, Create Public Threads, Attach Files."),
        "threads": t(
            "the bot cannot open threads there, so results have no place; allow it (Discord: Create Public Threads, Send Messages in Threads)."
        ),
        "files": t(
            "the bot may not upload pictures there, so texts come without them; allow it (Discord: Attach Files)."
        ),
        "history": t("the bot cannot read its own messages there; give it Read Message History."),
        "unreadable": t("it may stand there already, but the bot may not look; give it Read Message History."),
        "react": t("the bot cannot leave its emoji there; allow it (Discord: Add Reactions), or use buttons."),
        "restricted": t("a setting of the channel or workspace lets others post there only; let the bot post too."),
        "locked": t("the thread is locked or archived; open it again."),
        "thread-limit": t("the server has too many open threads; close some."),
        "verification": t("the server asks for a verification that the bot has not; exempt it."),
        "automod": t("the server's automatic moderation blocked the message; exempt the bot from it."),
        "shared": t("people of another organisation are in this channel too: they see questions and results."),
        "direct": t("drills need a channel, and this is a direct message; set them up in a channel."),
        "forum": t("the forum demands a tag that only moderators may give; let everybody give one, or demand none."),
        "no-text": t("messages have no threads there; set drills up in a text channel."),
        "scope": t("the app lacks a permission; install it again with the current manifest."),
        "token": t("the token is not valid any more; put in a new one."),
        "uninstalled": t("the app was uninstalled or switched off; install it again."),
        "policy": t("a rule of the workspace or organisation forbids it; ask its owner to approve the app."),
        "settings": t("a setting of the app is wrong; the operator's check “drills doctor” says which."),
        "version": t("the platform has taken this way away; install a newer version of the bot."),
        "quota": t("the workspace or the app has reached a limit of its plan; free some room."),
        "defect": t("the platform did not take what the bot sent. That is a fault of the bot; tell its operator."),
        "busy": t("the platform asked for patience; it is tried again by itself."),
        "outage": t("the platform could not be reached; it is tried again by itself."),
        "message-gone": t("the message was deleted; there is nothing to do."),
        "done": t("it was done already; there is nothing to do."),
        "clash": t("two changes met; it is tried again by itself."),
        "person-gone": t("that person is not there any more."),
        "person-closed": t("that person takes no direct messages; they can allow them in their settings."),
        "person-away": t("that person is not in the channel; they can join it."),
        "again": t("that took too long; press the button once more."),
        "internal": t("the bot failed on its side; its log says why."),
    }


def notice(code: str, detail: dict[str, Any], channel: str, language: str) -> Card:
    """What an admin hears privately; with a button where a second try may help."""
    t = texts(language)
    text = notice_text(code, detail, channel, t)
    parts: list[Part] = [Paragraph((text,))]
    if detail.get("delivery"):
        parts.append(_again(f"retry:{detail['delivery']}", t))
    elif code == "parked" and detail.get("state") != "deleted":
        parts.append(_again(f"reopen:{detail['schedule']}", t))
    return Card(text, tuple(parts))


def _again(action: str, t: Texts) -> Buttons:
    return Buttons((Button(t("Try again"), action, "primary"),))


def notice_text(code: str, detail: dict[str, Any], channel: str, t: Texts) -> str:
    """A notice as one sentence."""
    why = reason(str(detail.get("reason", "")), t)
    if code == "missed":
        days = ", ".join(t.day(date.fromisoformat(day)) for day in detail["dates"])
        if len(detail["dates"]) > 1:
            return t("The drills of {day} in {channel} were missed: {reason}", day=days, channel=channel, reason=why)
        return t("The drill of {day} in {channel} was missed: {reason}", day=days, channel=channel, reason=why)
    if code == "used-up":
        return t(
            "Every question that fits {channel} has been asked; the oldest now return. Add topics with /drill topics.",
            channel=channel,
        )
    if code == "failing":
        return t(
            "Three posts in a row failed in {channel}, so its drills are paused: {reason} Then: /drill resume.",
            channel=channel,
            reason=why,
        )
    if code == "parked":
        return t("Drills in {channel} wait: {reason}", channel=channel, reason=why)
    if code == "check":
        why = t.beside(*(reason(cure, t) for cure in detail.get("cures", ())))
        return t("Before the next drill in {channel}: {reason}", channel=channel, reason=why)
    if code == "shared":
        return t("{channel} is shared now: {reason}", channel=channel, reason=why)
    if code == "seed-refused":
        return t("The keycaps could not be left under the question in {channel}: {reason}", channel=channel, reason=why)
    if code == "reactions-unread":
        return t(
            "The reactions in {channel} could not be read at close, so those heard before count: {reason}",
            channel=channel,
            reason=why,
        )
    return t("A message could not be shown in {channel}: {reason}", channel=channel, reason=why)


def retried(done: Retried, language: str) -> Card:
    """What was done about it."""
    t = texts(language)
    if done.step:
        text = t("Trying again. If it fails once more you hear of it.")
    else:
        text = t("Drills go on with the next date; for the one that was missed it is too late.")
    return Card(text, (Paragraph((text,)),))


def lacking(cures: Iterable[str], t: Texts) -> list[Part]:
    """What a channel lacks, each with its cure; nothing where all is well."""
    known = [cure for cure in cures if cure in CURES]
    if not known:
        return []
    parts: list[Part] = [Paragraph((Bold(t("Before drills work here:")),))] if known != ["shared"] else []
    return [*parts, *(Note((f"⚠ {reason(cure, t)}",)) for cure in known)]


def standing(state: str, cures: Sequence[str], untold: Sequence[tuple[str, dict[str, Any]]], t: Texts) -> list[Part]:
    """The trouble of a channel under *status*: why it waits, what it lacks, and what no admin could be told."""
    parts: list[Part] = []
    if state:
        why = cures[0] if cures else state
        parts.append(Paragraph((t.beside(t("Drills wait:"), ""), Bold(reason(why, t)))))
    parts += lacking([cure for cure in cures if not state], t)
    parts += [Note((notice_text(code, detail, t("this channel"), t),)) for code, detail in untold]
    return parts
