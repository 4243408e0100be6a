"""One campaign, one ad, one team: the page, the CSV file and the API show the same figures."""

import csv
import html
import io
import re
from datetime import timedelta
from decimal import Decimal

import pytest
from flask_babel import force_locale, format_decimal, format_percent
from sqlalchemy import select

from core.clock import advance, frozen, now
from core.db import db
from messaging.campaigns import repository as campaign_repository
from messaging.campaigns import results
from messaging.inbox import conversation_actions
from messaging.inbox import replies as inbox_replies
from messaging.inbox.replies import Reply
from messaging.inbox.team import labels
from messaging.models import CampaignRecipient, Identity, ShortLink
from portal.campaigns.effect_labels import amount, effect_sentence
from portal.reports.response_views import duration
from tenants import api_keys
from tenants.audit import Actor, acting_as
from tests.messaging.campaigns.campaign_factory import campaign, drafts, sends, starts, steps
from tests.messaging.campaigns.many_contacts import crowd_of
from tests.messaging.inbox.inbox_factory import talk_with, writes
from tests.portal.page_reader import text_of
from tests.restaurant.bistro import open_bistro

PERSON = {"User-Agent": "Mozilla/5.0 (Linux; Android 15) Chrome/130.0 Mobile Safari/537.36"}
AD_FIELDS = ("source_id", "source_type", "source_url", "headline")


@pytest.fixture
def bistro(restaurant):
    return open_bistro(restaurant)


def csv_rows(browser, path):
    answer = browser.get(path)
    assert answer.status_code == 200, path
    return list(csv.DictReader(io.StringIO(answer.get_data().decode("utf-8-sig"))))


def api_json(browser, business, path):
    answer = browser.client.get(f"/api/v1{path}", headers=business.bearer)
    assert answer.status_code == 200, answer.text
    return answer.json


def table_rows(page, heading_id):
    """The rows of the table in a section: the texts of its cells by their labels."""
    section = page.split(f'id="{heading_id}"')[1].split("</section>")[0]
    found = []
    for row in re.findall(r"<tr>(.*?)</tr>", section.split("<tbody")[1], re.DOTALL):
        cells = re.findall(r"<td[^>]*?(?:data-label=\"([^\"]*)\")?>(.*?)</td>", row, re.DOTALL)
        found.append({html.unescape(label): plain(cell) for label, cell in cells})
    return found


def plain(markup):
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", markup)).split())


@pytest.fixture
def measured(app, restaurant, bistro):
    """A campaign with two variants, a holdout group, clicks and orders of all three groups."""
    crowd_of(restaurant, 70)
    mine = drafts(
        restaurant,
        text="Soup A https://soup.example/a",
        holdout_percent=30,
        variants=[{"weight": 50, "text": "Soup B https://soup.example/b"}],
        count_clicks=True,
    )
    with frozen(now()):
        starts(restaurant, mine)
        for _ in range(8):
            steps(restaurant)
            sends(restaurant)
            advance(5)
        order_and_click(app, bistro, mine)
        advance(timedelta(minutes=30))
        with restaurant.scope():
            results.refresh_results(campaign_repository.get(mine, lock=True), deep=True)
    return mine


def order_and_click(app, bistro, campaign_id):
    """In each group, some click and some order; people with the message do so more often."""
    tenant_id = bistro.business.tenant_id
    with bistro.scope():
        recipients = db.session.execute(
            select(CampaignRecipient.variant, Identity.value, ShortLink.code)
            .join(Identity, Identity.contact_id == CampaignRecipient.contact_id)
            .outerjoin(
                ShortLink,
                (ShortLink.tenant_id == tenant_id)
                & (ShortLink.contact_id == CampaignRecipient.contact_id),
            )
            .where(
                CampaignRecipient.tenant_id == tenant_id,
                CampaignRecipient.campaign_id == campaign_id,
                CampaignRecipient.state.in_(("handed", "holdout")),
                Identity.tenant_id == tenant_id,
                Identity.kind == "phone",
            )
            .order_by(CampaignRecipient.variant, Identity.value)
        ).all()
    client = app.test_client(use_cookies=False)
    for at, (variant, phone, code) in enumerate(recipients):
        if code and at % 2 == 0:
            for _ in range(1 + at % 3):
                assert client.get(f"/l/{code}", headers=PERSON).status_code == 302
        if at % (12 if variant == "holdout" else 4) == 0:
            bistro.order(phone=phone)
        if variant == "B" and at % 8 == 0:
            bistro.order(phone=phone, payment_method="cash")


def test_the_effect_of_a_campaign(browser, restaurant, measured):
    browser.signs_in(restaurant.owner)
    told = api_json(browser, restaurant, f"/campaigns/{measured}/effect")
    counts = api_json(browser, restaurant, f"/campaigns/{measured}")["results"]
    file = csv_rows(browser, f"/campaigns/{measured}/effect.csv")
    people = csv_rows(browser, f"/campaigns/{measured}/results.csv")

    groups = {one["variant"]: one for one in told["groups"]}
    assert set(groups) == {"A", "B", "holdout"}
    assert [one["variant"] for one in told["comparisons"]] == ["all", "A", "B"]
    assert all(one["orders"] for one in groups.values())
    assert told["currency"] == "TRY"
    for kind in ("groups", "comparisons"):
        written = [one for one in file if one["kind"] == kind]
        assert len(written) == len(told[kind])
        for row, expected in zip(written, told[kind], strict=True):
            assert {name: row[name] for name in expected} == {
                name: str(value) for name, value in expected.items()
            }
            assert row["currency"] == "TRY"

    # The same figures, added up from the list of recipients.
    for name, group in groups.items():
        rows = [one for one in people if one["variant"] == name]
        assert group["people"] == len(rows)
        assert group["orders"] == sum(int(one["orders"]) for one in rows)
        assert group["buyers"] == sum(int(one["orders"]) > 0 for one in rows)
        assert Decimal(group["spent"]) == sum(Decimal(one["spent"]) for one in rows)
        assert group["clicked"] == sum(bool(one["clicked_at"]) for one in rows)
        assert Decimal(str(group["cost_usd"])) == sum(Decimal(one["cost_usd"]) for one in rows)
    treated = [groups["A"], groups["B"]]
    assert counts["clicked"] == sum(one["clicked"] for one in treated) > 0
    assert counts["link_clicks"] == sum(one["link_clicks"] for one in treated) > counts["clicked"]
    assert counts["orders"] == sum(one["orders"] for one in treated)
    assert counts["holdout"] == groups["holdout"]["people"]
    assert Decimal(counts["spent"]) == sum(Decimal(one["spent"]) for one in treated)


def test_the_page_shows_the_effect(app, browser, restaurant, measured):
    browser.signs_in(restaurant.owner)
    told = api_json(browser, restaurant, f"/campaigns/{measured}/effect")
    answer = browser.get(f"/campaigns/{measured}")
    shown = table_rows(answer.get_data(as_text=True), "effect")
    assert len(shown) == len(told["groups"])
    compared = {one["variant"]: one for one in told["comparisons"]}
    with app.test_request_context(), force_locale("en"):
        for row, group in zip(shown, told["groups"], strict=True):
            held = group["variant"] == "holdout"
            ordered = format_percent(group["conversion_percent"] / 100, "#,##0.0%")
            expected = {
                "": "Holdout group" if held else f"Variant {group['variant']}",
                "People": format_decimal(group["people"]),
                "Opened a link": "–" if held else format_decimal(group["clicked"]),
                "Orders": f"{format_decimal(group['orders'])} {ordered} ordered",
                "Order value": amount(group["spent"], "TRY"),
                "Extra orders": "–",
                "Extra order value": "–",
            }
            if not held:
                one = compared[group["variant"]]
                for label, name, written in (
                    ("Extra orders", "extra_orders", format_decimal),
                    ("Extra order value", "extra_spent", lambda value: amount(value, "TRY")),
                ):
                    value, low, high = (
                        written(one[f"{name}{end}"]) for end in ("", "_low", "_high")
                    )
                    expected[label] = f"{value} {low} to {high}"
            assert row == expected
        assert effect_sentence(told["comparisons"][0], "TRY") in text_of(answer)


def test_the_stored_figures_are_the_latest_ones(restaurant, measured):
    """Counting again changes nothing."""
    before = campaign(restaurant, measured).counts
    with restaurant.scope():
        assert results.count_results(campaign_repository.get(measured)) == before


@pytest.fixture
def ads(bistro):
    """Two ads: one with three guests and two orders, one with a guest who did not order."""
    for at, source in enumerate(("120", "120", "120", "700")):
        phone = f"9053211122{at:02d}"
        referral = {
            "source_id": source,
            "source_type": "ad",
            "source_url": f"https://fb.me/{source}",
            "headline": f"Weekend {source}",
        }
        writes(bistro.business, bistro.line.id, phone, referral=referral)
        if at < 2:
            bistro.order(phone=phone)
    return bistro


def test_the_revenue_of_ads(app, browser, restaurant, ads):
    browser.signs_in(restaurant.owner)
    told = api_json(browser, restaurant, "/reports/ads")
    assert [(one["source_id"], one["conversations"], one["orders"]) for one in told["ads"]] == [
        ("120", 3, 2),
        ("700", 1, 0),
    ]
    assert Decimal(told["ads"][0]["spent"]) > 0
    assert told["currency"] == "TRY"
    file = csv_rows(browser, "/reports/ads.csv?period=30")
    assert file == [
        {**{name: str(value) for name, value in one.items()}, "currency": "TRY"}
        for one in told["ads"]
    ]
    page = browser.get("/reports/messages?period=30").get_data(as_text=True)
    with app.test_request_context(), force_locale("en"):
        assert table_rows(page, "from-ads") == [
            {
                "": f"{one['headline']} {one['source_id']}",
                "Conversations": format_decimal(one["conversations"]),
                "Orders": format_decimal(one["orders"]) if one["orders"] else "–",
                "Order value": amount(one["spent"], "TRY") if one["orders"] else "–",
            }
            for one in told["ads"]
        ]


def test_revenue_of_ads_needs_the_right_to_see_orders(browser, restaurant, ads):
    with restaurant.scope():
        _, secret = api_keys.create("Usage only", "live", ["usage"])
    headers = {"Authorization": f"Bearer {secret}"}
    told = browser.client.get("/api/v1/reports/ads", headers=headers).json
    assert [(one["conversations"], one["orders"], one["spent"]) for one in told["ads"]] == [
        (3, None, None),
        (1, None, None),
    ]
    other = browser.client.get("/api/v1/reports/ads?instance_id=999999", headers=headers).json
    assert other["ads"] == []


@pytest.mark.parametrize(
    "query", ["since=0001-01-01&until=0001-01-02", "until=9999-12-31", "since=2026-02-30"]
)
def test_days_that_no_report_has_are_refused(browser, restaurant, query):
    answer = browser.client.get(f"/api/v1/reports/ads?{query}", headers=restaurant.bearer)
    assert answer.status_code == 422


def test_response_times(app, browser, restaurant, bistro):
    selin = restaurant.hires("inbox", "Selin Kaya")
    actor = Actor("person", selin.id, selin.name, "127.0.0.1")
    start = now() - timedelta(days=2)
    with restaurant.scope():
        late = labels.save("Late", "red").id
    with frozen(start):
        for at, (reply, close) in enumerate([(45, 600), (200, 1500), (4000, 90_000)]):
            phone = f"90532111{5000 + at}"
            writes(restaurant, bistro.line.id, phone)
            talk = talk_with(restaurant, phone)
            advance(timedelta(seconds=reply))
            with acting_as(actor), restaurant.scope():
                inbox_replies.send_reply(talk, Reply(once=phone, text="Hello"))
                if at:
                    labels.set_labels(talk.id, [late])
            advance(timedelta(seconds=close - reply))
            with acting_as(actor), restaurant.scope():
                conversation_actions.close(talk.id)
    browser.signs_in(restaurant.owner)
    told = api_json(browser, restaurant, "/reports/response-times")
    page = browser.get("/reports/response-times?period=30").get_data(as_text=True)
    assert told["total"]["cases"] == 3
    for group, key, names in (
        ("day", "days", "day"),
        ("member", "members", "name"),
        ("label", "labels", "name"),
    ):
        file = csv_rows(browser, f"/reports/response-times.csv?period=30&by={group}")
        assert len(file) == len(told[key])
        for row, expected in zip(file, told[key], strict=True):
            assert row.pop(group) == expected[names]
            assert row == {
                name: "" if expected[name] is None else str(expected[name]) for name in row
            }
        shown = table_rows(page, f"by-{group}")
        counted = [one for one in told[key] if one["cases"]]
        with app.test_request_context(), force_locale("en"):
            assert [time_cells(one) for one in shown] == [
                (
                    format_decimal(one["cases"]),
                    duration(one["reply_median"]),
                    duration(one["close_median"]),
                )
                for one in (reversed(counted) if group == "day" else counted)
            ]


def time_cells(row):
    return row["Conversations"], row["First response, median"], row["Resolution, median"]
