"""What members and admins can do wrong. Each error carries data; its text is made in ``cards.explain``.

DrillError
├── UnknownRound          the button belongs to a round this bot does not know, or that was never posted
├── NoRoundToday          there is no open round in this channel
├── EmptyResponse         nothing was chosen or written
├── UnreadableResponse    a typed answer that is not one value or phrase: several of them, or no number
├── UnknownOption         the letter is not one of the options (letters)
├── NotFinalYet           an answer is disputed by somebody who must not know it yet
├── WrongInput            one option of a command or field of a form (field, fault: a whole sentence)
├── NotAdmin              the verb needs an admin of the workspace
├── NoSchedule            the channel has no schedule yet
├── DateGone              the date is over, or its round has begun (day)
├── NoRoundThen           no round is planned for the date (day, or None: none at all)
├── NoOtherQuestion       every question that fits the date was asked or is planned
├── OnlyWorkspaceAdmins   delegates may not delegate
├── SlotTaken             today's round exists already (number, state)
├── NoQuestion            no question fits the schedule's topics, kinds and difficulty
├── NotPaused / AlreadyPaused
├── DraftGone             the proposal was saved, replaced or is too old
├── NotRetried            what failed is done, on its way, or too late (why)
├── NoPlaceForDrills      no person can make drills work in that channel (cure)
├── OptedOut              nothing is recorded of this member, as they wished
└── UnknownCommand        (name, nearest)
"""

from __future__ import annotations

from datetime import date


class DrillError(Exception):
    """A mistake that the person can mend; nothing was saved. ``language``: the member's, where it is known."""

    language = ""


class UnknownRound(DrillError):
    pass


class NoRoundToday(DrillError):
    pass


class EmptyResponse(DrillError):
    pass


class UnreadableResponse(DrillError):
    pass


class UnknownOption(DrillError):
    def __init__(self, letters: str) -> None:
        super().__init__(letters)
        self.letters = letters


class NotFinalYet(DrillError):
    pass


class WrongInput(DrillError):
    """``fault`` is a whole sentence in ``en`` and ``zh``; ``field`` the form field or command option."""

    def __init__(self, field: str, en: str, zh: str) -> None:
        super().__init__(en)
        self.field = field
        self.en = en
        self.zh = zh


class NotAdmin(DrillError):
    pass


class NoSchedule(DrillError):
    pass


class DateGone(DrillError):
    def __init__(self, day: date) -> None:
        super().__init__(day)
        self.day = day


class NoRoundThen(DrillError):
    def __init__(self, day: date | None) -> None:
        super().__init__(day)
        self.day = day


class NoOtherQuestion(DrillError):
    pass


class OnlyWorkspaceAdmins(DrillError):
    pass


class SlotTaken(DrillError):
    def __init__(self, state: str) -> None:
        super().__init__(state)
        self.state = state


class NoQuestion(DrillError):
    pass


class NotPaused(DrillError):
    pass


class AlreadyPaused(DrillError):
    pass


class DraftGone(DrillError):
    pass


class NotRetried(DrillError):
    """``why``: ``done``, ``on-its-way``, ``late``."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class NoPlaceForDrills(DrillError):
    """``cure``: a name in ``bot/drill/trouble.py``."""

    def __init__(self, cure: str) -> None:
        super().__init__(cure)
        self.cure = cure


class OptedOut(DrillError):
    pass


class UnknownCommand(DrillError):
    def __init__(self, name: str, nearest: str) -> None:
        super().__init__(name)
        self.name = name
        self.nearest = nearest
