"""Settings come from the environment, and an error in it is one sentence."""

import pytest

from core.security.encryption import Keyring
from core.settings import SettingsError, load_settings

GOOD = {
    "DATABASE_URL": "postgresql://app:pw@db/comanda",
    "REDIS_URL": "redis://cache:6379/0",
    "SECRET_KEY": "8f3kd02jf84hd7s6a5qwzx91",
    "ENCRYPTION_KEYS": Keyring.new_entry("k1"),
    "MAIL_URL": "smtp://u:p@mail:587",
}


@pytest.fixture
def environment(monkeypatch, tmp_path):
    """Only the variables that a test sets."""
    for name in (*GOOD, "APP_ENV", "DEBUG", "ALLOW_LOOPBACK", "BASE_URL", "PORT", "BLOB_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DATA_DIR", str(tmp_path))

    def setenv(**values):
        for name, value in {**GOOD, **values}.items():
            monkeypatch.delenv(name, raising=False)
            if value is not None:
                monkeypatch.setenv(name, value)

    return setenv


def test_production_is_the_default(environment):
    environment()
    settings = load_settings()
    assert settings.production
    assert settings.database_url == "postgresql+psycopg2://app:pw@db/comanda"


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg2"])
def test_every_spelling_of_postgresql_is_understood(environment, scheme):
    environment(DATABASE_URL=f"{scheme}://db/x")
    assert load_settings().database_url == "postgresql+psycopg2://db/x"


def test_what_is_missing_is_named(environment):
    environment(DATABASE_URL=None, SECRET_KEY=None)
    with pytest.raises(SettingsError, match="missing in the environment: DATABASE_URL, SECRET_KEY"):
        load_settings()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_URL", "mysql://db/x"),
        ("OUTBOUND_PORTS", "80,http"),
        ("OUTBOUND_PORTS", "0"),
        ("SECRET_KEY", "short"),
        ("PORT", "70000"),
        ("APP_ENV", "staging"),
        ("LOG_LEVEL", "LOUD"),
        ("WEB_PROCESSES", "0"),
    ],
)
def test_what_is_wrong_is_named_and_its_value_is_not_shown(environment, name, value):
    environment(**{name: value})
    with pytest.raises(SettingsError, match=f"wrong in the environment: {name}"):
        load_settings()


def test_a_wrong_secret_is_not_printed(environment):
    environment(SECRET_KEY="hunter2")
    with pytest.raises(SettingsError) as refusal:
        load_settings()
    assert "hunter2" not in str(refusal.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SECRET_KEY", "replace-me-with-something-long"),
        ("SECRET_KEY", "aaaaaaaaaaaaaaaaaaaaaaaa"),
        ("DEBUG", "true"),
        ("ALLOW_LOOPBACK", "true"),
        ("MAIL_URL", "mailbox:"),
    ],
)
def test_production_refuses_what_is_not_safe(environment, name, value):
    environment(**{name: value})
    with pytest.raises(SettingsError, match=f"Production refuses to start: .*{name}"):
        load_settings()
    environment(**{name: value}, APP_ENV="development")
    load_settings()


def test_the_file_a_running_service_left_is_read(environment, monkeypatch, tmp_path):
    environment(**dict.fromkeys(GOOD))
    lines = "".join(f"{name}={value}\n" for name, value in GOOD.items())
    (tmp_path / "service.env").write_text(lines + "APP_ENV=development\n")
    assert load_settings().app_env == "development"


def test_an_environment_with_a_database_wins_over_the_file(environment, tmp_path):
    environment(APP_ENV="test")
    (tmp_path / "service.env").write_text(
        "DATABASE_URL=postgresql://other/x\nAPP_ENV=development\n"
    )
    settings = load_settings()
    assert (settings.app_env, settings.database_url[-8:]) == ("test", "/comanda")


def test_what_follows_is_filled_in(environment, tmp_path):
    environment(PORT="9000")
    settings = load_settings()
    assert settings.base_url == "http://127.0.0.1:9000"
    assert settings.blob_url == (tmp_path / "blobs").as_uri()
    assert settings.ports_allowed == {80, 443}
    assert not settings.https
    environment(BASE_URL="https://comanda.example/")
    assert (load_settings().base_url, load_settings().https) == ("https://comanda.example", True)
