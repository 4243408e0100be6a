"""Store the recipients of a started campaign: each once, with the reason if they are left out."""

from datetime import datetime

from sqlalchemy import text

from core.clock import now
from core.db import current_tenant_id, db
from core.ids import to_uuid
from messaging.campaigns import audiences, quiet_hours
from messaging.campaigns import repository as campaign_repository
from messaging.campaigns.experiments.assignment import assign
from messaging.campaigns.experiments.variants import weights_of
from messaging.campaigns.filters import parse_filters
from messaging.models import Campaign, Contact
from tenants import accounts

BATCH = 1000

INSERT_RECIPIENTS = text("""
INSERT INTO campaign_recipients (tenant_id, campaign_id, contact_id, state, reason, variant, zone,
                                 due_at, coupon, outcome, cause, cost_usd, orders, spent)
SELECT :tenant_id, :campaign_id, one.id, CASE WHEN one.why = '' THEN 'waiting' ELSE 'left_out' END,
       one.why, one.variant, one.zone, :now, '', '', '', 0, 0, 0
  FROM unnest(CAST(:ids AS uuid[]), CAST(:whys AS text[]), CAST(:variants AS text[]),
              CAST(:zones AS text[])) AS one (id, why, variant, zone)
    ON CONFLICT DO NOTHING RETURNING contact_id
""")


def add_recipients(campaign: Campaign) -> None:
    """Add the next batch. Contacts that match only after the scan has passed are not added."""
    moment = now()
    line = campaign_repository.campaign_line(campaign)
    why = audiences.exclusion_expression(campaign.rest_days, line, template=bool(campaign.template))
    query = (
        audiences.matching_contacts(parse_filters(campaign.filters))
        .add_columns(audiences.address_expression(line).label("phone"), why.label("why"))
        .order_by(Contact.id)
        .limit(BATCH)
    )
    if campaign.reached:
        query = query.where(Contact.id > campaign.reached)
    rows = db.session.execute(query).all()
    if rows:
        holdout, weights = campaign.holdout_percent, weights_of(campaign)
        own_zone = accounts.account().time_zone or "UTC"
        db.session.execute(
            INSERT_RECIPIENTS,
            {
                "tenant_id": current_tenant_id(),
                "campaign_id": str(to_uuid("cmp", campaign.id)),
                "now": moment,
                "ids": [str(to_uuid("con", row.id)) for row in rows],
                "whys": [row.why for row in rows],
                "variants": [
                    "" if row.why else assign(campaign.id, row.id, holdout, weights) for row in rows
                ],
                "zones": [
                    "" if row.why else quiet_hours.zone_of(row.phone, own_zone) for row in rows
                ],
            },
        )
        campaign.reached = rows[-1].id
    _record_completion(campaign, len(rows), moment)


def _record_completion(campaign: Campaign, found: int, moment: datetime) -> None:
    if found < BATCH:
        campaign.gathered_at = moment
