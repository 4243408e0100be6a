"""Loyalty in the portal: setup, rewards, corrections, texts, and the contact's page."""

import pytest
from sqlalchemy import select

from core.db import db
from restaurant.loyalty import coupon_codes, coupons, message_settings, programmes, rewards
from restaurant.models import Coupon
from tests.restaurant.bistro import GUEST
from tests.restaurant.loyalty_club import open_club


@pytest.fixture
def club(restaurant):
    return open_club(restaurant)


@pytest.fixture
def owner(browser, restaurant):
    return browser.signs_in(restaurant.owner)


def newest(club) -> Coupon:
    with club.scope():
        mine = Coupon.tenant_id == club.bistro.business.tenant_id
        return db.session.scalars(select(Coupon).where(mine).order_by(Coupon.id.desc())).first()


def test_a_programme_is_set_up_and_a_wrong_one_refused(owner, club):
    path = f"/loyalty/programmes/{club.bistro.site_id}"
    assert "The loyalty program at Lemar Bistro is off" in owner.get("/loyalty").text
    form = {"kind": "points", "active": "y", "amount": "12,50", "points": "2"}
    hours = {"quiet_from": "22:00", "quiet_until": "09:30"}
    owner.post(path, **form, **hours, keywords="Puan, points")
    with club.scope():
        known = programmes.of_site(club.bistro.site_id)
        assert (str(known.amount), known.points, known.keywords) == (
            "12.500",
            2,
            ["Puan", "points"],
        )
    refused = owner.post(path, **{**form, **hours, "quiet_from": "late"})
    assert refused.status_code == 422
    assert "Enter a time, such as 21:00." in refused.text


def test_a_reward_is_made_given_and_its_coupon_cancelled(owner, club):
    reward = {
        "name": "Dessert",
        "kind": "amount",
        "value": "50",
        "valid_days": "10",
        "active": "y",
    }
    assert (
        "Enter the discount." in owner.post("/loyalty/rewards/new", **{**reward, "value": ""}).text
    )
    owner.post("/loyalty/rewards/new", **reward)
    with club.scope():
        (made,) = rewards.listed()
    assert "₺50.00 off" in owner.get("/loyalty/rewards").text
    club.bistro.orders_by_chat("merhaba")
    owner.post("/loyalty/coupons/new", reward_id=made.id, phone="+90 532 111 22 33")
    coupon = newest(club)
    assert coupon.contact_id == club.guest()
    shown = coupon_codes.format_code(coupon.code)
    for page in (
        "/loyalty/coupons",
        f"/loyalty/coupons?q={shown.lower()}",
        f"/loyalty/coupons?q={GUEST}&state=open",
        f"/contacts/{coupon.contact_id}",
        f"/loyalty/members/{coupon.contact_id}",
    ):
        assert shown in owner.get(page).text, page
    assert shown not in owner.get("/loyalty/coupons?state=used").text
    unknown = owner.post("/loyalty/coupons/new", reward_id=made.id, phone="905321119999")
    assert "No contact has this phone" in unknown.text
    path = f"/loyalty/coupons/{coupon.id}"
    assert owner.post(path, because=" ").status_code == 422
    owner.post(path, because="by mistake")
    assert club.fresh(coupon).state == "cancelled"
    assert "issued the coupon" in owner.get("/audit").text


def test_a_balance_is_corrected_and_spent(owner, club):
    club.counts()
    reward = club.reward(cost=50)
    club.serves(club.bistro.order())
    guest = club.guest()
    path, site = f"/loyalty/members/{guest}", club.bistro.site_id
    assert "Ayşe Kaya" in owner.get("/loyalty/members?q=ayse").text
    assert "No matches" in owner.get("/loyalty/members?q=nobody-like-that").text
    assert owner.post(path, site=site, amount="4", because="").status_code == 422
    owner.post(path, site=site, amount="-20", because="counted twice")
    assert club.balance() == 56
    assert "counted twice" in owner.get(path).text
    owner.post(f"{path}/exchange", site=site, reward=reward.id)
    assert club.balance() == 6
    poor = owner.post(f"{path}/exchange", site=site, reward=reward.id)
    assert poor.status_code == 302
    assert club.balance() == 6
    assert "too low" in owner.get(path).text


def test_a_message_is_worded_previewed_and_a_wrong_one_refused(owner, club):
    club.counts()
    path = f"/loyalty/messages/{club.bistro.site_id}/welcome"
    words = {"welcome-active": "y", "welcome-text-tr": "Merhaba {{customer.first_name}}!"}
    owner.post(path, **words)
    assert "Merhaba Ayşe!" in owner.get("/loyalty/messages").text
    refused = owner.post(path, **{**words, "welcome-text-tr": "{{coupon.code}}"})
    assert refused.status_code == 422
    assert "needs a reward" in refused.text
    with club.scope():
        (welcome, *_) = message_settings.of_site(club.bistro.site())
        assert welcome.texts == {"tr": "Merhaba {{customer.first_name}}!"}
    assert owner.post(path.replace("welcome", "farewell")).status_code == 404


def test_the_staff_types_a_code_and_the_order_shows_it(owner, club):
    coupon = club.coupon()
    shown = coupon_codes.format_code(coupon.code)
    item = club.bistro.items["Menemen"]
    form = {
        "site": club.bistro.site_id, "order_type": "takeaway", "payment_method": "cash",
        f"q.{item}.0": "1", "coupon": shown,
    }  # fmt: skip
    done = owner.post("/orders/new", **form)
    assert done.status_code == 302, done.text
    page = owner.get(done.location).text
    assert shown in page
    assert "₺225.00" in page
    again = owner.post("/orders/new", **form)
    assert again.status_code == 422
    assert "already used" in again.text
    assert coupons.state_of(club.fresh(coupon)) == "used"
