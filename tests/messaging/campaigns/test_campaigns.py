"""A campaign reaches every eligible recipient once, and gives the reason for the others."""

from datetime import timedelta
from decimal import Decimal

import pytest
from sqlalchemy import update

from core.clock import advance, frozen, now
from core.db import db
from core.errors import Conflict, DomainError, Invalid
from messaging.campaigns import audiences, coupon_port, results
from messaging.campaigns import batches as campaign_batches
from messaging.campaigns import lifecycle as campaign_lifecycle
from messaging.campaigns import repository as campaign_repository
from messaging.campaigns import runner as campaign_runner
from messaging.campaigns.filters import parse_filters
from messaging.campaigns.repository import CampaignInput
from messaging.contacts import consent as contact_consent
from messaging.contacts import merging
from messaging.lines import repository as line_repository
from messaging.messages import queries as message_queries
from messaging.models import CampaignRecipient
from restaurant.models import Order
from tenants import accounts
from tests.line_factory import make_line
from tests.messaging.campaigns.campaign_factory import (
    campaign,
    drafts,
    looks,
    meets,
    messages,
    outcomes,
    per_phone,
    receive_receipts,
    sends,
    sets,
    starts,
    steps,
)
from tests.messaging.message_factory import events_of
from tests.restaurant.bistro import open_bistro

DAY = timedelta(days=1)


@pytest.fixture
def line(restaurant):
    return make_line(restaurant)


class Gifts:
    """Gives each the same code, however often it is asked."""

    def __init__(self):
        self.given, self.asked = {}, 0

    def offers(self, tenant_id):
        return [("soup", "A free soup")]

    def issue(self, tenant_id, offer_id, contact_ids, campaign_id):
        self.asked += 1
        for one in contact_ids:
            self.given.setdefault((campaign_id, one), f"SOUP-{len(self.given) + 1:04d}")
        return {one: self.given[campaign_id, one] for one in contact_ids}


@pytest.fixture
def soup(monkeypatch):
    monkeypatch.setattr(coupon_port, "_provider", provider := Gifts())
    return provider


def test_from_draft_to_figures(restaurant, line):
    ayse, mehmet, elif_, gone = meets(restaurant, "Ayşe Kaya", "Mehmet", "Elif", "Gone")
    with restaurant.scope():
        contact_consent.opt_out(gone, now(), "word")
    with frozen(now()):
        mine = drafts(restaurant)
        seen = looks(restaurant, mine)
        assert (seen.people, seen.recipients, seen.left_out) == (4, 3, {"opted_out": 1})
        assert seen.problem is None
        assert seen.cost_usd > 0
        assert seen.previews[-1].text == "Hi Ayşe, soup is on us today. Lokanta Mavi"

        starts(restaurant, mine)
        steps(restaurant)
        assert [one.text.split(",")[0] for one in messages(restaurant)] == [
            "Hi Ayşe",
            "Hi Mehmet",
            "Hi Elif",
        ]
        assert {one.priority for one in messages(restaurant)} == {1}
        assert campaign(restaurant, mine).state == "running"

        sends(restaurant, refuse=("905321110003",))
        advance(5)
        steps(restaurant)
        ended = campaign(restaurant, mine)
        assert (ended.state, ended.finished_at) == ("finished", now())
        with restaurant.scope():
            [published] = events_of(restaurant.tenant_id, "campaigns.finished")
        assert published["data"]["campaign_id"] == mine
        assert (published["data"]["sent"], published["data"]["failed"]) == (2, 1)

        receive_receipts(restaurant, line, ("905321110001", "delivered"), ("905321110002", "read"))
        meets(restaurant, "Ayşe Kaya")
        sets(restaurant, [ayse], last_seen_at=now() + timedelta(seconds=2))
        advance(10)
        with restaurant.scope():
            contact_consent.opt_out(mehmet, now(), "word")
        steps(restaurant)
    assert outcomes(restaurant, mine) == {
        ayse: "delivered",
        mehmet: "read",
        elif_: "failed",
        gone: "opted_out",
    }
    counts = campaign(restaurant, mine).counts
    figures = {name: counts[name] for name in ("sent", "delivered", "read", "failed")}
    assert figures == {"sent": 2, "delivered": 2, "read": 1, "failed": 1}
    assert (counts["replied"], counts["opted_out"]) == (1, 1)
    assert counts["reasons"] == {"opted_out": 1}
    assert counts["causes"] == {"recipient_unavailable": 1}


def test_who_opts_out_after_the_start_gets_nothing(restaurant, line):
    """Before the hand-over they are left out; after it, what has not left is called off."""
    people = meets(restaurant, "Ayşe", "Mehmet", "Elif")
    mine = drafts(restaurant)
    starts(restaurant, mine)
    with restaurant.scope():
        campaign_runner.run_next_step()
        contact_consent.opt_out(people[0], now(), "word")
    steps(restaurant)
    assert set(per_phone(restaurant)) == {"905321110002", "905321110003"}
    with restaurant.scope():
        contact_consent.opt_out(people[1], now(), "word")
    assert sends(restaurant) == 1
    with frozen(now() + timedelta(seconds=5)):
        steps(restaurant)
    found = outcomes(restaurant, mine)
    assert [found[one] for one in people] == ["opted_out", "cancelled", "sent"]


def test_quiet_hours_are_the_recipient_s(restaurant, line):
    with restaurant.scope():
        accounts.change_settings(
            name="Lokanta Mavi",
            locale="tr",
            time_zone="Europe/Istanbul",
            country="TR",
            currency="TRY",
        )
    meets(restaurant, "Ayşe")
    meets(restaurant, "Lisa", prefix="121255501")  # New York
    with frozen("2027-03-01T09:00:00Z"):  # noon in İstanbul, four in the morning in New York
        mine = drafts(restaurant, quiet=(21 * 60, 9 * 60))
        assert looks(restaurant, mine).asleep == 1
        starts(restaurant, mine)
        steps(restaurant)
        assert set(per_phone(restaurant)) == {"905321110001"}
        sends(restaurant)
        advance(timedelta(hours=4))
        steps(restaurant)
        assert campaign(restaurant, mine).state == "running"
        advance(timedelta(hours=1, minutes=1))
        steps(restaurant)
        assert per_phone(restaurant) == {"905321110001": 1, "12125550101": 1}


def test_paused_resumed_stopped(restaurant, line, monkeypatch):
    monkeypatch.setattr(campaign_batches, "BATCH", 2)
    people = meets(restaurant, "Ayşe", "Mehmet", "Elif", "Can", "Derya", "Ece")
    mine = drafts(restaurant)
    starts(restaurant, mine)
    with restaurant.scope():
        campaign_runner.run_next_step()
    with restaurant.scope():
        campaign_runner.run_next_step()
    with restaurant.scope():
        campaign_lifecycle.pause(mine)
    steps(restaurant)
    assert len(messages(restaurant)) == 2
    assert campaign(restaurant, mine).due_at is not None, "what has left is still followed"
    with pytest.raises(Conflict), restaurant.scope():
        campaign_lifecycle.pause(mine)
    with restaurant.scope():
        campaign_lifecycle.resume(mine)
        campaign_runner.run_next_step()
    assert len(messages(restaurant)) == 4
    sends(restaurant, most=3)
    with restaurant.scope():
        campaign_lifecycle.stop(mine)
    steps(restaurant)
    assert sorted(outcomes(restaurant, mine).values()) == [
        "cancelled",
        "sent",
        "sent",
        "sent",
        "stopped",
        "stopped",
    ]
    assert campaign(restaurant, mine).state == "stopped"
    for act in (
        campaign_lifecycle.resume,
        campaign_lifecycle.stop,
        campaign_lifecycle.pause,
        campaign_lifecycle.start,
    ):
        with pytest.raises(Conflict), restaurant.scope():
            act(mine)
    assert len(people) == sum(per_phone(restaurant).values()) + 2


def test_the_spend_cap_pauses_it_with_the_reason(restaurant, line):
    people = meets(restaurant, "Ayşe", "Mehmet", "Elif", "Can")
    mine = drafts(restaurant)
    price = looks(restaurant, mine).cost_usd / 4
    with restaurant.scope():
        accounts.choose_spend_cap((price * Decimal("2.5")).quantize(Decimal("0.01")))
    assert "spend cap" in " ".join(looks(restaurant, mine).warnings)
    starts(restaurant, mine)
    steps(restaurant)
    held = campaign(restaurant, mine)
    assert held.state == "paused"
    assert held.because["code"] == "spend_cap_reached"
    assert len(messages(restaurant)) == 2
    with restaurant.scope():
        accounts.choose_spend_cap(None)
    with restaurant.scope():
        campaign_lifecycle.resume(mine)
    steps(restaurant)
    assert sorted(per_phone(restaurant).values()) == [1] * len(people)


def test_it_begins_at_its_time(restaurant, line):
    meets(restaurant, "Ayşe")
    with frozen(now()):
        mine = drafts(restaurant)
        starts(restaurant, mine, now() + DAY)
        assert campaign(restaurant, mine).state == "scheduled"
        assert steps(restaurant) == 0
        with restaurant.scope():
            campaign_repository.change(mine, CampaignInput(text="Changed before its time"))
        advance(DAY)
        steps(restaurant)
        assert [one.text for one in messages(restaurant)] == ["Changed before its time"]
        with pytest.raises(Conflict), restaurant.scope():
            campaign_repository.change(mine, CampaignInput(text="Too late"))


def test_a_gift_gives_each_a_code_of_their_own(restaurant, line, soup):
    meets(restaurant, "Ayşe", "Mehmet")
    mine = drafts(restaurant, text="Your soup: {{coupon}}", gift="soup")
    assert "ABCD-2345" in looks(restaurant, mine).previews[0].text
    starts(restaurant, mine)
    steps(restaurant)
    assert [one.text for one in messages(restaurant)] == [
        "Your soup: SOUP-0001",
        "Your soup: SOUP-0002",
    ]
    with restaurant.scope():
        rows = results.list_results(campaign_repository.get(mine))
        assert sorted(one.recipient.coupon for one in rows) == ["SOUP-0001", "SOUP-0002"]


def test_a_gift_nobody_gives_is_refused_with_a_message(restaurant, line, monkeypatch):
    monkeypatch.setattr(coupon_port, "_provider", None)
    with pytest.raises(Invalid, match="This account has no gifts"):
        drafts(restaurant, text="Your soup: {{coupon}}", gift="soup")
    mine = drafts(restaurant, text="Your soup: {{coupon}}")
    with pytest.raises(Invalid, match="Choose the gift for it"):
        starts(restaurant, mine)
    assert campaign(restaurant, mine).state == "draft"


def test_more_is_not_under_way_than_the_line_can_send_in_seconds(restaurant, line):
    meets(restaurant, *(f"Guest {n}" for n in range(9)))
    with restaurant.scope():
        line_repository.set_pace(line.id, Decimal("0.5"))
    with frozen(now()):
        mine = drafts(restaurant)
        starts(restaurant, mine)
        steps(restaurant)
        assert len(messages(restaurant)) == 3
        advance(5)
        steps(restaurant)
        assert len(messages(restaurant)) == 3
        assert sends(restaurant) == 1
        advance(5)
        steps(restaurant)
        assert len(messages(restaurant)) == 4


def test_audiences_over_contacts_and_orders(restaurant):
    bistro = open_bistro(restaurant)
    regular, once, never = meets(restaurant, "Regular", "Once", "Never")
    with frozen(now() - 40 * DAY):
        bistro.order(phone="905321110002")
        bistro.order(phone="905321110001")
    bistro.order(phone="905321110001", table="3")
    sets(restaurant, [never], birthday=now().month * 100 + now().day, language="de")
    sets(restaurant, [once], consent_at=now())

    def matching(**filters):
        with restaurant.scope():
            query = audiences.matching_contacts(parse_filters(audiences.checked_filters(filters)))
            return set(db.session.scalars(query)) & {regular, once, never}

    assert matching() == {regular, once, never}
    assert matching(orders_at_least=1) == matching(site_id=bistro.site_id) == {regular, once}
    assert matching(orders_at_least=2) == matching(spent_at_least="1000") == {regular}
    assert matching(orders_at_most=0) == matching(languages=["de"]) == {never}
    assert matching(not_ordered_days=30) == matching(consent=True) == {once}
    assert matching(ordered_within_days=7) == {regular}
    assert matching(birthday_within_days=0) == {never}
    with pytest.raises(DomainError):
        matching(site_id="sit_00000000000000000000000000")
    with pytest.raises(Invalid, match="filter shoe_size does not exist"):
        matching(shoe_size=43)


def test_orders_that_followed_are_its_result(restaurant):
    bistro = open_bistro(restaurant)
    [guest] = meets(restaurant, "Ayşe")
    with frozen(now() - 2 * DAY):
        bistro.order(phone="905321110001")
        while sends(restaurant):
            advance(5)
    mine = drafts(restaurant)
    with frozen(now() - DAY):
        starts(restaurant, mine)
        steps(restaurant)
        sends(restaurant)
        advance(5)
        steps(restaurant)
    order = bistro.order(phone="905321110001", table="3")
    steps(restaurant)
    counts = campaign(restaurant, mine).counts
    assert (counts["ordered"], counts["orders"]) == (1, 1)
    assert (Decimal(counts["spent"]), counts["currency"]) == (order.total, "TRY")
    assert outcomes(restaurant, mine) == {guest: "sent"}


def test_money_of_two_currencies_is_never_added_up(restaurant):
    bistro = open_bistro(restaurant)
    [guest] = meets(restaurant, "Ayşe")
    mine = drafts(restaurant)
    starts(restaurant, mine)
    steps(restaurant)
    lira = bistro.order(phone="905321110001")
    euro = bistro.order(phone="905321110001", table="3")
    with restaurant.scope():
        theirs = update(Order).where(Order.tenant_id == restaurant.tenant_id, Order.id == euro.id)
        db.session.execute(theirs.values(currency="EUR"))
    steps(restaurant)
    with restaurant.scope():
        results.refresh_results(found := campaign_repository.get(mine, lock=True), deep=True)
        assert found.counts["orders"] == 2
        assert Decimal(found.counts["spent"]) == lira.total
        more = parse_filters(audiences.checked_filters({"spent_at_least": str(lira.total + 1)}))
        assert guest not in set(db.session.scalars(audiences.matching_contacts(more)))


def test_two_who_are_one_are_written_to_once(restaurant, line):
    kept, gone = meets(restaurant, "Ayşe", "Ayşe K.")
    mine = drafts(restaurant)
    starts(restaurant, mine)
    with restaurant.scope():
        campaign_runner.run_next_step()
    with restaurant.scope():
        merging.merge(kept, gone)
    steps(restaurant)
    assert outcomes(restaurant, mine) == {kept: "queued", gone: "gone"}
    assert len(messages(restaurant)) == 1


def test_the_same_step_twice_hands_nothing_over_twice(restaurant, line):
    """A row that was handed over cannot be handed over again."""
    [guest] = meets(restaurant, "Ayşe")
    mine = drafts(restaurant)
    starts(restaurant, mine)
    steps(restaurant)
    with restaurant.scope():
        row = db.session.get(CampaignRecipient, (restaurant.tenant_id, mine, guest))
        first = row.message_id
    with restaurant.scope():
        one = campaign_repository.get(mine, lock=True)
        one.gathered_at = one.reached = None
        one.due_at = now()
    steps(restaurant)
    with restaurant.scope():
        row = db.session.get(CampaignRecipient, (restaurant.tenant_id, mine, guest))
        assert row.message_id == first
        assert message_queries.get(first).state == "queued"
    assert len(messages(restaurant)) == 1
