"""Settings: read once, wrong ones all named at once with their cure, never with their value."""

from __future__ import annotations

import pytest

from bot.settings import Settings, SettingsFault, load_settings, misspelt

SECRET = "s3cr3t-value-9f"


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"DRILLS_{name.upper()}", raising=False)


def test_without_any_setting_there_are_defaults_and_no_tokens() -> None:
    settings = load_settings()
    assert (settings.database_url, settings.http_host, settings.http_port, settings.log_level) == (
        "sqlite:///data/drills.db", "127.0.0.1", 8080, "INFO",
    )  # fmt: skip
    assert (settings.slack_bot_token, settings.discord_token, settings.bank) == (None, None, None)


WRONG = [
    ("DRILLS_SLACK_BOT_TOKEN", f"xoxp-{SECRET}", "xoxb-"),
    ("DRILLS_SLACK_APP_TOKEN", f"xoxb-{SECRET}", "xapp-"),
    ("DRILLS_SLACK_API_URL", f"slack.com/{SECRET}", "https://"),
    ("DRILLS_PUBLIC_URL", f"ftp://{SECRET}", "https://"),
    ("DRILLS_HTTP_PORT", SECRET, "a whole number from 0 to 65535"),
    ("DRILLS_HTTP_PORT", "65536", "from 0 to 65535"),
    ("DRILLS_HTTP_PORT", "-1", "from 0 to 65535"),
    ("DRILLS_HTTP_PORT", "80.5", "a whole number"),
    ("DRILLS_LOG_LEVEL", SECRET, "WARNING"),
]


@pytest.mark.parametrize(("name", "value", "cure"), WRONG)
def test_a_wrong_setting_is_one_line_with_its_cure(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, cure: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsFault) as wrong:
        load_settings()
    text = str(wrong.value)
    assert text.startswith(f"{name}: ")
    assert cure in text
    assert "\n" not in text
    assert value not in text.replace("65535", "")


def test_all_wrong_settings_are_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value, _ in WRONG:
        monkeypatch.setenv(name, value)
    with pytest.raises(SettingsFault) as wrong:
        load_settings()
    assert sorted(line.split(":")[0] for line in str(wrong.value).splitlines()) == sorted(
        {name for name, _, _ in WRONG}
    )


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"SLACK_BOT_TOKEN": f"xoxb-{SECRET}"}, "DRILLS_SLACK_APP_TOKEN"),
        ({"SLACK_APP_TOKEN": f"xapp-{SECRET}"}, "DRILLS_SLACK_BOT_TOKEN"),
    ],
)
def test_half_of_slacks_tokens_is_a_fault_that_names_the_other(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, str], named: str
) -> None:
    for name, value in given.items():
        monkeypatch.setenv(f"DRILLS_{name}", value)
    with pytest.raises(SettingsFault, match=named) as wrong:
        load_settings()
    assert SECRET not in str(wrong.value)


@pytest.mark.parametrize("second", ["SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET"])
def test_slack_is_whole_with_either_way_in(monkeypatch: pytest.MonkeyPatch, second: str) -> None:
    monkeypatch.setenv("DRILLS_SLACK_BOT_TOKEN", f" xoxb-{SECRET}\n")
    monkeypatch.setenv(f"DRILLS_{second}", f"xapp-{SECRET}")
    settings = load_settings()
    assert settings.slack_bot_token is not None
    assert settings.slack_bot_token.get_secret_value() == f"xoxb-{SECRET}"
    assert SECRET not in repr(settings)
    assert SECRET not in str(settings.model_dump())


def test_empty_tokens_are_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compose files hand on variables that are empty."""
    for name in ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET", "DISCORD_TOKEN"):
        monkeypatch.setenv(f"DRILLS_{name}", " ")
    settings = load_settings()
    assert (settings.slack_bot_token, settings.slack_app_token, settings.discord_token) == (None, None, None)


@pytest.mark.parametrize("name", ["DATABASE_URL", "HTTP_HOST", "HTTP_PORT", "LOG_LEVEL", "SLACK_API_URL", "BANK"])
def test_any_other_empty_setting_has_its_default_too(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    default = getattr(load_settings(), name.lower())
    monkeypatch.setenv(f"DRILLS_{name}", "")
    assert getattr(load_settings(), name.lower()) == default


def test_addresses_are_tidied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRILLS_SLACK_API_URL", "https://slack.example/api")
    monkeypatch.setenv("DRILLS_PUBLIC_URL", "https://drills.example/")
    monkeypatch.setenv("DRILLS_LOG_LEVEL", "warning")
    settings = load_settings()
    assert settings.slack_api_url == "https://slack.example/api/"
    assert (settings.public_url, settings.log_level) == ("https://drills.example", "WARNING")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("DRILLS_SLACK_TOKEN", "DRILLS_SLACK_BOT_TOKEN"),
        ("DRILLS_DISCORD_BOT_TOKEN", "DRILLS_DISCORD_TOKEN"),
        ("DRILL_DISCORD_TOKEN", "DRILLS_DISCORD_TOKEN"),
        ("DRILLS_DATABASE_URI", "DRILLS_DATABASE_URL"),
        ("drills_bank_", "DRILLS_BANK"),
    ],
)
def test_a_slip_in_the_name_of_a_setting_is_told_without_its_value(name: str, meant: str) -> None:
    assert misspelt({name: SECRET}) == [f"{name} is no setting, so it is left out; did you mean {meant}?"]


def test_names_of_others_and_of_settings_are_no_slips() -> None:
    """A cluster that knows a service named drills sets variables with the prefix of our settings."""
    others = (
        "DRILLS_PORT",
        "DRILLS_SERVICE_HOST",
        "DRILLS_PORT_8080_TCP_ADDR",
        "DRILLS_PICTURES",
        "PATH",
        "SLACK_BOT_TOKEN",
    )
    given = dict.fromkeys(others, "tcp://10.0.0.1:8080")
    assert misspelt(given | {f"DRILLS_{name.upper()}": "x" for name in Settings.model_fields}) == []
    assert misspelt(given) == []


KEY = bytes(range(32)).hex()
MANY = {
    "SLACK_CLIENT_ID": "1111.2222",
    "SLACK_CLIENT_SECRET": SECRET,
    "SLACK_SIGNING_SECRET": SECRET,
    "SECRET_KEY": KEY,
    "PUBLIC_URL": "https://drills.example.org",
}


def test_many_workspaces_need_five_settings_and_each_that_is_missing_has_its_cure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All at once; with a bot token none of them is needed, since it wins."""
    for name, value in MANY.items():
        monkeypatch.setenv(f"DRILLS_{name}", value)
    assert load_settings().slack_way == "many"
    for name in MANY:
        with monkeypatch.context() as without:
            without.delenv(f"DRILLS_{name}")
            with pytest.raises(SettingsFault) as wrong:
                load_settings()
        assert name in str(wrong.value)
        assert "\n" not in str(wrong.value)
        assert SECRET not in str(wrong.value)
        assert KEY not in str(wrong.value)
    with monkeypatch.context() as http:
        http.setenv("DRILLS_PUBLIC_URL", "http://drills.example.org")
        with pytest.raises(SettingsFault, match="https"):
            load_settings()
    monkeypatch.setenv("DRILLS_SLACK_BOT_TOKEN", "xoxb-1")
    monkeypatch.delenv("DRILLS_SECRET_KEY")
    assert load_settings().slack_way == "one"


@pytest.mark.parametrize(
    ("name", "value", "cure"),
    [
        ("SECRET_KEY", "s3cr3t", "openssl rand -base64 32"),
        ("SECRET_KEY", f"{KEY},short", "openssl rand -base64 32"),
        ("SLACK_CLIENT_ID", "s3cr3t", "copy the Client ID"),
    ],
)
def test_a_key_or_client_id_that_is_none_is_one_line(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, cure: str
) -> None:
    monkeypatch.setenv(f"DRILLS_{name}", value)
    with pytest.raises(SettingsFault) as wrong:
        load_settings()
    assert str(wrong.value).startswith(f"DRILLS_{name}: ")
    assert cure in str(wrong.value)
    assert value not in str(wrong.value)
