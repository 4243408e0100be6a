"""Messages of apps: held until a person decides, sent exactly once, or expired."""

from datetime import timedelta
from decimal import Decimal
from threading import Barrier, Thread

import pytest

from core.clock import now
from core.db import db
from core.errors import Conflict, DomainError
from core.queue import lanes
from jobs import maintenance
from messaging.approvals import decisions, policies, queries, submit
from messaging.approvals.policies import Policy
from messaging.approvals.submit import SendingApp
from messaging.contacts import identities
from messaging.contacts import repository as contact_repository
from messaging.lines import repository as lines
from messaging.messages import queries as message_queries
from messaging.messages.accept import MessageDraft
from messaging.models import Conversation, HeldMessage, Message, SendPolicyDay
from tenants.audit import Actor, acting_as
from tenants.models import AuditEntry
from tenants.plans.catalog import current_tenant_facts
from tests.messaging.inbox.inbox_factory import add_line, writes
from webhooks.feed import event_page

PHONE = "905321112233"


@pytest.fixture
def line(restaurant):
    made = add_line(restaurant)
    writes(restaurant, made, phone=PHONE, name="Ayşe")
    return made


@pytest.fixture
def app_of(restaurant):
    return SendingApp(restaurant.key_id, "Table agent", "Derya Aksoy")


def ask(business, line, app, phone=PHONE, text="Your table is ready", **more):
    with business.scope():
        return submit.submit_message(
            app,
            MessageDraft("text", phone, text, **more),
            lines.get(line),
            current_tenant_facts(),
        )


def approve(business, message_id, name="Selin Kaya"):
    with acting_as(Actor("person", business.owner.id, name)), business.scope():
        return decisions.approve(message_id)


def sent(business):
    with business.scope():
        rows = db.session.query(Message).filter_by(tenant_id=business.tenant_id, direction="out")
        return rows.order_by(Message.id).all()


def set_policy(business, **values):
    with business.scope():
        policies.set_policy(business.key_id, "Table agent", Policy(**values))


def test_a_message_of_an_app_is_held_and_nothing_is_sent(restaurant, line, app_of, run_jobs):
    accepted = ask(restaurant, line, app_of)
    run_jobs()
    assert accepted.state == "held"
    assert sent(restaurant) == []
    with restaurant.scope():
        assert queries.waiting_count() == 1


def test_an_approved_message_keeps_its_id_and_is_queued(restaurant, line, app_of):
    held = ask(restaurant, line, app_of)
    assert approve(restaurant, held.id).id == held.id
    [message] = sent(restaurant)
    assert (message.id, message.state, message.text) == (held.id, "queued", "Your table is ready")
    with restaurant.scope():
        states = [one.state for one in message_queries.timeline(held.id)]
        assert states == ["held", "queued"]
        assert queries.waiting_count() == 0


def test_two_approvals_at_once_send_one_message(restaurant, line, app_of, app):
    held = ask(restaurant, line, app_of)
    results, start = [], Barrier(2)

    def click():
        with app.app_context():
            start.wait()
            try:
                results.append(approve(restaurant, held.id).id)
            except Conflict as refusal:
                results.append(refusal.code)

    threads = [Thread(target=click) for _ in range(2)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(results) == sorted([held.id, "already_decided"])
    assert len(sent(restaurant)) == 1


def test_a_rejected_message_cannot_be_approved(restaurant, line, app_of):
    held = ask(restaurant, line, app_of)
    with restaurant.scope():
        decisions.reject(held.id)
    with pytest.raises(Conflict):
        approve(restaurant, held.id)
    assert sent(restaurant) == []


def test_a_message_that_nobody_decides_about_expires(restaurant, line, app_of, app, run_jobs):
    held = ask(restaurant, line, app_of)
    run_jobs()
    with restaurant.scope():
        queries.find(held.id, None).expires_at = now() - timedelta(seconds=1)
        lanes.mark_later(submit.LANE, restaurant.tenant_id, now())
    with app.app_context():
        maintenance.sweep()
    run_jobs()
    with restaurant.scope():
        row = queries.find(held.id, None)
        assert row.state == "expired"
    with pytest.raises(Conflict):
        approve(restaurant, held.id)


def test_the_audit_names_app_and_person(restaurant, line, app_of):
    with acting_as(Actor("key", restaurant.key_id, "Table agent, for Derya Aksoy")):
        held = ask(restaurant, line, app_of)
    approve(restaurant, held.id)
    with restaurant.scope():
        acts = {
            row.act: row
            for row in db.session.query(AuditEntry).filter_by(tenant_id=restaurant.tenant_id)
        }
    assert acts["approvals.requested"].actor_name == "Table agent, for Derya Aksoy"
    assert acts["approvals.approved"].actor_name == "Selin Kaya"
    assert acts["approvals.approved"].detail["app"] == "Table agent"


def test_a_refused_approval_leaves_the_message_held(restaurant, line, app_of):
    held = ask(restaurant, line, app_of)
    with restaurant.scope():
        contact_repository.set_blocked(identities.find_contact(PHONE), True)
    with pytest.raises(DomainError, match="blocked"):
        approve(restaurant, held.id)
    with restaurant.scope():
        assert queries.find(held.id, None).state == "held"


def test_the_window_is_checked_when_the_message_leaves(restaurant, line, app_of):
    held = ask(restaurant, line, app_of)
    with restaurant.scope():
        [talk] = db.session.query(Conversation).filter_by(tenant_id=restaurant.tenant_id)
        talk.window_until = now() - timedelta(seconds=1)
    with pytest.raises(Conflict, match="24 hours"):
        approve(restaurant, held.id)
    assert sent(restaurant) == []


def test_inside_the_window_an_app_may_send_by_itself(restaurant, line, app_of):
    set_policy(restaurant, mode=policies.AUTOMATIC_IN_WINDOW)
    assert ask(restaurant, line, app_of).state == "queued"
    assert [one.state for one in sent(restaurant)] == ["queued"]


def test_an_app_may_be_limited_to_people_who_wrote(restaurant, line, app_of):
    set_policy(restaurant, only_who_wrote=True)
    with pytest.raises(DomainError) as refusal:
        ask(restaurant, line, app_of, phone="905321119999")
    assert refusal.value.code == "recipient_never_wrote"


def test_marketing_is_refused_by_default(restaurant, line, app_of):
    with pytest.raises(DomainError) as refusal:
        ask(restaurant, line, app_of, category="marketing")
    assert refusal.value.code == "app_may_not_advertise"


def test_the_daily_limit_holds_for_concurrent_requests(restaurant, line, app_of, app):
    set_policy(restaurant, daily_messages=5)
    results = []

    def work():
        with app.app_context():
            for _ in range(4):
                try:
                    results.append(ask(restaurant, line, app_of).state)
                except DomainError as refusal:
                    results.append(refusal.code)

    threads = [Thread(target=work) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert results.count("held") == 5
    assert results.count("app_limit_reached") == 11


def test_the_spend_cap_counts_what_is_held(restaurant, line, app_of):
    set_policy(restaurant, no_marketing=False, daily_usd=Decimal("0.02"))
    price = ask(restaurant, line, app_of, category="marketing").quoted_usd
    assert price > 0

    def ask_until_refused():
        for _ in range(50):
            ask(restaurant, line, app_of, category="marketing")

    with pytest.raises(DomainError, match="limit for today"):
        ask_until_refused()
    with restaurant.scope():
        [day] = db.session.query(SendPolicyDay).filter_by(tenant_id=restaurant.tenant_id)
        assert Decimal("0.02") - price < day.spend_usd <= Decimal("0.02")
        held = db.session.query(HeldMessage).filter_by(tenant_id=restaurant.tenant_id).first()
        decisions.reject(held.id)
        db.session.refresh(day)
        assert day.spend_usd <= Decimal("0.02") - price


def test_another_business_cannot_decide(restaurant, shop, line, app_of):
    held = ask(restaurant, line, app_of)
    with pytest.raises(DomainError) as refusal:
        approve(shop, held.id)
    assert refusal.value.code == "not_found"


def decided_events(business):
    with business.scope():
        found = event_page(0, 200, test=False)["data"]
    return [one for one in found if one["event"] in ("messages.held", "messages.decided")]


def test_events_tell_that_a_message_is_held_and_what_was_decided(restaurant, line, app_of):
    approved, rejected, expired = (ask(restaurant, line, app_of) for _ in range(3))
    approve(restaurant, approved.id)
    with acting_as(Actor("person", restaurant.owner.id, "Selin Kaya")), restaurant.scope():
        decisions.reject(rejected.id)
    with restaurant.scope():
        db.session.get(HeldMessage, (restaurant.tenant_id, expired.id)).expires_at = now()
    with restaurant.scope():
        decisions.expire_due()
    found = decided_events(restaurant)
    held = [one["data"] for one in found if one["event"] == "messages.held"]
    assert [one["id"] for one in held] == [approved.id, rejected.id, expired.id]
    assert (held[0]["app"], held[0]["for_person"], held[0]["status_code"]) == (
        "Table agent",
        "Derya Aksoy",
        "held",
    )
    decided = {
        one["data"]["id"]: (one["data"]["decision"], one["data"]["decided_by"])
        for one in found
        if one["event"] == "messages.decided"
    }
    assert decided == {
        approved.id: ("approved", "Selin Kaya"),
        rejected.id: ("rejected", "Selin Kaya"),
        expired.id: ("expired", None),
    }
