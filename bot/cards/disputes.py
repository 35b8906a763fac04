"""*Challenge this answer*: its button, its form, and the word of thanks."""

from __future__ import annotations

from bot.card import Button, Card, Form, Note, Paragraph, TextField
from bot.texts import Texts, texts
from bot.usecases.challenge_answer import LONGEST, Disputed


def button(round_id: int | None, t: Texts) -> Button:
    return Button(t("Challenge this answer"), f"challenge:{round_id}")


def form(disputed: Disputed, language: str) -> Form:
    """What is wrong, in the member's words; what they wrote before stands in it."""
    t = texts(language)
    field = TextField(
        "text",
        t("What is wrong with it?"),
        disputed.text,
        hint=t("Say why, with a source if you can"),
        multiline=True,
        max_length=LONGEST,
    )
    about = t("Daily drill #{number}", number=disputed.round.number or "")
    intro = Note((t("{drill}. The authors read it without your name.", drill=about),))
    return Form(f"challenge:{disputed.round.id}", t("Challenge"), t("Send"), (field,), (intro,))


def thanks(language: str) -> Card:
    t = texts(language)
    text = t("Thank you, your challenge was kept for the authors. Points change only if they correct the question.")
    return Card(text, (Paragraph((text,)),))
