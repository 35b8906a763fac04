"""What a person is told in direct messages, and what they press there, on each platform."""

from __future__ import annotations

from tests.contracts.on_discord import DiscordStage
from tests.contracts.on_playground import PlaygroundStage
from tests.contracts.on_playground import _shown as shown_on_page
from tests.contracts.on_slack import SlackStage
from tests.contracts.stage import Person, Shown, Stage


async def direct(stage: Stage, who: Person) -> list[Shown]:
    """Direct messages from the bot to this person, oldest first."""
    match stage:
        case SlackStage():
            slack = stage.slack
            channel = slack.core.im(slack.workspace, stage.users[who].id)
            return [stage._message(message) for message in slack.messages(channel)]
        case DiscordStage():
            channel = stage.actors[who].user.dm_channel
            return [stage._shown(m) for m in channel.history() if m.components] if channel is not None else []
        case PlaygroundStage():
            page = await stage._browsers[who].get(f"/as/{who.name}/direct")
            assert page.status_code == 200, page.text
            from lxml import html  # type: ignore[import-untyped]

            found = html.fromstring(page.text).xpath("//ol[@id='messages']/li[starts-with(@id, 'm')]")
            return [shown_on_page(item) for item in found]
    raise AssertionError(f"no direct messages on {stage.name}")


async def press(stage: Stage, who: Person, where: Shown, label: str) -> None:
    """Press a button of a direct message."""
    match stage:
        case SlackStage():
            if stage.bot.way == "socket":
                await stage.slack.connected(1, 20.0)
            reply = await stage.slack.tap(stage.users[who], where.raw, label)
            assert reply.acknowledged
            await stage.slack.until(lambda: stage.slack.core.im(stage.slack.workspace, stage.users[who].id))
        case DiscordStage():
            result = await stage.actors[who].user.click(where.raw, label=label)
            assert result.acknowledged
        case PlaygroundStage():
            (button,) = where.raw.xpath(".//form//button[@name='action'][normalize-space()=$label]", label=label)
            form = next(button.iterancestors("form"))
            hidden = {field.get("name"): field.get("value") for field in form.xpath(".//input[@type='hidden']")}
            data = hidden | {"action": button.get("value")}
            page = await stage._browsers[who].post(form.get("action"), data=data)
            assert page.status_code == 200, page.text
