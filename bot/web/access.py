"""Who may reach the web server: its own pages, by the names it goes by, under a policy without foreign scripts."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = ("127.0.0.1", "localhost", "::1")

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    # Not no-referrer: browsers would then send "Origin: null" with our own forms.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


def hosts_for(bound_to: str, public_url: str = "") -> frozenset[str] | None:
    """Names a request may call the server by; ``None`` (any) where it is bound to more than the machine itself.

    On the loopback address this stops a foreign page whose name was pointed at 127.0.0.1 (DNS rebinding).
    """
    if bound_to not in LOOPBACK:
        return None
    named = urlsplit(public_url).hostname
    return frozenset((*LOOPBACK, named) if named else LOOPBACK)


def is_same_origin(headers: Headers) -> bool:
    """Does a write come from one of our own pages? Programs that are no browsers send neither header."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc == headers.get("host", "")


class Guard:
    """ASGI middleware: checks host and origin, and puts the headers of our policy on every answer."""

    def __init__(self, app: ASGIApp, hosts: Collection[str] | None, open_paths: Collection[str] = ()) -> None:
        self.app = app
        self.hosts = hosts
        self.open_paths = frozenset(open_paths)
        """Paths that other machines post to (Slack's signed events); they check signatures of their own."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_policy(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        refusal = self._refusal(scope)
        answer = PlainTextResponse(refusal[1], refusal[0]) if refusal else self.app
        await answer(scope, receive, send_with_policy)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers = Headers(scope=scope)
        if scope["path"] in self.open_paths:
            return None
        if self.hosts is not None and _host_name(headers.get("host", "")) not in self.hosts:
            return 421, "This server does not go by that name; open it as http://127.0.0.1 with its port."
        if scope["method"] not in SAFE_METHODS and not is_same_origin(headers):
            return 403, "This form came from another site; open the page itself and try again there."
        return None


def _host_name(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
