"""A strict local stand-in for Slack; see ../README.md."""

from tests.standins.slack.clock import MovingClock
from tests.standins.slack.delivery import Reply
from tests.standins.slack.forms import CannotDo
from tests.standins.slack.seen import Seen, pings, shown_text
from tests.standins.slack.server import SlackStandin

__all__ = ["CannotDo", "MovingClock", "Reply", "Seen", "SlackStandin", "pings", "shown_text"]
