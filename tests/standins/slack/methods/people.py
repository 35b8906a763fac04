"""auth.test, users.*, team.info and apps.connections.open."""

from __future__ import annotations

import secrets

from tests.standins.slack.calls import Call, method
from tests.standins.slack.model import JSON, SlackError


@method("auth.test")
def auth_test(call: Call) -> JSON:
    space = call.space
    return {
        "ok": True,
        "url": f"https://{space.domain}.slack.com/",
        "team": space.name,
        "user": space.users[space.bot_user].name,
        "team_id": space.id,
        "user_id": space.bot_user,
        "bot_id": space.bot_id,
        "is_enterprise_install": False,
    }


@method("api.test", token="none", takes="error foo")
def api_test(call: Call) -> JSON:
    if error := call.text("error"):
        raise SlackError(error)
    return {"ok": True, "args": call.args}


@method("users.info", takes="user include_locale", scopes="users:read")
def users_info(call: Call) -> JSON:
    user = call.space.users.get(call.need("user"))
    if user is None:
        raise SlackError("user_not_found")
    return {"ok": True, "user": user.wire(call.flag("include_locale"))}


@method("users.list", takes="cursor limit include_locale team_id", scopes="users:read")
def users_list(call: Call) -> JSON:
    page, metadata = call.page(list(call.space.users.values()), default=200)
    shown = [user.wire(call.flag("include_locale")) for user in page]
    return {"ok": True, "members": shown, "cache_ts": int(call.core.clock()), "response_metadata": metadata}


@method("team.info", takes="team domain", scopes="team:read")
def team_info(call: Call) -> JSON:
    space = call.space
    return {"ok": True, "team": {"id": space.id, "name": space.name, "domain": space.domain, "email_domain": ""}}


@method("apps.connections.open", token="app")
def connections_open(call: Call) -> JSON:
    ticket = secrets.token_urlsafe(12)
    call.core.tickets.add(ticket)
    link = call.core.base_url.replace("http://", "ws://").removesuffix("/api/")
    return {"ok": True, "url": f"{link}/link/?ticket={ticket}&app_id={call.core.app_id}"}
