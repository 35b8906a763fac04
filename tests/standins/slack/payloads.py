"""What Slack tells the app, in Slack's shapes: interactions, commands and events.

Shapes after Slack's reference (interaction-payloads/*, apis/events-api, interactivity/implementing-slash-commands).
"""

from __future__ import annotations

from tests.standins.slack.core import Core
from tests.standins.slack.model import JSON, Channel, Ephemeral, Message, ResponseUrl, Trigger, User, View, Workspace

VERIFICATION = "made-up-verification-token"


def new_trigger(core: Core, space: Workspace, user: str) -> str:
    """A fresh trigger_id, with which the app may open one modal within three seconds."""
    number = len(space.triggers) + 1
    trigger = Trigger(f"{int(core.clock() * 1000)}.{number}.{core.ids.new('x').lower()}", user, core.clock())
    space.triggers[trigger.id] = trigger
    return trigger.id


def new_response_url(core: Core, space: Workspace, kind: str, url: ResponseUrl) -> str:
    space.response_urls[url.key] = url
    return f"{core.base_url.removesuffix('/api/')}/{kind}/{space.id}/{url.key}"


def _head(core: Core, space: Workspace, user: User, kind: str) -> JSON:
    return {
        "type": kind,
        "team": {"id": space.id, "domain": space.domain},
        "user": {"id": user.id, "username": user.name, "name": user.name, "team_id": space.id},
        "api_app_id": core.app_id,
        "token": VERIFICATION,
        "enterprise": None,
        "is_enterprise_install": False,
    }


def channel_name(channel: Channel) -> str:
    return "directmessage" if channel.is_im else "privategroup" if channel.is_private else channel.name


def message_action(
    core: Core, space: Workspace, user: User, channel: Channel, source: Message | Ephemeral, action: JSON, state: JSON
) -> JSON:
    """block_actions from a message. Of one that only its reader sees, Slack sends where it is, not what it says."""
    private = isinstance(source, Ephemeral)
    container: JSON = {
        "type": "message",
        "message_ts": source.ts,
        "channel_id": channel.id,
        "is_ephemeral": private,
    }
    if source.thread_ts:
        container["thread_ts"] = source.thread_ts
    key = core.ids.new("r")
    url = ResponseUrl(key, user.id, channel.id, core.clock(), source.ts, source.thread_ts)
    payload = _head(core, space, user, "block_actions") | {
        "container": container,
        "trigger_id": new_trigger(core, space, user.id),
        "channel": {"id": channel.id, "name": channel_name(channel)},
        "state": {"values": state},
        "response_url": new_response_url(core, space, "actions", url),
        "actions": [action],
    }
    if isinstance(source, Message):
        payload["message"] = source.wire(channel.replies(source.ts), with_metadata=True)
    return payload


def view_action(core: Core, space: Workspace, user: User, view: View, action: JSON) -> JSON:
    """block_actions from a modal or the home tab."""
    return _head(core, space, user, "block_actions") | {
        "container": {"type": "view", "view_id": view.id},
        "trigger_id": new_trigger(core, space, user.id),
        "view": view.wire(),
        "actions": [action],
    }


def view_submission(core: Core, space: Workspace, user: User, view: View) -> JSON:
    return _head(core, space, user, "view_submission") | {
        "trigger_id": new_trigger(core, space, user.id),
        "view": view.wire(),
        "response_urls": [],
    }


def view_closed(core: Core, space: Workspace, user: User, view: View, *, cleared: bool) -> JSON:
    return _head(core, space, user, "view_closed") | {"view": view.wire(), "is_cleared": cleared}


def slash_command(core: Core, space: Workspace, user: User, channel: Channel, command: str, text: str) -> JSON:
    key = core.ids.new("r")
    url = ResponseUrl(key, user.id, channel.id, core.clock())
    return {
        "token": VERIFICATION,
        "team_id": space.id,
        "team_domain": space.domain,
        "channel_id": channel.id,
        "channel_name": channel_name(channel),
        "user_id": user.id,
        "user_name": user.name,
        "command": command,
        "text": text,
        "api_app_id": core.app_id,
        "is_enterprise_install": "false",
        "response_url": new_response_url(core, space, "commands", url),
        "trigger_id": new_trigger(core, space, user.id),
    }


def event_callback(core: Core, space: Workspace, event: JSON) -> JSON:
    event.setdefault("event_ts", f"{core.clock():.6f}")
    return {
        "token": VERIFICATION,
        "team_id": space.id,
        "context_team_id": space.id,
        "context_enterprise_id": None,
        "api_app_id": core.app_id,
        "event": event,
        "type": "event_callback",
        "event_id": core.ids.new("Ev"),
        "event_time": int(core.clock()),
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": space.id,
                "user_id": space.bot_user,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "is_ext_shared_channel": False,
        "event_context": f"4-{space.id}-{event.get('channel', '')}",
    }
