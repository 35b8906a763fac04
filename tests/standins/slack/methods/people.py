"""auth.test, users.*, team.info, oauth.v2.access and apps.connections.open."""

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


@method("oauth.v2.access", token="none", takes="client_id client_secret code redirect_uri grant_type")
def oauth_access(call: Call) -> JSON:
    """Trade a code, once, for a new token: a reinstall revives a workspace and kills the old token."""
    if call.text("client_id") != call.core.client_id:
        raise SlackError("invalid_client_id")
    if call.text("client_secret") != call.core.client_secret:
        raise SlackError("bad_client_secret")
    team = call.core.oauth_codes.pop(call.text("code"), None)
    if team is None:
        raise SlackError("invalid_code")
    space = call.core.workspaces[team]
    space.bot_token, space.revoked = call.core.new_token(), ""
    call.core.accept(call.method, space.id, {"code": "(used)"})
    owner = next((user.id for user in space.users.values() if user.is_admin), space.bot_user)
    return {
        "ok": True,
        "app_id": call.core.app_id,
        "authed_user": {"id": owner},
        "scope": ",".join(space.scopes),
        "token_type": "bot",
        "access_token": space.bot_token,
        "bot_user_id": space.bot_user,
        "team": {"id": space.id, "name": space.name},
        "enterprise": None,
        "is_enterprise_install": False,
    }


@method("apps.connections.open", token="app")
def connections_open(call: Call) -> JSON:
    ticket = secrets.token_urlsafe(12)
    call.core.tickets.add(ticket)
    link = call.core.base_url.replace("http://", "ws://").removesuffix("/api/")
    return {"ok": True, "url": f"{link}/link/?ticket={ticket}&app_id={call.core.app_id}"}
