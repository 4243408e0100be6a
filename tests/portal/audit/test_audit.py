"""The audit log as a page, and as a file that is safe to open in a spreadsheet."""

import ast
import csv
import io
import re

import pytest

from messaging.campaigns import repository as campaign_repository
from messaging.contacts import repository as crm
from portal.audit.views import COLUMNS
from restaurant.loyalty import message_settings, programmes, rewards
from restaurant.payments import accounts as payment_accounts
from restaurant.sites import sites, stations
from tenants import accounts, audit, team
from tenants.audit import Actor, acting_as
from tenants.data import retention as retention_settings
from tests.conftest import ROOT
from tests.factories import Browser, make_business, make_person
from tests.portal.page_reader import text_of
from tests.restaurant.bistro import open_bistro
from tests.restaurant.loyalty_club import Club

FORMULAS = [
    "=HYPERLINK(1)",
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "=cmd|' /C calc'!A0",
    "＝1+1",
    " =1",
    "＠x",
]


@pytest.fixture
def owners(browser, restaurant):
    return browser.signs_in(restaurant.owner)


def acts():
    """Every action name that the code records."""
    for folder in ("tenants", "webhooks", "messaging", "printing", "restaurant", "portal", "jobs"):
        for file in (ROOT / folder).rglob("*.py"):
            for call in ast.walk(ast.parse(file.read_text())):
                records = ("audit.record", "audit.record_change")
                named = isinstance(call, ast.Call) and ast.unparse(call.func) in records
                told = [ast.unparse(call.args[0])] if named else []
                yield from (act for text in told for act in re.findall(r"'(\w+\.\w+)'", text))


def rows(browser, query=""):
    answer = browser.get(f"/audit.csv{query}")
    assert answer.mimetype == "text/csv"
    assert "attachment" in answer.headers["Content-Disposition"]
    return list(csv.reader(io.StringIO(answer.get_data().decode("utf-8-sig"))))


def test_every_audit_entry_is_a_sentence():
    words = (ROOT / "portal/templates/parts/names.html").read_text()
    known = set(acts())
    assert len(known) > 100
    assert {act for act in known if f'"{act}"' not in words} == set()


def test_the_page_shows_who_did_what_when_and_from_where(owners, restaurant):
    owners.post("/team/invite", email="guest@example.com", role="waiter")
    page = text_of(owners.get("/audit"))
    assert "Derya Aksoy invited guest@example.com as Waiter" in page
    assert "127.0.0.1" in page
    assert "req_" in page


def test_it_is_filtered_by_area_and_by_name(owners, restaurant):
    with acting_as(Actor("key", "key_1", "Till in the bar")), restaurant.scope():
        audit.record("settings.changed", "Lokanta Mavi", currency="EUR")
    by_name = text_of(owners.get("/audit?who=till"))
    assert "Till in the bar" in by_name
    assert "via the API" in by_name
    assert "created the account" not in by_name
    by_area = text_of(owners.get("/audit?area=account"))
    assert "created the account" in by_area
    assert "Till in the bar" not in by_area
    assert "No results" in text_of(owners.get("/audit?who=nobody-at-all"))


def test_pattern_characters_are_plain_letters_in_a_search(owners, restaurant):
    assert "No results" in text_of(owners.get("/audit?who=%25"))
    assert "No results" in text_of(owners.get("/audit?who=_"))


def test_pages_follow_each_other_without_gap_or_double(owners, restaurant):
    with restaurant.scope():
        for number in range(120):
            audit.record("settings.changed", f"change {number:03}.", because=str(number))
    seen: list[int] = []
    path = "/audit?area=settings"
    while path:
        page = owners.get(path).get_data(as_text=True)
        seen += [int(number) for number in re.findall(r"Reason: (\d+)<", page)]
        found = re.search(r'rel="next" href="([^"]+)"', page)
        path = found[1].replace("&amp;", "&") if found else ""
    assert seen == list(reversed(range(120)))
    exported = [row[4] for row in rows(owners, "?area=settings")[1:]]
    assert exported == [f"change {n:03}." for n in reversed(range(120))]


def test_the_file_has_everything_of_this_business_and_nothing_of_another(owners, restaurant, shop):
    table = rows(owners)
    assert table[0] == list(COLUMNS)
    with restaurant.scope():
        assert len(table) - 1 == len(audit.entries(limit=1000))
    assert "Kumru" not in str(table)


@pytest.mark.parametrize("name", FORMULAS)
def test_no_cell_is_a_formula(app, name):
    business = make_business(f"{name} shop", owner=make_person(name))
    member = make_person(name)
    with acting_as(Actor("person", business.owner.id, name, "127.0.0.1")), business.scope():
        added = team.add_member(member, "viewer")
        team.change_role(added.id, "waiter", "owner")
        accounts.change_settings(
            name=name, locale="en", time_zone="UTC", country="", currency="USD"
        )
    browser = Browser(app.test_client()).signs_in(business.owner)
    cells = [cell for row in rows(browser)[1:] for cell in row]
    assert [cell for cell in cells if name.strip() in cell]
    for cell in cells:
        assert not cell.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r", "＝", "＠")), cell


def test_the_file_is_for_those_who_may_see_it(app, restaurant):
    viewer = Browser(app.test_client()).signs_in(restaurant.hires("viewer"))
    assert viewer.get("/audit.csv").status_code == 403


def test_a_change_of_settings_shows_the_fields_and_their_values(owners, restaurant):
    """On Home too."""
    with restaurant.scope():
        own = accounts.account()
        accounts.change_settings(
            name=accounts.account_name(),
            locale=own.locale,
            time_zone="Asia/Kathmandu",
            country=own.country,
            currency="NPR",
        )
    for path in ("/audit", "/home"):
        page = text_of(owners.get(path))
        assert "→ Asia/Kathmandu" in page
        assert "→ NPR" in page


def test_a_change_of_a_campaign_shows_what_was_changed(owners, restaurant):
    """Long texts are named, not quoted."""
    with restaurant.scope():
        campaign = campaign_repository.add(campaign_repository.CampaignInput(name="Autumn"))
        campaign_repository.change(
            campaign.id, campaign_repository.CampaignInput(rest_days=5, text="Come " * 20)
        )
        entry = audit.entries(act="campaigns.changed", limit=1)[0]
    assert entry.detail["fields"] == ["rest_days", "text"]
    assert entry.detail["changes"] == {"rest_days": ["1", "5"]}
    page = text_of(owners.get("/audit"))
    assert "Days between campaigns: 1 → 5 · Changed: Text" in page


def test_a_change_of_a_contact_shows_no_personal_values(restaurant):
    with restaurant.scope():
        card = crm.create(crm.ContactInput(name="Ada Kaya", phone="905321112233"))
        crm.change(card.id, crm.ContactInput(name="Ada Kay", birthday="1990-03-12"))
        entry = audit.entries(act="contacts.changed", limit=1)[0]
    assert entry.detail["fields"] == ["birth_year", "birthday", "name"]
    assert "changes" not in entry.detail


def changes(business, act):
    with business.scope():
        entry = audit.entries(act=act, limit=1)[0]
    return entry.detail["fields"], entry.detail.get("changes", {})


def test_a_change_of_loyalty_shows_the_fields_and_their_values(owners, restaurant):
    club = Club(open_bistro(restaurant))
    with restaurant.scope():
        site = sites.get(club.bistro.site_id)
        programmes.save_programme(
            site, programmes.ProgrammeSettings("points", active=True, amount="10", points=1)
        )
        programmes.save_programme(
            site, programmes.ProgrammeSettings("points", active=True, amount="20", points=3)
        )
        message_settings.save_message(
            site, "birthday", message_settings.MessageSettings(active=True, texts={"tr": "İyi ki!"})
        )
        reward = rewards.add(
            rewards.RewardSettings(name="Tatlı", kind="percent", value="10", cost=5)
        )
        wanted = rewards.RewardSettings(name="Tatlı", kind="percent", value="15", cost=8)
        rewards.change(reward.id, wanted)
    fields, told = changes(restaurant, "loyalty.programme_changed")
    assert fields == ["amount", "points"]
    assert told == {"amount": ["10", "20"], "points": ["1", "3"]}
    fields, told = changes(restaurant, "loyalty.message")
    assert {"active", "texts"} <= set(fields)
    assert told["active"] == ["no", "yes"]
    assert changes(restaurant, "loyalty.reward_changed")[1] == {
        "cost": ["5", "8"],
        "value": ["10", "15"],
    }
    page = text_of(owners.get("/audit?area=loyalty"))
    assert "Amount: 10 → 20 · Points: 1 → 3" in page
    assert "Birthday · Active: no → yes" in page


def test_a_change_of_a_station_shows_from_what_to_what(owners, restaurant):
    bistro = open_bistro(restaurant)
    with restaurant.scope():
        stations.set_display_only(sites.get(bistro.site_id), "bar", True)
    told = {"display_only": ["no", "yes"]}
    assert changes(restaurant, "stations.changed") == (["display_only"], told)
    assert "Kitchen display only: no → yes" in text_of(owners.get("/audit"))


def test_a_change_of_a_payment_account_shows_no_key(owners, restaurant):
    """Keys are named but never shown."""
    bistro = open_bistro(restaurant)
    first, second = "sk_test_first0000000000000000", "sk_test_second000000000000000"
    with restaurant.scope():
        account = payment_accounts.add(
            payment_accounts.AccountSettings(provider="stripe", name="Stripe", key=first)
        )
        payment_accounts.change(
            account.id,
            payment_accounts.AccountSettings(
                provider="stripe",
                name="Stripe of the bar",
                key=second,
                link_minutes=30,
                site_id=bistro.site_id,
            ),
        )
    fields, told = changes(restaurant, "payments.account_changed")
    assert fields == ["key", "link_minutes", "name", "site_id"]
    assert told == {"link_minutes": ["60", "30"], "name": ["Stripe", "Stripe of the bar"]}
    with restaurant.scope():
        entry = audit.entries(act="payments.account_changed", limit=1)[0]
    assert "sk_test" not in str(entry.detail)
    page = text_of(owners.get("/audit"))
    assert "Minutes that payment links work: 60 → 30" in page
    assert "Changed: Key, Restaurant" in page


def test_a_change_of_the_days_things_are_kept_shows_both(owners, restaurant):
    with restaurant.scope():
        retention_settings.set_days(retention_settings.RetentionDays(message_days=90))
        retention_settings.set_days(
            retention_settings.RetentionDays(message_days=60, media_days=30)
        )
        retention_settings.set_days(
            retention_settings.RetentionDays(message_days=60, media_days=30)
        )
        entries = audit.entries(act="account.retention_changed", limit=10)
    assert [entry.detail["changes"] for entry in entries] == [
        {"media_days": ["", "30"], "message_days": ["90", "60"]},
        {"message_days": ["", "90"]},
    ]
    assert "Message texts (days): 90 → 60" in text_of(owners.get("/audit"))
