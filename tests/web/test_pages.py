"""The playground's pages over HTTP, used as a browser without scripts uses them."""

from __future__ import annotations

import asyncio
import re
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from bot.clock import HandClock
from bot.commands import COMMANDS
from bot.web.playground.words import WORDS
from content.question import Kind, Question
from tests.web.conftest import (
    ADMIN,
    PLACE,
    START,
    MakeStand,
    Stand,
    Visitor,
    bank,
    forms_of,
    start,
    stop,
    text_of,
)

ONLY_YOU = {"en": "Only you can see this", "zh": "只有你能看到"}


def asked(stand: Stand) -> Question:
    """The question that was posted last."""
    from sqlmodel import col, select

    from storage.rounds import question_of
    from storage.tables import Round

    def verb(tx: object) -> Question:
        newest = select(Round.fingerprint).where(Round.state == "posted").order_by(col(Round.posts_at).desc()).limit(1)
        return question_of(tx, tx.exec(newest).one())  # type: ignore[attr-defined]

    return stand.app.database.read(verb).result()


async def answer_rightly(visitor: Visitor, question: Question) -> str:
    """Answer the open question as its author would, by its own buttons and forms."""
    await visitor.look()
    language = "en"
    if question.kind.is_one_tap:
        right = next(option for option in question.choices if option.correct)
        rows = re.findall(r'option__letter">(\w)</span><span class="option__text">(.*?)</span>', visitor.html)
        letter = [letter for letter, text in rows if text_of(text) == right.text.get(language).replace("`", "")][-1]
        return await visitor.press(letter)
    await visitor.press("Answer")
    if question.kind is Kind.MULTIPLE:
        return await visitor.press("Send", **{"c.answer": ["", *question.right_keys]})
    typed = {
        Kind.BLANK: lambda: question.accept["en"][0],
        Kind.NUMERIC: lambda: f"{question.number.value} {question.number.unit}",  # type: ignore[union-attr]
        Kind.CASE: lambda: question.model_answer.get(language),
    }[question.kind]()
    return await visitor.press("Send", **{"t.answer": typed})


async def test_a_visitor_comes_in_by_name_and_is_known_again(stand: Stand) -> None:
    """Who gives a name is in the channel, and the front page brings them back there."""
    visitor = await stand.visitor("Robin")
    assert "# daily-drill" in visitor.html
    assert ">Robin</button>" in visitor.html
    page = await visitor.client.get("/")
    assert page.url.path == visitor.path


@pytest.mark.parametrize("kind", list(Kind))
async def test_every_kind_is_answered_without_a_script(make_stand: MakeStand, kind: Kind) -> None:
    """Buttons and forms alone answer each kind; the reply is private and says how it went."""
    stand = await make_stand(kind)
    visitor = await stand.visitor("Robin")
    await stand.post()
    html = await answer_rightly(visitor, asked(stand))
    assert stand.answers() == 1
    (reply,) = visitor.private
    assert ONLY_YOU["en"] in reply
    assert ("Right!" in reply) or (kind is Kind.CASE and "Compare it with the model answer" in reply)
    assert 'class="modal"' not in html
    await visitor.look()
    assert visitor.private == [reply]


async def test_nobody_else_sees_a_reply_or_the_key_before_close(stand: Stand) -> None:
    """Until a round closes, the page of somebody else holds neither the reply nor the explanation."""
    answering, other = await stand.visitor("Robin"), await stand.visitor("Kim")
    await stand.post()
    question = asked(stand)
    await answer_rightly(answering, question)
    await other.look()
    explained = text_of(question.explanation.en.replace("`", ""))[:60]
    assert explained in text_of(answering.html)
    assert explained not in text_of(other.html)
    assert other.private == []
    assert "option--right" not in other.html


async def test_a_chinese_visitor_is_answered_in_chinese(stand: Stand) -> None:
    """The page's words and private replies are the visitor's; the shared message is the channel's."""
    visitor = await stand.visitor("小王", "zh")
    await stand.post()
    question = asked(stand)
    await visitor.look()
    assert '<html lang="zh-CN">' in visitor.html
    assert question.prompt.en[:40] in text_of(visitor.html)
    await visitor.press("中文")
    assert question.prompt.zh[:20].replace("`", "") in visitor.private[0]
    await visitor.press("A")
    assert ONLY_YOU["zh"] in visitor.private[0]
    assert "你的答案" in visitor.private[0]
    await visitor.press("EN")
    assert '<html lang="en">' in visitor.html


async def test_the_first_answer_stands_and_is_shown_again(stand: Stand) -> None:
    """A second tap stores nothing and shows the first verdict in place of the earlier card."""
    visitor = await stand.visitor("Robin")
    await stand.post()
    await visitor.look()
    await visitor.press("A")
    await visitor.press("B")
    assert stand.answers() == 1
    assert len(visitor.private) == 1
    assert "You answered: A" in visitor.private[0]
    assert "Your first answer stands." in visitor.private[0]


async def test_a_faulty_form_says_what_is_wrong_and_keeps_what_was_typed(make_stand: MakeStand) -> None:
    """Sent with nothing ticked the form stays, with a sentence; cancelled it goes."""
    stand = await make_stand(Kind.MULTIPLE)
    visitor = await stand.visitor("Robin")
    await stand.post()
    await visitor.look()
    await visitor.press("Answer")
    await visitor.press("Send", **{"c.answer": ""})
    assert "That answer is empty" in visitor.html
    assert 'class="modal"' in visitor.html
    await visitor.look()
    assert 'class="modal"' in visitor.html
    await visitor.press("Cancel")
    assert 'class="modal"' not in visitor.html
    assert stand.answers() == 0


async def test_a_round_closes_and_shows_its_result_and_board(stand: Stand) -> None:
    """After close the message says so, its thread has key, reasons and picture; the board comes with its own."""
    visitors = [await stand.visitor(name) for name in ("Robin", "Kim", "Alex", "Jo", "Max")]
    await stand.post()
    question = asked(stand)
    for visitor in visitors:
        await answer_rightly(visitor, question)
    await stand.move_to(START + timedelta(hours=10))
    html = await visitors[0].look()
    assert "5 of 5 right" in html
    assert "tag--closed" in html
    assert "option--right" in html
    await visitors[1].look()
    await visitors[1].press("How did I do?")
    assert any("Right!" in reply for reply in visitors[1].private)
    await stand.move_to(START + timedelta(days=7, hours=2))
    html = await visitors[0].look()
    assert "Board of the week" in html
    assert '<tr class="board__me">' in html
    pictures = re.findall(r'src="(/pictures/[0-9a-f]+\.png)" alt="([^"]+)"', html)
    assert len(pictures) == 2
    for address, alt in pictures:
        found = await visitors[0].client.get(address)
        assert found.headers["content-type"] == "image/png"
        assert found.content.startswith(b"\x89PNG")
        assert len(alt) > 20


async def test_every_command_is_answered(stand: Stand) -> None:
    """Each command of the table, typed by an admin, gets a private reply or a form."""
    admin = await stand.as_member("mira")
    await stand.post()
    for spec in COMMANDS:
        await admin.type(f"/drill {spec.name}" + (" A" if spec.name == "answer" else ""))
        if spec.name in ("setup", "challenge"):
            assert 'class="modal"' in admin.html
            await admin.press("Cancel")
        else:
            assert any(ONLY_YOU["en"] in reply for reply in admin.private), spec.name
            assert f"<code>/drill {spec.name}" in admin.html


async def test_a_mistyped_command_gets_one_sentence(stand: Stand) -> None:
    """Unknown names, wrong options and plain talk are answered privately, and the nearest name is offered."""
    visitor = await stand.visitor("Robin")
    await visitor.type("/drill bord")
    assert "Did you mean /drill board?" in visitor.private[-1]
    await visitor.type("/drill board fortnight")
    assert "choose week, month or all" in visitor.private[-1]
    await visitor.type("hello everybody")
    assert "There is no command" in visitor.private[-1]
    await visitor.type("/drill setup")
    assert "Only admins" in visitor.private[-1]


async def test_an_admin_sets_the_channel_up_on_the_page(stand: Stand) -> None:
    """A wrong zone is told at its field and nothing else is lost; then it is proposed, and saved."""
    admin = await stand.as_member("mira")
    await admin.type("/drill setup")
    await admin.press("Look at it", **{"t.zone": "Mars/Olympus", "t.time": "10:15"})
    assert "Mars/Olympus" in admin.html
    assert 'value="10:15"' in admin.html
    assert "field--wrong" in admin.html
    await admin.press("Look at it", **{"t.zone": "Asia/Shanghai", "t.time": "10:15"})
    assert "10:15 · Asia/Shanghai" in admin.private[-1]
    await admin.press("Save")
    assert "Saved" in admin.private[-1]
    assert "10:15" in admin.private[-1]
    await admin.type("/drill status")
    assert "10:15 · Asia/Shanghai" in admin.private[-1]


async def test_a_private_card_can_be_dismissed_by_its_reader_alone(stand: Stand) -> None:
    """*Dismiss* takes it away; somebody else's request does nothing."""
    visitor, other = await stand.visitor("Robin"), await stand.visitor("Kim")
    await visitor.type("/drill help")
    (shown,) = [m for m in stand.chat.seen_by(PLACE, visitor.path.split("/")[2]) if m.only]
    await other.client.post(f"{other.path}/dismiss", data={"message": shown.id})
    await visitor.look()
    assert len(visitor.private) == 1
    await visitor.press("Dismiss")
    assert visitor.private == []


async def test_nothing_a_person_wrote_becomes_markup(stand: Stand) -> None:
    """Names, commands and answers are text on every page, whatever they contain."""
    evil = '<script>alert(1)</script>"><img src=x onerror=alert(1)>'
    visitor = await stand.visitor(evil)
    await visitor.type(f"/drill {evil}")
    await visitor.type(f"/drill board {evil}")
    page = await visitor.client.get("/welcome")
    for html in (visitor.html, page.text):
        assert "<script>alert" not in html
        assert "<img src=x" not in html
    assert "&lt;script&gt;" in visitor.html


async def test_pages_run_no_inline_script_or_style(stand: Stand) -> None:
    """The content policy allows our own files alone, and no page needs more."""
    admin = await stand.as_member("mira")
    await stand.post()
    await admin.type("/drill setup")
    for page in (await admin.client.get(admin.path), await admin.client.get("/welcome"), await admin.client.get("/no")):
        policy = page.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert not re.search(r"<script(?![^>]*\ssrc=)", page.text)
        assert not re.search(r"<[^>]+\s(?:on\w+|style)=", page.text)
        assert page.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site", "origin": "https://evil.example"},
        {"sec-fetch-site": "same-site"},
    ],
)
async def test_forms_of_other_sites_are_refused(stand: Stand, headers: dict[str, str]) -> None:
    """A write that a foreign page sends changes nothing."""
    before = stand.chat.writes
    async with httpx.AsyncClient(base_url=stand.url) as client:
        page = await client.post("/join", data={"name": "Eve"}, headers=headers)
    assert page.status_code == 403
    assert stand.chat.writes == before


async def test_the_server_answers_to_its_own_names_alone(stand: Stand) -> None:
    """A foreign name that points at the loopback address gets nothing (DNS rebinding)."""
    async with httpx.AsyncClient(base_url=stand.url) as client:
        page = await client.get("/welcome", headers={"host": "evil.example"})
        assert page.status_code == 421
        assert (await client.get("/welcome", headers={"host": f"localhost:{stand.server.port}"})).status_code == 200


BAD = [
    ("GET", "/as/nobody/channel/daily-drill", b"", 404),
    ("GET", "/as/mira/channel/nowhere", b"", 404),
    ("GET", "/as/nobody/direct", b"", 404),
    ("GET", "/as/nobody/events", b"", 404),
    ("GET", "/as/mira/events?writes=many", b"", 400),
    ("GET", "/switch?to=nobody", b"", 404),
    ("GET", "/switch", b"", 404),
    ("GET", "/pictures/none.png", b"", 404),
    ("GET", "/static/../pages.py", b"", 404),
    ("GET", "/static/none.css", b"", 404),
    ("GET", "/%00", b"", 404),
    ("DELETE", "/join", b"", 405),
    ("GET", "/as/mira/channel/daily-drill/tap", b"", 405),
    ("POST", "/join", b"", 400),
    ("POST", "/join", b"name=", 400),
    ("POST", "/join", b"name=%E2%80%8B%20", 400),
    ("POST", "/join", b"name=mira", 400),
    ("POST", "/join", b"name=\xff\xfe", 400),
    ("POST", "/join", b"name=%ff", 400),
    ("POST", "/join", b"&".join(b"a=1" for _ in range(400)), 400),
    ("POST", "/join", b"name=" + b"x" * 100_000, 413),
    ("POST", "/as/nobody/channel/daily-drill/tap", b"action=answer:1:a", 404),
    ("POST", "/as/mira/channel/nowhere/say", b"text=/drill help", 404),
]


@pytest.mark.parametrize(("method", "path", "body", "status"), BAD)
async def test_what_makes_no_sense_gets_a_sentence(
    stand: Stand, method: str, path: str, body: bytes, status: int
) -> None:
    """Bad requests get 4xx and one sentence, never an error of ours, and change nothing."""
    before = stand.chat.writes
    headers = {"content-type": "application/x-www-form-urlencoded"}
    page = await stand.client().request(method, path, content=body, headers=headers)
    assert page.status_code == status, page.text
    assert len(text_of(page.text)) > 20
    assert stand.chat.writes == before


@pytest.mark.parametrize(
    "action", ["", "answer", "answer:1", "answer:99:a", "answer:1:zz", "form:x", "save:1", "answer:1:a:b", "💥" * 90]
)
async def test_a_made_up_button_gets_a_sentence(stand: Stand, action: str) -> None:
    """An action that no button has is answered privately, and stores nothing."""
    visitor = await stand.visitor("Robin")
    await stand.post()
    page = await visitor.client.post(f"{visitor.path}/tap", data={"action": action, "from": "m1"})
    visitor.html = page.text
    assert page.status_code == 200
    assert len(visitor.private) == 1
    assert stand.answers() == 0


@pytest.mark.parametrize("form", ["", "answer:1", "answer:99", "setup:x:y", "nothing:1"])
async def test_a_made_up_form_gets_a_sentence_or_nothing(stand: Stand, form: str) -> None:
    """A form that nobody opened is no way around the rules."""
    visitor = await stand.visitor("Robin")
    await stand.post()
    page = await visitor.client.post(f"{visitor.path}/submit", data={"form": form, "t.answer": "x", "c.answer": "zz"})
    assert page.status_code == 200
    assert stand.answers() == 0


async def test_health_is_told(stand: Stand) -> None:
    found = (await stand.client().get("/healthz")).json()
    assert found["status"] == "ok"
    assert found["beats"] == stand.app.ticker.beats


async def test_a_page_hears_of_what_is_new(stand: Stand) -> None:
    """The event stream tells of a write and of the clock, and counts its reader as present."""
    visitor = await stand.visitor("Robin")
    member = visitor.path.split("/")[2]
    lines: list[str] = []
    async with visitor.client.stream("GET", f"/as/{member}/events?writes={stand.chat.writes}") as stream:

        async def read() -> None:
            async for line in stream.aiter_lines():
                lines.append(line)
                if {"event: changed", "event: clock"} <= set(lines):
                    return

        reading = asyncio.create_task(read())
        await asyncio.sleep(0.1)
        assert member in stand.stage.present()
        await stand.post()
        await asyncio.wait_for(reading, 10)


async def test_go_on_is_passed_to_the_clock(stand: Stand) -> None:
    visitor = await stand.visitor("Robin")
    assert not stand.stage.take_go_on()
    await visitor.press("Go on")
    assert stand.stage.take_go_on()
    assert not stand.stage.take_go_on()


async def test_direct_messages_have_a_page(stand: Stand) -> None:
    """What the bot tells one person alone stands on that person's own page."""
    from bot.cards import notice_card

    await stand.chat.tell(PLACE.workspace, ADMIN.id, notice_card("Topics are used up."))
    admin, other = await stand.as_member("mira"), await stand.as_member("noor")
    assert "Topics are used up." in (await admin.client.get("/as/mira/direct")).text
    assert "Topics are used up." not in (await other.client.get("/as/noor/direct")).text


async def test_old_buttons_work_after_a_restart(tmp_path: Path) -> None:
    """A new process on the same files shows what stood there, and its open question takes answers."""
    clock = HandClock(START)
    first = await start(tmp_path, bank(Kind.SINGLE), clock)
    try:
        await first.set_up()
        before = await first.visitor("Robin")
        await first.post()
        await before.look()
        await before.press("A")
    finally:
        await stop(first)
    second = await start(tmp_path, bank(Kind.SINGLE), clock)
    try:
        again = Visitor(second, second.client(), before.path)
        await again.look()
        assert again.private == before.private
        await again.press("B")
        assert "Your first answer stands." in again.private[0]
        other = await second.visitor("Kim")
        await other.press("A")
        assert second.answers() == 2
        await second.move_to(START + timedelta(hours=10))
        await other.look()
        assert "Answer:" in other.html
    finally:
        await stop(second)


def test_the_page_says_everything_in_both_languages() -> None:
    """No word is missing, and Chinese words are Chinese."""
    for key, (en, zh) in WORDS.items():
        assert en, key
        assert zh, key
        assert re.findall(r"\{\w+\}", en) == re.findall(r"\{\w+\}", zh), key
        if key not in ("product",):
            assert re.search(r"[\u4e00-\u9fff]", zh), key


async def test_forms_name_their_fields_for_the_reader(make_stand: MakeStand) -> None:
    """Every field of the setup form comes back under its own name, ticked ones as ticks."""
    stand = await make_stand(Kind.SINGLE)
    admin = await stand.as_member("mira")
    await admin.type("/drill setup")
    form = next(form for form in forms_of(admin.html) if form.action.endswith("/submit"))
    assert {"c.days", "t.time", "t.zone", "t.topics", "c.kinds", "c.language", "c.mode"} <= set(form.names)
