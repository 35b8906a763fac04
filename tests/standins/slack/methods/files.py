"""files.*: upload in three steps, the last of which Slack finishes a little later than it says."""

from __future__ import annotations

from typing import Any

from tests.standins.slack.calls import Call, method
from tests.standins.slack.model import JSON, File, Message, SlackError


@method("files.getUploadURLExternal", takes="filename length alt_txt snippet_type", scopes="files:write")
def get_upload_url(call: Call) -> JSON:
    try:
        length = int(call.need("length"))
    except ValueError:
        raise SlackError("invalid_arguments", ("length must be a number [json-pointer:/length]",)) from None
    if length < 1:
        raise SlackError("invalid_arguments", ("length must be at least 1 [json-pointer:/length]",))
    name, number = call.need("filename"), call.core.ids.new("F")
    url = f"{call.core.files_url}private/{number}/{name}"
    created = int(call.core.clock())
    file = File(number, call.space.bot_user, name, length, name, call.text("alt_txt"), created, url)
    call.space.files[file.id] = file
    return {"ok": True, "upload_url": f"{call.core.files_url}upload/{file.id}", "file_id": file.id}


@method(
    "files.completeUploadExternal",
    takes="files channel_id channels initial_comment thread_ts blocks",
    scopes="files:write",
)
def complete_upload(call: Call) -> JSON:
    named = call.args.get("files")
    if not isinstance(named, list) or not named:
        raise SlackError("invalid_arguments", ("files must be an array of {id, title} [json-pointer:/files]",))
    files = [_uploaded(call, item) for item in named]
    for item, file in zip(named, files, strict=True):
        file.title = item.get("title") or file.name
        file.completed = True
        file.ready_at = call.core.clock() + call.core.file_delay
    call.accept(call.args, channel=call.text("channel_id"), ts=files[0].id)
    if call.text("channel_id"):
        _share(call, files)
    return {"ok": True, "files": [{"id": file.id, "title": file.title} for file in files]}


def _uploaded(call: Call, item: Any) -> File:
    file = call.space.files.get(str(item.get("id"))) if isinstance(item, dict) else None
    if file is None or file.content is None or file.completed:
        raise SlackError("file_not_found")
    return file


def _share(call: Call, files: list[File]) -> None:
    channel = call.joined("channel_id")
    message = Message(
        ts=call.space.next_ts(call.core.clock()),
        channel=channel.id,
        team=call.space.id,
        user=call.space.bot_user,
        text=call.text("initial_comment"),
        bot=call.space.bot_id,
        app=call.core.app_id,
        thread_ts=call.text("thread_ts"),
        files=[file.wire(call.core.clock()) for file in files],
    )
    channel.messages[message.ts] = message
    for file in files:
        file.channels.append(channel.id)


@method("files.info", takes="file cursor limit", scopes="files:read")
def info(call: Call) -> JSON:
    file = call.space.files.get(call.need("file"))
    if file is None or not file.completed:
        raise SlackError("file_not_found")
    return {"ok": True, "file": file.wire(call.core.clock()), "comments": []}
