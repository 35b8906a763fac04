"""A Discord of one server (guild): REST v10 and Gateway v10 on a loopback port, and people who type, press, fill in.

Every accepted request is logged with its time: the oracle, outside the bot's process. Every body is held against
Discord's own schema and limits (``tests/discord/contract.py``) when the stand-in closes.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from aiohttp import web

from tests.discord.contract import check_requests
from tests.standins.discord.gateway import Gateway
from tests.standins.discord.state import (
    EVERYTHING,
    JSON,
    Interaction,
    Message,
    Person,
    snowflake,
    stamp,
    walk,
)

TOKEN = "MTIzNDU2Nzg5MDEyMzQ1Njc4.stand-in.token"
ANSWER_WITHIN = 3.0
FOLLOW_UP_WITHIN = 900.0
MOST_WAIT = 25.0


@dataclass(frozen=True, slots=True)
class Accepted:
    """A request that was carried out."""

    at: float
    method: str
    path: str
    json: Any


@dataclass(slots=True)
class Fault:
    """``lose``: carried out, then the connection is reset. ``status``: answered so, not carried out."""

    method: str
    path: re.Pattern[str]
    kind: Literal["lose", "status", "limit"]
    status: int = 0
    retry_after: float = 0.0
    left: int = 1


class Refused(Exception):
    def __init__(self, status: int, code: int, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message


class DiscordStandin:
    """``async with DiscordStandin() as discord``; ``down``: connections are refused until it is set to False."""

    def __init__(self) -> None:
        self.bot = Person(snowflake(), "Team Drills", bot=True)
        self.guild_id, self.channel_id = snowflake(), snowflake()
        self.people: dict[str, Person] = {}
        self.owner = self.add_person("owner", manages=True)
        self.channels: dict[str, JSON] = {
            self.channel_id: {
                "id": self.channel_id,
                "type": 0,
                "name": "drills",
                "guild_id": self.guild_id,
                "position": 0,
                "permission_overwrites": [],
                "nsfw": False,
                "parent_id": None,
                "topic": None,
            }
        }
        self.messages: dict[str, list[Message]] = {self.channel_id: []}
        self.commands: list[JSON] = []
        self.interactions: dict[str, Interaction] = {}
        self.log: list[Accepted] = []
        self.refusals: list[tuple[float, str, int]] = []
        self.faults: list[Fault] = []
        self.down = False
        self.gateway = Gateway(TOKEN, self.bot.user(), lambda: [self._guild()])
        self._runner: web.AppRunner | None = None
        self.url = ""

    async def __aenter__(self) -> DiscordStandin:
        app = web.Application(client_max_size=30_000_000)
        app.router.add_get("/gateway/", self.gateway.handle)
        app.router.add_get("/gateway", self.gateway.handle)
        app.router.add_route("*", "/api/v10/{path:.*}", self._rest)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        port = self._runner.addresses[0][1]
        self.url, self.gateway.url = f"http://127.0.0.1:{port}/api/v10", f"ws://127.0.0.1:{port}/gateway"
        return self

    async def __aexit__(self, kind: Any, *rest: Any) -> None:
        await self.gateway.close()
        assert self._runner is not None
        await self._runner.cleanup()
        if kind is None:
            check_requests(self.log)

    # --- people ---

    def add_person(self, name: str, *, locale: str = "en-US", manages: bool = False) -> Person:
        person = Person(snowflake(), name, locale, manages)
        self.people[person.id] = person
        return person

    async def slash(self, person: Person, name: str, **options: str) -> Interaction:
        """Type ``/drill today`` (``name`` = "drill today") with its options."""
        root, _, sub = name.partition(" ")
        command = next(c for c in self.commands if c["name"] == root)
        known = next(o for o in command["options"] if o["name"] == sub)
        assert set(options) <= {o["name"] for o in known.get("options", [])}, f"{name} has no option of {set(options)}"
        given = [{"type": 3, "name": key, "value": value} for key, value in options.items()]
        inner = [{"type": 1, "name": sub, "options": given}]
        data = {"id": command["id"], "name": root, "type": 1, "guild_id": self.guild_id, "options": inner}
        return await self._interact(person, 2, data, None)

    async def click(self, person: Person, message: Message, label: str) -> Interaction:
        return await self.press(person, message, message.buttons[label])

    async def press(self, person: Person, message: Message, custom_id: str) -> Interaction:
        data = {"custom_id": custom_id, "component_type": 2, "id": 1}
        return await self._interact(person, 3, data, message)

    async def submit(self, person: Person, asked: Interaction, **values: str) -> Interaction:
        """Fill in the modal that this interaction opened."""
        assert asked.modal is not None
        parts = []
        for component in asked.modal["components"]:
            inner = component.get("component")
            if inner is None:
                continue
            given = values.get(inner["custom_id"], inner.get("value", ""))
            field: JSON = {"type": inner["type"], "custom_id": inner["custom_id"], "id": 2}
            field |= {"value": given} if inner["type"] == 4 else {"values": [given] if given else []}
            parts.append({"type": component["type"], "id": 1, "component": field})
        data = {"custom_id": asked.modal["custom_id"], "components": parts}
        return await self._interact(person, 5, data, asked.source)

    async def _interact(self, person: Person, kind: int, data: JSON, message: Message | None) -> Interaction:
        made = Interaction(snowflake(), f"token-{snowflake()}", person, time.monotonic(), message)
        self.interactions[made.token] = self.interactions[made.id] = made
        channel = self.channels[self.channel_id]
        body: JSON = {
            "id": made.id,
            "application_id": self.bot.id,
            "type": kind,
            "data": data,
            "guild_id": self.guild_id,
            "guild": {"id": self.guild_id, "locale": "en-US", "features": []},
            "channel_id": self.channel_id,
            "channel": channel | {"permissions": str(EVERYTHING)},
            "member": person.member(),
            "token": made.token,
            "version": 1,
            "locale": person.locale,
            "guild_locale": "en-US",
            "app_permissions": str(EVERYTHING),
            "entitlements": [],
            "authorizing_integration_owners": {"0": self.guild_id},
            "context": 0,
            "attachment_size_limit": 10_000_000,
        }
        if message is not None:
            body["message"] = message.wire()
        await self.gateway.emit("INTERACTION_CREATE", body)
        return made

    async def answered(self, made: Interaction) -> str:
        """What the person is shown in answer, once it is: the text of the private message, or of the form."""
        await self.until(lambda: made.modal is not None or made.said or made.choices is not None)
        if made.modal is not None:
            return json.dumps(made.modal, ensure_ascii=False)
        return "\n".join(message.text for message in made.said)

    def posts(self, channel: str = "") -> list[Message]:
        """What everybody sees in the channel, oldest first."""
        return [m for m in self.messages[channel or self.channel_id] if not m.ephemeral_for]

    async def until(self, true: Callable[[], Any], within: float = MOST_WAIT) -> Any:
        """Wait until it is so."""
        end = time.monotonic() + within
        while not (found := true()):
            if time.monotonic() > end:
                raise TimeoutError("it did not become so")
            await asyncio.sleep(0.02)
        return found

    def fail(self, method: str, path: str, kind: Literal["lose", "status", "limit"], **rest: Any) -> None:
        """Order a fault for the next requests of this kind; ``path`` is a pattern below ``/api/v10``."""
        self.faults.append(Fault(method, re.compile(path), kind, **rest))

    # --- REST ---

    async def _rest(self, request: web.Request) -> web.StreamResponse:
        path, now = "/" + request.match_info["path"], time.monotonic()
        if self.down:
            assert request.transport is not None
            request.transport.abort()
            return web.Response()
        if request.headers.get("Authorization", f"Bot {TOKEN}") != f"Bot {TOKEN}":
            return _error(401, 0, "401: Unauthorized")
        fault = next((f for f in self.faults if f.method == request.method and f.path.fullmatch(path)), None)
        if fault is not None:
            fault.left -= 1
            if not fault.left:
                self.faults.remove(fault)
            if fault.kind != "lose":
                self.refusals.append((now, path, fault.status))
                return _limited(fault.retry_after) if fault.kind == "limit" else _error(fault.status, 0, "refused")
        body, files = await _body(request)
        try:
            status, answer = await self._carry_out(request, path, body, files)
        except Refused as refused:
            self.refusals.append((now, path, refused.status))
            return _error(refused.status, refused.code, refused.message)
        self.log.append(Accepted(now, request.method, path, body))
        if fault is not None:
            assert request.transport is not None
            request.transport.abort()
        if status == 204:
            return web.Response(status=204)
        return _json(answer, status)

    async def _carry_out(self, request: web.Request, path: str, body: Any, files: list[JSON]) -> tuple[int, Any]:
        parts = path.strip("/").split("/")
        match request.method, parts:
            case "GET", ["users", "@me"]:
                return 200, self.bot.user() | {"verified": True, "mfa_enabled": True, "locale": "en-US", "email": None}
            case "GET", ["oauth2", "applications", "@me"]:
                return 200, self._application()
            case "GET", ["gateway", "bot"]:
                limit = {"total": 1000, "remaining": 1000, "reset_after": 86_400_000, "max_concurrency": 1}
                return 200, {"url": self.gateway.url, "shards": 1, "session_start_limit": limit}
            case "GET", ["applications", _, "commands"]:
                return 200, self.commands
            case "PUT", ["applications", _, "commands"]:
                extra = {"application_id": self.bot.id, "version": snowflake(), "dm_permission": False}
                self.commands = [c | {"id": snowflake()} | extra for c in body]
                return 200, self.commands
            case "GET", ["guilds", _]:
                return 200, self._guild()
            case "GET", ["guilds", _, "members", member]:
                person = self.people.get(member) or (self.bot if member == self.bot.id else None)
                if person is None:
                    raise Refused(404, 10007, "Unknown Member")
                return 200, person.member()
            case "GET", ["guilds", _, "threads", "active"]:
                return 200, {"threads": [c for c in self.channels.values() if c["type"] == 11], "members": []}
            case "POST", ["users", "@me", "channels"]:
                return 200, self._dm(str(body["recipient_id"]))
            case "POST", ["interactions", number, token, "callback"]:
                return self._callback(number, token, body, files)
            case "POST", ["webhooks", _, token]:
                return 200, self._follow_up(token, body, files).wire()
            case "PATCH", ["webhooks", _, token, "messages", "@original"]:
                return 200, self._edit_original(token, body, files).wire()
            case _, ["channels", channel, *rest] if channel in self.channels:
                return self._in_channel(request, channel, rest, body, files)
            case _, ["channels", _, *_]:
                raise Refused(404, 10003, "Unknown Channel")
        raise Refused(404, 0, "404: Not Found")

    def _in_channel(
        self, request: web.Request, channel: str, rest: list[str], body: Any, files: list[JSON]
    ) -> tuple[int, Any]:
        match request.method, rest:
            case "GET", []:
                return 200, self.channels[channel]
            case "POST", ["messages"]:
                return 200, self._post(channel, body, files).wire()
            case "GET", ["messages"]:
                return 200, self._history(channel, request.query)
            case "GET", ["messages", number]:
                return 200, self._message(channel, number).wire()
            case "PATCH", ["messages", number]:
                message = self._message(channel, number)
                message.body |= body | ({"_files": files} if files else {})
                message.edited = True
                return 200, message.wire()
            case "POST", ["messages", number, "threads"]:
                return 201, self._open_thread(channel, number, body)
            case "PUT", ["messages", number, "reactions", emoji, "@me"]:
                self._message(channel, number).reactions.setdefault(emoji, []).append(self.bot.id)
                return 204, None
            case "GET", ["messages", number, "reactions", emoji]:
                left = self._message(channel, number).reactions.get(emoji, [])
                return 200, [(self.people.get(one) or self.bot).user() for one in left]
            case "GET", ["threads", "archived", "public"]:
                return 200, {"threads": [], "members": [], "has_more": False}
        raise Refused(404, 0, "404: Not Found")

    def _post(self, channel: str, body: JSON, files: list[JSON]) -> Message:
        nonce = str(body.get("nonce") or "")
        if len(nonce) > 25:
            raise Refused(400, 50035, "Invalid Form Body")
        if nonce and body.get("enforce_nonce"):
            for known in self.messages[channel]:
                if known.nonce == nonce:
                    return known
        holder = self.people.get(str(self.channels[channel].get("_with", "")))
        if holder is not None and holder.dms_closed:
            raise Refused(403, 50007, "Cannot send messages to this user")
        message = Message(snowflake(), channel, self.bot, body | {"_files": files}, nonce)
        self.messages[channel].append(message)
        return message

    def _history(self, channel: str, query: Any) -> list[JSON]:
        limit = int(query.get("limit", 50))
        found = [m for m in self.messages[channel] if not m.ephemeral_for]
        if "after" in query:
            found = [m for m in found if int(m.id) > int(query["after"])][:limit]
        elif "before" in query:
            found = [m for m in found if int(m.id) < int(query["before"])][-limit:]
        else:
            found = found[-limit:]
        return [m.wire() for m in found[::-1]]

    def _message(self, channel: str, number: str) -> Message:
        for message in self.messages[channel]:
            if message.id == number:
                return message
        raise Refused(404, 10008, "Unknown Message")

    def _open_thread(self, channel: str, number: str, body: JSON) -> JSON:
        self._message(channel, number)
        if number in self.channels:
            raise Refused(400, 160004, "A thread has already been created for this message")
        times = {"archived": False, "auto_archive_duration": 1440, "archive_timestamp": stamp(), "locked": False}
        self.channels[number] = {
            "id": number,
            "type": 11,
            "name": body["name"],
            "guild_id": self.guild_id,
            "parent_id": channel,
            "owner_id": self.bot.id,
            "thread_metadata": times,
            "message_count": 0,
            "member_count": 1,
            "flags": 0,
            "rate_limit_per_user": 0,
            "last_message_id": None,
            "total_message_sent": 0,
        }
        self.messages[number] = []
        return self.channels[number]

    def _dm(self, person: str) -> JSON:
        if person not in self.people:
            raise Refused(400, 50033, "Invalid Recipient(s)")
        for known in self.channels.values():
            if known.get("_with") == person:
                return known
        number = snowflake()
        self.channels[number] = {
            "id": number,
            "type": 1,
            "recipients": [self.people[person].user()],
            "last_message_id": None,
            "_with": person,
        }
        self.messages[number] = []
        return self.channels[number]

    # --- answers to interactions ---

    def _callback(self, number: str, token: str, body: JSON, files: list[JSON]) -> tuple[int, Any]:
        made = self.interactions.get(number)
        if made is None or made.token != token or time.monotonic() - made.at > ANSWER_WITHIN:
            raise Refused(404, 10062, "Unknown interaction")
        if made.answered:
            raise Refused(400, 40060, "Interaction has already been acknowledged.")
        kind, data = body["type"], body.get("data") or {}
        made.answered = kind
        if kind == 4:
            self._say(made, data, files)
        elif kind == 7 and made.source is not None:
            made.source.body |= data | {"_files": files}
            made.original = made.source
            made.said.append(made.source)
        elif kind == 9:
            made.modal = data
        elif kind == 8:
            made.choices = data.get("choices", [])
        resource: JSON = {"type": kind}
        if made.original is not None:
            resource["message"] = made.original.wire()
        about = {"id": made.id, "type": 2, "response_message_ephemeral": True}
        return 200, {"interaction": about, "resource": resource}

    def _say(self, made: Interaction, data: JSON, files: list[JSON]) -> Message:
        private = made.person.id if int(data.get("flags", 0)) & 64 else ""
        message = Message(snowflake(), self.channel_id, self.bot, data | {"_files": files}, ephemeral_for=private)
        self.messages[self.channel_id].append(message)
        made.original = made.original or message
        made.said.append(message)
        return message

    def _known(self, token: str) -> Interaction:
        made = self.interactions.get(token)
        if made is None or time.monotonic() - made.at > FOLLOW_UP_WITHIN:
            raise Refused(401, 50027, "Invalid Webhook Token")
        return made

    def _follow_up(self, token: str, body: JSON, files: list[JSON]) -> Message:
        made = self._known(token)
        if not made.answered:
            raise Refused(404, 10015, "Unknown Webhook")
        return self._say(made, body, files)

    def _edit_original(self, token: str, body: JSON, files: list[JSON]) -> Message:
        made = self._known(token)
        if made.answered == 5 and made.original is None:  # announced, and said now
            return self._say(made, {"flags": 64} | body, files)
        if made.original is None:
            raise Refused(404, 10008, "Unknown Message")
        made.original.body |= body
        made.said.append(made.original)
        return made.original

    # --- payloads ---

    def _guild(self) -> JSON:
        everyone = {
            "id": self.guild_id,
            "name": "@everyone",
            "permissions": str(EVERYTHING),
            "position": 0,
            "color": 0,
            "hoist": False,
            "managed": False,
            "mentionable": False,
            "flags": 0,
            "colors": {"primary_color": 0},
        }
        return {
            "id": self.guild_id,
            "name": "Team",
            "owner_id": self.owner.id,
            "roles": [everyone],
            "emojis": [],
            "stickers": [],
            "features": [],
            "channels": [c for c in self.channels.values() if c["type"] == 0],
            "icon": None,
            "splash": None,
            "members": [self.bot.member(), self.owner.member()],
            "threads": [],
            "presences": [],
            "voice_states": [],
            "stage_instances": [],
            "guild_scheduled_events": [],
            "soundboard_sounds": [],
            "member_count": len(self.people) + 1,
            "large": False,
            "unavailable": False,
            "joined_at": stamp(),
            "verification_level": 0,
            "mfa_level": 0,
            "default_message_notifications": 0,
            "explicit_content_filter": 0,
            "afk_timeout": 300,
            "afk_channel_id": None,
            "nsfw_level": 0,
            "premium_tier": 0,
            "preferred_locale": "en-US",
            "system_channel_id": None,
            "rules_channel_id": None,
            "system_channel_flags": 0,
            "public_updates_channel_id": None,
            "vanity_url_code": None,
            "description": None,
            "banner": None,
            "premium_subscription_count": 0,
            "premium_progress_bar_enabled": False,
            "discovery_splash": None,
            "safety_alerts_channel_id": None,
            "application_id": None,
        }

    def _application(self) -> JSON:
        return {
            "id": self.bot.id,
            "name": "Team Drills",
            "icon": None,
            "description": "",
            "summary": "",
            "bot_public": False,
            "bot_require_code_grant": False,
            "verify_key": "0" * 64,
            "flags": 0,
            "owner": self.owner.user(),
            "team": None,
            "rpc_origins": [],
            "hook": True,
            "install_params": None,
        }


async def _body(request: web.Request) -> tuple[Any, list[JSON]]:
    """The JSON of a request, and what was attached to it."""
    if request.content_type == "multipart/form-data":
        form = await request.post()
        files = []
        for place, (name, part) in enumerate(form.items()):
            if isinstance(part, web.FileField):
                size = len(part.file.read())
                shown = {
                    "id": str(place),
                    "filename": part.filename,
                    "size": size,
                    "url": f"https://cdn.example/{name}",
                }
                files.append(shown | {"proxy_url": shown["url"]})
        return json.loads(str(form["payload_json"])), files
    text = await request.text()
    return (json.loads(text) if text else None), []


def _json(value: Any, status: int, headers: dict[str, str] | None = None) -> web.Response:
    """Discord names no character set; the library knows JSON by that."""
    return web.Response(
        body=json.dumps(value).encode(), status=status, headers=headers, content_type="application/json"
    )


def _error(status: int, code: int, message: str) -> web.Response:
    return _json({"message": message, "code": code}, status)


def _limited(retry_after: float) -> web.Response:
    headers = {"Retry-After": str(retry_after), "Via": "1.1 stand-in", "X-RateLimit-Scope": "user"}
    body = {"message": "You are being rate limited.", "retry_after": retry_after, "global": False}
    return _json(body, 429, headers)


__all__ = ["DiscordStandin", "walk"]
