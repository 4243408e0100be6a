"""What the walks over every page name in their addresses."""

import pytest

from messaging.models import Template
from tenants import team
from tests.campaigns.planting import plant_campaign
from tests.cast import Business
from tests.house.planting import (
    plant_call,
    plant_contacts,
    plant_inbox,
    plant_messages,
    plant_store,
    plant_webhooks,
    planted_id,
)
from tests.printing.planting import plant_printing
from tests.restaurant.planting import ids_of, plant_restaurant
from tests.tenants.planting import plant_account


@pytest.fixture
def ids(restaurant):
    return things_of(restaurant)


def things_of(restaurant: Business) -> dict[str, object]:
    """Things of the restaurant's own, by the name a route gives them. A new name is added here."""
    colleague = restaurant.hires("inbox", "Selin Kaya")
    with restaurant.scope():
        invitation, _ = team.invite("guest@example.com", "viewer", "owner", "Derya")
        member = team.of_person(colleague.id)
    with restaurant.scope():
        call_id = plant_call("Mavi")
    line_id, message_id = plant_messages(restaurant, "Mavi")
    endpoint_id, delivery_id = plant_webhooks(restaurant, "Mavi")
    with restaurant.scope():
        template_id = planted_id(Template, restaurant.tenant_id)
    kept = plant_contacts(restaurant, "Mavi")
    conversation_id, reply_id = plant_inbox(restaurant, "Mavi")
    connection_id, hook_id, automation_id = plant_store(restaurant, "Mavi")
    site = plant_restaurant(restaurant, "Mavi")
    return {
        "key": f"{restaurant.tenant_id}/{'0' * 32}.webp",
        **ids_of(restaurant, site),
        **plant_printing(restaurant, site, "Mavi"),
        **plant_account(restaurant, "Mavi"),
        "connection_id": connection_id,
        "automation_id": automation_id,
        "recipe": "owner_notice",
        "kind": "store",
        "provider": "stripe",
        "conversation_id": conversation_id,
        "reply_id": reply_id,
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
