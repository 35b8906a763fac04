"""What a delivery shows: its card, made from the rows as they stand when it is sent."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session

from bot.card import Card, Image
from bot.cards import Cards
from bot.charts import BoardRow, Picture, board_picture, distribution_picture
from bot.texts import texts
from bot.usecases.show_board import BoardView, posted_board
from bot.usecases.show_round import ResultView, RoundView, show_result, show_round
from content.question import Kind
from storage.deliveries import Claim, Step

View = RoundView | ResultView | BoardView


def view_of(tx: Session, claim: Claim, now: datetime) -> View:
    """The data of what has to be shown."""
    match claim.step:
        case Step.POST:
            return show_round(tx, claim.subject_id, now)
        case Step.CLOSE | Step.RESULT:
            return show_result(tx, claim.subject_id, now)
        case Step.BOARD:
            return posted_board(tx, claim.subject_id, now)
    raise AssertionError(f"{claim.step} shows no card")


def card_of(claim: Claim, view: View, cards: Cards, pictures: bool = True) -> Card:
    """The card of a view; draws the picture where there is one (tens of milliseconds: keep it off the event loop)."""
    match claim.step, view:
        case Step.POST, RoundView():
            return cards.question(view)
        case Step.CLOSE, ResultView():
            return cards.closed(view)
        case Step.RESULT, ResultView():
            return cards.result(view, distribution_image(view) if pictures else None)
        case Step.BOARD, BoardView():
            language = view.schedule.languages[0]
            picture = board_image(view, cards, language) if pictures else None
            return cards.board(view, picture, language)
    raise AssertionError(f"{claim.step} does not show a {type(view).__name__}")


def distribution_image(result: ResultView) -> Image | None:
    """How many chose what; nothing where too few answered."""
    if result.chosen is None:
        return None
    view, language = result.view, result.view.schedule.languages[0]
    shares = [
        (view.letters[o.key], o.text.get(language).replace("`", ""), result.chosen[o.key], o.correct)
        for o in view.options
    ]
    title = texts(language)("Daily drill #{number}", number=view.round.number or "")
    # Ticks of several options add up to more than people: shares are of people there.
    answered = view.answered if view.question.kind is Kind.MULTIPLE else None
    return _image(distribution_picture(title, shares, language=language, answered=answered))


def board_image(view: BoardView, cards: Cards, language: str) -> Image | None:
    """The first places as a picture; nothing where nobody is on the board."""
    if not view.lines:
        return None
    t = texts(language)
    rows = [
        BoardRow(line.place.rank, line.place.name, line.place.points, line.movement, line.place.answered)
        for line in view.lines
    ]
    title = cards.board_title(view, t)
    channel = f"#{view.schedule.channel_name}" if view.schedule.channel_name else ""
    return _image(board_picture(title, channel, rows, language=language, footer=cards.board_note(view, t)))


def _image(picture: Picture) -> Image:
    return Image(picture.png, picture.alt, picture.name)
