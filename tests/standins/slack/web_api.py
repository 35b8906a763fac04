"""Slack's Web API over HTTP: reads a request, meets ordered faults, checks token, scope and rate, runs the method."""

from __future__ import annotations

import asyncio
import base64
import json
from contextvars import ContextVar
from typing import Any

from aiohttp import web

from tests.standins.slack import methods as _methods  # noqa: F401  (enters the methods into the table)
from tests.standins.slack.calls import METHODS, Call, Method
from tests.standins.slack.core import Core
from tests.standins.slack.faults import Fault
from tests.standins.slack.model import JSON, Called, SlackError, Workspace

# Arguments that are objects: in a form they come as JSON text.
OBJECTS = {"blocks", "attachments", "metadata", "view", "files"}
# The end of the token of the request that is being answered.
_TOKEN: ContextVar[str] = ContextVar("token", default="")
NOBODY = Workspace("", "", "", "", "", "", [])


class WebApi:
    def __init__(self, core: Core) -> None:
        self._core = core

    async def handle(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["method"]
        try:
            args = await read_arguments(request)
        except SlackError as error:
            self._core.violate(name, (error.code, *error.faults), await request.text())
            return self._answer(name, "", "", error.code, error.body())
        token = _token(request, args)
        _TOKEN.set(token[-8:])
        space = self._space(token)
        channel = str(args.get("channel") or args.get("channel_id") or "")
        fault = self._core.faults.take(name, channel)
        before = fault if fault and not (fault.reset == "after" or fault.late) else None
        if before and (early := await self._meet(before, request, name, space.id, channel)) is not None:
            return early
        response = self._run(name, token, space, args, channel)
        if fault and fault.late:
            await asyncio.sleep(fault.delay)
        if fault and fault.reset == "after":
            return self._cut(request, name, space.id, channel, "reset after")
        return response

    def _run(self, name: str, token: str, space: Workspace, args: JSON, channel: str) -> web.Response:
        core = self._core
        try:
            known = METHODS.get(name)
            if known is None:
                raise SlackError("unknown_method", req_method=name)
            self._authorise(known, token, space)
            if wait := core.rates.retry_after(space.id, name, channel):
                return self._too_often(name, space.id, channel, wait)
            if odd := sorted(set(args) - known.takes):
                core.violate(name, tuple(f"unknown argument: {arg}" for arg in odd), args)
            args.pop("token", None)
            body = known.run(Call(core, space, name, args, token))
        except SlackError as error:
            if error.blame:
                core.violate(name, (error.code, *error.faults), args)
            return self._answer(name, space.id, channel, error.code, error.body(), space)
        return self._answer(name, space.id, channel, "ok", body, space)

    def _space(self, token: str) -> Workspace:
        if not token:
            return NOBODY
        if token in self._core.org_tokens:
            return self._core.workspaces[self._core.org_tokens[token]]
        spaces = self._core.workspaces.values()
        return next((space for space in spaces if token == space.bot_token or token in space.ends), NOBODY)

    def _authorise(self, known: Method, token: str, space: Workspace) -> None:
        if known.token == "none":
            return
        if not token:
            raise SlackError("not_authed")
        is_app = token == self._core.app_token
        if not is_app and space is NOBODY:
            raise SlackError("invalid_auth")
        if is_app != (known.token == "app"):
            raise SlackError("not_allowed_token_type")
        if space.revoked and token not in self._core.org_tokens:
            raise SlackError(space.revoked)
        if token in space.ends and space.ends[token] <= self._core.clock():
            raise SlackError("token_expired")
        scopes = self._core.app_scopes if is_app else space.scopes
        needed = ("connections:write",) if is_app else known.scopes
        if needed and not any(scope in scopes for scope in needed):
            raise SlackError("missing_scope", needed=",".join(needed), provided=",".join(scopes))

    async def _meet(
        self, fault: Fault, request: web.Request, name: str, team: str, channel: str
    ) -> web.StreamResponse | None:
        """What an ordered fault answers before the method runs; None when it only delayed the call."""
        if fault.delay:
            await asyncio.sleep(fault.delay)
            return None
        if fault.reset:
            return self._cut(request, name, team, channel, "reset before")
        if fault.retry_after:
            return self._too_often(name, team, channel, fault.retry_after)
        if fault.error:
            return self._answer(name, team, channel, fault.error, {"ok": False, "error": fault.error})
        self._called(name, team, channel, f"http {fault.status}")
        return web.Response(status=fault.status, text="upstream connect error", content_type="text/html")

    def _cut(self, request: web.Request, name: str, team: str, channel: str, outcome: str) -> web.Response:
        self._called(name, team, channel, outcome)
        if request.transport:
            request.transport.abort()
        return web.Response()

    def _too_often(self, name: str, team: str, channel: str, wait: int) -> web.Response:
        self._called(name, team, channel, "ratelimited")
        body = {"ok": False, "error": "ratelimited"}
        return web.json_response(body, status=429, headers={"Retry-After": str(wait)})

    def _answer(
        self, name: str, team: str, channel: str, outcome: str, body: JSON, space: Workspace = NOBODY
    ) -> web.Response:
        self._called(name, team, channel, outcome)
        scopes = METHODS[name].scopes if name in METHODS else ()
        headers = {"x-oauth-scopes": ",".join(space.scopes), "x-accepted-oauth-scopes": ",".join(scopes)}
        return web.json_response(body, headers=headers)

    def _called(self, name: str, team: str, channel: str, outcome: str) -> None:
        self._core.calls.append(Called(self._core.clock(), name, team, channel, outcome, _TOKEN.get()))
        self._core.touch()


def _token(request: web.Request, args: JSON) -> str:
    header = request.headers.get("Authorization", "")
    if header.startswith("Bearer "):
        return header.removeprefix("Bearer ").strip()
    if header.startswith("Basic "):
        user, _, password = base64.b64decode(header.removeprefix("Basic ")).decode().partition(":")
        args.setdefault("client_id", user)
        args.setdefault("client_secret", password)
    return str(args.get("token") or "")


async def read_arguments(request: web.Request) -> JSON:
    """The call's arguments: JSON, a form or the query, objects in forms decoded, nulls left out."""
    args: JSON = dict(request.query)
    if request.content_type == "application/json":
        args |= await _json_body(request)
    elif request.can_read_body:
        args |= {key: value for key, value in (await request.post()).items() if isinstance(value, str)}
    return {key: _object(key, value) for key, value in args.items() if value is not None}


async def _json_body(request: web.Request) -> JSON:
    try:
        body = json.loads(await request.read() or b"{}")
    except ValueError:
        raise SlackError("invalid_json") from None
    if not isinstance(body, dict):
        raise SlackError("json_not_object")
    return body


def _object(key: str, value: Any) -> Any:
    """An object that came as JSON text; text that is not JSON is left for the method to refuse in its own words."""
    if key in OBJECTS and isinstance(value, str):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value
