"""What can be wrong with a call or a channel, and who mends it: neutral of any platform.

Each platform's table of error codes (``bot/slack/errors.py``, ``bot/discord/errors.py``) names one of these cures;
``bot/cards/trouble.py`` has the sentence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ChannelState = Literal["", "archived", "deleted", "removed", "left"]
"""Why a channel's drills are parked: archived; gone; the bot was taken out of it, or out of the workspace."""


@dataclass(frozen=True, slots=True)
class Cure:
    """``mender``: who can mend it (``nobody``: nothing needs to be done). ``parks``: until then the channel is asked
    for nothing. ``hopeless``: no person can make drills work there. ``personal``: only one person cannot be reached.
    """

    mender: Literal["admin", "operator", "member", "nobody"]
    parks: ChannelState = ""
    hopeless: bool = False
    personal: bool = False


CURES: dict[str, Cure] = {
    # the channel
    "archived": Cure("admin", parks="archived"),
    "deleted": Cure("admin", parks="deleted"),
    "uninvited": Cure("admin", parks="removed"),
    "unseen": Cure("admin", parks="removed"),
    "left": Cure("admin", parks="left"),
    "view": Cure("admin", parks="removed"),
    "send": Cure("admin"),
    "threads": Cure("admin"),
    "files": Cure("admin"),
    "history": Cure("admin"),
    "unreadable": Cure("admin"),
    "react": Cure("admin"),
    "restricted": Cure("admin"),
    "locked": Cure("admin"),
    "thread-limit": Cure("admin"),
    "verification": Cure("admin"),
    "automod": Cure("admin"),
    "shared": Cure("admin"),
    "direct": Cure("admin", hopeless=True),
    "forum": Cure("admin"),
    "no-text": Cure("admin", hopeless=True),
    # the app and its surroundings
    "scope": Cure("operator"),
    "token": Cure("operator"),
    "uninstalled": Cure("operator"),
    "policy": Cure("operator"),
    "settings": Cure("operator"),
    "version": Cure("operator"),
    "quota": Cure("operator"),
    "defect": Cure("operator"),
    # nothing to do
    "busy": Cure("nobody"),
    "outage": Cure("nobody"),
    "message-gone": Cure("nobody"),
    "done": Cure("nobody"),
    "clash": Cure("nobody"),
    # one person
    "person-gone": Cure("admin", personal=True),
    "person-closed": Cure("member", personal=True),
    "person-away": Cure("member", personal=True),
    "again": Cure("member"),
    "unknown": Cure("admin"),
}
"""Every cure. ``unknown`` is for codes that no documentation lists."""


def cure(name: str) -> Cure:
    """The cure of that name; ``unknown`` for a name that is none."""
    return CURES.get(name) or CURES["unknown"]
