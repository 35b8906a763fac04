"""Installing the app in many workspaces: with a browser, over real HTTP, and what comes after."""

from __future__ import annotations

import logging
from datetime import timedelta
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from sqlmodel import select

from bot.clock import HandClock
from bot.slack.manifest import SCOPES
from bot.slack.paths import BACK, INSTALL
from storage.tables import AuditRow, Installation, OAuthState
from tests.slack.conftest import StartMany
from tests.slack.many import NEW_KEY, OLD_KEY, Browser, ManyBot, people, ready, rows
from tests.slack.team import Way, said
from tests.standins.slack import SlackStandin
from tests.standins.slack.model import User

# --- the walk ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["socket", "http"])
async def test_a_workspace_installs_the_app_and_has_its_day(
    start_many: StartMany, slack: SlackStandin, way: Way
) -> None:
    """From the page over Slack's consent back to the page, then set up, posted and answered."""
    bot = await start_many(way)
    ada, channel = people(slack, slack.workspace, "ada")
    page = await bot.install(slack.workspace, ada)
    assert "Team Drills is installed in Acme." in page
    assert "Team Drills 已安装到 Acme。" in page
    assert set(slack.workspace.scopes) == set(SCOPES), "the least, and exactly those"
    await ready(bot, ada, channel)
    await bot.after(hours=1)
    (posted,) = slack.messages(channel)
    await slack.tap(ada, posted, "B")
    assert "Right" in said(await bot.note(ada, channel, "Right"))
    assert next(row.verb for row in rows(bot, AuditRow)) == "install"
    assert rows(bot, OAuthState) == []


async def test_the_page_speaks_both_languages_the_readers_first(many: ManyBot) -> None:
    """Nothing foreign is loaded, nothing is kept, no other site may frame it."""
    for languages, first in (
        ("zh-CN,zh;q=0.9,en;q=0.8", "把 Team"),
        ("en;q=0.2, zh;q=0.1", "Add Team"),
        ("", "Add Team"),
    ):
        async with Browser(languages) as browser:
            page = await browser.get(many.address + INSTALL)
        assert page.status == 200
        assert page.text.split("Team Drills", 2)[1].strip().startswith(first.removesuffix(" Team").strip())
        assert "添加到 Slack" in page.text
        assert "Add to Slack" in page.text
        assert "default-src 'none'" in page.headers["Content-Security-Policy"]
        assert page.headers["Cache-Control"] == "no-store"
        assert "Set-Cookie" not in page.headers


async def test_the_cookie_is_for_this_walk_alone(many: ManyBot) -> None:
    """Out of reach for scripts and other sites, for ten minutes; over https it carries the host's own prefix."""
    async with Browser() as browser:
        page = await browser.get(f"{many.address}{INSTALL}?go", follow=False)
    cookie = page.headers["Set-Cookie"]
    for part in ("HttpOnly", "SameSite=lax", "Max-Age=600", "Path=/"):
        assert part in cookie
    assert "Secure" not in cookie, "on this machine there is no TLS"
    state = parse_qs(urlsplit(page.headers["Location"]).query)["state"][0]
    assert state not in cookie
    assert state not in str([row.model_dump() for row in rows(many, OAuthState)])


def test_over_https_the_cookie_never_travels_in_the_clear(many: ManyBot) -> None:
    """Secure, and named so that no other host can set it."""
    from bot.slack.oauth import Install

    install = Install(many.app.database, None, None, None, "https://drills.example.org", "", None)  # type: ignore[arg-type]
    assert install._cookie.startswith("__Host-")
    assert install._is_https


async def test_one_replica_finishes_what_another_began(start_many: StartMany, slack: SlackStandin) -> None:
    """The state is in the database, so it does not matter which process the browser comes back to."""
    first = await start_many()
    second = await start_many(public_url=first.address)
    ada, _ = people(slack, slack.workspace, "ada")
    async with Browser() as browser:
        back = await begun(first, browser, ada)
        page = await browser.get(back.replace(first.address, second.address))
        assert page.status == 200
        assert (await browser.get(back)).status == 400, "and used up for both"
    assert len(rows(first, Installation)) == 1


# --- what can go wrong -------------------------------------------------------------------------------------------


async def begun(bot: ManyBot, browser: Browser, admin: User, decision: str = "allow") -> str:
    """The address that Slack sends the browser back to."""
    consent = await browser.begin(bot.address + INSTALL)
    bot.slack.at_consent(bot.slack.workspace, admin, decision)  # type: ignore[arg-type]
    return (await browser.get(consent, follow=False)).headers["Location"]


async def test_whoever_declines_installs_nothing(many: ManyBot, slack: SlackStandin) -> None:
    """And can begin again from there."""
    ada, _ = people(slack, slack.workspace, "ada")
    async with Browser() as browser:
        page = await browser.get(await begun(many, browser, ada, "decline"))
        assert (page.status, "declined in Slack" in page.text, "在 Slack 里被拒绝" in page.text) == (403, True, True)
        assert rows(many, Installation) == []
        slack.at_consent(slack.workspace, ada)
        assert (await browser.get(page.link("Begin again"))).status == 200
    assert len(rows(many, Installation)) == 1


async def test_a_link_is_good_once(many: ManyBot, slack: SlackStandin) -> None:
    """The same address again changes nothing, in this browser or another."""
    ada, _ = people(slack, slack.workspace, "ada")
    async with Browser() as browser, Browser() as other:
        back = await begun(many, browser, ada)
        assert (await browser.get(back)).status == 200
        calls = len(slack.calls)
        for again in (await browser.get(back), await other.get(back)):
            assert again.status == 400
        assert len(slack.calls) == calls, "Slack was not even asked"


async def test_a_link_is_good_for_ten_minutes(many: ManyBot, slack: SlackStandin, clock: HandClock) -> None:
    ada, _ = people(slack, slack.workspace, "ada")
    async with Browser() as browser:
        back = await begun(many, browser, ada)
        clock.forward(timedelta(minutes=10))
        page = await browser.get(back)
    assert page.status == 400
    assert "older than ten minutes" in page.text
    assert rows(many, Installation) == []


async def test_another_browser_cannot_finish_a_walk(many: ManyBot, slack: SlackStandin) -> None:
    """Nobody can be made to install into their own workspace what somebody else began, and the other way round."""
    ada, _ = people(slack, slack.workspace, "ada")
    async with Browser() as browser, Browser() as other:
        back = await begun(many, browser, ada)
        name = next(cookie.key for cookie in browser.session.cookie_jar)
        page = await other.get(back)
        assert (page.status, "same one" in page.text) == (400, True)
        for forged in ("A" * 43, "x", "'; drop table installation; --", "é" * 43):
            page = await other.get(back, headers={"Cookie": f"{name}={forged}"})
            assert page.status == 400
        assert rows(many, Installation) == []
        assert (await browser.get(back)).status == 200, "its own browser still can"


HOSTILE = [
    {"error": "<script>alert(1)</script>"},
    {"error": "access_denied'; drop table installation; --"},
    {"error": "x" * 5000},
    {"error": ["access_denied", "access_denied"]},
    {"error": ""},
    {"code": "<img src=x onerror=alert(1)>"},
    {"code": "x" * 5000},
    {"code": ["a", "b"]},
    {"code": "\x00\ud800".encode("utf-8", "surrogatepass")},
    {},
]


@pytest.mark.parametrize("given", HOSTILE, ids=str)
async def test_nothing_that_comes_back_is_trusted(many: ManyBot, slack: SlackStandin, given: dict[str, str]) -> None:
    """HTML, SQL, repeated and endless parameters: a page of ours, without any of it, and nothing is stored."""
    async with Browser() as browser:
        consent = await browser.begin(many.address + INSTALL)
        state = parse_qs(urlsplit(consent).query)["state"][0]
        page = await browser.get(f"{many.address}{BACK}?{urlencode({'state': state, **given}, doseq=True)}")
    assert page.status in (400, 403)
    assert "Nothing was installed" in page.text
    for bad in ("<script", "<img", "onerror", "drop table", "xxxx"):
        assert bad not in page.html
    assert rows(many, Installation) == []
    assert [call for call in slack.calls if call.method == "oauth.v2.access"] == []


@pytest.mark.parametrize("state", ["", "x", "a" * 43, "a" * 9000, "'%20OR%201=1", "%00"])
async def test_a_state_that_was_never_given_ends_the_walk(many: ManyBot, state: str) -> None:
    async with Browser() as browser:
        await browser.begin(many.address + INSTALL)
        page = await browser.get(f"{many.address}{BACK}?code=abc&state={state}")
    assert page.status == 400


@pytest.mark.parametrize(
    ("method", "fault", "status", "sentence"),
    [
        ("oauth.v2.access", {"error": "invalid_code"}, 400, "does not take this code any more"),
        ("oauth.v2.access", {"error": "bad_client_secret"}, 500, "tell whoever runs Team Drills. (bad_client_secret)"),
        ("oauth.v2.access", {"error": "org_login_required"}, 403, "Slack refuses it"),
        ("oauth.v2.access", {"status": 503}, 502, "did not answer"),
        ("oauth.v2.access", {"reset": "after"}, 502, "did not answer"),
        ("oauth.v2.access", {"retry_after": 30}, 502, "did not answer"),
        ("auth.test", {"status": 503}, 502, "did not answer"),
        ("auth.test", {"error": "invalid_auth"}, 403, "Slack refuses it"),
    ],
)
async def test_what_slack_answers_is_told_and_nothing_is_half_saved(
    many: ManyBot, slack: SlackStandin, method: str, fault: dict[str, str], status: int, sentence: str
) -> None:
    """Each of Slack's refusals has its page; after it the same person can begin again and succeed."""
    ada, _ = people(slack, slack.workspace, "ada")
    async with Browser() as browser:
        slack.fail(method, **fault)  # type: ignore[arg-type]
        page = await browser.get(await begun(many, browser, ada))
        assert (page.status, sentence in page.text) == (status, True), page.text
        assert rows(many, Installation) == []
        assert [row.verb for row in rows(many, AuditRow)] == []
    await many.install(slack.workspace, ada)


async def test_a_whole_organisation_is_refused_and_its_token_given_back(many: ManyBot, slack: SlackStandin) -> None:
    """One workspace at a time; the token that nobody asked for is revoked."""
    ada, _ = people(slack, slack.workspace, "ada")
    async with Browser() as browser:
        page = await browser.get(await begun(many, browser, ada, "organisation"))
    assert (page.status, "not the whole organisation" in page.text) == (400, True)
    assert slack.core.org_tokens == {}
    assert rows(many, Installation) == []


async def test_a_disk_that_is_full_is_told_and_nothing_is_kept(
    many: ManyBot, slack: SlackStandin, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Where the row cannot be written the page says so, and no log holds the token."""
    ada, _ = people(slack, slack.workspace, "ada")
    async with Browser() as browser:
        back = await begun(many, browser, ada)
        real = many.app.database.write

        def full(verb):  # type: ignore[no-untyped-def]
            if slack.writes("oauth.v2.access"):
                raise OSError("no space left")
            return real(verb)

        monkeypatch.setattr(many.app.database, "write", full)
        page = await browser.get(back)
    assert (page.status, "could not be stored" in page.text) == (500, True)
    assert slack.workspace.bot_token not in caplog.text


# --- many at once ------------------------------------------------------------------------------------------------


async def test_two_workspaces_never_use_each_others_token(many: ManyBot, slack: SlackStandin) -> None:
    """Both set up, post at one moment, answer and close; Slack's own log says whose token came with what."""
    beta = slack.add_workspace("Beta")
    beta.revoked = "account_inactive"
    spaces = [slack.workspace, beta]
    crews = [people(slack, space, name) for space, name in zip(spaces, ("ada", "bea"), strict=True)]
    for space, (admin, _) in zip(spaces, crews, strict=True):
        await many.install(space, admin)
    for admin, channel in crews:
        await ready(many, admin, channel)
    await many.after(hours=1)
    for admin, channel in crews:
        (posted,) = slack.messages(channel)
        await slack.tap(admin, posted, "B")
        await many.note(admin, channel, "Right")
    await many.after(hours=24)
    for _, channel in crews:
        assert len(slack.messages(channel)) == 2
    ends = {space.id: space.bot_token[-8:] for space in spaces}
    with_token = [call for call in slack.calls if call.team and call.token]
    assert {call.team for call in with_token} == set(ends)
    assert [call for call in with_token if call.token != ends[call.team]] == []
    of_channel = {channel.id: channel.team for _, channel in crews}
    assert [call for call in with_token if of_channel.get(call.channel, call.team) != call.team] == []
    assert {call.outcome for call in with_token} == {"ok"}


async def test_authorisation_is_remembered(many: ManyBot, slack: SlackStandin, clock: HandClock) -> None:
    """Not one auth.test for a hundred taps, before or after the ten minutes are over."""
    ada, channel = people(slack, slack.workspace, "ada")
    await many.install(slack.workspace, ada)
    await ready(many, ada, channel)
    await many.after(hours=1)
    (posted,) = slack.messages(channel)
    before = [call.method for call in slack.calls].count("auth.test")
    for n in range(100):
        assert (await slack.tap(ada, posted, "B")).acknowledged
        if n == 50:
            clock.forward(timedelta(minutes=11))
    assert [call.method for call in slack.calls].count("auth.test") == before == 1


async def test_a_workspace_without_the_app_is_answered_neutrally(many: ManyBot, slack: SlackStandin) -> None:
    """A command gets one sentence in its acknowledgement, the rest is acknowledged; Slack is asked for nothing."""
    ada, channel = people(slack, slack.workspace, "ada")
    await many.install(slack.workspace, ada)
    await ready(many, ada, channel)
    await many.after(hours=1)
    (posted,) = slack.messages(channel)
    many.app.database.write(lambda tx: [tx.delete(row) for row in tx.exec(select(Installation))]).result()
    many.running.standing.forget(slack.workspace.id)  # type: ignore[attr-defined]
    before = len(slack.calls)
    reply = await slack.command(ada, channel, "/drill", "today")
    assert reply.acknowledged
    assert "is not installed" in str(reply.body)
    assert "没有安装" in str(reply.body)
    assert (await slack.tap(ada, posted, "B")).acknowledged
    assert (await slack.open_home(ada)).acknowledged
    assert slack.calls[before:] == []
    assert "Right" not in slack.seen_by(ada, channel).text


# --- gone, and back again ----------------------------------------------------------------------------------------


async def test_what_waits_while_the_app_is_gone_goes_on_once_after_a_reinstall(
    many: ManyBot, slack: SlackStandin, clock: HandClock
) -> None:
    """Tokens are deleted, no request carries the dead one, other workspaces go on; no burst, and nothing twice."""
    beta = slack.add_workspace("Beta")
    beta.revoked = "account_inactive"
    ada, channel = people(slack, slack.workspace, "ada")
    bea, elsewhere = people(slack, beta, "bea")
    await many.install(slack.workspace, ada)
    await many.install(beta, bea)
    await ready(many, ada, channel)
    await ready(many, bea, elsewhere)
    await many.after(hours=1)  # Monday's
    await slack.uninstall(slack.workspace)
    row = next(row for row in rows(many, Installation) if row.workspace == slack.workspace.id)
    assert (row.token, row.refresh_token, row.key_id) == ("", "", "")
    assert row.revoked_at is not None
    before = len(slack.calls)
    for _ in range(3):  # Tuesday, Wednesday, Thursday pass
        await many.after(hours=24)
    assert [call for call in slack.calls[before:] if call.team == slack.workspace.id] == []
    assert len(slack.messages(elsewhere)) == 4
    assert len(slack.messages(channel)) == 1
    clock.forward(timedelta(hours=1))
    await many.install(slack.workspace, ada)
    await many.beat()
    await many.beat()
    # Thursday's is an hour late, which the rule for late posts allows; Tuesday's and Wednesday's are missed.
    assert len(slack.messages(channel)) == 2
    await many.after(hours=23)
    assert len(slack.messages(channel)) == 3
    verbs = [row.verb for row in rows(many, AuditRow) if row.verb in ("install", "uninstall")]
    assert verbs == ["install", "install", "uninstall", "install"]


async def test_a_tap_on_an_old_message_is_answered_after_a_reinstall(many: ManyBot, slack: SlackStandin) -> None:
    """The new token serves what the old one posted."""
    ada, channel = people(slack, slack.workspace, "ada")
    await many.install(slack.workspace, ada)
    await ready(many, ada, channel)
    await many.after(hours=1)
    (posted,) = slack.messages(channel)
    await slack.uninstall()
    await many.install(slack.workspace, ada)
    assert (await slack.tap(ada, posted, "B")).acknowledged
    await many.note(ada, channel, "Right")


async def test_an_uninstall_that_is_told_late_does_not_undo_the_reinstall(
    start_many: StartMany, slack: SlackStandin, clock: HandClock
) -> None:
    """Slack tells events again for minutes; what happened before the installation is over."""
    many = await start_many("socket")
    ada, channel = people(slack, slack.workspace, "ada")
    await many.install(slack.workspace, ada)
    await ready(many, ada, channel)
    clock.forward(timedelta(seconds=30))
    told = await slack.uninstall()
    clock.forward(timedelta(seconds=30))
    await many.install(slack.workspace, ada)
    assert (await slack.redeliver(told)).acknowledged
    await many.after(hours=1)
    assert len(slack.messages(channel)) == 1


async def test_a_token_that_dies_in_the_middle_of_a_send_parks_it(many: ManyBot, slack: SlackStandin) -> None:
    """Refused once, it is not tried again; after the reinstall it is posted once, and no schedule is blamed."""
    ada, channel = people(slack, slack.workspace, "ada")
    await many.install(slack.workspace, ada)
    await ready(many, ada, channel)
    slack.workspace.revoked = "token_revoked"  # before any event says so
    await many.after(hours=1)
    await many.after(minutes=1)
    assert [call.outcome for call in slack.calls].count("token_revoked") == 1
    assert rows(many, Installation)[0].token == ""
    slack.violations.clear()
    await many.install(slack.workspace, ada)
    await many.after(minutes=10)
    await many.after(minutes=10)
    assert len(slack.messages(channel)) == 1


async def test_another_process_follows_a_reinstall(start_many: StartMany, slack: SlackStandin) -> None:
    """It still remembers the old token: Slack refuses that one, the new one is fetched, and nothing is undone."""
    first = await start_many()
    ada, channel = people(slack, slack.workspace, "ada")
    await first.install(slack.workspace, ada)
    await ready(first, ada, channel)
    second = await start_many()
    assert (await second.running.standing.client(slack.workspace.id)).token == slack.workspace.bot_token
    await first.install(slack.workspace, ada)
    await second.after(hours=1)
    await second.after(minutes=1)
    assert len(slack.messages(channel)) == 1
    assert rows(second, Installation)[0].revoked_at is None
    slack.violations.clear()  # the one call with the token that had just died


# --- keys, rotation, secrets -------------------------------------------------------------------------------------


async def test_the_key_can_be_changed(start_many: StartMany, slack: SlackStandin) -> None:
    """Old key, both keys, everything sealed anew, new key alone: the workspace is served all the time."""
    from storage import installations
    from storage.seal import Keyring

    ada, channel = people(slack, slack.workspace, "ada")
    bot = await start_many()
    await bot.install(slack.workspace, ada)
    await ready(bot, ada, channel)
    await bot.end()
    bot = await start_many(keys=f"{NEW_KEY},{OLD_KEY}")
    await bot.after(hours=1)
    assert len(slack.messages(channel)) == 1
    ring = Keyring.parse(f"{NEW_KEY},{OLD_KEY}")
    assert bot.app.database.write(lambda tx: installations.reseal(tx, ring, bot.clock.now())).result() == 1
    await bot.end()
    bot = await start_many(keys=NEW_KEY)
    await bot.after(hours=24)
    assert len(slack.messages(channel)) == 2


async def test_without_the_key_nothing_is_sent_and_nothing_is_lost(
    start_many: StartMany, slack: SlackStandin, caplog: pytest.LogCaptureFixture
) -> None:
    """The log says what to do; with the key again what waited is posted."""
    ada, channel = people(slack, slack.workspace, "ada")
    bot = await start_many()
    await bot.install(slack.workspace, ada)
    await ready(bot, ada, channel)
    await bot.end()
    bot = await start_many(keys=NEW_KEY)
    await bot.after(hours=1)
    assert slack.messages(channel) == []
    assert "DRILLS_SECRET_KEY" in caplog.text
    await bot.end()
    bot = await start_many(keys=f"{NEW_KEY},{OLD_KEY}")
    await bot.after(minutes=5)
    assert len(slack.messages(channel)) == 1


async def test_tokens_that_rotate_are_renewed_before_they_end(
    many: ManyBot, slack: SlackStandin, clock: HandClock
) -> None:
    """Each refresh token is used once, in a burst too; a week goes by and nothing is refused."""
    slack.core.rotation = True
    ada, channel = people(slack, slack.workspace, "ada")
    await many.install(slack.workspace, ada)
    await ready(many, ada, channel)
    await many.after(hours=1)
    for _ in range(4):
        await many.after(hours=24)
    assert len(slack.messages(channel)) == 5
    renewed = [entry for entry in slack.writes("oauth.v2.access") if "refresh_token" in entry.payload]
    assert len(renewed) >= 4
    assert {call.outcome for call in slack.calls} == {"ok"}


async def test_while_slack_renews_no_token_the_old_one_serves(
    many: ManyBot, slack: SlackStandin, clock: HandClock
) -> None:
    """Half an hour before its end it is tried; until the end it works all the same."""
    slack.core.rotation = True
    ada, channel = people(slack, slack.workspace, "ada")
    await many.install(slack.workspace, ada)
    await ready(many, ada, channel)
    clock.forward(timedelta(hours=11, minutes=40))
    slack.fail("oauth.v2.access", status=503)
    await slack.command(ada, channel, "/drill", "help")
    clock.forward(timedelta(minutes=5))
    await slack.command(ada, channel, "/drill", "help")
    renewed = [entry for entry in slack.writes("oauth.v2.access") if "refresh_token" in entry.payload]
    assert len(renewed) == 1


async def test_no_log_holds_a_secret(
    start_many: StartMany, slack: SlackStandin, caplog: pytest.LogCaptureFixture
) -> None:
    """Over the whole walk, its failures, a reinstall and a renewal, at the most talkative level of ours."""
    caplog.set_level(logging.DEBUG)
    bot = await start_many()
    slack.core.rotation = True
    ada, channel = people(slack, slack.workspace, "ada")
    secrets = [slack.core.client_secret, slack.signing_secret, OLD_KEY]
    async with Browser() as browser:
        slack.fail("auth.test", error="invalid_auth")
        back = await begun(bot, browser, ada)
        secrets += [value for values in parse_qs(urlsplit(back).query).values() for value in values]
        secrets += [cookie.value for cookie in browser.session.cookie_jar]
        await browser.get(back)
        secrets.append(slack.workspace.bot_token)
    await bot.install(slack.workspace, ada)
    secrets += [slack.workspace.bot_token, *slack.workspace.refresh_tokens]
    await ready(bot, ada, channel)
    await bot.after(hours=12)
    secrets += [slack.workspace.bot_token, *slack.workspace.refresh_tokens]
    await slack.uninstall()
    await bot.beat()
    ours = "\n".join(
        record.getMessage() + str(record.exc_info or "")
        for record in caplog.records
        if record.name.startswith(("bot", "storage", "uvicorn", "slack_bolt"))
    )
    assert ours
    assert [secret for secret in secrets if secret in ours] == []


async def test_too_many_walks_at_once_are_told(many: ManyBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Anybody may begin one; whoever comes when it is full is told when to come back, and nothing grows."""
    from storage import installations

    monkeypatch.setattr(installations, "MOST_STATES", 2)
    async with Browser() as browser:
        pages = [await browser.get(f"{many.address}{INSTALL}?go", follow=False) for _ in range(3)]
    assert [page.status for page in pages] == [302, 302, 503]
    assert "in ten minutes" in pages[2].text
    assert len(rows(many, OAuthState)) == 2
