"""What the bot says. Shared cards speak the channel's language, private ones the member's own.

Nothing shared holds the key before the round is closed; nothing anywhere names who was wrong.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any, Literal

from bot.card import (
    Bold,
    Button,
    Buttons,
    Card,
    ChoiceField,
    Code,
    CodeBlock,
    Field,
    Form,
    Heading,
    Image,
    Inline,
    Line,
    Link,
    Moment,
    Note,
    OptionRow,
    Options,
    Paragraph,
    Part,
    Table,
    TextField,
)
from bot.cards import cases, disputes, trouble
from bot.commands import COMMANDS
from bot.drill import errors
from bot.drill.calendar import local_date
from bot.drill.keycaps import KEYCAPS
from bot.drill.scoring import format_points
from bot.texts import NAMES, Texts, in_chinese, is_chinese, texts
from bot.usecases.retry_delivery import Retried
from bot.usecases.search_topics import Found
from bot.usecases.set_schedule import Plan, Proposal, Saved, WrongOptions
from bot.usecases.show_board import BoardView
from bot.usecases.show_progress import Progress
from bot.usecases.show_round import ResultView, RoundView
from bot.usecases.show_status import Status
from bot.usecases.show_today import Today
from bot.usecases.submit_answer import Receipt
from content.question import LETTERS, Kind, Option, Question, Response
from content.taxonomy import Taxonomy, UnknownTopicError
from storage.boards import Place

MOST_ROWS = 25
MINUTES = {Kind.SINGLE: 1, Kind.MULTIPLE: 2, Kind.TRUE_FALSE: 1, Kind.BLANK: 1, Kind.NUMERIC: 2, Kind.CASE: 5}


class Cards:
    """Makes cards. ``taxonomy`` gives topics their names."""

    def __init__(self, taxonomy: Taxonomy) -> None:
        self.taxonomy = taxonomy

    # --- the round, shared -----------------------------------------------------------------------------------

    def question(self, view: RoundView) -> Card:
        """The daily message while the round is open."""
        languages = view.schedule.languages
        t = texts(languages[0])
        public = view.round.reactions
        parts: list[Part] = [*self._round_head(view, t, languages), *self._body(view, t, keycaps=public)]
        parts.append(Buttons((*self._answer_buttons(view, t), *self._language_buttons(view))))
        count = t.n("{count} answered", "{count} answered", view.answered)
        rule = t("first answer counts") if view.mode == "instant" else t("last before close counts")
        parts.append(
            Note(
                (
                    f"{count} · ",
                    t("closes") + " ",
                    self._moment(view.round.closes_at, t, view.schedule.zone),
                    f" · {rule} · ",
                    t("letters are private until then") if public else t("answers are private until then"),
                )
            )
        )
        if public:
            parts.append(
                Note((t("You may react with a number instead: reactions can be seen by everyone, at any time."),))
            )
        return Card(f"{self._title(view, t)}: {view.question.prompt.get(t.language)}", tuple(parts))

    def closed(self, result: ResultView) -> Card:
        """The daily message after close, with one line of result. The key is in the thread."""
        view = result.view
        t = texts(view.schedule.languages[0])
        line = self._result_line(result, t)
        parts = [*self._round_head(view, t, view.schedule.languages), *self._body(view, t)]
        parts.append(Note((Bold(t("Closed")), f" · {line} · " + t("answer and reasons in the thread"))))
        return Card(f"{self._title(view, t)}: {t('Closed')} · {line}", tuple(parts))

    def result(self, result: ResultView, picture: Image | None) -> Card:
        """The first message of the thread: distribution, key, reasons, sources, what to discuss."""
        view, question = result.view, result.view.question
        t = texts(view.schedule.languages[0])
        parts: list[Part] = [Heading((self._key_line(view, t),)), Paragraph((self._result_line(result, t),))]
        if picture is not None:
            parts.append(picture)
        if view.options:
            parts.append(
                Options(tuple(self._reasoned(view, option, t.language, frozenset()) for option in view.options))
            )
        parts.extend(self._explained(question, t))
        if question.discussion:
            parts.append(Paragraph((Bold(t("Discuss:")), " ", *rich(question.discussion.get(t.language)))))
        parts.extend(self._sources(question, t))
        mine = Button(t("How did I do?"), f"mine:{view.round.id}")
        parts.append(Buttons((mine, disputes.button(view.round.id, t))))
        if result.chosen is None and view.options:
            few = t(
                "Under {count} answers the choices are not shown, so that nobody's is given away.", count=result.least
            )
            parts.append(Note((few,)))
        stop = "。" if is_chinese(t.language) else ". "
        return Card(f"{self._key_line(view, t)}{stop}{self._result_line(result, t)}", tuple(parts))

    # --- the round, private ----------------------------------------------------------------------------------

    def today(self, today: Today, language: str) -> Card:
        """The open round in the member's own language, with what they have answered so far."""
        view, t = today.view, texts(language)
        parts: list[Part] = [*self._round_head(view, t, [language]), *self._body(view, t)]
        if today.stored is not None:
            parts.append(
                Paragraph(
                    (t.beside(t("You answered:"), ""), Bold(self.shown_response(view, today.stored.response, language)))
                )
            )
        settled = today.stored is not None and (view.mode == "instant" or view.closed)
        if settled:
            parts.append(Buttons((Button(t("How did I do?"), f"mine:{view.round.id}"),)))
        elif not view.closed:
            parts.append(Buttons(tuple(self._answer_buttons(view, t))))
        parts.append(
            Note((t("closes") + " ", self._moment(view.round.closes_at, t, view.schedule.zone)))
            if not view.closed
            else Note((t("This round is closed."),))
        )
        return Card(view.question.prompt.get(language), tuple(parts))

    def answer_form(self, view: RoundView, language: str) -> Form:
        """The form for kinds that one tap cannot answer (and for one-tap kinds too, where asked)."""
        t, question = texts(language), view.question
        field: Field
        if question.kind.is_choice:
            letters = view.letters
            choices = tuple(
                (option.key, f"{letters[option.key]}  {_short(option.text.get(language), 70)}")
                for option in view.options
            )
            many = question.kind is Kind.MULTIPLE
            label = t("Tick every right option") if many else t("Your answer")
            field = ChoiceField("answer", label, choices, many=many)
        elif question.kind is Kind.CASE:
            field = TextField("answer", t("Your answer"), multiline=True, max_length=3000)
        else:
            hint = (
                t("A number, with a unit if you like") if question.kind is Kind.NUMERIC else t("A word or short phrase")
            )
            field = TextField("answer", t("Your answer"), hint=hint, max_length=200)
        intro = tuple(self._body(view, t))
        return Form(f"answer:{view.round.id}", t("Daily drill"), t("Send"), (field,), intro)

    def verdict(self, receipt: Receipt, view: RoundView, language: str) -> Card:
        """The private reply to an answer."""
        t = texts(language)
        mine = self.shown_response(view, receipt.response, language)
        if not receipt.revealed:
            return self._kept(receipt, mine, t)
        parts: list[Part] = [Heading((self._verdict_head(receipt, t),), _mood(receipt))]
        if receipt.outcome == "again":
            if receipt.late:
                stands = t("Your late answer stands.")
            elif (receipt.round.mode or receipt.schedule.mode) == "instant":
                stands = t("Your first answer stands.")
            else:
                stands = t("Your answer stands.")
            parts.append(Note((stands,)))
        elif receipt.outcome == "late":
            parts.append(Note((t("This round is closed: no points, but your streak goes on."),)))
        elif receipt.outcome == "feedback":
            parts.append(Note((t("This round closed more than a day ago: feedback only, nothing was recorded."),)))
        parts.append(Paragraph((t.beside(t("You answered:"), ""), Bold(mine), *self._read_as(receipt, mine, t))))
        if receipt.grade.note and receipt.grade.credit != 1:
            parts.append(Paragraph(rich(receipt.grade.note.get(language))))
        if view.options:
            chosen = frozenset(receipt.response.choices)
            parts.append(Options(tuple(self._reasoned(view, option, language, chosen) for option in view.options)))
        elif receipt.question.kind is Kind.CASE:
            kept = None if receipt.outcome == "feedback" else receipt.round.id
            parts.extend(cases.rubric(receipt.question, receipt.response, kept, t))
            parts.append(Paragraph((Bold(self._key_line(view, t)),)))
        elif receipt.grade.credit != 1:
            parts.append(Paragraph((self._key_line(view, t),)))
        parts.extend(self._explained(receipt.question, t))
        parts.extend(self._sources(receipt.question, t))
        parts.append(Buttons((disputes.button(receipt.round.id, t),)))
        if receipt.first_ever:
            parts.append(self._privacy(t))
        return Card(self._verdict_head(receipt, t), tuple(parts))

    def _kept(self, receipt: Receipt, mine: str, t: Texts) -> Card:
        head = t("Changed") if receipt.outcome == "changed" else t("Recorded")
        head = f"{head}: {_short(mine, 120)}"
        parts: list[Part] = [
            Heading((head,)),
            Note((t("The last answer before close counts. After close, “How did I do?” in the thread tells you."),)),
        ]
        if receipt.first_ever:
            parts.append(self._privacy(t))
        return Card(head, tuple(parts))

    def _privacy(self, t: Texts) -> Note:
        return Note(
            (
                t(
                    "Only you see your answers. The channel sees how many answered and, on the weekly board, "
                    "names with points."
                ),
            )
        )

    def not_answered(self, view: RoundView, kept: bool, language: str) -> Card:
        """*How did I do?* without an answer. ``kept``: one that comes now would still be stored."""
        t = texts(language)
        if not kept:
            return notice_card(t("You did not answer this one."))
        sentence = t("You did not answer this one. You still can, for your streak:")
        if not view.closed:
            sentence = t("You have not answered this one yet.")
        return Card(sentence, (Paragraph((sentence,)), Buttons(tuple(self._answer_buttons(view, t)))))

    def shown_response(self, view: RoundView, response: Response, language: str) -> str:
        """An answer as people write it: letters in shown order, or the text."""
        if not view.options:
            return _short(response.text.strip(), 200)
        if view.question.kind is Kind.TRUE_FALSE:
            return ", ".join(option.text.get(language) for option in view.options if option.key in response.choices)
        letters = view.letters
        return ", ".join(sorted(letters[key] for key in response.choices if key in letters))

    # --- boards ----------------------------------------------------------------------------------------------

    def board(self, view: BoardView, picture: Image | None, language: str) -> Card:
        """A board: table, picture, and how many took part. Names are plain: they ping nobody."""
        t = texts(language)
        title = self.board_title(view, t)
        parts: list[Part] = [Heading((title,))]
        if picture is not None:
            parts.append(picture)
        if view.lines:
            # All time has no period before it to have moved from.
            moved = ["" if view.period == "all" else self._movement(line.movement, t) for line in view.lines]
            parts.append(self._board_table([(line.place, m) for line, m in zip(view.lines, moved, strict=True)], t))
        else:
            parts.append(Paragraph((t("Nobody is on this board yet."),)))
        if view.nearby:
            parts.append(Paragraph((Bold(t("You and your neighbours")),)))
            parts.append(self._board_table([(place, "") for place in view.nearby], t))
        parts.append(Note((self.board_note(view, t),)))
        first = view.lines[0].place.name if view.lines else ""
        return Card(f"{title}: {first}" if first else title, tuple(parts))

    def board_title(self, view: BoardView, t: Texts) -> str:
        if view.period == "week" and view.first and view.last:
            return t("Board of the week · {first} – {last}", first=t.day(view.first), last=t.day(view.last))
        if view.period == "month" and view.first:
            return t("Board of the month · {month}", month=t.month(view.first))
        return t("Board of all time")

    def board_note(self, view: BoardView, t: Texts) -> str:
        took_part = t(
            "{took_part} of {active} took part", took_part=view.took_part, active=max(view.active, view.took_part)
        )
        rounds = t.n("{count} closed round", "{count} closed rounds", view.rounds)
        return f"{took_part} · {rounds}"

    def _board_table(self, rows: Sequence[tuple[Place, str]], t: Texts) -> Table:
        header = ("#", t("Name"), t("Points"), t("Answered"), "±")
        body = tuple(
            (str(p.rank), p.name, format_points(p.points, t.language), str(p.answered), moved) for p, moved in rows
        )
        return Table(header, body, right=frozenset({0, 2, 3, 4}))

    def _movement(self, movement: int | None, t: Texts) -> str:
        if movement is None:
            return t("new")
        return "–" if movement == 0 else f"▲{movement}" if movement > 0 else f"▼{-movement}"

    # --- one member ------------------------------------------------------------------------------------------

    def progress(self, progress: Progress, name: str, language: str) -> Card:
        t = texts(language)
        accuracy = f"{round(100 * progress.right / progress.answered)} %" if progress.answered else "–"
        rows = (
            (t("Points this week"), format_points(progress.week_points, language)),
            (t("Points in all"), format_points(progress.points, language)),
            (t("Right"), f"{progress.right} / {progress.answered} ({accuracy})"),
            (
                t("Streak"),
                t("{current} now, {longest} longest", current=progress.streak.current, longest=progress.streak.longest),
            ),
            (t("Freezes"), str(progress.streak.freezes)),
        )
        parts: list[Part] = [Heading((t("Your progress"),)), Table((), rows)]
        if progress.topics:
            topic_rows = tuple(
                (_short(self.topic(s.topic, language), 40), f"{s.right} / {s.answered}") for s in progress.topics[:10]
            )
            parts.append(Paragraph((Bold(t("Your topics, the weakest first")),)))
            parts.append(Table((t("Topic"), t("Right")), topic_rows, right=frozenset({1})))
        parts.append(Note((t("Only closed rounds count. Nobody else sees this."),)))
        return Card(t("Your progress"), tuple(parts))

    # --- admins ----------------------------------------------------------------------------------------------

    def proposal(self, proposal: Proposal, language: str, lacks: Sequence[str] = ()) -> Card:
        """A schedule to look at before it is saved, with its next dates, and what the channel lacks."""
        t = texts(language)
        parts: list[Part] = [
            Heading((t("Change the schedule?") if proposal.exists else t("Start daily drills here?"),)),
            Table((), self.plan_rows(proposal.plan, t)),
            Paragraph((Bold(t("The next rounds")),)),
            self.dates(proposal.next_dates, proposal.plan.zone, t),
            *trouble.lacking(lacks, t),
            *self._empty(proposal.empty, t),
            Buttons(
                (
                    Button(t("Save"), f"save:{proposal.draft_id}", "primary"),
                    Button(t("Change"), f"change:{proposal.draft_id}"),
                    Button(t("Cancel"), f"drop:{proposal.draft_id}"),
                )
            ),
            Note(
                (
                    t.beside(
                        t.n("{count} question fits.", "{count} questions fit.", proposal.questions),
                        t("Nothing is saved yet."),
                    ),
                )
            ),
        ]
        return Card(t("Look at the schedule before saving it."), tuple(parts))

    def _empty(self, slugs: Sequence[str], t: Texts) -> list[Part]:
        """Topics that are named and give nothing, said before it is saved."""
        if not slugs:
            return []
        names = t.list(self.topic(slug, t.language) for slug in slugs[:6]) + (" …" if len(slugs) > 6 else "")
        return [Paragraph((t("No question fits these topics yet: {topics}.", topics=names),))]

    def saved(self, saved: Saved, language: str) -> Card:
        t = texts(language)
        parts: list[Part] = [
            Heading((t("Saved. The next rounds:"),)),
            self.dates(saved.next_dates, saved.schedule.zone, t),
            *trouble.lacking(saved.schedule.trouble, t),
        ]
        return Card(t("The schedule is saved."), tuple(parts))

    def plan_rows(self, plan: Plan, t: Texts) -> tuple[tuple[str, str], ...]:
        days = " ".join(t.weekday(day) for day in plan.weekdays)
        topics = t.list(self.topic(slug, t.language) for slug in plan.topics[:6]) or t("all topics")
        if len(plan.topics) > 6:
            topics += " …"
        kinds = t.list(self.kind(Kind(kind), t) for kind in plan.kinds) or t("all kinds")
        hours, minutes = divmod(plan.window_minutes, 60)
        window = t("{hours} h", hours=f"{hours}:{minutes:02d}" if minutes else hours)
        mode = t("instant: verdict at once, first answer counts")
        if plan.mode == "together":
            mode = t("together: verdict at close, last answer counts")
            if plan.reactions:
                mode += " · " + t("reactions too, which everyone sees")
        board = t.weekday(plan.board_day)
        if plan.best_rounds:
            board += " · " + t("the best {count} rounds count", count=plan.best_rounds)
        rows = [
            (t("Days"), days),
            (t("Time"), f"{plan.at} · {plan.zone}"),
            (t("Topics"), topics),
        ]
        for weekday, slugs in sorted((plan.weekday_topics or {}).items()):
            rows.append((t.weekday(int(weekday)), t.list(self.topic(slug, t.language) for slug in slugs)))
        rows += [
            (t("Difficulty"), f"{plan.easiest}–{plan.hardest}"),
            (t("Kinds"), kinds),
            (t("Language"), " + ".join(NAMES[language] for language in plan.languages)),
            (t("Answers"), mode),
            (t("Open for"), window),
            (t("Board"), board),
        ]
        if plan.least:
            shown = t("from {count} answers on, in the whole workspace", count=plan.least)
            rows.append((t("Choices are shown"), shown))
        if plan.country:
            rows.append((t("Holidays"), plan.country))
        return tuple(rows)

    def status(self, status: Status, plan: Plan, language: str) -> Card:
        t = texts(language)
        parts: list[Part] = [Heading((t("Drills in this channel"),))]
        if status.pause is not None:
            parts.append(Paragraph((Bold(self._paused(status.pause.ends_at, plan.zone, t)),)))
            if status.pause.reason.startswith("failing"):
                why = self.reason(status.pause.reason.partition(": ")[2], t)
                parts.append(Paragraph((t("Three posts in a row failed: {reason}", reason=why),)))
        parts += trouble.standing(status.parked, status.schedule.trouble, status.untold, t)
        parts.append(Table((), self.plan_rows(plan, t)))
        rows = tuple(
            (
                t.day(round_.local_date),
                t.time(round_.posts_at, plan.zone),
                _short(self.topic(round_.topic, language), 30) if round_.topic else "–",
                _short(question.prompt.get(language), 60) if question else t("no question fits"),
            )
            for round_, question in status.coming
        )
        if rows:
            parts.append(Paragraph((Bold(t("The next rounds")),)))
            parts.append(Table((t("Date"), t("Time"), t("Topic"), t("Question")), rows))
        if status.dates is not None:
            skipped, extra = (*status.dates.holidays, *status.dates.skipped), status.dates.extra
            for label, days in ((t("Without a round"), sorted(skipped)), (t("Extra rounds"), extra)):
                if days:
                    parts.append(Note((f"{label} · {t.list(t.day(day) for day in days[:12])}",)))
        if status.swapped:
            chosen = t.list(t.day(day) for day in status.swapped)
            parts.append(Note((f"{t('Questions chosen by an admin')} · {chosen}",)))
        if status.coming:
            where = f"{status.schedule.id}:{status.coming[0][0].local_date.isoformat()}"
            buttons = ((t("Preview"), "preview"), (t("Another question"), "swap"), (t("Skip it"), "skip"))
            parts.append(Buttons(tuple(Button(label, f"{action}:{where}") for label, action in buttons)))
        posted = t.n("{count} round posted", "{count} rounds posted", status.posted)
        missed = t.n("{count} missed", "{count} missed", status.missed)
        parts.append(Note((f"{posted} · {missed}",)))
        return Card(t("Drills in this channel"), tuple(parts))

    def setup_form(self, plan: Plan, form_id: str, language: str) -> Form:
        """Everything a schedule says, filled in with what it says now."""
        t = texts(language)
        weekdays = tuple((str(day), t.weekday(day)) for day in range(1, 8))
        kinds = tuple((kind.value, self.kind(kind, t)) for kind in Kind)
        modes = (
            ("instant", t("instant")),
            ("together", t("together")),
            ("together+reactions", t("together, public reactions too")),
        )
        mode = "together+reactions" if plan.reactions else plan.mode
        languages = (("en", NAMES["en"]), ("zh", NAMES["zh"]), ("en+zh", "English + 中文"), ("zh+en", "中文 + English"))
        fields: tuple[Field, ...] = (
            ChoiceField("days", t("Days"), weekdays, many=True, chosen=tuple(str(day) for day in plan.weekdays)),
            TextField("time", t("Time"), plan.at, hint="09:30", max_length=20),
            TextField("zone", t("Time zone"), plan.zone, hint="Asia/Shanghai", max_length=60),
            TextField(
                "topics",
                t("Topics, in turn (empty: all)"),
                ", ".join(plan.topics),
                hint="kv-cache, lora",
                max_length=3000,
                optional=True,
            ),
            TextField("difficulty", t("Difficulty"), f"{plan.easiest}-{plan.hardest}", hint="1-5", max_length=10),
            ChoiceField("kinds", t("Kinds (none: all)"), kinds, many=True, chosen=plan.kinds, optional=True),
            ChoiceField("language", t("Language"), languages, chosen=("+".join(plan.languages),)),
            ChoiceField("mode", t("Answers"), modes, chosen=(mode,)),
            TextField(
                "holidays", t("Holidays of (country code or none)"), plan.country or "none", hint="CN", max_length=10
            ),
        )
        return Form(form_id, t("Daily drills here"), t("Look at it"), fields)

    def topics(self, found: Found, text: str, language: str) -> Card:
        """Topics and areas that ``text`` may mean, with how many questions there are of each."""
        t = texts(language)
        heading = t("Topics like “{text}”", text=text)
        parts: list[Part] = [Heading((heading,))]
        rows = [(f"area:{area.slug}", area.name.get(language), str(count)) for area, count in found.areas]
        rows += [(slug, self.topic(slug, language), str(count)) for slug, count in found.topics]
        if not rows:
            parts.append(Paragraph((t("No topic has that name."),)))
            return Card(heading, tuple(parts))
        # Not as a table of numbers: their words are shortened, and slugs are there to be typed.
        parts.append(Table((t("Topic"), t("Name"), t("Questions")), tuple(rows)))
        which = t("Questions are counted that fit this channel.") if found.fitting else t("All questions are counted.")
        parts.append(Note((t.beside(which, t("Ask about them: /drill topics kv-cache, or a whole area.")),)))
        return Card(heading, tuple(parts))

    def topics_of(self, plan: Plan, known: Sequence[str], language: str) -> Card:
        """What a channel asks about. ``known`` are the topics that have questions."""
        t = texts(language)
        heading = t("Topics of this channel, in turn")
        parts: list[Part] = [Heading((heading,))]
        if len(plan.topics) > MOST_ROWS:
            parts.append(Table((), self._by_area(plan.topics, t)))
        elif plan.topics:
            rows = tuple((slug, self.topic(slug, language)) for slug in plan.topics)
            parts.append(Table((t("Topic"), t("Name")), rows))
        else:
            parts.append(Paragraph((t("All topics of the bank ({count})", count=len(known)),)))
            parts.append(Table((), self._by_area(known, t)))
        if plan.weekday_topics:
            days = tuple((t.weekday(int(day)), ", ".join(slugs)) for day, slugs in sorted(plan.weekday_topics.items()))
            parts += [Paragraph((Bold(t("On these days instead")),)), Table((), days)]
        parts.append(Note((t("Set them: /drill topics kv-cache, lora. Find them: /drill topics search cache."),)))
        return Card(heading, tuple(parts))

    def _by_area(self, slugs: Sequence[str], t: Texts) -> tuple[tuple[str, str], ...]:
        found: dict[str, list[str]] = {}
        for slug in slugs:
            try:
                topic = self.taxonomy.topic(slug)
            except UnknownTopicError:
                continue
            name = self.taxonomy.area(topic.area).name.get(t.language) if topic.area else topic.name.get(t.language)
            found.setdefault(name, []).append(slug)
        return tuple((name, ", ".join(slugs)) for name, slugs in found.items())

    def help(self, admin: bool, language: str) -> Card:
        t = texts(language)
        mine = tuple((f"/drill {c.usage}", t(c.help)) for c in COMMANDS if not c.admin)
        theirs = tuple((f"/drill {c.usage}", t(c.help)) for c in COMMANDS if c.admin)
        parts: list[Part] = [Heading((t("One good question a day"),)), Table((), mine)]
        if admin:
            parts += [Paragraph((Bold(t("For admins")),)), Table((), theirs)]
        parts.append(self._privacy(t))
        return Card(t("What Team Drills can do"), tuple(parts))

    def sample(self, question: Question, language: str) -> Card:
        """A question as one looks, without buttons and without its answer."""
        t = texts(language)
        level = t("level {level}", level=question.difficulty)
        about = f"{self.topic(question.topic, language)} · {level} · {self.kind(question.kind, t)}"
        parts: list[Part] = [Heading((t("A sample question"),)), Note((about,)), *prose(question.prompt.get(language))]
        if question.kind.is_choice:
            rows = tuple(OptionRow(LETTERS[n], rich(o.text.get(language))) for n, o in enumerate(question.choices))
            parts.append(Options(rows))
        parts.append(Note((t("In the channel it has buttons; whoever answers sees privately whether it was right."),)))
        return Card(question.prompt.get(language), tuple(parts))

    def posting_now(self, language: str) -> Card:
        t = texts(language)
        return notice_card(t("Today's question is on its way."))

    def paused(self, until: datetime | None, zone: str, language: str) -> Card:
        return notice_card(self._paused(until, zone, texts(language)))

    def _paused(self, until: datetime | None, zone: str, t: Texts) -> str:
        if until is None:
            return t("Paused until you resume: /drill resume.")
        # A pause ends at a midnight of the channel: what an admin named, and thinks in, is its last day there.
        last = local_date(until - timedelta(microseconds=1), zone)
        return t("Paused through {day}. To end it before: /drill resume.", day=t.day(last))

    def notice(self, code: str, detail: dict[str, Any], channel: str, language: str) -> Card:
        """What an admin hears privately."""
        return trouble.notice(code, detail, channel, language)

    def retried(self, done: Retried, language: str) -> Card:
        """An admin had something tried again."""
        return trouble.retried(done, language)

    def reason(self, stored: str, t: Texts) -> str:
        """Why something could not be done, as a sentence for the person who can mend it."""
        return trouble.reason(stored, t)

    # --- mistakes --------------------------------------------------------------------------------------------

    def explain(self, error: errors.DrillError, language: str) -> Card:
        """A mistake as one sentence that says what to do."""
        return notice_card(self.sentence(error, language))

    def sentence(self, error: errors.DrillError, language: str) -> str:
        t = texts(language)
        match error:
            case errors.WrongInput():
                return in_chinese(error.zh, language) if is_chinese(language) else error.en
            case errors.UnknownRound():
                return t(
                    "This button belongs to a round that is not known here any more. See today's with /drill today."
                )
            case errors.NoRoundToday():
                return t("No question is open in this channel right now.")
            case errors.EmptyResponse():
                return t("That answer is empty. Choose or write something.")
            case errors.UnreadableResponse():
                return t("That cannot be read as one answer. Give one number or one phrase, without alternatives.")
            case errors.UnknownOption():
                return t("That is not one of the options. Choose from {letters}.", letters=error.letters)
            case errors.NotFinalYet():
                return t("You can challenge an answer once its round is closed, or once your own answer is final.")
            case errors.OptedOut():
                return t("You asked that nothing is recorded of you. Change that first: /drill settings.")
            case errors.NotAdmin():
                return t("Only admins of this workspace can do that. Ask one of them.")
            case errors.NoSchedule():
                return t("This channel has no drills yet. An admin starts them with /drill setup.")
            case errors.DateGone():
                return t("{day} cannot be changed any more: it is over, or its round has begun.", day=t.day(error.day))
            case errors.NoRoundThen():
                if error.day is None:
                    return t("No round is planned. See /drill status.")
                return t("No round is planned for {day}. The next five stand in /drill status.", day=t.day(error.day))
            case errors.NoOtherQuestion():
                return t("Every other question that fits was asked or is planned. Widen the topics or name one.")
            case errors.OnlyWorkspaceAdmins():
                return t("Only the workspace's own admins may change whom the drills are delegated to.")
            case errors.SlotTaken():
                if error.state == "missed":
                    return t("Today's slot is taken: its round was missed. The next one comes by itself.")
                if error.state == "over":
                    return t("This week has its board already. The next question comes in the new week.")
                return t("Today's slot is taken: its question is posted already or on its way.")
            case errors.NoQuestion():
                return t("No question fits. Widen the topics, kinds, difficulty or languages.")
            case errors.NotPaused():
                return t("Drills here are not paused.")
            case errors.AlreadyPaused():
                return t("Drills here are paused already. Resume them with /drill resume.")
            case errors.DraftGone():
                return t("This proposal was saved or is too old. Begin again with /drill setup.")
            case errors.NotRetried():
                return {
                    "done": t("That is done already; there is nothing to try again."),
                    "on-its-way": t("It is on its way already."),
                }.get(error.why) or t("It is too late for that one; the next drill comes by itself.")
            case errors.NoPlaceForDrills():
                return t("Nothing was saved: {reason}", reason=trouble.reason(error.cure, t))
            case errors.UnknownCommand():
                if error.nearest:
                    return t(
                        "There is no command “{name}”. Did you mean /drill {nearest}?",
                        name=error.name,
                        nearest=error.nearest,
                    )
                return t("There is no command “{name}”. See /drill help.", name=error.name)
        raise AssertionError(f"no sentence for {type(error).__name__}")

    def field_faults(self, error: WrongOptions, language: str) -> dict[str, str]:
        return {
            fault.field: in_chinese(fault.zh, language) if is_chinese(language) else fault.en for fault in error.faults
        }

    def broken(self, language: str) -> Card:
        """Something failed on our side."""
        t = texts(language)
        return notice_card(t("Something went wrong on our side and nothing was saved. Please try again in a moment."))

    # --- pieces ----------------------------------------------------------------------------------------------

    def topic(self, slug: str, language: str) -> str:
        try:
            return self.taxonomy.topic(slug).name.get(language)
        except UnknownTopicError:
            return slug

    def kind(self, kind: Kind, t: Texts) -> str:
        names = {
            Kind.SINGLE: t("single choice"),
            Kind.MULTIPLE: t("multiple choice"),
            Kind.TRUE_FALSE: t("true or false"),
            Kind.BLANK: t("fill in"),
            Kind.NUMERIC: t("number"),
            Kind.CASE: t("case"),
        }
        return names[kind]

    def _title(self, view: RoundView, t: Texts) -> str:
        return t("Daily drill #{number}", number=view.round.number or "")

    def _round_head(self, view: RoundView, t: Texts, languages: Sequence[str]) -> list[Part]:
        title = " · ".join(self._title(view, texts(language)) for language in languages)
        minutes = t.n("~{count} min", "~{count} min", MINUTES[view.question.kind])
        level = t("level {level}", level=view.question.difficulty)
        about = (
            f"{self.topic(view.question.topic, t.language)} · {level} · {self.kind(view.question.kind, t)} · {minutes}"
        )
        return [Heading((title,)), Note((about,))]

    def _body(self, view: RoundView, t: Texts, *, keycaps: bool = False) -> list[Part]:
        """The question in full. ``keycaps``: each option's number stands beside its letter."""
        parts = prose(view.question.prompt.get(t.language))
        if view.options:
            letters = view.letters
            if keycaps:
                letters = {o.key: f"{letters[o.key]} {KEYCAPS[n]}" for n, o in enumerate(view.options)}
            rows = tuple(OptionRow(letters[o.key], rich(o.text.get(t.language))) for o in view.options)
            parts.append(Options(rows))
        return parts

    def _answer_buttons(self, view: RoundView, t: Texts) -> list[Button]:
        if view.question.kind.is_one_tap:
            return [Button(view.letters[o.key], f"answer:{view.round.id}:{o.key}") for o in view.options]
        return [Button(t("Answer"), f"form:{view.round.id}", "primary")]

    def _language_buttons(self, view: RoundView) -> list[Button]:
        return [Button(NAMES[lang], f"read:{view.round.id}:{lang}") for lang in view.schedule.languages[1:]]

    def _result_line(self, result: ResultView, t: Texts) -> str:
        if not result.view.answered:
            return t("nobody answered this time")
        if result.view.question.kind is Kind.CASE:
            return t.n("{count} took part", "{count} took part", result.view.answered)
        return t("{right} of {total} right", right=result.right, total=result.view.answered)

    def _key_line(self, view: RoundView, t: Texts) -> str:
        question = view.question
        if question.kind is Kind.TRUE_FALSE:
            right = next(o for o in view.options if o.correct)
            return t("Answer: {key}", key=f"{view.letters[right.key]} · {right.text.get(t.language)}")
        if question.kind.is_choice:
            letters = sorted(view.letters[o.key] for o in view.options if o.correct)
            return t("Answer: {key}", key=", ".join(letters))
        if question.kind is Kind.BLANK:
            shown = question.shown.get(t.language) or first_accepted(question, t.language)
            return t("Answer: {key}", key=shown)
        if question.kind is Kind.NUMERIC and question.number is not None:
            return t("Answer: {key}", key=number_text(question.number.value, question.number.unit))
        return t("Model answer")

    def _reasoned(self, view: RoundView, option: Option, language: str, chosen: frozenset[str]) -> OptionRow:
        mark: Literal["", "right", "wrong"] = "right" if option.correct else "wrong" if option.key in chosen else ""
        # The reason of a true-or-false question is its explanation, which stands below anyway.
        why = () if view.question.kind is Kind.TRUE_FALSE else rich(option.why.get(language))
        return OptionRow(view.letters[option.key], rich(option.text.get(language)), mark, why)

    def _explained(self, question: Question, t: Texts) -> list[Part]:
        text = question.model_answer if question.kind is Kind.CASE else question.explanation
        parts = prose(text.get(t.language)) if text else []
        if question.kind is Kind.CASE and question.explanation:
            parts += prose(question.explanation.get(t.language))
        return parts

    def _sources(self, question: Question, t: Texts) -> list[Part]:
        if not question.sources:
            return []
        line: list[Inline] = [t.beside(t("Sources:"), "")]
        for place, source in enumerate(question.sources):
            line += [" · "] if place else []
            year = f" ({source.year})" if source.year else ""
            line += [Link(source.title, source.link) if source.link else source.title, f"{year}, {source.locator}"]
        return [Note(tuple(line))]

    def _read_as(self, receipt: Receipt, mine: str, t: Texts) -> Line:
        read_as = receipt.grade.read_as
        if receipt.question.kind not in (Kind.BLANK, Kind.NUMERIC):
            return ()
        if read_as is None:
            return (" — " + t("this could not be read as one answer"),)
        shown = _short(read_as, 200)
        return () if shown == mine else (" (" + t("read as {text}", text=shown) + ")",)

    def _verdict_head(self, receipt: Receipt, t: Texts) -> str:
        earned = t("+{points} points", points=format_points(receipt.points, t.language))
        if receipt.question.kind is Kind.CASE:
            if receipt.outcome == "feedback":
                return t("Compare it with the model answer.")
            return t("Recorded. Compare it with the model answer.")
        if receipt.grade.credit == 1:
            return t.beside(t("Right!"), earned) if receipt.points else t("Right!")
        if receipt.grade.credit > 0:
            return t.beside(t("Partly right."), earned) if receipt.points else t("Partly right.")
        return t("Not this time.")

    def dates(self, dates: Sequence[tuple[date, datetime]], zone: str, t: Texts) -> Part:
        """Dates with their times, a line each."""
        if not dates:
            return Paragraph((t("No date comes up: check days, holidays and pauses."),))
        return Paragraph(("\n".join(f"{t.day(day)} {t.time(moment, zone)}" for day, moment in dates),))

    def _moment(self, moment: datetime, t: Texts, zone: str, style: Literal["time", "date", "both"] = "time") -> Moment:
        fallback = f"{t.time(moment, zone)} ({zone})"
        if style != "time":
            fallback = f"{t.day(local_date(moment, zone))} {fallback}"
        return Moment(moment, style, fallback)


def _mood(receipt: Receipt) -> Literal["", "right", "partly", "wrong"]:
    if receipt.question.kind is Kind.CASE:
        return ""
    return "right" if receipt.grade.credit == 1 else "partly" if receipt.grade.credit > 0 else "wrong"


def notice_card(sentence: str) -> Card:
    """A card of one sentence."""
    return Card(sentence, (Paragraph((sentence,)),))


def first_accepted(question: Question, language: str) -> str:
    accepted = question.accept.get(language[:2]) or next(iter(question.accept.values()), ("",))
    return accepted[0]


def number_text(value: float, unit: str) -> str:
    """``512 MiB``; whole numbers without a decimal point."""
    number = f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else f"{value:.6g}"
    return f"{number} {unit}".strip() if unit != "%" else f"{number} %"


_FENCE = re.compile(r"```[a-z]*\n?(.*?)```", re.DOTALL)
_CODE = re.compile(r"`([^`\n]+)`")


def rich(text: str) -> Line:
    """A text of the bank as a line: backticks make code, the rest is plain."""
    line: list[Inline] = []
    place = 0
    for match in _CODE.finditer(text):
        line += [text[place : match.start()], Code(match[1])]
        place = match.end()
    line.append(text[place:])
    return tuple(part for part in line if part != "")


def prose(text: str) -> list[Part]:
    """A longer text of the bank: paragraphs and fenced code blocks."""
    parts: list[Part] = []
    place = 0
    for match in _FENCE.finditer(text):
        if text[place : match.start()].strip():
            parts.append(Paragraph(rich(text[place : match.start()].strip())))
        parts.append(CodeBlock(match[1].rstrip()))
        place = match.end()
    if text[place:].strip():
        parts.append(Paragraph(rich(text[place:].strip())))
    return parts


def _short(text: str, most: int) -> str:
    text = " ".join(text.replace("`", "").split())
    return text if len(text) <= most else text[: most - 1] + "…"
