"""A bistro with a loyalty programme."""

from dataclasses import dataclass

from sqlalchemy import func, select

from core.db import db
from messaging.contacts import identities as contact_identities
from restaurant.loyalty import coupons, ledger, message_settings, programmes, rewards
from restaurant.models import Coupon, LoyaltyEntry, LoyaltyMember
from tests.restaurant.bistro import GUEST, Bistro, open_bistro

OTHER = "905321112244"


@dataclass
class Club:
    bistro: Bistro

    def scope(self):
        return self.bistro.scope()

    def counts(self, kind="points", amount="10", **more):
        with self.scope():
            wanted = programmes.ProgrammeSettings(kind=kind, active=True, amount=amount, **more)
            return programmes.save_programme(self.bistro.site(), wanted)

    def reward(self, name="Ten percent", kind="percent", value="10", **more):
        with self.scope():
            return rewards.add(rewards.RewardSettings(name=name, kind=kind, value=value, **more))

    def coupon(self, reward=None, phone=None, **more) -> Coupon:
        reward = reward or self.reward()
        with self.scope():
            contact_id = contact_identities.find_contact(phone) if phone else None
            return coupons.issue(
                rewards.get(reward.id), source="staff", contact_id=contact_id, **more
            )

    def enables_message(self, cause, **more):
        more = {"texts": {"en": "Hi {{customer.first_name}} {{loyalty.visits}}"}, **more}
        with self.scope():
            wanted = message_settings.MessageSettings(active=True, **more)
            return message_settings.save_message(self.bistro.site(), cause, wanted)

    def guest(self, phone=GUEST) -> str:
        with self.scope():
            found = contact_identities.find_contact(phone)
            assert found is not None
            return found

    def balance(self, phone=GUEST) -> int:
        """The member's stored balance, checked against the sum of the ledger."""
        contact_id = self.guest(phone)
        with self.scope():
            standing = {one.site_id: one.balance for one in ledger.balances(contact_id)}
            total = db.session.scalar(
                select(func.coalesce(func.sum(LoyaltyEntry.amount), 0)).where(
                    LoyaltyEntry.tenant_id == self.bistro.business.tenant_id,
                    LoyaltyEntry.contact_id == contact_id,
                )
            )
            assert sum(standing.values()) == total
            return standing.get(self.bistro.site_id, 0)

    def visits(self, phone=GUEST) -> int:
        key = (self.bistro.business.tenant_id, self.bistro.site_id, self.guest(phone))
        with self.scope():
            found = db.session.get(LoyaltyMember, key)
            return found.visits if found else 0

    def serves(self, order):
        for state in ("preparing", "ready", "served"):
            order = self.bistro.changes_state(order, state)
        return order

    def fresh(self, coupon) -> Coupon:
        with self.scope():
            found = coupons.get(coupon.id)
            db.session.refresh(found)
            return found


def open_club(business, **changes) -> Club:
    return Club(open_bistro(business, **changes))
