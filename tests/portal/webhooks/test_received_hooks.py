"""Received hooks: list, inspect, run again, and their retention."""

from datetime import timedelta

import pytest
from sqlalchemy import insert, select

from core.clock import advance, frozen, now
from core.db import db
from core.ids import new_id
from jobs import maintenance
from tests.messaging.message_factory import add_line, cloud_body, text_value
from tests.portal.page_reader import faults, nonce_of, text_of
from webhooks.inbound import hook_log
from webhooks.inbound.models import ReceivedHook

EVIL = b'{"text": "<script>alert(1)</script>", "half": "\\ud800", "nul": "\\u0000"}'


@pytest.fixture
def line(restaurant):
    return add_line(restaurant)


@pytest.fixture
def page(browser, restaurant):
    return browser.signs_in(restaurant.owner)


def put(line, body=b"{}", state="parked", **more):
    hook_id = new_id("hook")
    values = {
        "tenant_id": line.tenant_id,
        "id": hook_id,
        "kind": "cloud",
        "target": str(line.id),
        "body": body,
        "state": state,
        "tries": 5,
        "due_at": None,
        "error": "it makes no sense" if state == "parked" else None,
        "received_at": now(),
        **more,
    }
    db.session.execute(insert(ReceivedHook).values(**values))
    return hook_id


def stored(business, hook_id):
    with business.scope():
        return db.session.execute(
            select(ReceivedHook.state, ReceivedHook.body).where(
                ReceivedHook.tenant_id == business.tenant_id, ReceivedHook.id == hook_id
            )
        ).first()


def test_the_list_narrows_to_what_needs_a_person(page, restaurant, line):
    with restaurant.scope():
        put(line)
        put(line, state="done")
        put(line, state="done", kind="shopify", target="con_1")
    everything = text_of(page.get("/received"))
    assert everything.count("it makes no sense") == 1
    assert "Shopify" in text_of(page.get("/received?kind=shopify&target=con_1"))
    parked = text_of(page.get("/received?state=parked"))
    assert "Shopify" not in parked.replace("Shopify WooCommerce", "")
    assert "Received webhooks that failed: 1." in text_of(page.get("/home"))


def test_a_body_is_shown_and_never_run(page, restaurant, line):
    with restaurant.scope():
        hook_id = put(line, EVIL)
    answer = page.get(f"/received/{hook_id}")
    assert answer.status_code == 200
    assert "&lt;script&gt;alert(1)" in answer.get_data(as_text=True)
    assert not faults(answer.get_data(as_text=True), nonce_of(answer))


def test_run_again_works_once_what_stood_in_the_way_is_mended(page, restaurant, line, run_jobs):
    with restaurant.scope():
        hook_id = put(line, cloud_body(line, text_value("late but here")))
    answer = page.post(f"/received/{hook_id}/run", follow=True)
    assert "Trying again. Reload the page in a moment." in text_of(answer)
    run_jobs()
    assert stored(restaurant, hook_id).state == "done"
    assert "late but here" in text_of(page.get("/messages"))
    assert "cannot be run again" in text_of(page.post(f"/received/{hook_id}/run", follow=True))
    assert "reran a received webhook" in text_of(page.get("/audit"))


def test_who_may_only_look_sees_no_bodies(browser, restaurant, line):
    with restaurant.scope():
        hook_id = put(line)
    browser.signs_in(restaurant.hires("viewer"))
    assert browser.get("/received").status_code == 200
    assert browser.get(f"/received/{hook_id}").status_code == 403
    assert browser.post(f"/received/{hook_id}/run").status_code == 403


def test_bodies_go_after_days_and_the_rest_after_a_month(app, restaurant, line):
    """A hook that was not understood keeps its body; waiting hooks stay at any age."""
    moment = now()
    with restaurant.scope():
        done = put(line, b"understood", "done")
        parked = put(line, b"puzzling")
        waiting = put(line, b"soon", "waiting", due_at=moment)
    with frozen(moment), app.app_context():
        advance(timedelta(days=2))
        maintenance.delete_expired()
        assert stored(restaurant, done).body == b"understood"
        advance(timedelta(days=2))
        maintenance.delete_expired()
        assert stored(restaurant, done).body == b""
        assert stored(restaurant, parked).body == b"puzzling"
        advance(timedelta(days=30))
        maintenance.delete_expired()
    assert stored(restaurant, done) is None
    assert stored(restaurant, parked) is None
    assert stored(restaurant, waiting).body == b"soon"


def test_pages_are_turned_by_the_last_one_shown(restaurant, line):
    with restaurant.scope():
        ids = [put(line) for _ in range(5)]
        first = hook_log.list_hooks(hook_log.HookFilters(), None, 3)
        rest = hook_log.list_hooks(hook_log.HookFilters(), first[-1].id, 3)
    assert [one.id for one in [*first, *rest]] == ids[::-1]
