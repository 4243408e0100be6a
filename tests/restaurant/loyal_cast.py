"""A bistro that rewards its guests."""

from dataclasses import dataclass

from sqlalchemy import func, select

from core.db import db
from messaging import contacts
from restaurant.loyalty import book, coupons, messages, programmes, rewards
from restaurant.models import Coupon, LoyaltyEntry, LoyaltyMember
from tests.restaurant.kitchen import GUEST, Bistro, open_bistro

OTHER = "905321112244"


@dataclass
class Club:
    bistro: Bistro

    def scope(self):
        return self.bistro.scope()

    def counts(self, kind="points", amount="10", **more):
        with self.scope():
            wanted = programmes.Wanted(kind=kind, active=True, amount=amount, **more)
            return programmes.set_up(self.bistro.site(), wanted)

    def reward(self, name="Ten percent", kind="percent", value="10", **more):
        with self.scope():
            return rewards.add(rewards.Wanted(name=name, kind=kind, value=value, **more))

    def coupon(self, reward=None, phone=None, **more) -> Coupon:
        reward = reward or self.reward()
        with self.scope():
            contact_id = contacts.find(phone) if phone else None
            return coupons.issue(
                rewards.get(reward.id), source="staff", contact_id=contact_id, **more
            )

    def says(self, cause, **more):
        more = {"texts": {"en": "Hi {{customer.first_name}} {{loyalty.visits}}"}, **more}
        with self.scope():
            wanted = messages.Wanted(active=True, **more)
            return messages.set_up(self.bistro.site(), cause, wanted)

    def guest(self, phone=GUEST) -> str:
        with self.scope():
            found = contacts.find(phone)
            assert found is not None
            return found

    def balance(self, phone=GUEST) -> int:
        """Of the member's row; it is always the sum of the book."""
        contact_id = self.guest(phone)
        with self.scope():
            standing = {one.site_id: one.balance for one in book.standings(contact_id)}
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
            order = self.bistro.moves(order, state)
        return order

    def fresh(self, coupon) -> Coupon:
        with self.scope():
            found = coupons.get(coupon.id)
            db.session.refresh(found)
            return found


def open_club(business, **changes) -> Club:
    return Club(open_bistro(business, **changes))
