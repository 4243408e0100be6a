"""The team inbox of the sample tenant."""

from datetime import timedelta

from core.clock import now
from core.db import db
from messaging.inbox.team import assignment
from messaging.inbox.team import labels as conversation_labels
from messaging.inbox.team import settings as team_settings
from messaging.inbox.team.settings import TeamSettings
from messaging.models import ScheduledReply
from tenants.push import notifications as push_notifications
from tenants.push.models import PushSubscription
from tests.factories import Business


def add_sample_team(business: Business, name: str, conversation_id: str) -> dict[str, str]:
    """Settings, a label, a scheduled reply and a device of the owner."""
    with business.scope():
        team_settings.save(TeamSettings(assignment="off", rating="faces"))
        assignment.set_away(business.owner.id, away=True)
        label = conversation_labels.save(f"{name} label", "red")
        conversation_labels.set_labels(conversation_id, [label.id])
        reply = ScheduledReply(
            tenant_id=business.tenant_id,
            conversation_id=conversation_id,
            kind="text",
            text=f"{name} later",
            content={},
            category="service",
            due_at=now() + timedelta(days=2),
        )
        db.session.add(reply)
        device = PushSubscription(
            tenant_id=business.tenant_id,
            person_id=business.owner.id,
            endpoint=f"https://push.example.com/{name}",
            endpoint_hash=name,
            public_key="",
            auth_secret="",
            device=name,
            topics=["orders"],
        )
        db.session.add(device)
        db.session.flush()
        push_notifications.announce_test(business.owner.id)
        return {"label_id": label.id, "scheduled_id": reply.id, "device_id": device.id}
