"""A change made in one process is visible in the others: over real HTTP, with a real worker."""

import json
import time
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from core import mail
from core.db import global_scope
from tenants import accounts, api_keys
from tests.timeouts import allow_for_load


def me(service, key):
    request = Request(f"{service.url}/api/v1/me", headers={"Authorization": f"Bearer {key}"})
    try:
        with urlopen(request, timeout=10) as answer:
            return answer.status, json.load(answer), answer.headers
    except HTTPError as refused:
        return refused.code, json.load(refused), refused.headers


def test_another_process_sees_a_revocation_at_once(service, restaurant):
    code, body, headers = me(service, restaurant.key)
    assert (code, body["tenant"]["name"]) == (200, "Lokanta Mavi")
    assert headers["API-Version"] == "1.4"
    assert headers["X-Request-Id"].startswith("req_")
    with restaurant.scope():
        api_keys.revoke(restaurant.key_id)
    accounts.drop_tenant_cache(restaurant.tenant_id)
    code, body, headers = me(service, restaurant.key)
    assert (code, body["code"]) == (401, "invalid_key")
    assert headers["WWW-Authenticate"] == "Bearer"
    assert me(service, restaurant.test_key)[0] == 200
    with restaurant.scope():
        accounts.suspend("test")
    accounts.drop_tenant_cache(restaurant.tenant_id)
    assert me(service, restaurant.test_key)[1]["code"] == "account_suspended"


def test_an_email_is_sent_by_the_worker(service, app):
    """Written here, claimed by the worker of the running service."""
    with global_scope():
        mail.queue_email("ada@example.com", "By a real worker", "Read me")
    end = time.monotonic() + allow_for_load(60)
    while time.monotonic() < end:
        with global_scope():
            emails = [m for m in mail.recent_emails(None, 20) if m.subject == "By a real worker"]
        if emails[0].state == "sent":
            return
        time.sleep(0.05)
    pytest.fail("nobody sent it")
