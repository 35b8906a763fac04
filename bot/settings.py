"""Settings: environment variables ``DRILLS_*``, read once, checked at once, handed on. See docs/settings.md."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

DISCORD_API = "https://discord.com/api/v10"


class SettingsFault(Exception):
    """A setting is wrong; the text has one line for each, with its cure."""


class Settings(BaseSettings):
    """Every setting of the product. Tokens never appear in texts or logs."""

    # Compose files hand on variables that are empty: they mean the default, not "" (which would listen everywhere).
    model_config = SettingsConfigDict(
        env_prefix="DRILLS_", env_ignore_empty=True, extra="ignore", str_strip_whitespace=True
    )

    slack_bot_token: SecretStr | None = Field(None, description="Slack bot token, begins with xoxb-.")
    slack_app_token: SecretStr | None = Field(None, description="Slack app token for Socket Mode, begins with xapp-.")
    slack_signing_secret: SecretStr | None = Field(None, description="Slack signing secret, for signed HTTP.")
    slack_client_id: str = Field("", description="Slack client id: the app can be installed in many workspaces.")
    slack_client_secret: SecretStr | None = Field(None, description="Slack client secret, for the same.")
    slack_api_url: str = Field("https://slack.com/api/", description="Where Slack's Web API is.")
    discord_token: SecretStr | None = Field(None, description="Discord bot token.")
    discord_api_url: str = Field(DISCORD_API, description="Where Discord's REST API is.")
    database_url: str = Field("sqlite:///data/drills.db", description="Where the database is.")
    http_host: str = Field("127.0.0.1", description="Address the web server listens on.")
    http_port: int = Field(8080, description="Port of the web server; 0 picks one.")
    public_url: str = Field("", description="Address under which people and Slack reach the web server.")
    secret_key: SecretStr | None = Field(None, description="Key (or keys) under which tokens are stored sealed.")
    bank: Path | None = Field(None, description="Folder of the question bank; empty for the one that ships.")
    log_level: str = Field("INFO", description="DEBUG, INFO, WARNING or ERROR.")

    @field_validator(
        "slack_bot_token",
        "slack_app_token",
        "slack_signing_secret",
        "slack_client_secret",
        "discord_token",
        "secret_key",
        mode="before",
    )
    @classmethod
    def _empty_is_unset(cls, value: object) -> object:
        return None if isinstance(value, str) and not value.strip() else value

    @field_validator("slack_bot_token")
    @classmethod
    def _bot_token(cls, value: SecretStr | None) -> SecretStr | None:
        return _begins(value, "xoxb-", "the Bot User OAuth Token of OAuth & Permissions")

    @field_validator("slack_app_token")
    @classmethod
    def _app_token(cls, value: SecretStr | None) -> SecretStr | None:
        return _begins(value, "xapp-", "an app-level token with connections:write of Basic Information")

    @field_validator("slack_client_id")
    @classmethod
    def _client_id(cls, value: str) -> str:
        if value and not re.fullmatch(r"[0-9]{4,30}\.[0-9]{4,30}", value):
            raise ValueError("it is not of the form 123.456; copy the Client ID of Basic Information")
        return value

    @field_validator("secret_key")
    @classmethod
    def _secret_key(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            from storage.seal import Keyring

            Keyring.parse(value.get_secret_value())
        return value

    @field_validator("discord_api_url")
    @classmethod
    def _discord_url(cls, value: str) -> str:
        if not value.startswith(("https://", "http://")):
            raise ValueError("write an address that begins with https://")
        return value.rstrip("/")

    @field_validator("slack_api_url")
    @classmethod
    def _api_url(cls, value: str) -> str:
        if not value.startswith(("https://", "http://")):
            raise ValueError("write an address that begins with https://")
        return value if value.endswith("/") else value + "/"

    @property
    def slack_way(self) -> Literal["", "one", "many"]:
        """The app of one workspace (its token is set: that wins), of many (by OAuth), or none."""
        return "one" if self.slack_bot_token else "many" if self.slack_client_id else ""

    @field_validator("http_port", mode="before")
    @classmethod
    def _port(cls, value: object) -> object:
        text = str(value).strip()
        if not (text.isascii() and text.isdigit() and int(text) <= 65535):
            raise ValueError("write a port, a whole number from 0 to 65535")
        return int(text)

    @field_validator("public_url")
    @classmethod
    def _public_url(cls, value: str) -> str:
        if value and not value.startswith(("https://", "http://")):
            raise ValueError("write an address that begins with https://")
        return value.rstrip("/")

    @field_validator("log_level")
    @classmethod
    def _log_level(cls, value: str) -> str:
        if value.upper() not in ("DEBUG", "INFO", "WARNING", "ERROR"):
            raise ValueError("write DEBUG, INFO, WARNING or ERROR")
        return value.upper()


def _begins(value: SecretStr | None, prefix: str, where: str) -> SecretStr | None:
    if value is not None and not value.get_secret_value().startswith(prefix):
        raise ValueError(f"it does not begin with {prefix}; copy {where}")
    return value


def misspelt(environ: Mapping[str, str]) -> list[str]:
    """A sentence for each variable that looks like a setting with a slip in its name.

    Others with the prefix are let alone: container platforms set some of their own (``DRILLS_PORT``).
    """
    known = {f"DRILLS_{name.upper()}" for name in Settings.model_fields}
    found = []
    for name in sorted(set(environ) - known):
        near = difflib.get_close_matches(name.upper(), known - set(environ), n=1, cutoff=0.85)
        if name.upper().startswith("DRILL") and near:
            found.append(f"{name} is no setting, so it is left out; did you mean {near[0]}?")
    return found


def load_settings(**overrides: object) -> Settings:
    """Read the environment. Raises ``SettingsFault`` with every wrong setting at once, never with its value."""
    settings = read_settings(**overrides)
    if lines := _missing(settings):
        raise SettingsFault("\n".join(lines))
    return settings


def read_settings(**overrides: object) -> Settings:
    """The same where nothing is started: what one setting needs of another is not asked."""
    try:
        return Settings(**overrides)  # type: ignore[arg-type]
    except ValidationError as error:
        lines = []
        for fault in error.errors(include_url=False, include_input=False, include_context=False):
            name = "DRILLS_" + str(fault["loc"][0]).upper()
            lines.append(f"{name}: {fault['msg'].removeprefix('Value error, ')}.")
        raise SettingsFault("\n".join(lines)) from None


def _missing(settings: Settings) -> list[str]:
    """A sentence for each setting of Slack that another one needs."""
    s = settings
    found = []
    if s.slack_bot_token and not (s.slack_app_token or s.slack_signing_secret):
        found.append(
            "DRILLS_SLACK_BOT_TOKEN: Slack cannot reach the bot with this alone; also set DRILLS_SLACK_APP_TOKEN "
            "(Socket Mode) or DRILLS_SLACK_SIGNING_SECRET (HTTP)."
        )
    if s.slack_bot_token:
        return found  # then the client's id and secret are not used
    if not (s.slack_client_id or s.slack_client_secret):
        if s.slack_app_token:
            found.append(
                "DRILLS_SLACK_APP_TOKEN: set DRILLS_SLACK_BOT_TOKEN as well (one workspace), or "
                "DRILLS_SLACK_CLIENT_ID (many); posts cannot be made without."
            )
        return found
    if not s.slack_client_id:
        found.append("DRILLS_SLACK_CLIENT_ID: set it beside DRILLS_SLACK_CLIENT_SECRET; it stands above that secret.")
    if not s.slack_client_secret:
        found.append("DRILLS_SLACK_CLIENT_SECRET: copy the Client Secret of Basic Information; installing needs it.")
    if not s.secret_key:
        found.append(
            "DRILLS_SECRET_KEY: workspaces' tokens are stored sealed under it; make one with: openssl rand -base64 32"
        )
    if not s.public_url:
        found.append("DRILLS_PUBLIC_URL: set the https address of this server; Slack sends people back to it.")
    elif not s.public_url.startswith("https://") and urlsplit(s.public_url).hostname not in ("localhost", "127.0.0.1"):
        found.append("DRILLS_PUBLIC_URL: Slack sends people back to https addresses only; write https://.")
    if not (s.slack_app_token or s.slack_signing_secret):
        found.append(
            "DRILLS_SLACK_CLIENT_ID: Slack cannot reach the bot with this alone; also set DRILLS_SLACK_SIGNING_SECRET "
            "(HTTP) or DRILLS_SLACK_APP_TOKEN (Socket Mode)."
        )
    return found
