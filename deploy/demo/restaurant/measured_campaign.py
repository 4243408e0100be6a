"""A campaign of the demo whose effect is measured, and an ad that brought orders."""

import random
from dataclasses import replace
from datetime import datetime, timedelta

from sqlalchemy import select

from core.clock import frozen, now
from core.db import current_tenant_id, db, tenant_scope
from core.security.signed_urls import absolute_url
from deploy.demo.messaging.campaigns import receive_receipts, send_campaign
from deploy.demo.messaging.conversations import demo_line
from deploy.demo.restaurant.orders import LARGEST, advance_order, draft_card_order
from deploy.demo.restaurant.past_orders import PastOrders
from messaging.campaigns import repository as campaign_repository
from messaging.campaigns.experiments.assignment import HOLDOUT
from messaging.campaigns.repository import CampaignInput
from messaging.contacts import identities as contact_identities
from messaging.costs.usage import UsageTally
from messaging.inbox import conversation_actions
from messaging.inbox import conversations as inbox_conversations
from messaging.inbox.conversations import ConversationFilters
from messaging.lines.drivers.base import InboundMessage
from messaging.links import short_links
from messaging.messages.receive import receive_message
from messaging.models import CampaignRecipient, Identity, ShortLink
from restaurant.models import Site
from restaurant.orders.lifecycle import OrderDraft
from restaurant.sites import sites

DAYS_AGO = 12
NAME = "Öğle menüsü"
GOODBYE = "\n{menu}\n\nMesaj almak istemezseniz DUR yazın."
FIRST = (
    "Merhaba {{{{customer.first_name|}}}}, bu hafta öğle menümüz 240 ₺: çorba, ana yemek ve"
    " tatlı." + GOODBYE
)
SECOND = (
    "{{{{customer.first_name|Değerli misafirimiz}}}}, bu hafta öğle menüsünde içecek bizden: çorba,"
    " ana yemek, tatlı ve ayran 240 ₺." + GOODBYE
)
BUYERS = {"A": 7, "B": 5, HOLDOUT: 50}
"""One of so many people in the group orders afterwards."""
AD = {
    "source_type": "ad",
    "source_id": "120210000000777",
    "source_url": "https://ads.example/mavi-ogle",
    "headline": "Öğle menüsü 240 ₺",
}
AD_GUESTS = (
    ("905447712301", "Seda Polat"),
    ("905447712302", "Kaan Erdem"),
    ("905447712303", "İrem Taş"),
    ("905447712304", "Baran Öz"),
    ("905447712305", "Melis Akın"),
)
AD_BUYERS = 3


def add_measured_campaign(tenant_id: int) -> None:
    """Two variants and a holdout group; clicks and orders follow."""
    dice = random.Random(20260808)  # noqa: S311 - a demo, not a secret
    at = (now() - timedelta(days=DAYS_AGO)).replace(hour=7, minute=30, second=0)
    with tenant_scope(tenant_id):
        site = _site()
        menu = absolute_url(f"/r/{site.slug}/menu")
        first, second = (text.format(menu=menu) for text in (FIRST, SECOND))
        with frozen(at):
            made = campaign_repository.add(
                CampaignInput(
                    name=NAME,
                    text=first,
                    holdout_percent=20,
                    variants=[{"weight": 50, "text": second}],
                    count_clicks=True,
                    quiet=(None, None),
                )
            )
            sent = send_campaign(made, dice)
        receive_receipts(at, sent, dice)
        _click(made.id, at, dice)
        _order(site, made.id, at, dice)


def _site() -> Site:
    return next(one for one in sites.listed() if one.prefix == LARGEST)


def _click(campaign_id: str, at: datetime, dice: random.Random) -> None:
    """A third opens the link; most of them look at the menu, and some make a cart."""
    codes = db.session.scalars(
        select(ShortLink.code)
        .where(ShortLink.tenant_id == current_tenant_id(), ShortLink.campaign_id == campaign_id)
        .order_by(ShortLink.contact_id)
    ).all()
    for code in codes[::3]:
        with frozen(at + timedelta(minutes=dice.randint(3, 600))):
            for _ in range(dice.choice((1, 1, 2))):
                short_links.follow_link(code, person=True)
            if dice.random() < 0.85:
                short_links.record_visit(code)
            if dice.random() < 0.3:
                short_links.record_cart(code)


def _order(site: Site, campaign_id: str, at: datetime, dice: random.Random) -> None:
    past = PastOrders(site)
    rows = db.session.execute(
        select(CampaignRecipient.variant, Identity.value)
        .join(
            Identity,
            (Identity.tenant_id == current_tenant_id())
            & (Identity.contact_id == CampaignRecipient.contact_id),
        )
        .where(
            CampaignRecipient.tenant_id == current_tenant_id(),
            CampaignRecipient.campaign_id == campaign_id,
            CampaignRecipient.state.in_(("handed", "holdout")),
            Identity.kind == "phone",
        )
        .order_by(CampaignRecipient.variant, Identity.value)
    ).all()
    for variant, every in BUYERS.items():
        phones = [phone for group, phone in rows if group == variant]
        for phone in phones[::every]:
            moment = at + timedelta(days=dice.randint(0, 4), hours=2, minutes=dice.randint(0, 110))
            with frozen(moment):
                order = past.place(_cash_order(past, dice, phone))
            advance_order(past, order, "closed", moment, dice)
    past.write()


def _cash_order(past: PastOrders, dice: random.Random, phone: str, name: str = "") -> OrderDraft:
    draft = draft_card_order(past, dice, phone, name)
    contact_id = contact_identities.find_contact(phone)
    return replace(draft, payment_method="cash", contact_id=contact_id)


def add_ad_guests(tenant_id: int) -> None:
    """Five people wrote from an ad two days ago; three of them ordered on the same day."""
    dice = random.Random(20260909)  # noqa: S311 - a demo, not a secret
    with tenant_scope(tenant_id):
        past, tally = PastOrders(_site()), UsageTally()
        for place, (phone, name) in enumerate(AD_GUESTS):
            at = now() - timedelta(days=2, minutes=37 * place)
            message = InboundMessage(
                network_id=f"wamid.ad{place}",
                sender_phone=phone,
                sender_network_id="",
                sender_name=name,
                at=int(at.timestamp()),
                kind="text",
                text="Merhaba, öğle menüsü bugün var mı?",
                content={"referral": AD},
            )
            with frozen(at):
                receive_message(demo_line(), message, tally)
            if place < AD_BUYERS:
                moment = at + timedelta(minutes=20)
                with frozen(moment):
                    order = past.place(_cash_order(past, dice, phone, name))
                advance_order(past, order, "closed", moment, dice)
        past.write()
        tally.write()
        for talk in inbox_conversations.list_conversations(
            ConversationFilters(view="unread"), None, 100
        ):
            if talk.contact_name in {name for _, name in AD_GUESTS}:
                conversation_actions.mark_read(talk.id)
