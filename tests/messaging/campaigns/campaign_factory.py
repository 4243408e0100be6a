"""A business with people to write to, and the steps of a campaign, one transaction each."""

from collections import Counter
from datetime import timedelta
from itertools import count
from typing import Any

from sqlalchemy import select, update

from core.clock import now
from core.db import db
from messaging.campaigns import dry_run as campaign_dry_run
from messaging.campaigns import lifecycle as campaign_lifecycle
from messaging.campaigns import repository as campaign_repository
from messaging.campaigns import results
from messaging.campaigns import runner as campaign_runner
from messaging.campaigns.repository import CampaignInput
from messaging.contacts import identities as contact_identities
from messaging.costs.usage import UsageTally
from messaging.lines.drivers.base import SendAccepted, SendRefused
from messaging.messages import claim as message_claim
from messaging.messages import receipts
from messaging.messages import settle as message_settle
from messaging.models import Campaign, CampaignRecipient, Contact, Message
from tests.messaging.message_factory import receipt

TEXT = "Hi {{customer.first_name|there}}, soup is on us today. {{shop.name}}"
_ids = count(1)


def meets(business, *names: str, prefix: str = "9053211100") -> list[str]:
    """Contacts who wrote some days ago, by their names."""
    with business.scope():
        return [
            contact_identities.find_or_create(
                f"{prefix}{at:02d}", "", name, now() - timedelta(days=3)
            ).id
            for at, name in enumerate(names, 1)
        ]


def sets(business, contact_ids: list[str], **values: Any) -> None:
    with business.scope():
        db.session.execute(
            update(Contact)
            .where(Contact.tenant_id == business.tenant_id, Contact.id.in_(contact_ids))
            .values(**values)
        )


def drafts(business, **wanted: Any) -> str:
    with business.scope():
        fields = {"name": "Soup day", "text": TEXT, "quiet": (None, None), **wanted}
        return campaign_repository.add(CampaignInput(**fields)).id


def starts(business, campaign_id: str, at=None) -> None:
    with business.scope():
        campaign_lifecycle.start(campaign_id, at)


def looks(business, campaign_id: str) -> campaign_dry_run.DryRunResult:
    with business.scope():
        return campaign_dry_run.run_dry_run(campaign_repository.get(campaign_id))


def steps(business, most: int = 100) -> int:
    """Until nothing is due: what one visit of the job does."""
    for done in range(most):
        with business.scope():
            if not campaign_runner.run_next_step():
                return done
    return most


def campaign(business, campaign_id: str) -> Campaign:
    with business.scope():
        found = campaign_repository.get(campaign_id, lock=True)
        db.session.expunge(found)
        return found


def outcomes(business, campaign_id: str) -> dict[str, str]:
    """By the contact's id: the state, and why where there is a reason."""
    with business.scope():
        rows = db.session.scalars(
            select(CampaignRecipient).where(
                CampaignRecipient.tenant_id == business.tenant_id,
                CampaignRecipient.campaign_id == campaign_id,
            )
        )
        return {row.contact_id: row.reason or results.result_state(row) for row in rows}


def messages(business) -> list[Message]:
    """What was handed over, in that order."""
    with business.scope():
        query = select(Message).where(
            Message.tenant_id == business.tenant_id,
            Message.direction == "out",
            Message.category == "marketing",
        )
        found = list(db.session.scalars(query.order_by(Message.id)))
        for one in found:
            db.session.expunge(one)
        return found


def per_phone(business) -> Counter:
    return Counter(one.phone for one in messages(business))


def sends(business, most: int = 500, refuse: tuple[str, ...] = ()) -> int:
    """What the sends job does with all that is due; these phones are refused."""
    with business.scope():
        claimed = message_claim.claim_messages(most, 60.0, [])
    with business.scope():
        message_settle.settle_messages(
            [
                (
                    one,
                    SendRefused("recipient_unavailable", "No such number.", "131026")
                    if one.envelope.phone in refuse
                    else SendAccepted(f"wamid.camp{next(_ids)}.{one.uuid}"),
                )
                for one in claimed
            ]
        )
    return len(claimed)


def receive_receipts(business, line, *states: tuple[str, str]) -> None:
    """Receipts: a phone and what became of the message to it."""
    known = {one.phone: one.network_id for one in messages(business)}
    for phone, state in states:
        with business.scope():
            tally = UsageTally()
            assert receipts.receive_receipt(line, receipt(known[phone], state), tally)
            tally.write()
