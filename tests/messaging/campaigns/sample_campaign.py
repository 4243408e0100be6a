"""A campaign, its audience and a recipient, for the walks over everything a tenant owns."""

from core.clock import now
from core.db import db
from messaging.campaigns import audiences
from messaging.campaigns import repository as campaign_repository
from messaging.campaigns.repository import CampaignInput
from messaging.links import short_links
from messaging.links.short_links import NewLink
from messaging.models import CampaignRecipient
from tests.factories import Business


def plant_campaign(business: Business, name: str, contact_id: str) -> dict[str, str]:
    with business.scope():
        audience = audiences.save(f"{name} people", {"tags": [name]})
        draft = campaign_repository.add(
            CampaignInput(name=f"{name} campaign", audience_id=audience.id, text=f"{name} words")
        )
        db.session.add(
            CampaignRecipient(
                tenant_id=business.tenant_id,
                campaign_id=draft.id,
                contact_id=contact_id,
                state="left_out",
                reason="blocked",
                due_at=now(),
                coupon=f"{name}-code",
            )
        )
        db.session.flush()
        link = NewLink(short_links.new_code(), contact_id, f"https://example.com/{name}")
        short_links.store_links(draft.id, [link])
    return {"campaign_id": draft.id, "audience_id": audience.id}
