"""Which role may use which page: listed here independently, then checked on every route."""

import re

import pytest

from tenants import team
from tenants.rights import RIGHTS
from tests.factories import Browser, make_business, make_person
from tests.portal.conftest import things_of
from tests.sample_tenant import rows_of

# Not read from tenants/rights.py, because the roles are a promise to customers.
MAY = {
    "owner": set(RIGHTS),
    "admin": set(RIGHTS) - {"account.close", "account.export"},
    "inbox": {
        *("home.view", "team.view", "lines.view", "messages.view", "messages.send"),
        *("inbox.view", "inbox.reply", "contacts.view", "contacts.manage"),
        *("orders.view", "loyalty.view"),
    },
    "manager": {
        *("home.view", "team.view", "settings.view", "usage.view"),
        *("lines.view", "messages.view", "messages.send"),
        *("inbox.view", "inbox.reply", "contacts.view", "contacts.manage"),
        *("restaurant.view", "restaurant.manage", "orders.view", "orders.manage"),
        *("printing.view", "printing.manage", "printing.reprint"),
        *("payments.view", "payments.manage", "reports.view"),
        *("campaigns.view", "campaigns.manage", "loyalty.view", "loyalty.manage"),
    },
    "waiter": {
        *("home.view", "restaurant.view", "orders.view", "orders.manage"),
        *("printing.view", "printing.reprint", "payments.view"),
    },
    "viewer": {
        *("home.view", "team.view", "settings.view", "keys.view", "usage.view"),
        *("lines.view", "messages.view", "inbox.view", "contacts.view"),
        *("stores.view", "webhooks.view", "restaurant.view", "orders.view"),
        *("printing.view", "payments.view", "campaigns.view", "loyalty.view", "reports.view"),
    },
}
# The sample message has no file, and the sample line is not a linked phone.
NOT_THERE = {"file": {404}, "picture": {404}, "logout": {409}, "pair": {409, 404}}
DONE_OR_REFUSED_FOR_ANOTHER_REASON = {200, 302, 409, 422}


@pytest.fixture(scope="module")
def sample(app):
    """A restaurant with one of everything, for tests that do not change it."""
    with app.app_context():
        business = make_business("Lokanta Mavi")
        return business, things_of(business)


@pytest.fixture
def stored(superuser_connection, sample):
    def look():
        tenant_id = sample[0].tenant_id
        with superuser_connection.cursor() as cursor:
            cursor.execute("SELECT to_jsonb(t) FROM tenants t WHERE id=%s", (tenant_id,))
            rows = rows_of(cursor, tenant_id)
            for member in rows["members"]:
                member.pop("seen_at")
            return rows, cursor.fetchall()

    return look


def guarded(app, ids):
    """(guard, method, path) of every guarded route; routes that only read come first."""
    found = []
    for rule in app.url_map.iter_rules():
        guard = getattr(app.view_functions[rule.endpoint], "guard", None)
        if guard in (None, "open"):
            continue
        path = rule.build({name: ids[name] for name in rule.arguments}, append_unknown=False)[1]
        found += [(guard, method, path) for method in sorted(rule.methods & {"GET", "POST"})]
    return sorted(found, key=lambda row: (row[1], _destroys(row[2]), row[2]))


def _destroys(path):
    """Sort destructive routes after those that need the data; erasing a contact comes last."""
    return 2 if path.endswith("/erase") else int(path.endswith(("/remove", "/close")))


def call(browser, method, path):
    return browser.get(path) if method == "GET" else browser.post(path)


def test_every_guard_is_a_right_or_known(app, sample):
    guards = {guard for guard, _, _ in guarded(app, sample[1])}
    assert guards - set(RIGHTS) == {"operator", "signed in"}
    assert set(RIGHTS) <= guards, "rights without a page"


@pytest.mark.parametrize("role", MAY)
@pytest.mark.usefixtures("plain_errors")
def test_what_a_role_may_not_is_refused_and_changes_nothing(app, browser, sample, stored, role):
    restaurant, ids = sample
    browser.signs_in(restaurant.hires(role))
    before, refused = stored(), 0
    for guard, method, path in guarded(app, ids):
        if guard in MAY[role] or guard == "signed in":
            continue
        answer = call(browser, method, path)
        assert answer.status_code == (404 if guard == "operator" else 403), (role, method, path)
        refused += 1
    assert refused >= 7
    assert stored() == before


@pytest.mark.parametrize("role", MAY)
def test_what_a_role_may_is_shown_and_leads_to_nothing_refused(app, browser, sample, role):
    """Every page a role may open, and every link on it, works for that role."""
    restaurant, ids = sample
    browser.signs_in(restaurant.hires(role))
    opened, links = set(), set()
    for guard, method, path in guarded(app, ids):
        if guard in MAY[role] and method == "GET":
            expected = NOT_THERE.get(path.rpartition("/")[2], {200, 302})
            if path.startswith(("/phones/", "/settings/data/exports/")):
                expected = {404}  # the sample line is a real one, and the export is not finished
            answer = browser.get(path)
            assert answer.status_code in expected, (role, path)
            if answer.status_code in (200, 302):
                opened.add(path)
            links |= set(re.findall(r'href="(/[^"#]*)', answer.data.decode(errors="replace")))
    for link in sorted({link.replace("&amp;", "&") for link in links} - opened):
        if not link.startswith("/static"):
            assert browser.get(link).status_code in (200, 302), (role, link)


@pytest.mark.parametrize("role", ["owner", "admin"])
def test_who_manages_is_not_refused(app, browser, restaurant, ids, role):
    browser.signs_in(restaurant.hires(role))
    changing = [row for row in guarded(app, ids) if row[0] in MAY[role] and row[1] == "POST"]
    assert len(changing) >= 16
    journey = f"/journeys/{ids['journey_id']}/remove"
    changing.sort(key=lambda row: row[2] == journey)  # last: its steps are removed with it
    for _, method, path in changing:
        if path.endswith(f"/{ids['contact_id']}/remove"):
            continue  # a removed contact could not be erased afterwards
        if path.startswith("/notifications/"):
            continue  # the device belongs to another member
        status = call(browser, method, path).status_code
        assert status in DONE_OR_REFUSED_FOR_ANOTHER_REASON, (role, path, status)


def test_no_membership_means_no_page(app, browser, sample):
    browser.signs_in(make_person())
    for guard, method, path in guarded(app, sample[1]):
        if guard in RIGHTS:
            assert call(browser, method, path).location == "/choose", (method, path)


def test_a_changed_role_counts_at_once(app, browser, restaurant):
    person = restaurant.hires("admin")
    browser.signs_in(person)
    assert browser.get("/audit").status_code == 200
    with restaurant.scope():
        team.change_role(team.find_by_person(person.id).id, "waiter", "owner")
    assert browser.get("/audit").status_code == 403


def test_a_role_in_one_business_is_none_in_another(app, browser, restaurant, shop):
    with restaurant.scope():
        team.add_member(shop.owner, "waiter")
    browser.signs_in(shop.owner)
    browser.post("/switch", tenant_id=restaurant.tenant_id)
    assert browser.get("/team").status_code == 403
    browser.post("/switch", tenant_id=shop.tenant_id)
    assert browser.get("/team").status_code == 200


def test_a_stranger_with_a_good_token_is_sent_to_sign_in(app, sample):
    browser = Browser(app.test_client())
    browser.get("/signin")
    for _, method, path in guarded(app, sample[1]):
        answer = call(browser, method, path)
        assert answer.status_code == 302, (method, path)
        assert answer.location.startswith("/signin"), (method, path)
