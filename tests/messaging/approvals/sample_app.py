"""A connected app, a held message and a policy for the sample tenant."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

from core.clock import now
from core.db import db
from core.ids import new_id
from messaging.models import ApprovalChat, HeldMessage, SendPolicy, SendPolicyDay, TestClock
from tenants.apps import grants
from tests.factories import Business


def add_sample_app(business: Business, name: str, line_id: int) -> str:
    """In its own scope. Returns the id of the app's grant."""
    with business.scope():
        grant = grants.grant("app_x", f"{name} app", business.owner.id, ["orders"], "live", "")
        grants.mark_connected(grant)
        grants.add_token(grant.id, grants.REFRESH, f"{name}{business.tenant_id}", timedelta(1))
        one = {"tenant_id": business.tenant_id, "key_id": grant.key_id}
        rows: list[Any] = [
            HeldMessage(
                **one,
                id=new_id("msg"),
                app_name=f"{name} app",
                for_person=name,
                line_id=line_id,
                kind="text",
                phone="905321112233",
                text=f"{name} held",
                content={},
                category="service",
                quoted_usd=Decimal(0),
                test=False,
                expires_at=now() + timedelta(days=1),
                notified_at=now(),
            ),
            SendPolicy(
                **one,
                mode="hold_all",
                only_who_wrote=False,
                no_marketing=True,
                daily_messages=1,
                daily_usd=Decimal(1),
                hold_hours=1,
            ),
            SendPolicyDay(**one, day=now().date(), messages=1, spend_usd=Decimal(0)),
            TestClock(tenant_id=business.tenant_id, seconds_ahead=60, changed_at=now()),
            ApprovalChat(
                tenant_id=business.tenant_id,
                person_id=business.owner.id,
                line_id=line_id,
                code="00000000",
                code_expires_at=now(),
            ),
        ]
        db.session.add_all(rows)
        return grant.id
