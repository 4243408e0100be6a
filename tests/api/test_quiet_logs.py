"""A busy hour in the logs: no phone, no key, no password, no link."""

import io
import logging

import pytest

from core.db import global_scope
from core.logs import set_up_logs
from core.mail import mailbox
from tests.cast import PASSWORD, Browser, unique_email

PHONE = "905321112233"


@pytest.fixture
def logged(settings, monkeypatch):
    out = io.StringIO()
    monkeypatch.setattr("sys.stderr", out)
    before, level = logging.getLogger().handlers[:], logging.getLogger().level
    set_up_logs(settings.model_copy(update={"log_format": "json", "log_level": "DEBUG"}))
    yield out.getvalue
    set_up_logs(settings)
    logging.getLogger().handlers[:] = before
    logging.getLogger().setLevel(level)


def test_nothing_private_is_logged(logged, tried_app, restaurant, run_jobs):
    client, browser = tried_app.test_client(), Browser(tried_app.test_client())
    bearer = {**restaurant.bearer, "Idempotency-Key": PHONE}
    order = {"what": f"call {PHONE}", "phone": PHONE}
    client.get("/api/v1/me", headers=restaurant.bearer)
    client.get(f"/api/v1/me?phone={PHONE}&key={restaurant.key}", headers=restaurant.bearer)
    client.post("/api/v1/tried/orders", json=order, headers=bearer)
    client.post("/api/v1/tried/orders", json={**order, "then": "crash"}, headers=restaurant.bearer)
    client.get("/api/v1/tried/crash", headers=restaurant.bearer)
    client.get(f"/api/v1/messages/{PHONE}", headers=restaurant.bearer)
    email = unique_email()
    browser.post("/signup", business="Pide", name="Ada", email=email, password="a private password")
    browser.post("/signin", email=restaurant.owner.email, password="a wrong private password")
    browser.signs_in(restaurant.owner)
    browser.post("/reset", email=restaurant.owner.email)
    run_jobs()
    with global_scope():
        bodies = " ".join(letter.body for letter in mailbox(None, 4))
    said = logged()
    assert said.count("answered") >= 8
    assert "unhandled error" in said
    for secret in (restaurant.key, restaurant.key[12:], "private password", PASSWORD, PHONE[3:]):
        assert secret not in said, secret
    links = [word.rpartition("/")[2] for word in bodies.split() if "http" in word]
    tokens = [token for token in links if len(token) > 20]
    assert tokens
    assert not [token for token in tokens if token in said]
