"""deploy/env.example names every setting, once, and its placeholders do not start a service."""

import re
from collections import Counter
from pathlib import Path

import pytest
from pydantic_core import PydanticUndefined

from core.security.encryption import Keyring
from core.settings import Settings, SettingsError, load_settings

EXAMPLE = Path(__file__).parents[2] / "deploy" / "env.example"
LINE = re.compile(r"(#?)([A-Z_]+)=(.*)")


def lines() -> list[tuple[bool, str, str]]:
    found = [LINE.fullmatch(line) for line in EXAMPLE.read_text().splitlines()]
    return [(not match[1], match[2], match[3]) for match in found if match]


def test_every_setting_is_there_once_and_nothing_else() -> None:
    named = Counter(name for _, name, _ in lines())
    assert named == Counter(field.upper() for field in Settings.model_fields)


def test_every_setting_has_a_sentence_before_it() -> None:
    before = ""
    for line in EXAMPLE.read_text().splitlines():
        if LINE.fullmatch(line):
            assert before.startswith("# "), f"{line} has no sentence"
        before = line


def test_what_must_be_set_is_not_commented_out() -> None:
    required = {name.upper() for name, f in Settings.model_fields.items() if f.is_required()}
    assert required <= {name for active, name, _ in lines() if active}


def test_commented_lines_show_the_defaults() -> None:
    for active, name, shown in lines():
        if active:
            continue
        default = Settings.model_fields[name.lower()].default
        assert default is not PydanticUndefined
        told = str(default).lower() if isinstance(default, bool) else str(default)
        assert shown == told, name


def as_written(monkeypatch: pytest.MonkeyPatch, **changed: str) -> None:
    for field in Settings.model_fields:
        monkeypatch.delenv(field.upper(), raising=False)
    for active, name, value in lines():
        if active:
            monkeypatch.setenv(name, changed.get(name, value))


def test_production_refuses_the_placeholder(monkeypatch: pytest.MonkeyPatch) -> None:
    placeholder = "replace-me with something long and random"
    as_written(monkeypatch, SECRET_KEY=placeholder, ENCRYPTION_KEYS=Keyring.new_entry("k1"))
    with pytest.raises(SettingsError, match="SECRET_KEY is a default"):
        load_settings()


def test_the_file_as_it_is_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    as_written(monkeypatch)
    with pytest.raises(SettingsError, match="ENCRYPTION_KEYS"):
        load_settings()


def test_with_real_secrets_it_is_a_production(monkeypatch: pytest.MonkeyPatch) -> None:
    as_written(
        monkeypatch,
        SECRET_KEY="qFv1xW7tY0u-2b4N9cR6sLkZaPdEgHjM",
        ENCRYPTION_KEYS="k1:" + "A" * 43 + "=",
    )
    settings = load_settings()
    assert settings.production
    assert settings.https
    assert settings.trusted_proxies == 1
