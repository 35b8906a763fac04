"""views.*: modals, which need a fresh trigger, and the home tab."""

from __future__ import annotations

from tests.standins.slack.blocks import elements_of
from tests.standins.slack.calls import Call, method
from tests.standins.slack.core import Core
from tests.standins.slack.forms import initial
from tests.standins.slack.model import JSON, SlackError, Trigger, View, Workspace

MOST_STACKED = 3


@method("views.open", takes="trigger_id view interactivity_pointer")
def open_view(call: Call) -> JSON:
    view = _view(call, "modal")
    trigger = _spend(call)
    shown = new_view(call.core, call.space, trigger.user, view)
    call.space.modals[trigger.user] = [shown]
    return _answer(call, shown)


@method("views.push", takes="trigger_id view interactivity_pointer")
def push(call: Call) -> JSON:
    view = _view(call, "modal")
    trigger = _spend(call)
    return _answer(call, push_view(call.core, call.space, trigger.user, view))


@method("views.update", takes="view view_id external_id hash")
def update(call: Call) -> JSON:
    view = _view(call, None)
    shown = _find(call)
    if call.text("hash") and call.text("hash") != shown.hash:
        raise SlackError("hash_conflict")
    if view["type"] != shown.body["type"]:
        raise SlackError("invalid_arguments", ("the view's type cannot change [json-pointer:/view/type]",))
    replace_view(call.core, shown, view)
    return _answer(call, shown)


@method("views.publish", takes="user_id view hash")
def publish(call: Call) -> JSON:
    view = _view(call, "home")
    user = call.need("user_id")
    if user not in call.space.users:
        raise SlackError("user_not_found")
    shown = call.space.homes.get(user)
    if shown and call.text("hash") and call.text("hash") != shown.hash:
        raise SlackError("hash_conflict")
    if shown:
        replace_view(call.core, shown, view)
    else:
        shown = call.space.homes[user] = new_view(call.core, call.space, user, view)
    return _answer(call, shown)


def new_view(core: Core, space: Workspace, user: str, body: JSON) -> View:
    body = body | {"blocks": core.stored(body["blocks"])}
    view = View(core.ids.new("V"), space.id, user, body, _hash(core), core.app_id, space.bot_id)
    view.state = _kept_state(view, {})
    return view


def push_view(core: Core, space: Workspace, user: str, body: JSON) -> View:
    """Lay a view on top of the modals ``user`` has open; three deep at most."""
    stack = space.modals.get(user, [])
    if not stack:
        raise SlackError("view_not_found")
    if len(stack) >= MOST_STACKED:
        raise SlackError("push_limit_reached")
    view = new_view(core, space, user, body)
    view.root, view.previous = stack[0].id, stack[-1].id
    stack.append(view)
    return view


def replace_view(core: Core, view: View, body: JSON) -> None:
    """Show ``body`` in place of what the view shows; what was typed stays where block and action keep their ids."""
    view.body = body | {"blocks": core.stored(body["blocks"])}
    view.hash = _hash(core)
    view.errors, view.trouble = {}, False
    view.state = _kept_state(view, view.state)


def _kept_state(view: View, before: dict[tuple[str, str], JSON]) -> dict[tuple[str, str], JSON]:
    state = {}
    for block, element in elements_of(view.blocks):
        if (start := initial(element)) is not None:
            key = (block["block_id"], element["action_id"])
            old = before.get(key)
            state[key] = old if old and old["type"] == element["type"] else start
    return state


def _hash(core: Core) -> str:
    return f"{int(core.clock())}.{core.ids.new('h')}"


def _view(call: Call, kind: str | None) -> JSON:
    if isinstance(call.args.get("view"), str):
        raise SlackError("invalid_arguments", ("view is not JSON [json-pointer:/view]",))
    view = call.core.view_or_refuse(call.space, call.args.get("view"))
    if kind and view["type"] != kind:
        raise SlackError("invalid_arguments", (f"{call.method} takes a {kind} view [json-pointer:/view/type]",))
    others = [v for v in _views(call.space) if v.body.get("external_id") and v.id != call.text("view_id")]
    if any(view.get("external_id") == v.body["external_id"] for v in others) and call.method == "views.open":
        raise SlackError("duplicate_external_id")
    return view


def _spend(call: Call) -> Trigger:
    """Use up the trigger: once, and within its three seconds."""
    trigger = call.space.triggers.get(call.need("trigger_id"))
    if trigger is None:
        raise SlackError("invalid_trigger_id")
    if trigger.used:
        raise SlackError("exchanged_trigger_id")
    if call.core.clock() - trigger.issued_at > call.core.trigger_life:
        raise SlackError("expired_trigger_id")
    trigger.used = True
    return trigger


def _views(space: Workspace) -> list[View]:
    return [view for stack in space.modals.values() for view in stack] + list(space.homes.values())


def _find(call: Call) -> View:
    wanted, external = call.text("view_id"), call.text("external_id")
    if not (wanted or external):
        raise SlackError("invalid_arguments", ("view_id or external_id is needed",))
    for view in _views(call.space):
        if view.id == wanted or (external and view.body.get("external_id") == external):
            return view
    raise SlackError("not_found")


def _answer(call: Call, view: View) -> JSON:
    call.accept({"user": view.user, **call.args}, ts=view.id)
    return {"ok": True, "view": view.wire()}
