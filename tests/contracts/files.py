"""The files that one person has been given, on each platform, and whether anybody else could open them."""

from __future__ import annotations

from lxml import html  # type: ignore[import-untyped]

from tests.contracts.on_discord import DiscordStage
from tests.contracts.on_playground import PlaygroundStage
from tests.contracts.on_slack import SlackStage
from tests.contracts.stage import CAST, Person, Stage


async def files(stage: Stage, who: Person) -> dict[str, bytes]:
    """Name → content of every file that this person, and nobody else, was given."""
    match stage:
        case SlackStage():
            slack = stage.slack
            place = slack.core.im(slack.workspace, stage.users[who].id)
            found = [file for file in slack.workspace.files.values() if place.id in file.channels]
            assert all(file.channels == [place.id] for file in found)
            return {file.name: file.content or b"" for file in found}
        case DiscordStage():
            message = stage._result[who].response
            assert message is not None
            assert message.ephemeral
            shown = [c["file"]["url"] for c in message.components[0]["components"] if c["type"] == FILE]
            assert len(shown) == len(message.attachments)
            cdn = stage.w.env.backend.cdn
            return {file.filename: cdn.get(file.url) or b"" for file in message.attachments}
        case PlaygroundStage():
            return await _on_pages(stage, who)
    raise AssertionError(f"no files on {stage.name}")


FILE = 13
"""Discord's component that shows an attachment."""


async def _on_pages(stage: PlaygroundStage, who: Person) -> dict[str, bytes]:
    browser = stage._browsers[who]
    page = html.fromstring((await browser.get(stage._path(who))).text)
    found = {}
    for link in page.xpath("//section[@class='private']//a[@download]"):
        address = link.get("href")
        answer = await browser.get(address)
        assert answer.status_code == 200
        assert answer.headers["content-disposition"] == f'attachment; filename="{link.get("download")}"'
        assert answer.headers["cache-control"] == "no-store"
        found[link.get("download")] = answer.content
        other = next(person for person in CAST if person is not who)
        for path in (address.replace(f"/as/{who.name}/", f"/as/{other.name}/"), f"/pictures/{address[-40:]}"):
            assert (await stage._browsers[other].get(path)).status_code == 404
    return found
