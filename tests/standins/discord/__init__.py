"""Discord, as far as the bot uses it, over real HTTP and a real web socket."""

from tests.standins.discord.server import DiscordStandin

__all__ = ["DiscordStandin"]
