"""Purchases from ads: reported once per order, and not at all unless it is set up."""

import pytest
from sqlalchemy import select

from core.clock import advance, frozen, now
from core.db import db
from core.errors import Invalid
from jobs.restaurant import ad_conversions
from messaging.costs.usage import UsageTally
from messaging.lines.drivers.base import InboundMessage
from messaging.messages.receive import receive_message
from restaurant.ads import settings as ad_settings
from restaurant.models import AdConversion
from tests.restaurant.ads.fake_meta import FakeMeta
from tests.restaurant.bistro import GUEST, open_bistro

QUARTER = 16 * 60


@pytest.fixture
def bistro(restaurant):
    return open_bistro(restaurant)


@pytest.fixture
def meta(app, monkeypatch):
    server = FakeMeta()
    monkeypatch.setattr(app.extensions["comanda"], "cloud_base_url", server.url)
    yield server
    server.close()


def set_up(bistro, **more):
    with bistro.scope():
        ad_settings.save("1234567890", "EAAtoken", **{"enabled": True, **more})


def writes_from_ad(bistro, click="ARxClick1"):
    with bistro.scope():
        tally = UsageTally()
        receive_message(
            bistro.line,
            InboundMessage(
                network_id=f"wamid.ad.{click}",
                sender_phone=GUEST,
                sender_network_id="",
                sender_name="Ayşe",
                at=int(now().timestamp()),
                kind="text",
                text="Hello",
                content={"referral": {"source_id": "120", "ctwa_clid": click}},
            ),
            tally,
        )
        tally.write()


def rows(bistro):
    with bistro.scope():
        query = select(AdConversion).where(AdConversion.tenant_id == bistro.business.tenant_id)
        found = list(db.session.scalars(query))
        for one in found:
            db.session.expunge(one)
        return found


def test_a_purchase_is_reported_once(bistro, meta):
    with frozen(now()):
        set_up(bistro)
        writes_from_ad(bistro)
        order = bistro.order()
        assert ad_conversions.send_due() == 0  # it may still be cancelled
        advance(QUARTER)
        assert ad_conversions.send_due() == 1
        assert ad_conversions.send_due() == 0
    [event] = meta.events
    assert meta.paths == ["/v23.0/1234567890/events"]
    assert meta.tokens == ["Bearer EAAtoken"]
    assert event["event_name"] == "Purchase"
    assert event["event_id"] == order.id
    assert event["user_data"]["ctwa_clid"] == "ARxClick1"
    assert event["custom_data"] == {"currency": order.currency, "value": float(order.total)}
    assert [one.state for one in rows(bistro)] == ["sent"]


def test_nothing_is_reported_unless_it_is_set_up(bistro, meta):
    with frozen(now()):
        writes_from_ad(bistro)
        bistro.order()
        advance(QUARTER)
        assert ad_conversions.send_due() == 0
        set_up(bistro, enabled=False)
        bistro.order()
        advance(QUARTER)
        assert ad_conversions.send_due() == 0
    assert not meta.events
    assert not rows(bistro)


def test_orders_without_an_ad_and_cancelled_ones_are_not_reported(bistro, meta):
    with frozen(now()):
        set_up(bistro)
        bistro.order(phone="905339998877")
        assert not rows(bistro)
        writes_from_ad(bistro)
        order = bistro.order()
        bistro.changes_state(order, "cancelled", because="Changed their mind")
        advance(QUARTER)
        assert ad_conversions.send_due() == 0
    assert not meta.events
    assert [one.state for one in rows(bistro)] == ["skipped"]


def test_it_retries_when_meta_is_busy_and_shows_a_refusal(bistro, meta):
    meta.replies = [503, 429, 200]
    with frozen(now()):
        set_up(bistro)
        writes_from_ad(bistro)
        first = bistro.order()
        advance(QUARTER)
        for _ in range(6):
            ad_conversions.send_due()
            advance(3600)
        assert len(meta.events) == 1
        meta.replies = [400]
        bistro.changes_state(first, "ready")
        bistro.changes_state(first, "delivered")
        bistro.order()
        advance(QUARTER)
        ad_conversions.send_due()
        advance(7200)
        ad_conversions.send_due()
        with bistro.scope():
            assert ad_settings.get().error == "Invalid parameter"
    assert len(meta.events) == 1
    assert {one.state for one in rows(bistro)} == {"sent", "failed"}


def test_a_lost_answer_is_not_repeated(bistro, meta):
    meta.replies = [0]
    with frozen(now()):
        set_up(bistro)
        writes_from_ad(bistro)
        bistro.order()
        advance(QUARTER)
        ad_conversions.send_due()
        advance(7200)
        ad_conversions.send_due()
    assert len(meta.events) == 1
    assert [one.state for one in rows(bistro)] == ["unknown"]


@pytest.mark.parametrize(
    ("dataset", "token", "field"),
    [("", "x", "dataset_id"), ("abc", "x", "dataset_id"), ("1234567", "", "token"),
     ("1234567", "a b", "token")],
)  # fmt: skip
def test_bad_input_is_refused(bistro, dataset, token, field):
    with bistro.scope(), pytest.raises(Invalid) as error:
        ad_settings.save(dataset, token, enabled=True)
    assert error.value.faults[0].field == field
