"""A business with people to write to, and the steps of a campaign, one transaction each."""

from collections import Counter
from datetime import timedelta
from itertools import count
from typing import Any

from sqlalchemy import select, update

from core.clock import now
from core.db import db
from messaging import claiming, contacts, receipts, settling
from messaging.campaigns import acts, book, outlook, results, working
from messaging.campaigns.book import Wanted
from messaging.lines import Accepted, Refused
from messaging.models import Campaign, CampaignRecipient, Contact, Message
from messaging.usage import Tally
from tests.messaging.line_cast import receipt

TEXT = "Hi {{customer.first_name|there}}, soup is on us today. {{shop.name}}"
_ids = count(1)


def meets(business, *names: str, prefix: str = "9053211100") -> list[str]:
    """Contacts who wrote some days ago, by their names."""
    with business.scope():
        return [
            contacts.meet(f"{prefix}{at:02d}", "", name, now() - timedelta(days=3)).id
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
        wishes = {"name": "Soup day", "text": TEXT, "quiet": (None, None), **wanted}
        return book.add(Wanted(**wishes)).id


def starts(business, campaign_id: str, at=None) -> None:
    with business.scope():
        acts.start(campaign_id, at)


def looks(business, campaign_id: str) -> outlook.Outlook:
    with business.scope():
        return outlook.look(book.get(campaign_id))


def steps(business, most: int = 100) -> int:
    """Until nothing is due: what one visit of the job does."""
    for done in range(most):
        with business.scope():
            if not working.step():
                return done
    return most


def campaign(business, campaign_id: str) -> Campaign:
    with business.scope():
        found = book.get(campaign_id, lock=True)
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
        return {row.contact_id: row.reason or results.shown_state(row) for row in rows}


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
        claimed = claiming.claim(most, 60.0, [])
    with business.scope():
        settling.settle(
            [
                (
                    one,
                    Refused("recipient_unavailable", "No such number.", "131026")
                    if one.envelope.phone in refuse
                    else Accepted(f"wamid.camp{next(_ids)}.{one.uuid}"),
                )
                for one in claimed
            ]
        )
    return len(claimed)


def hears_back(business, line, *states: tuple[str, str]) -> None:
    """Receipts: a phone and what became of the message to it."""
    known = {one.phone: one.network_id for one in messages(business)}
    for phone, state in states:
        with business.scope():
            tally = Tally()
            assert receipts.receive_receipt(line, receipt(known[phone], state), tally)
            tally.write()
