"""The Web API methods, by family; importing this package enters them all into the table."""

from tests.standins.slack.methods import chat, conversations, files, oauth, people, reactions, views

__all__ = ["chat", "conversations", "files", "oauth", "people", "reactions", "views"]
