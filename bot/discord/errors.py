"""What Discord's error codes mean for us: what the ledger may conclude, and what mends it. Data, no code of Discord's.

The codes are the JSON error codes of discord.com/developers (Opcodes and Status Codes, August 2026). Discord does not
say which call answers which code, so the table holds all of them. ``docs/errors.md`` shows it whole; the sentences
stand in ``bot/cards/trouble.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Outcome = Literal["retry", "unsure", "permanent"]


@dataclass(frozen=True, slots=True)
class Meaning:
    """``cure`` is a name in ``bot/drill/trouble.py``; ``patience`` the seconds to wait where Discord does not say."""

    outcome: Outcome
    cure: str
    patience: float | None = None


_MEANT: tuple[tuple[Outcome, str, float | None, str], ...] = (
    ("retry", "busy", 10.0, "20016 20028 20029 40003 40062 110000"),
    ("retry", "busy", 60.0, "20022 30046 40004 40006 110001"),
    ("retry", "busy", 30.0, "130000"),
    ("retry", "busy", 3600.0, "30034"),
    ("retry", "outage", 60.0, "40333"),
    ("unsure", "outage", None, "40043"),
    # the channel and the server
    ("permanent", "deleted", None, "10003"),
    ("permanent", "left", None, "10004 40007 50055"),
    ("permanent", "view", None, "50001"),
    ("permanent", "send", None, "50013"),
    ("permanent", "verification", None, "50009"),
    ("permanent", "automod", None, "200000 200001 240000"),
    ("permanent", "history", None, "160002"),
    ("permanent", "locked", None, "50083 160005"),
    ("permanent", "thread-limit", None, "30033 160006 160007"),
    ("permanent", "files", None, "50045 400001"),
    ("permanent", "react", None, "30010 90001 90002"),
    ("permanent", "direct", None, "50003"),
    ("permanent", "forum", None, "40066 40067"),
    ("permanent", "no-text", None, "50008 50024"),
    # nothing to do
    ("permanent", "message-gone", None, "10008 50005 50021 50068"),
    ("permanent", "done", None, "40041 40060 160004"),
    # people
    ("permanent", "person-gone", None, "10007 10013 50033"),
    ("permanent", "person-closed", None, "20009 50007 50278"),
    ("permanent", "again", None, "10012 10015 10062 10063 40094 50027"),
    # the app
    ("permanent", "token", None, "40001 40012 50014 50025"),
    ("permanent", "scope", None, "10066 50026"),
    ("permanent", "settings", None, "10002 20012 50010 50011 50012"),
    ("permanent", "policy", None, "20024 40002 50017 50095 50178 60003"),
    ("permanent", "quota", None, "30001 30032"),
    ("permanent", "version", None, "50041"),
    (
        "permanent",
        "defect",
        None,
        """0 10014 10021 20001 20002 30015 40005 40058 50002 50006 50016 50028 50035 50046 50067 50109 50110 50123 50146
        50151""",
    ),
    # about things that no call of ours touches: should one come after all, it is a defect
    (
        "permanent",
        "defect",
        None,
        """10001 10005 10006 10009 10010 10011 10016 10020 10026 10027 10028 10029 10030 10031 10032 10033 10036 10038
        10049 10050 10057 10059 10060 10061 10065 10067 10068 10069 10070 10071 10087 10097 20018 20031 20035 30002
        30003 30004 30005 30007 30008 30011 30013 30016 30018 30019 30030 30031 30035 30037 30038 30039 30040 30042
        30045 30047 30048 30052 30056 30058 30060 30061 40018 40019 40032 40033 40061 40074 50004 50015 50019 50020
        50034 50036 50039 50054 50057 50070 50073 50074 50080 50081 50084 50085 50086 50091 50097 50101 50124 50131
        50132 50138 50144 50145 50159 50160 50161 50162 50163 50173 50192 50600 80004 150006 170001 170002 170003
        170004 170005 170006 170007 180000 180002 220001 220002 220003 220004 350000 350001 500000 520000 520001
        520002 520003 520004 520006 10124 10129 20015 40009 50167 160014 340015 530000 530001 530002 530003 530004
        530006 530007""",
    ),
)

MEANINGS: dict[int, Meaning] = {
    int(code): Meaning(outcome, cure, patience) for outcome, cure, patience, codes in _MEANT for code in codes.split()
}
"""Every JSON error code with what it means."""

_BY_STATUS: dict[int, Meaning] = {
    401: Meaning("permanent", "token"),
    403: Meaning("permanent", "send"),
    404: Meaning("permanent", "message-gone"),
    405: Meaning("permanent", "version"),
    408: Meaning("unsure", "outage"),
    413: Meaning("permanent", "files"),
    429: Meaning("retry", "busy", 5.0),
}
"""Answers without a code of their own (code 0), or with one that nobody listed, by their HTTP status."""


def meaning_of(code: int, status: int) -> Meaning:
    """What a refusal means: by its code, else by its HTTP status. A listed code never makes a 5xx or 429 final."""
    if status == 429 or status >= 500:
        busy = MEANINGS.get(code)
        if busy is not None and busy.outcome != "permanent":
            return busy
        return _BY_STATUS[429] if status == 429 else Meaning("unsure", "outage")
    if code and code in MEANINGS:
        return MEANINGS[code]
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    return Meaning("permanent", "unknown" if code else "defect")
