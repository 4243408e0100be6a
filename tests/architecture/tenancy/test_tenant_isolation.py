"""Two tenants, every route, every method: nothing of the other tenant is shown or changed."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from flask.testing import FlaskClient
from flask.wrappers import Response

from tests.error_pages import error_pages_drawn_once
from tests.factories import Browser, unique_email
from tests.sample_tenant import MARKER, make_sample_tenant, rows_of

METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
# Allowed responses for another tenant's record. Redirects are checked below.
NOT_YOURS = {302, 400, 401, 403, 404, 405, 415, 422}
# Operators see all tenants, the development mailbox shows all e-mails to everybody, and menus are
# public.
SEEN_BY_DESIGN = {"mailbox.index", "mailbox.show", "diner.menu", "diner.place"}
# Public pages that read nothing by the id in their URL: the same response for every id.
SAME_FOR_EVERY_ID = {"phones.order"}
SIGNS_OUT = {"start.signout"}


@pytest.fixture(scope="module")
def theirs(app):
    """One for all tests, because they check that it stays as it is."""
    with app.app_context():
        return make_sample_tenant(MARKER)


@pytest.fixture(scope="module")
def ids(theirs):
    """The other tenant's id for every URL argument. A new argument must be added here."""
    return {
        "key_id": theirs.business.key_id,
        "member_id": theirs.member_id,
        "invitation_id": theirs.invitation_id,
        "session_id": theirs.session_id,
        "line_id": theirs.line_id,
        "instance_id": theirs.line_id,
        "message_id": theirs.message_id,
        "call_id": theirs.call_id,
        "endpoint_id": theirs.endpoint_id,
        "delivery_id": theirs.delivery_id,
        "hook_id": theirs.hook_id,
        "template_id": theirs.template_id,
        "country": "TR",
        "code": "BCDF2345",
        "name": "comanda-print-agent-linux",
        "contact_id": theirs.contact_id,
        "note_id": theirs.note_id,
        "field_id": theirs.field_id,
        "import_id": theirs.import_id,
        "media_id": theirs.media_id,
        "erasure_id": theirs.erasure_id,
        "conversation_id": theirs.conversation_id,
        "reply_id": theirs.reply_id,
        "label_id": theirs.label_id,
        "scheduled_id": theirs.scheduled_id,
        "device_id": theirs.device_id,
        "key": f"{theirs.tenant_id}/{'0' * 32}.webp",
        **theirs.restaurant,
        **theirs.printing,
        **theirs.account,
        **theirs.journey,
        "step_id": "tag",
        "connection_id": theirs.connection_id,
        "automation_id": theirs.automation_id,
        "grant_id": theirs.grant_id,
        "resource": "mcp",
        "campaign_id": theirs.campaign_id,
        "audience_id": theirs.audience_id,
        "recipe": "order_confirmation",
        "kind": "store",
        "provider": "stripe",
        "tenant_id": theirs.tenant_id,
        "mail_id": theirs.mail_id,
        "partner_id": "ptn_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z",
        "job_id": "no-such-job",
        "token": "no-such-token",
        "filename": "theme.css",
        "group": "messages",
        "guide": "quick-start",
        "picture": "no-such-picture.png",
    }


@pytest.fixture
def stored(superuser_connection, theirs):
    def look():
        with superuser_connection.cursor() as cursor:
            rows = rows_of(cursor, theirs.tenant_id)
            cursor.execute(
                "SELECT to_jsonb(t) FROM tenants t WHERE id = %s UNION ALL"
                " SELECT to_jsonb(s) FROM sign_ins s JOIN people p ON p.id = s.person_id"
                " WHERE p.name LIKE %s UNION ALL"
                " SELECT to_jsonb(p) FROM people p WHERE p.name LIKE %s",
                (theirs.tenant_id, f"{MARKER}%", f"{MARKER}%"),
            )
            return rows, sorted(map(str, cursor.fetchall()))

    return look


def paths(app, ids):
    """Every rule with the other tenant's ids in it."""
    for rule in app.url_map.iter_rules():
        unknown = rule.arguments - set(ids)
        assert not unknown, f"{rule} takes {unknown}: name the other tenant's here"
        values = {name: ids[name] for name in rule.arguments}
        yield rule, rule.build(values, append_unknown=False)[1]


def is_api(rule):
    return rule.endpoint.startswith("v1.")


def is_agents(rule):
    """An endpoint for print agents: it checks their token first."""
    return rule.endpoint.startswith("print_agents.")


def walk(app, ids, call):
    """Call every route with its methods and one that is not allowed; returns the responses."""
    with error_pages_drawn_once():
        return list(_answers(app, ids, call))


def _answers(app, ids, call):
    for number, (rule, path) in enumerate(paths(app, ids)):
        if rule.endpoint in SIGNS_OUT:
            continue
        others = [method for method in METHODS if method not in rule.methods]
        for method in [*rule.methods & set(METHODS), others[number % len(others)]]:
            answer = call(method, path)
            # As bytes: decoding downloads takes longer than searching them.
            shown = answer.get_data().lower() + str(answer.headers).lower().encode()
            if rule.endpoint not in SEEN_BY_DESIGN:
                assert MARKER.lower().encode() not in shown, (method, path)
            yield rule, method, path, answer.status_code


def refused(answers):
    """Routes that name a record of the other tenant never answer with 2xx."""
    theirs = {
        "key_id",
        "member_id",
        "invitation_id",
        "line_id",
        "instance_id",
        "message_id",
        "call_id",
        "endpoint_id",
        "delivery_id",
        "hook_id",
        "template_id",
        "contact_id",
        "field_id",
        "import_id",
        "media_id",
        "erasure_id",
        "conversation_id",
        "reply_id",
        "label_id",
        "scheduled_id",
        "device_id",
        "journey_id",
        "run_id",
        "connection_id",
        "automation_id",
        "campaign_id",
        "audience_id",
        "site_id",
        "menu_id",
        "table_id",
        "area_id",
        "category_id",
        "item_id",
        "group_id",
        "rule_id",
        "grant_id",
        "tab_id",
        "order_id",
        "printer_id",
        "agent_id",
        "code_id",
        "print_job_id",
        "zone_id",
        "courier_id",
        "reward_id",
        "coupon_id",
        "link_id",
        "payment_id",
        "signal_id",
        "account_id",
        "tenant_id",
    }
    checked = 0
    for rule, method, path, status in answers:
        if rule.endpoint in SAME_FOR_EVERY_ID:
            continue
        if rule.arguments & theirs and method != "OPTIONS":
            assert status in NOT_YOURS, (method, path, status)
            if status == 302:
                continue
            checked += 1
    assert checked > 20


def as_machine(app, business):
    client = app.test_client()

    def call(method, path):
        body = {} if method in ("POST", "PUT", "PATCH") else None
        return client.open(path, method=method, json=body, headers=business.bearer)

    return call


def as_browser(app, person):
    """Signed in, with a valid form token and the fields that a form would have."""
    browser = Browser(app.test_client()).signs_in(person)
    fields = {
        "role": "owner",
        "name": "Taken over",
        "scopes": "orders",
        "overlap": "now",
        "because": "spite",
        "plan": "growth",
        "email": "thief@example.com",
        "password": "a long new password",
        "phone": "905329998877",
        "text": "Taken over",
        "per_second": "1",
        "token": "taken-over",
        "on": "no",
        "url": "https://thief.example.com/",
        "events": "*",
        "since": "2026-01-01T00:00",
        "tags": "taken",
        "consent_source": "taken over",
        "act": "block",
        "kind": "text",
        "to": "preparing",
        "until": "20m",
        "quantity": "1",
        "position": "1",
    }

    def call(method, path):
        if method == "GET":
            return browser.get(path)
        data = {"csrf_token": browser.token, **fields} if method in ("POST", "PUT") else None
        return browser.client.open(path, method=method, data=data)

    return call


def test_a_key_reaches_nothing_of_another_tenant(app, restaurant, theirs, ids, stored):
    before = stored()
    answers = walk(app, ids, as_machine(app, restaurant))
    assert {method for _, method, _, _ in answers} == set(METHODS)
    assert 200 in [status for rule, m, _, status in answers if is_api(rule) and m == "GET"]
    assert stored() == before


@pytest.mark.parametrize("role", ["owner", "viewer"])
def test_a_member_reaches_nothing_of_another_tenant(app, restaurant, ids, stored, role):
    person = restaurant.owner if role == "owner" else restaurant.hires(role)
    call = as_browser(app, person)
    before = stored()
    answers = walk(app, ids, call)
    refused(answers)
    expected = 404 if role == "owner" else 403  # not 400, as for an expired form token
    posted = [s for r, m, _, s in answers if m == "POST" and "POST" in r.methods and mine(r)]
    assert len(posted) >= 14
    assert set(posted) == {expected}
    assert stored() == before


def mine(rule):
    """A page about a tenant's own records, for its members."""
    if rule.endpoint.startswith("operator.") or rule.endpoint == "journeys.play":
        return False  # playing a journey changes nothing and is open to every role
    theirs = {"key_id", "member_id", "invitation_id", "line_id", "instance_id", "message_id"}
    theirs |= {"endpoint_id", "delivery_id"}
    theirs |= {"hook_id", "template_id"}
    theirs |= {"contact_id", "field_id", "import_id", "erasure_id"}
    theirs |= {"campaign_id", "audience_id"}
    theirs |= {"connection_id", "automation_id", "conversation_id", "reply_id", "grant_id"}
    theirs |= {"label_id", "scheduled_id", "journey_id", "run_id"}
    theirs |= {"site_id", "table_id", "area_id", "menu_id", "category_id", "item_id", "group_id"}
    theirs |= {"printer_id", "code_id", "print_job_id"}
    return bool(rule.arguments & theirs) and not is_api(rule) and not is_agents(rule)


def test_a_stranger_reaches_nothing(app, ids, stored):
    client = app.test_client()
    before = stored()
    answers = walk(app, ids, lambda method, path: client.open(path, method=method))
    refused(answers)
    assert stored() == before


def test_an_owner_gets_404_for_another_tenants_things(app, restaurant, ids, stored):
    """The usual response: another tenant's record does not exist."""
    call = as_browser(app, restaurant.owner)
    before = stored()
    for method, path in (
        ("GET", "/integrations/keys/{key_id}"),
        ("POST", "/integrations/keys/{key_id}"),
        ("POST", "/integrations/keys/{key_id}/rotate"),
        ("GET", "/integrations/keys/{key_id}/revoke"),
        ("POST", "/integrations/keys/{key_id}/revoke"),
        ("GET", "/team/{member_id}"),
        ("POST", "/team/{member_id}/role"),
        ("POST", "/team/{member_id}/remove"),
        ("POST", "/team/invitations/{invitation_id}/resend"),
        ("GET", "/team/invitations/{invitation_id}/withdraw"),
        ("POST", "/team/invitations/{invitation_id}/withdraw"),
        ("GET", "/lines/{line_id}"),
        ("POST", "/lines/{line_id}"),
        ("POST", "/lines/{line_id}/check"),
        ("POST", "/lines/{line_id}/access"),
        ("POST", "/lines/{line_id}/default"),
        ("POST", "/lines/{line_id}/enabled"),
        ("POST", "/lines/{line_id}/message"),
        ("GET", "/lines/{line_id}/resume"),
        ("POST", "/lines/{line_id}/resume"),
        ("GET", "/lines/{line_id}/remove"),
        ("POST", "/lines/{line_id}/remove"),
        ("GET", "/integrations/requests/{call_id}"),
        ("GET", "/messages/{message_id}"),
        ("GET", "/messages/{message_id}/cancel"),
        ("POST", "/messages/{message_id}/cancel"),
        ("GET", "/messages/{message_id}/picture"),
        ("GET", "/messages/{message_id}/file"),
        ("GET", "/templates/{template_id}"),
        ("POST", "/templates/{template_id}/send"),
        ("GET", "/received/{hook_id}"),
        ("POST", "/received/{hook_id}/run"),
        ("GET", "/operator/rates/TR"),
        ("GET", "/contacts/{contact_id}"),
        ("GET", "/contacts/{contact_id}/edit"),
        ("POST", "/contacts/{contact_id}/edit"),
        ("POST", "/contacts/{contact_id}/notes"),
        ("POST", "/contacts/{contact_id}/notes/{note_id}/remove"),
        ("POST", "/contacts/{contact_id}/tags"),
        ("POST", "/contacts/{contact_id}/phones"),
        ("POST", "/contacts/{contact_id}/identities/remove"),
        ("POST", "/contacts/{contact_id}/consent"),
        ("POST", "/contacts/{contact_id}/wish"),
        ("POST", "/contacts/{contact_id}/message"),
        ("POST", "/contacts/{contact_id}/duplicates/dismiss"),
        ("GET", "/contacts/{contact_id}/merge"),
        ("POST", "/contacts/{contact_id}/merge"),
        ("POST", "/contacts/{contact_id}/remove"),
        ("POST", "/contacts/{contact_id}/erase"),
        ("GET", "/contacts/erasures/{erasure_id}"),
        ("GET", "/contacts/fields/{field_id}"),
        ("POST", "/contacts/fields/{field_id}/remove"),
        ("GET", "/contacts/import/{import_id}"),
        ("POST", "/contacts/import/{import_id}"),
        ("POST", "/contacts/import/{import_id}/read"),
        ("POST", "/contacts/import/{import_id}/start"),
        ("POST", "/contacts/import/{import_id}/cancel"),
        ("GET", "/contacts/import/{import_id}/rejects.csv"),
        ("GET", "/restaurants/{site_id}"),
        ("POST", "/restaurants/{site_id}"),
        ("POST", "/restaurants/{site_id}/pause"),
        ("POST", "/restaurants/{site_id}/stations"),
        ("POST", "/restaurants/{site_id}/close"),
        ("GET", "/restaurants/{site_id}/tables"),
        ("POST", "/restaurants/{site_id}/tables"),
        ("GET", "/restaurants/{site_id}/tables.pdf"),
        ("GET", "/restaurants/tables/{table_id}"),
        ("POST", "/restaurants/tables/{table_id}"),
        ("GET", "/restaurants/areas/{area_id}"),
        ("POST", "/restaurants/areas/{area_id}"),
        ("GET", "/restaurants/tables/{table_id}/code.svg"),
        ("GET", "/restaurants/tables/{table_id}/code.png"),
        ("POST", "/restaurants/tables/{table_id}/rotate"),
        ("POST", "/restaurants/tables/{table_id}/remove"),
        ("GET", "/restaurants/{site_id}/sold-out"),
        ("POST", "/restaurants/{site_id}/sold-out"),
        ("GET", "/menus/{menu_id}"),
        ("POST", "/menus/{menu_id}/rename"),
        ("POST", "/menus/{menu_id}/order"),
        ("POST", "/menus/{menu_id}/publish"),
        ("GET", "/menus/{menu_id}/preview"),
        ("POST", "/menus/{menu_id}/import"),
        ("GET", "/menus/{menu_id}/import/sample.csv"),
        ("GET", "/menus/{menu_id}/import/sample.xlsx"),
        ("POST", "/menus/{menu_id}/items/new"),
        ("POST", "/menus/items/{item_id}"),
        ("POST", "/menus/items/{item_id}/hidden"),
        ("POST", "/menus/items/{item_id}/remove"),
        ("POST", "/menus/categories/{category_id}"),
        ("POST", "/menus/categories/{category_id}/remove"),
        ("POST", "/menus/groups/{group_id}"),
        ("POST", "/menus/groups/{group_id}/remove"),
        ("GET", "/operator/tenants/{tenant_id}"),
        ("POST", "/operator/tenants/{tenant_id}/suspend"),
        ("POST", "/operator/tenants/{tenant_id}/limits"),
    ):
        answer = call(method, path.format(**ids))
        assert answer.status_code == 404, (method, path)
    assert stored() == before


def test_the_walk_would_see_a_leak(app, theirs, ids):
    """The same walk as the other tenant's own owner finds the marker at once."""
    with pytest.raises(AssertionError):
        walk(app, ids, as_browser(app, theirs.business.owner))


def test_nobody_switches_into_a_tenant_they_do_not_belong_to(browser, restaurant, theirs):
    browser.signs_in(restaurant.owner)
    browser.post("/switch", tenant_id=theirs.tenant_id)
    assert MARKER not in browser.get("/home").get_data(as_text=True)
    assert "Lokanta Mavi" in browser.get("/home").get_data(as_text=True)


@pytest.mark.parametrize("number", [0, 2**63, 10**30])
def test_a_tenant_number_out_of_all_range_is_simply_not_there(app, number):
    from core.db import global_scope
    from tenants import people
    from tests.factories import make_person

    person = make_person("An operator")
    with global_scope():
        people.get(person.id).operator = True
    call = as_browser(app, person)
    assert call("GET", f"/operator/tenants/{number}").status_code == 404
    assert call("GET", f"/operator/?after={number}").status_code in (200, 404)
    assert call("GET", f"/operator/?q={number}").status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/audit?who=%00",
        "/audit?after=x",
        "/audit.csv?who=%00",
        "/messages?phone=%00&reference=%00",
        "/integrations/requests?id=%00&outcome=x&key=%00&call=%00",
        "/integrations/requests?after=x",
        "/messages?after=x",
        "/templates?q=%00&state=x&after=x",
        "/templates/x",
        "/received?kind=%00&target=%00&state=x",
        "/received?after=x",
        "/received/x",
        "/media/x",
        "/messages?line=99999999999999999999&state=x&direction=x",
        "/messages/%00",
        "/lines/99999999999999999999",
        "/lines/2147483647",
        "/contacts?q=%00&tag=%00&mark=x&since=x&sort=x&language=%00",
        "/contacts?q=%25_%5C&tag=%25",
        "/contacts/%00",
        "/contacts/import/x",
        "/contacts/erasures/x",
        "/contacts/fields/x",
    ],
)
def test_odd_words_in_an_address_break_nothing(browser, restaurant, path):
    browser.signs_in(restaurant.owner)
    assert browser.get(path).status_code in (200, 404)


def test_a_thread_forgets_who_was_there_before(app, theirs, superuser_connection):
    """Servers handle many requests on one thread; a request must not inherit from the last one."""

    def two_requests():
        client = FlaskClient(app, Response)
        assert client.get("/api/v1/me", headers=theirs.business.bearer).status_code == 200
        browser = Browser(client)
        fields = {"name": "Eve", "email": unique_email(), "password": "a fine password"}
        assert browser.post("/signup", business="Next in line", **fields).status_code == 200

    # Like a server's thread: without the context of a test.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(two_requests).result()
    with superuser_connection.cursor() as cursor:
        cursor.execute(
            "SELECT a.actor_kind, a.actor_name FROM audit_entries a JOIN tenants t"
            " ON t.id = a.tenant_id WHERE t.name = 'Next in line'"
        )
        assert set(cursor.fetchall()) == {("system", "Comanda")}
