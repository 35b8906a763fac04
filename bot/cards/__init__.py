"""What the bot says, before a platform dresses it: ``deck.py`` holds the cards of rounds, boards and schedules, the
modules beside it those of one theme each. Shared cards speak the channel's language, private ones the member's own.
"""

from __future__ import annotations

from bot.cards.deck import Cards, notice_card, number_text, prose, rich

__all__ = ["Cards", "notice_card", "number_text", "prose", "rich"]
