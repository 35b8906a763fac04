"""Installing the app in a workspace with a browser: Slack's OAuth, from our page to Slack's and back.

A walk begins with a state that is good once, for ten minutes, in the browser that began it. It stands in the database
(as a digest), so any process can finish what another one began. Nothing is kept before everything is known.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeVar
from urllib.parse import urlencode

from slack_sdk.web.async_client import AsyncWebClient
from sqlmodel import Session
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Router

from bot.chat import ChatError
from bot.slack.directory import ManyWorkspaces
from bot.slack.faults import as_chat_errors
from bot.slack.grants import Client, OddGrant, read_grant
from bot.slack.install_page import done_page, invitation, trouble_page
from bot.slack.manifest import SCOPES
from bot.slack.paths import BACK, INSTALL
from bot.usecases.install_workspace import install_workspace
from storage import installations
from storage.database import Database
from storage.installations import STATE_LIFE, Grant

log = logging.getLogger(__name__)
T = TypeVar("T")

_SECRET = re.compile(r"[A-Za-z0-9_-]{43}")
_CODE = re.compile(r"[\x21-\x7e]{1,500}")
_WORD = re.compile(r"[a-z_]{1,60}")

_OURS = frozenset(["bad_client_secret", "invalid_client_id", "bad_redirect_uri", "invalid_scope", "no_scopes"])
"""What whoever runs the bot has to mend."""

_SPENT = frozenset(["invalid_code", "code_already_used", "code_expired"])


class InstallFault(Exception):
    """The walk ends here; ``why`` names the page, ``code`` is Slack's word."""

    def __init__(self, why: str, code: str = "") -> None:
        super().__init__(why)
        self.why = why
        self.code = code


class Install:
    """The pages. ``make`` gives a client for a token, ``woken`` is called after an installation."""

    def __init__(
        self,
        database: Database,
        standing: ManyWorkspaces,
        client: Client,
        make: Callable[[str], AsyncWebClient],
        public_url: str,
        slack_url: str,
        now: Callable[[], datetime],
        woken: Callable[[], None] = lambda: None,
    ) -> None:
        self.database = database
        self.standing = standing
        self._oauth = client
        self._make = make
        self._back = public_url + BACK
        self._authorize = slack_url + "oauth/v2/authorize"
        self._now = now
        self._woken = woken
        self._is_https = public_url.startswith("https://")
        # With this prefix a browser takes the cookie from this very host alone, and over TLS alone.
        self._cookie = "__Host-drills-install" if self._is_https else "drills-install"

    def add_to(self, router: Router) -> None:
        """Serve the two addresses."""
        router.add_route(INSTALL, self.begin, methods=["GET"])
        router.add_route(BACK, self.finish, methods=["GET"])

    async def begin(self, request: Request) -> Response:
        """The page with *Add to Slack*; with ``?go`` the walk begins."""
        languages = request.headers.get("accept-language", "")
        if "go" not in request.query_params or request.method != "GET":
            return invitation(languages)
        state = secrets.token_urlsafe(32)
        kept = request.cookies.get(self._cookie, "")
        # Walks in two tabs of one browser share the cookie.
        browser = kept if _SECRET.fullmatch(kept) else secrets.token_urlsafe(32)
        now = self._now()
        try:
            begun = await self._write(lambda tx: installations.begin_walk(tx, state, browser, now))
        except Exception:
            log.exception("an installation could not be begun")
            return trouble_page(languages, "storage")
        if not begun:
            log.warning("Slack: too many installations are under way")
            return trouble_page(languages, "crowd")
        asked = {
            "client_id": self._oauth.client_id,
            "scope": ",".join(sorted(SCOPES)),
            "state": state,
            "redirect_uri": self._back,
        }
        answer = RedirectResponse(f"{self._authorize}?{urlencode(asked)}", status_code=302)
        answer.headers["cache-control"] = "no-store"
        answer.headers["referrer-policy"] = "no-referrer"
        answer.set_cookie(
            self._cookie,
            browser,
            max_age=int(STATE_LIFE.total_seconds()),
            path="/",
            secure=self._is_https,
            httponly=True,
            samesite="lax",
        )
        return answer

    async def finish(self, request: Request) -> Response:
        """Slack sent the browser back, with a code or an error."""
        languages = request.headers.get("accept-language", "")
        if request.method != "GET":
            return Response(status_code=405)
        try:
            grant = await self._install(request)
        except InstallFault as fault:
            log.warning("Slack: an installation was not finished: %s %s", fault.why, fault.code)
            return trouble_page(languages, fault.why, fault.code)
        except Exception as error:
            # Whatever an exception says here may hold a token: its kind is all that is told.
            log.error("Slack: an installation failed on our side: %s", type(error).__name__)
            return trouble_page(languages, "storage")
        log.info("Slack: installed in workspace %s", grant.workspace)
        answer = done_page(languages, grant)
        answer.delete_cookie(self._cookie, path="/", secure=self._is_https, httponly=True, samesite="lax")
        return answer

    async def _install(self, request: Request) -> Grant:
        await self._use_state(request)
        if "error" in request.query_params:
            word = _one(request, "error", _WORD)
            raise InstallFault("declined" if word == "access_denied" else "refused", word)
        code = _one(request, "code", _CODE)
        if not code:
            raise InstallFault("code")
        grant = await self._trade(code)
        now = self._now()
        await self._write(lambda tx: install_workspace(tx, self.standing.keyring, "slack", grant, now))
        self.standing.forget(grant.workspace)
        self._woken()
        return grant

    async def _use_state(self, request: Request) -> None:
        state, browser, now = _one(request, "state", _SECRET), request.cookies.get(self._cookie, ""), self._now()
        if not state:
            raise InstallFault("unknown")
        if not _SECRET.fullmatch(browser):
            raise InstallFault("browser")
        if why := await self._write(lambda tx: installations.end_walk(tx, state, browser, now)):
            raise InstallFault(why)

    async def _trade(self, code: str) -> Grant:
        """The code for a token, and who the token is. Raises ``InstallFault``; nothing is kept yet."""
        token = ""
        try:
            with as_chat_errors():
                answer = await self._oauth.access(code, self._back)
            given = answer.get("access_token")
            token = given if isinstance(given, str) else ""
            if answer.get("is_enterprise_install") is True:
                raise OddGrant("organisation")
            if not token:
                raise OddGrant("other_team")
            with as_chat_errors():
                bot: Any = (await self._make(token).auth_test()).data
            return read_grant(answer, bot if isinstance(bot, Mapping) else {}, self._now())
        except OddGrant as odd:
            await self._give_back(token)
            raise InstallFault(odd.code) from odd
        except ChatError as error:
            raise InstallFault(_why(error), error.code if _WORD.fullmatch(error.code) else "") from error

    async def _give_back(self, token: str) -> None:
        """We do not keep it, so nobody shall have it."""
        if not token:
            return
        try:
            with as_chat_errors():
                await self._make(token).auth_revoke()
        except ChatError as error:
            log.warning("Slack: a token that is not wanted could not be given back: %s", error.code)

    async def _write(self, verb: Callable[[Session], T]) -> T:
        return await asyncio.wrap_future(self.database.write(verb))


def _one(request: Request, name: str, shape: re.Pattern[str]) -> str:
    """A parameter that comes once and has the right shape, else ``""``."""
    found = request.query_params.getlist(name)
    return found[0] if len(found) == 1 and shape.fullmatch(found[0]) else ""


def _why(error: ChatError) -> str:
    if error.outcome != "permanent":
        return "away"
    if error.code in _SPENT:
        return "code"
    return "settings" if error.code in _OURS else "refused"


__all__ = ["Install"]
