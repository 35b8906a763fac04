"""What happens in a workspace besides taps: people react, join, leave, talk; channels are archived; apps removed.

Each tells the app by an event, if it subscribed to that event, and returns its ``Reply`` after the last redelivery.
"""

from __future__ import annotations

from dataclasses import replace

from tests.standins.slack import payloads
from tests.standins.slack.client import Hands
from tests.standins.slack.delivery import Reply
from tests.standins.slack.forms import CannotDo
from tests.standins.slack.methods.chat import remove
from tests.standins.slack.methods.reactions import event as reaction_event
from tests.standins.slack.methods.reactions import take_away
from tests.standins.slack.model import JSON, Channel, Message, User, Workspace

# What an app of this kind subscribes to; a test sets its own set from the app's manifest.
SUBSCRIPTIONS = {
    "app_home_opened",
    "app_uninstalled",
    "channel_archive",
    "channel_deleted",
    "channel_left",
    "channel_rename",
    "channel_unarchive",
    "group_archive",
    "group_deleted",
    "group_left",
    "group_rename",
    "group_unarchive",
    "member_joined_channel",
    "member_left_channel",
    "reaction_added",
    "reaction_removed",
    "tokens_revoked",
}

LAST_WORDS = {"tokens_revoked", "app_uninstalled"}


class Happenings(Hands):
    subscriptions: set[str]

    async def emit(self, space: Workspace, event: JSON, subscription: str = "") -> Reply:
        """Tell the app of an event (``subscription`` where its name in the manifest is not the event's type)."""
        payload = payloads.event_callback(self.core, space, event)
        self.core.touch()
        if (subscription or event["type"]) not in self.subscriptions:
            return Reply(False, "events_api", payload, attempts=0, problem="not_subscribed")
        return await self._tell(space, "events_api", payload, last_words=event["type"] in LAST_WORDS)

    async def redeliver(self, reply: Reply, *, number: int = 1, reason: str = "http_timeout") -> Reply:
        """Deliver the very same payload again, as Slack does when it believes that it was not received."""
        return await self.postman.deliver(reply.kind, reply.payload, number, reason)

    # --- people ---

    async def react(self, user: User | str, where: Message | str, name: str) -> Reply:
        """Leave an emoji under a message."""
        space, person = self._person(user)
        message = self._message(space, person, where)
        users = message.reactions.setdefault(name, [])
        if person.id in users:
            raise CannotDo(f"{person.name} has left :{name}: there already.")
        users.append(person.id)
        return await self._reaction(space, "reaction_added", person, message, name)

    async def unreact(self, user: User | str, where: Message | str, name: str) -> Reply:
        """Take one's emoji back."""
        space, person = self._person(user)
        message = self._message(space, person, where)
        if person.id not in message.reactions.get(name, []):
            raise CannotDo(f"{person.name} has not left :{name}: there.")
        take_away(message, name, person.id)
        return await self._reaction(space, "reaction_removed", person, message, name)

    async def open_home(self, user: User | str, tab: str = "home") -> Reply:
        """Open the app's home (or its ``messages`` tab)."""
        space, person = self._person(user)
        channel = self.core.im(space, person.id)
        event: JSON = {"type": "app_home_opened", "user": person.id, "channel": channel.id, "tab": tab}
        if tab == "home" and person.id in space.homes:
            event["view"] = space.homes[person.id].wire()
        return await self.emit(space, event)

    async def say(self, user: User | str, channel: Channel | str, text: str, thread_ts: str = "") -> Message:
        """Write a message as a person; the app hears of it only if it subscribed to ``message.*`` of that kind."""
        space, person = self._person(user)
        place = self._channel(space, channel)
        if person.id not in place.members:
            raise CannotDo(f"{person.name} is not in that channel.")
        ts = space.next_ts(self.core.clock())
        message = Message(ts, place.id, space.id, person.id, text, thread_ts=thread_ts)
        place.messages[ts] = message
        kind = "im" if place.is_im else "groups" if place.is_private else "channels"
        wire_kind = "im" if place.is_im else "group" if place.is_private else "channel"
        event = message.wire() | {"channel": place.id, "channel_type": wire_kind, "event_ts": ts}
        if space.bot_user in place.members:
            await self.emit(space, event, f"message.{kind}")
        return message

    async def join_channel(self, user: User | str, channel: Channel | str) -> Reply:
        """A person joins, or the bot is invited (``slack.bot``)."""
        space, person = self._person(user)
        place = self._channel(space, channel)
        if person.id not in place.members:
            place.members.append(person.id)
        return await self._membership(space, "member_joined_channel", person, place)

    async def leave_channel(self, user: User | str, channel: Channel | str) -> Reply:
        """A person leaves, or the bot is removed: then it hears ``channel_left`` (``group_left``) and no more."""
        space, person = self._person(user)
        place = self._channel(space, channel)
        place.members.remove(person.id)
        if person.id == space.bot_user:
            kind = "group_left" if place.is_private else "channel_left"
            return await self.emit(space, {"type": kind, "channel": place.id, "actor_id": self._admin(space)})
        return await self._membership(space, "member_left_channel", person, place)

    def delete_message(self, channel: Channel | str, ts: str) -> None:
        """An admin deletes a message, the bot's too."""
        remove(self._known(channel)[1], ts)
        self.core.touch()

    # --- channels ---

    async def archive(self, channel: Channel | str, *, back: bool = False) -> Reply:
        """Archive a channel, or bring it ``back``."""
        space, place = self._known(channel)
        place.is_archived = not back
        kind = f"{'group' if place.is_private else 'channel'}_{'unarchive' if back else 'archive'}"
        return await self.emit(space, {"type": kind, "channel": place.id, "user": self._admin(space)})

    async def rename(self, channel: Channel | str, name: str) -> Reply:
        space, place = self._known(channel)
        place.name = name
        kind = "group_rename" if place.is_private else "channel_rename"
        return await self.emit(
            space, {"type": kind, "channel": {"id": place.id, "name": name, "created": place.created}}
        )

    async def delete_channel(self, channel: Channel | str) -> Reply:
        space, place = self._known(channel)
        del space.channels[place.id]
        kind = "group_deleted" if place.is_private else "channel_deleted"
        return await self.emit(space, {"type": kind, "channel": place.id})

    # --- the app's own standing ---

    async def uninstall(self, workspace: Workspace | str | None = None) -> Reply:
        """Remove the app: calls answer ``account_inactive``; it hears ``tokens_revoked`` and ``app_uninstalled``."""
        space = self._workspace(workspace)
        await self._revoke(space, "account_inactive")
        return await self.emit(space, {"type": "app_uninstalled"})

    async def revoke(self, workspace: Workspace | str | None = None) -> Reply:
        """Revoke the token alone: calls answer ``token_revoked``."""
        return await self._revoke(self._workspace(workspace), "token_revoked")

    async def _revoke(self, space: Workspace, error: str) -> Reply:
        space.revoked = error
        return await self.emit(space, {"type": "tokens_revoked", "tokens": {"oauth": [], "bot": [space.bot_user]}})

    # --- help ---

    def _workspace(self, workspace: Workspace | str | None) -> Workspace:
        if isinstance(workspace, Workspace):
            return workspace
        return self.core.workspaces[workspace] if workspace else next(iter(self.core.workspaces.values()))

    def _known(self, channel: Channel | str) -> tuple[Workspace, Channel]:
        """A channel of any workspace; raises ``KeyError`` where there is none."""
        number = channel if isinstance(channel, str) else channel.id
        for space in self.core.workspaces.values():
            if number in space.channels:
                return space, space.channels[number]
        raise KeyError(f"There is no channel {number}.")

    def _message(self, space: Workspace, person: User, where: Message | str) -> Message:
        message = self._place(space, person, where)
        if not isinstance(message, Message):
            raise CannotDo("Only messages that stay can be reacted to.")
        return message

    def _admin(self, space: Workspace) -> str:
        return next((user.id for user in space.users.values() if user.is_admin or user.is_owner), space.bot_user)

    async def _reaction(self, space: Workspace, kind: str, person: User, message: Message, name: str) -> Reply:
        event = reaction_event(kind, person.id, message, name)
        if space.bot_user not in space.channels[message.channel].members:
            payload = payloads.event_callback(self.core, space, event)
            return Reply(False, "events_api", payload, attempts=0, problem="not_in_channel")
        return await self.emit(space, event)

    async def _membership(self, space: Workspace, kind: str, person: User, place: Channel) -> Reply:
        letter = "G" if place.is_private else "C"
        event: JSON = {"type": kind, "user": person.id, "channel": place.id, "channel_type": letter, "team": space.id}
        if person.id == space.bot_user:
            event["inviter"] = self._admin(space)
        if space.bot_user not in place.members:
            reply = Reply(False, "events_api", payloads.event_callback(self.core, space, event))
            return replace(reply, attempts=0, problem="not_in_channel")
        return await self.emit(space, event)
