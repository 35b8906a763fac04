"""Cases: the rubric with its ticks, and the form in which members correct them."""

from __future__ import annotations

from bot.card import Bold, Button, Buttons, ChoiceField, Field, Form, Inline, Note, Paragraph, Part
from bot.texts import Texts, texts
from content.grading import SELF_MARKED, ticked
from content.question import Question, Response

MOST_CHOICES = 10
"""Ticks in one field of a form, on every platform."""


def rubric(question: Question, response: Response, round_id: int | None, t: Texts) -> list[Part]:
    """What a good answer says, ticked. ``round_id``: where the ticks can be corrected."""
    marks = ticked(question, response)
    lines: list[Inline] = [Bold(t("What a good answer says"))]
    for point, hit in zip(question.rubric, marks, strict=True):
        lines.append(f"\n{'☑' if hit else '☐'} {point.text.get(t.language)} ({point.points})")
    found = t("Ticked is what was found in your words; the rest is yours to judge.")
    if response.choices[:1] == (SELF_MARKED,):
        points = sum(point.points for point, hit in zip(question.rubric, marks, strict=True) if hit)
        total = sum(point.points for point in question.rubric)
        found = t("Ticked by yourself: {points} of {total}.", points=points, total=total)
    parts: list[Part] = [Paragraph(tuple(lines)), Note((found,))]
    if round_id is not None:
        parts.append(Buttons((Button(t("Correct the ticks"), f"ticks:{round_id}"),)))
    return parts


def ticks_form(question: Question, response: Response, round_id: int, language: str) -> Form:
    """All points of the rubric to tick, as they stand; more than ten go on in a second field."""
    t = texts(language)
    marks = ticked(question, response)
    numbered = [
        (str(number), f"{number}  {_short(point.text.get(language))}")
        for number, point in enumerate(question.rubric, 1)
    ]
    chosen = tuple(str(number) for number, hit in enumerate(marks, 1) if hit)
    fields: list[Field] = []
    for start in range(0, len(numbered), MOST_CHOICES):
        part = tuple(numbered[start : start + MOST_CHOICES])
        label = t("Your answer says") if not start else t("And")
        values = {value for value, _ in part}
        ticks = tuple(value for value in chosen if value in values)
        fields.append(ChoiceField(f"ticks{start // MOST_CHOICES}", label, part, many=True, chosen=ticks, optional=True))
    whole = "\n".join(f"{number}. {point.text.get(language)}" for number, point in enumerate(question.rubric, 1))
    return Form(f"ticks:{round_id}", t("Correct the ticks"), t("Save"), tuple(fields), (Paragraph((whole,)),))


def _short(text: str) -> str:
    text = " ".join(text.replace("`", "").split())
    return text if len(text) <= 70 else text[:69] + "…"
