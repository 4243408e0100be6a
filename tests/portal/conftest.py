"""Sample data for tests that visit every page."""

from collections.abc import Iterator

import pytest

from core.db import global_scope
from messaging.models import Template
from tenants import team
from tenants.partners import partners
from tests.error_pages import error_pages_drawn_once
from tests.factories import Business
from tests.messaging.approvals.sample_app import add_sample_app
from tests.messaging.campaigns.sample_campaign import plant_campaign
from tests.messaging.journeys.sample_run import add_sample_journey
from tests.printing.seed_printing import seed_printing
from tests.restaurant.seed_restaurant import ids_of, seed_restaurant
from tests.sample_tenant import (
    add_sample_contacts,
    add_sample_inbox,
    add_sample_messages,
    add_sample_request,
    add_sample_store,
    add_sample_team,
    add_sample_webhooks,
    only_row_id,
)
from tests.tenants.sample_account import add_sample_account


@pytest.fixture
def ids(restaurant):
    return things_of(restaurant)


@pytest.fixture
def plain_errors() -> Iterator[None]:
    with error_pages_drawn_once():
        yield


def things_of(restaurant: Business) -> dict[str, object]:
    """Ids of the restaurant's data by URL parameter name. Add new parameter names here."""
    colleague = restaurant.hires("inbox", "Selin Kaya")
    with restaurant.scope():
        invitation, _ = team.invite("guest@example.com", "viewer", "owner", "Derya")
        member = team.find_by_person(colleague.id)
    with restaurant.scope():
        call_id = add_sample_request("Mavi")
    line_id, message_id = add_sample_messages(restaurant, "Mavi")
    endpoint_id, delivery_id = add_sample_webhooks(restaurant, "Mavi")
    with restaurant.scope():
        template_id = only_row_id(Template, restaurant.tenant_id)
    kept = add_sample_contacts(restaurant, "Mavi")
    conversation_id, reply_id = add_sample_inbox(restaurant, "Mavi")
    connection_id, hook_id, automation_id = add_sample_store(restaurant, "Mavi")
    site = seed_restaurant(restaurant, "Mavi")
    with global_scope():
        partner = partners.add("Mavi POS", [], 5)
    return {
        "partner_id": partner.id,
        "key": f"{restaurant.tenant_id}/{'0' * 32}.webp",
        **ids_of(restaurant, site),
        **seed_printing(restaurant, site, "Mavi"),
        **add_sample_account(restaurant, "Mavi"),
        "connection_id": connection_id,
        "automation_id": automation_id,
        "grant_id": add_sample_app(restaurant, "Mavi", line_id),
        "code": "kitchen",  # of a station
        "recipe": "owner_notice",
        "kind": "store",
        "provider": "stripe",
        "conversation_id": conversation_id,
        "reply_id": reply_id,
        **add_sample_team(restaurant, "Mavi", conversation_id),
        **add_sample_journey(restaurant, "Mavi"),
        "step_id": "tag",
        **kept,
        **plant_campaign(restaurant, "Mavi", kept["contact_id"]),
        "hook_id": hook_id,
        "template_id": template_id,
        "country": "TR",
        "endpoint_id": endpoint_id,
        "delivery_id": delivery_id,
        "line_id": line_id,
        "message_id": message_id,
        "call_id": call_id,
        "key_id": restaurant.key_id,
        "member_id": member.id,
        "invitation_id": invitation.id,
        "session_id": "ses_00000000000000000000000000",
        "tenant_id": restaurant.tenant_id,
        "group": "messages",
        "guide": "quick-start",
        "picture": "home.png",
        "job_id": "no-such-job",
        "token": "no-such-token",
    }
