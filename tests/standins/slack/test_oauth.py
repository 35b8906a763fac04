"""The stand-in's OAuth is as strict as Slack's."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from tests.standins.slack import SlackStandin
from tests.standins.slack.clock import MovingClock
from tests.standins.slack.methods.oauth import LASTS

BACK = "https://drills.example.org/slack/oauth_redirect"


async def visit(slack: SlackStandin, **changed: str) -> tuple[int, str]:
    """Open the consent page: its status, and where it sends the browser."""
    asked = {"client_id": slack.core.client_id, "scope": "chat:write", "state": "s", "redirect_uri": BACK} | changed
    address = slack.base_url.removesuffix("api/") + "oauth/v2/authorize?" + urlencode(asked)
    async with aiohttp.ClientSession() as session, session.get(address, allow_redirects=False) as answer:
        return answer.status, answer.headers.get("Location", "")


async def trade(slack: SlackStandin, **given: str) -> Any:
    web = AsyncWebClient(base_url=slack.base_url)
    return await web.oauth_v2_access(client_id=slack.core.client_id, client_secret=slack.core.client_secret, **given)


async def refusal(call: Any) -> str:
    with pytest.raises(SlackApiError) as caught:
        await call
    return str(caught.value.response["error"])


@pytest.mark.parametrize(
    "changed",
    [{"client_id": "1.2"}, {"scope": "chat:write,root"}, {"state": ""}, {"redirect_uri": BACK + "/x"}, {"x": "y"}],
    ids=str,
)
async def test_the_consent_page_refuses_what_slack_refuses(slack: SlackStandin, changed: dict[str, str]) -> None:
    slack.core.redirect_urls = [BACK]
    slack.at_consent(slack.workspace, slack.add_user("ada"))
    status, back = await visit(slack, **changed)
    assert (status, back) == (400, "")
    assert len(slack.violations) == 1
    slack.violations.clear()


async def test_a_code_is_good_once_for_its_own_address_and_ten_minutes() -> None:
    clock = MovingClock()
    async with SlackStandin(clock=clock) as slack:
        slack.core.redirect_urls = [BACK]
        ada = slack.add_user("ada", is_admin=True)

        async def code() -> str:
            slack.at_consent(slack.workspace, ada)
            _, back = await visit(slack)
            assert back.startswith(BACK)
            return parse_qs(urlsplit(back).query)["code"][0]

        first = await code()
        given = await trade(slack, code=first, redirect_uri=BACK)
        assert given["authed_user"]["id"] == ada.id
        assert slack.workspace.scopes == ["chat:write"]
        assert await refusal(trade(slack, code=first, redirect_uri=BACK)) == "invalid_code"
        assert await refusal(trade(slack, code=await code(), redirect_uri=BACK + "/x")) == "bad_redirect_uri"
        late = await code()
        clock.advance(601)
        assert await refusal(trade(slack, code=late, redirect_uri=BACK)) == "code_expired"
        slack.at_consent(slack.workspace, ada, "decline")
        assert "error=access_denied" in (await visit(slack))[1]


async def test_tokens_that_rotate_end_and_refresh_tokens_are_used_once() -> None:
    clock = MovingClock()
    async with SlackStandin(clock=clock) as slack:
        slack.core.rotation = True
        given = await trade(slack, code=slack.oauth_code(slack.workspace))
        assert given["expires_in"] == LASTS
        old = AsyncWebClient(given["access_token"], base_url=slack.base_url)
        renewed = await trade(slack, grant_type="refresh_token", refresh_token=given["refresh_token"])
        assert (await old.auth_test())["ok"], "the old one goes on to its own end"
        again = trade(slack, grant_type="refresh_token", refresh_token=given["refresh_token"])
        assert await refusal(again) == "invalid_refresh_token"
        clock.advance(LASTS)
        assert await refusal(old.auth_test()) == "token_expired"
        assert renewed["access_token"] == slack.workspace.bot_token
