"""A person at Slack's client: taps, types, submits, commands; sees only what that person would see."""

from __future__ import annotations

from typing import Any

from tests.standins.slack import payloads
from tests.standins.slack.blocks import elements_of
from tests.standins.slack.core import Core
from tests.standins.slack.delivery import Kind, Postman, Reply
from tests.standins.slack.forms import CannotDo, action, chosen, is_empty
from tests.standins.slack.hooks import answer
from tests.standins.slack.methods.views import push_view, replace_view
from tests.standins.slack.model import JSON, Channel, Ephemeral, Message, SlackError, User, View, Workspace
from tests.standins.slack.seen import Seen, find

Where = Message | Ephemeral | View | str


class Hands:
    """What people do in Slack. Each returns the app's ``Reply``: was it acknowledged in time, and with what."""

    core: Core
    postman: Postman

    async def tap(self, user: User | str, where: Where, wanted: str, choose: Any = None) -> Reply:
        """Touch the element of a message, ephemeral or view that has this action_id, value or label.

        ``choose`` is what is picked or typed there: an option's value, a list of them, a time, a text.
        Raises ``CannotDo`` when there is no such element or ``user`` cannot see it.
        """
        space, person = self._person(user)
        place = self._place(space, person, where)
        block, element = find(place, wanted)
        if block["type"] == "input" and not block.get("dispatch_action"):
            raise CannotDo("An input block without dispatch_action tells the app nothing until it is submitted.")
        told = action(block, element, choose, f"{self.core.clock():.6f}")
        key = (block["block_id"], element["action_id"])
        if isinstance(place, View):
            if element["type"] not in ("button", "overflow"):
                place.state[key] = chosen(element, choose)
            payload = payloads.view_action(self.core, space, person, place, told)
        else:
            state = self._message_state(place, person, key, element, choose)
            channel = space.channels[place.channel]
            payload = payloads.message_action(self.core, space, person, channel, place, told, state)
        return await self._tell(space, "interactive", payload)

    async def submit(self, user: User | str, view: View | str | None = None, values: JSON | None = None) -> Reply:
        """Fill in the modal (the one on top by default) and submit it.

        ``values`` maps a block_id or action_id to a text, an option's value, or a list of those. What the app
        answers happens to the modal: it closes, shows errors, changes, or another one opens on top.
        """
        space, person = self._person(user)
        shown = self._modal(space, person, view)
        if not shown.body.get("submit"):
            raise CannotDo("This view has no submit button.")
        self._fill_in(shown, values or {})
        payload = payloads.view_submission(self.core, space, person, shown)
        reply = await self._tell(space, "interactive", payload)
        self._after_submission(space, person, shown, reply)
        self.core.touch()
        return reply

    async def close(self, user: User | str, *, all_of_them: bool = False) -> Reply | None:
        """Close the modal on top, or all of them; the app hears of it where the view asked to be told."""
        space, person = self._person(user)
        shown = self._modal(space, person, None)
        stack = space.modals[person.id]
        stack.remove(shown)
        if all_of_them:
            stack.clear()
        if not shown.body.get("notify_on_close"):
            return None
        payload = payloads.view_closed(self.core, space, person, shown, cleared=all_of_them)
        return await self._tell(space, "interactive", payload)

    async def command(self, user: User | str, channel: Channel | str, command: str, text: str = "") -> Reply:
        """Type a slash command in a channel the person can see; the acknowledgement's text is shown to them."""
        space, person = self._person(user)
        place = self._channel(space, channel)
        if not space.sees(person.id, place):
            raise CannotDo(f"{person.name} cannot see that channel.")
        payload = payloads.slash_command(self.core, space, person, place, command, text)
        reply = await self._tell(space, "slash_commands", payload)
        self._after_command(space, payload, reply)
        return reply

    def seen_by(self, user: User | str, channel: Channel | str | None = None) -> Seen:
        """What this person sees now: of ``channel`` (nothing, if it is closed to them), of modals and the home tab."""
        space, person = self._person(user)
        messages: list[Message] = []
        ephemerals: list[Ephemeral] = []
        if channel is not None and space.sees(person.id, place := self._channel(space, channel)):
            messages = list(place.messages.values())
            ephemerals = [note for note in place.ephemerals.values() if note.user == person.id]
        return Seen(messages, ephemerals, list(space.modals.get(person.id, [])), space.homes.get(person.id))

    def reload(self, user: User | str) -> None:
        """Restart this person's client: ephemerals and open modals are gone, as in Slack."""
        space, person = self._person(user)
        space.modals.pop(person.id, None)
        for channel in space.channels.values():
            channel.ephemerals = {ts: note for ts, note in channel.ephemerals.items() if note.user != person.id}

    async def _tell(self, space: Workspace, kind: Kind, payload: JSON, *, last_words: bool = False) -> Reply:
        """Deliver to the app, unless this workspace has removed it (``last_words``: the events that say so)."""
        if space.revoked and not last_words:
            return Reply(False, kind, payload, attempts=0, problem="not_installed")
        return await self.postman.deliver(kind, payload)

    # --- finding ---

    def _person(self, user: User | str) -> tuple[Workspace, User]:
        number = user if isinstance(user, str) else user.id
        space = self.core.space_of(number)
        return space, space.users[number]

    def _channel(self, space: Workspace, channel: Channel | str) -> Channel:
        return space.channels[channel if isinstance(channel, str) else channel.id]

    def _place(self, space: Workspace, person: User, where: Where) -> Message | Ephemeral | View:
        number = where if isinstance(where, str) else where.id if isinstance(where, View) else where.ts
        views = [*space.modals.get(person.id, []), *filter(None, [space.homes.get(person.id)])]
        for view in views:
            if view.id == number:
                return view
        for channel in space.channels.values():
            note = channel.ephemerals.get(number)
            if note and note.user == person.id:
                return note
            message = channel.messages.get(number)
            if message and not message.tombstone and space.sees(person.id, channel):
                return message
        raise CannotDo(f"{person.name} sees no message or view {number}.")

    def _modal(self, space: Workspace, person: User, view: View | str | None) -> View:
        stack = space.modals.get(person.id, [])
        wanted = view.id if isinstance(view, View) else view
        if not stack or (wanted and stack[-1].id != wanted):
            raise CannotDo(f"{person.name} has no such modal open on top.")
        return stack[-1]

    # --- doing ---

    def _message_state(
        self, place: Message | Ephemeral, person: User, key: tuple[str, str], element: JSON, choose: Any
    ) -> JSON:
        if not isinstance(place, Message) or element["type"] in ("button", "overflow"):
            own = place.state.get(person.id, {}) if isinstance(place, Message) else {}
        else:
            own = place.state.setdefault(person.id, {})
            own[key] = chosen(element, choose)
        values: JSON = {}
        for (block, name), state in own.items():
            values.setdefault(block, {})[name] = state
        return values

    def _fill_in(self, view: View, values: JSON) -> None:
        known = {
            (block["block_id"], element["action_id"]): (block, element) for block, element in elements_of(view.blocks)
        }
        for name, raw in values.items():
            keys = [key for key in known if name in key]
            if len(keys) != 1:
                raise CannotDo(f"{len(keys)} fields are called {name!r}; there are {list(known)}.")
            view.state[keys[0]] = chosen(known[keys[0]][1], raw)
        for key, (block, _) in known.items():
            required = block["type"] == "input" and not block.get("optional")
            if required and key in view.state and is_empty(view.state[key]):
                raise CannotDo(f"The field {key} must be filled in.")

    def _after_submission(self, space: Workspace, person: User, view: View, reply: Reply) -> None:
        view.errors, view.trouble = {}, not reply.acknowledged
        if not reply.acknowledged:
            return
        stack = space.modals[person.id]
        body = reply.body if isinstance(reply.body, dict) else {}
        try:
            match body.get("response_action"):
                case None:
                    if reply.body not in ("", {}):
                        raise SlackError("invalid_response", ("a submission takes a response_action or nothing",))
                    stack.remove(view)
                case "clear":
                    stack.clear()
                case "errors":
                    view.errors = _errors(view, body.get("errors"))
                case "update":
                    replace_view(self.core, view, self.core.view_or_refuse(space, body.get("view")))
                case "push":
                    push_view(self.core, space, person.id, self.core.view_or_refuse(space, body.get("view")))
                case other:
                    raise SlackError("invalid_response", (f"unknown response_action: {other}",))
        except SlackError as error:
            view.trouble = True
            self.core.violate("view_submission", (error.code, *error.faults), reply.body)

    def _after_command(self, space: Workspace, payload: JSON, reply: Reply) -> None:
        body = {"text": reply.body} if isinstance(reply.body, str) else reply.body
        if not reply.acknowledged or not body or body == {"text": ""}:
            return
        url = space.response_urls[payload["response_url"].rpartition("/")[2]]
        try:
            answer(self.core, space, url, body, "command")
        except SlackError as error:
            self.core.violate("command", (error.code, *error.faults), body)


def _errors(view: View, given: Any) -> dict[str, str]:
    inputs = {block["block_id"] for block in view.blocks if block["type"] == "input"}
    if not isinstance(given, dict) or not given:
        raise SlackError("invalid_response", ("errors must map block_ids to sentences",))
    if odd := sorted(set(given) - inputs):
        raise SlackError("invalid_response", (f"errors for what is no input block: {odd}",))
    return {block: str(sentence) for block, sentence in given.items()}
