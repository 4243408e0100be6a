"""Log entries include their request id and contain no phone number, key or secret."""

import io
import json
import logging

import pytest

from core.logs import bind_request, current_request_id, logger, redact, set_up_logs
from tenants.api_keys import new_secret

PHONE = "905321112233"


@pytest.fixture
def written(settings, monkeypatch):
    """Log as JSON into memory; the normal logging is restored afterwards."""
    out = io.StringIO()
    monkeypatch.setattr("sys.stderr", out)
    before = logging.getLogger().handlers[:]
    set_up_logs(settings.model_copy(update={"log_format": "json", "log_level": "INFO"}))
    yield lambda: [json.loads(line) for line in out.getvalue().splitlines()]
    set_up_logs(settings)
    logging.getLogger().handlers[:] = before


def fresh(name):
    """A logger that no earlier test has cached."""
    return logger(name).bind()


def test_a_line_has_its_request_level_and_time(written):
    bind_request("req_1", job="jobs.mail.drain")
    fresh("test").info("happened", count=3)
    (line,) = written()
    assert line["request_id"] == current_request_id() == "req_1"
    assert (line["event"], line["level"], line["count"]) == ("happened", "info", 3)
    assert line["timestamp"].endswith("Z")


@pytest.mark.parametrize(
    "fields",
    [
        {"phone": PHONE},
        {"text": f"to +{PHONE} now"},
        {"phone": int(PHONE)},
        {"body": {"phone": PHONE}},
        {"recipients": [PHONE, f"+{PHONE}"]},
        {"deep": [{"to": ({"phone": PHONE},)}]},
        {"error": f"line 1\ncould not reach {PHONE}\nline 3"},
    ],
)
def test_a_phone_shows_two_digits_at_most(written, fields):
    fresh("test").warning(f"sending to {PHONE}", **fields)
    assert "1112233" not in json.dumps(written())
    assert "33" in json.dumps(written())


@pytest.mark.parametrize(
    "name",
    [
        "password",
        "new_password",
        "totp_secret",
        "Authorization",
        "api_key",
        "reset_token",
        "cookie",
    ],
)
def test_a_value_with_a_secrets_name_is_dropped(written, name):
    fresh("test").info("x", **{name: "hunter2 hunter2"})
    fresh("test").info("x", detail={"inner": {name: "hunter2 hunter2"}})
    assert "hunter2" not in json.dumps(written())


def test_a_key_in_a_sentence_is_cut(written):
    key = new_secret("live")
    fresh("test").info(f"called with {key}", note=f"Bearer {key}", hook="whsec_abc123+/=")
    text = json.dumps(written())
    assert key[14:] not in text
    assert "abc123" not in text


def test_lines_of_other_libraries_are_masked_too(written):
    logging.getLogger("some.library").warning("calling %s with %s", PHONE, new_secret("test"))
    text = json.dumps(written())
    assert "1112233" not in text
    assert "some.library" in text


def test_debug_logs_of_libraries_are_not_logged(written):
    logging.getLogger("fontTools.subset").info("glyf pruned")
    logging.getLogger("some.library").warning("the end")
    assert "glyf" not in json.dumps(written())


def test_a_traceback_is_masked(written):
    try:
        raise ValueError(f"cannot send to {PHONE}")
    except ValueError as error:
        fresh("test").error("failed", exc_info=error)
    (line,) = written()
    assert "1112233" not in json.dumps(line)
    assert "Traceback" in line["exception"]


def test_ids_and_times_are_left_as_they_are():
    event = {"tenant_id": 381204957710345, "request_id": "req_01234567890123456789012345"}
    assert redact(None, "info", dict(event)) == event


def test_names_in_any_script_stay_readable(written):
    fresh("test").info("Kumru Atölye açıldı")
    assert written()[0]["event"] == "Kumru Atölye açıldı"
