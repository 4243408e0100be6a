"""Journeys, replies for later, labels, cases, links, notifications and ad conversions of a contact:
erased with it, and moved when it is merged.
"""

from datetime import timedelta

import pytest
from sqlalchemy import select, text

from core.clock import now
from core.db import db
from core.ids import new_id, to_uuid
from core.security import web_push
from jobs.media import delete_pending_files
from messaging.contacts import identities, merging
from messaging.contacts.erasure import erasures as contact_erasures
from messaging.inbox.replies import Reply
from messaging.inbox.team import labels, scheduled_replies
from messaging.journeys import repository as journey_repository
from messaging.journeys import runs as journey_runs
from messaging.journeys.runs import NewRun
from messaging.links import short_links
from messaging.links.short_links import NewLink
from messaging.models import CampaignRecipient, Conversation, ConversationCase, ScheduledReply
from restaurant import wiring
from restaurant.models import AdConversion
from tenants.data import export
from tenants.data.erasure import erase_tenant
from tenants.push.models import PushSubscription
from tests.messaging.campaigns.campaign_factory import drafts
from tests.messaging.inbox.inbox_factory import AYSE, VELI, add_line, talk_with, writes
from tests.messaging.journeys.sample_journeys import MENU
from tests.messaging.journeys.sample_journeys import publish as publish_journey

OWNERS = {
    "journey_runs": "contact_id",
    "short_links": "contact_id",
    "ad_conversions": "contact_id",
    "campaign_recipients": "contact_id",
    "conversations": "contact_id",
    "conversation_cases": "conversation_id",
    "conversation_labels": "conversation_id",
    "scheduled_replies": "conversation_id",
}


def owners(business):
    """The contacts or conversations that own rows of each table, as uuids."""
    with business.scope():
        found = {
            table: {
                str(one)
                for one in db.session.scalars(
                    text(f"SELECT {column} FROM {table} WHERE tenant_id = :tenant_id"),
                    {"tenant_id": business.tenant_id},
                )
            }
            for table, column in OWNERS.items()
        }
        query = text("SELECT tag FROM push_notifications WHERE tenant_id = :tenant_id")
        found["push_notifications"] = set(
            db.session.scalars(query, {"tenant_id": business.tenant_id})
        )
        return found


def kept_file(business, phone):
    return f"{business.tenant_id}/replies/{phone}.jpg"


def fill(business, line_id, campaign_id, journey_id, label_id, phone, name):
    """One row of the contact in each table."""
    writes(business, line_id, phone, name=name)
    talk = talk_with(business, phone)
    with business.scope():
        contact_id = identities.find_contact(phone)
        tenant_id = business.tenant_id
        labels.set_labels(talk.id, [label_id])
        reply = scheduled_replies.schedule(talk, Reply("", "See you"), now() + timedelta(hours=2))
        reply.content = {"blob": kept_file(business, phone), "mime_type": "image/jpeg"}
        journey = journey_repository.live_journey(journey_id)
        journey_runs.start_now(journey, NewRun(contact_id, line_id, f"test:{phone}", {}))
        short_links.store_links(
            campaign_id, [NewLink(short_links.new_code(), contact_id, "https://soup.example")]
        )
        db.session.add(
            CampaignRecipient(
                tenant_id=tenant_id,
                campaign_id=campaign_id,
                contact_id=contact_id,
                state="holdout",
                variant="b",
                due_at=now(),
            )
        )
        db.session.add(
            AdConversion(
                tenant_id=tenant_id,
                order_id=new_id("ord"),
                contact_id=contact_id,
                click_id="click",
                account_id="1",
                due_at=now() + timedelta(hours=1),
            )
        )
    return contact_id, talk.id


def uuid_of(public_id):
    return str(to_uuid(public_id.partition("_")[0], public_id))


@pytest.fixture
def two(app, restaurant, redis):
    """Two contacts with the same kinds of data."""
    wiring.wire_domains()
    line_id = add_line(restaurant)
    selin = restaurant.hires("inbox", "Selin Kaya")
    journey_id = publish_journey(restaurant, MENU)
    campaign_id = drafts(restaurant)
    with restaurant.scope():
        db.session.add(
            PushSubscription(
                tenant_id=restaurant.tenant_id,
                id=new_id("psh"),
                person_id=selin.id,
                endpoint="https://push.example.com/x",
                endpoint_hash="x",
                public_key=web_push.encoded(b"x"),
                auth_secret=web_push.encoded(b"x"),
                device="Chrome",
                topics=["messages"],
                shows_text=True,
            )
        )
        label_id = labels.save("Complaint", "red").id
    shared = (restaurant, line_id, campaign_id, journey_id, label_id)
    blobs = app.extensions["blobs"]
    for phone in (AYSE, VELI):
        blobs.put(kept_file(restaurant, phone), b"a photo", "image/jpeg")
    return fill(*shared, AYSE, "Ayşe"), fill(*shared, VELI, "Veli")


def test_everything_of_an_erased_contact_is_gone_and_others_keep_theirs(
    app, restaurant, two, run_jobs
):
    (ayse, talk), (veli, other) = two
    assert all(len(found) == 2 for found in owners(restaurant).values()), owners(restaurant)
    with restaurant.scope():
        contact_erasures.start_erasure(ayse)
    assert owners(restaurant)["push_notifications"] == {f"conversation:{other}"}
    run_jobs()
    with app.app_context():
        delete_pending_files()
    left = owners(restaurant)
    del left["push_notifications"]  # the job has settled the other one
    mine, theirs = {uuid_of(ayse), uuid_of(talk)}, {uuid_of(veli), uuid_of(other)}
    # A recipient is an opaque id without a contact; the figures of the campaign stay.
    assert {table for table, found in left.items() if found & mine} <= {"campaign_recipients"}
    assert not {table for table, found in left.items() if not found & theirs}
    blobs = app.extensions["blobs"]
    assert not blobs.exists(kept_file(restaurant, AYSE))
    assert blobs.exists(kept_file(restaurant, VELI))


def test_everything_of_a_merged_contact_belongs_to_the_kept_one(app, restaurant, two):
    (ayse, talk), (veli, _) = two
    with restaurant.scope():
        merging.merge(ayse, veli)
    expected = {uuid_of(ayse), uuid_of(talk), f"conversation:{talk}"}
    left = owners(restaurant)
    del left["campaign_recipients"]  # they were in the campaign both
    assert {table: found - expected for table, found in left.items() if found - expected} == {}
    assert not [table for table, found in left.items() if not found]
    with restaurant.scope():
        tenant_id = restaurant.tenant_id
        states = text("SELECT state FROM journey_runs WHERE tenant_id = :tenant_id")
        found = sorted(db.session.scalars(states, {"tenant_id": tenant_id}))
        assert found == ["running", "stopped"]
        kept = db.session.scalars(
            select(Conversation).where(Conversation.tenant_id == tenant_id)
        ).one()
        cases = db.session.scalars(
            select(ConversationCase).where(ConversationCase.tenant_id == tenant_id)
        ).all()
        assert len(cases) == 2
        assert [one.id for one in cases if one.closed_at is None] == [kept.case_id]
        waiting = select(ScheduledReply.state).where(ScheduledReply.tenant_id == tenant_id)
        assert list(db.session.scalars(waiting)) == ["scheduled"] * 2


def test_an_erased_tenant_leaves_no_rows_and_its_export_has_them(restaurant, two):
    exported = set(export.exported_tables())
    assert set(OWNERS) <= exported
    assert "push_notifications" not in exported
    with restaurant.scope():
        erase_tenant()
    with restaurant.scope():
        for table in (*OWNERS, "push_notifications", "push_subscriptions", "labels", "journeys"):
            query = text(f"SELECT count(*) FROM {table} WHERE tenant_id = :tenant_id")
            assert db.session.scalar(query, {"tenant_id": restaurant.tenant_id}) == 0, table
