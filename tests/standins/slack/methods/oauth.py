"""oauth.v2.access and auth.revoke: codes for tokens, refresh tokens for the next pair, tokens given back."""

from __future__ import annotations

import secrets

from tests.standins.slack.calls import Call, method
from tests.standins.slack.model import JSON, SlackError, Workspace

LASTS = 12 * 3600
CODE_LIFE = 600.0


@method("oauth.v2.access", token="none", takes="client_id client_secret code redirect_uri grant_type refresh_token")
def oauth_access(call: Call) -> JSON:
    """Trade a code, once, for a new token: a reinstall revives a workspace and kills the old token."""
    if call.text("client_id") != call.core.client_id:
        raise SlackError("invalid_client_id")
    if call.text("client_secret") != call.core.client_secret:
        raise SlackError("bad_client_secret")
    if call.text("grant_type") == "refresh_token":
        return _refresh(call)
    code = call.core.oauth_codes.pop(call.text("code"), None)
    if code is None:
        raise SlackError("invalid_code")
    if call.core.clock() - code.issued_at > CODE_LIFE:
        raise SlackError("code_expired")
    if call.text("redirect_uri") != code.redirect_uri:
        raise SlackError("bad_redirect_uri")
    space = call.core.workspaces[code.team]
    if code.organisation:
        return _for_organisation(call, space, code.user)
    space.bot_token, space.revoked = call.core.new_token(), ""
    space.ends.clear()
    space.refresh_tokens.clear()
    if code.scopes:
        space.scopes[:] = code.scopes
    call.core.accept(call.method, space.id, {"code": "(used)"})
    return _answer(call, space) | {"authed_user": {"id": code.user}} | _rotating(call, space)


def _refresh(call: Call) -> JSON:
    """The refresh token is used up; the token it belonged to goes on to its own end."""
    given = call.text("refresh_token")
    space = next((space for space in call.core.workspaces.values() if given in space.refresh_tokens), None)
    if space is None or space.revoked:
        raise SlackError("invalid_refresh_token")
    space.refresh_tokens.remove(given)
    space.bot_token = call.core.new_token()
    call.core.accept(call.method, space.id, {"refresh_token": "(used)"})
    return _answer(call, space) | _rotating(call, space)


def _answer(call: Call, space: Workspace) -> JSON:
    return {
        "ok": True,
        "app_id": call.core.app_id,
        "scope": ",".join(space.scopes),
        "token_type": "bot",
        "access_token": space.bot_token,
        "bot_user_id": space.bot_user,
        "team": {"id": space.id, "name": space.name},
        "enterprise": None,
        "is_enterprise_install": False,
    }


def _rotating(call: Call, space: Workspace) -> JSON:
    if not call.core.rotation:
        return {}
    refresh_token = f"xoxe-1-{secrets.token_hex(12)}"
    space.refresh_tokens.append(refresh_token)
    space.ends[space.bot_token] = call.core.clock() + LASTS
    return {"refresh_token": refresh_token, "expires_in": LASTS}


def _for_organisation(call: Call, space: Workspace, user: str) -> JSON:
    token = call.core.new_token()
    call.core.org_tokens[token] = space.id
    return _answer(call, space) | {
        "access_token": token,
        "team": None,
        "enterprise": {"id": "E0000001", "name": "Acme Group"},
        "is_enterprise_install": True,
        "authed_user": {"id": user},
    }


@method("auth.revoke", takes="test")
def revoke(call: Call) -> JSON:
    """Give a token back."""
    if call.token in call.core.org_tokens:
        del call.core.org_tokens[call.token]
    else:
        call.space.revoked = "token_revoked"
    call.accept({})
    return {"ok": True, "revoked": True}
