"""A test key changes no live row and shows no live message.

Routes require a live key by default; the exceptions are listed here with a reason.
"""

from datetime import timedelta
from decimal import Decimal

import pytest
from psycopg2 import sql

from core.clock import now
from core.http import Policy
from messaging.costs.usage import UsageTally
from messaging.lines.drivers.base import InboundMessage
from messaging.lines.simulated_line import add_simulated_line
from messaging.messages import accept as message_accept
from messaging.messages.accept import MessageDraft
from messaging.messages.receive import receive_message
from messaging.models import Line
from restaurant.menus import availability
from restaurant.menus.pricing import PricedItem as OrderedLine
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.payments import links as payment_links
from tenants.plans.catalog import current_tenant_facts
from tests.architecture.tenancy.schema_rules import owned_tables
from tests.sample_tenant import MARKER, make_sample_tenant
from webhooks import endpoints
from webhooks.delivery import fanout
from webhooks.endpoints import EndpointFields

OWN = "rows of test mode alone"
CONFIGURATION = "configuration without personal data"
OPEN_TO_TEST_KEYS = {
    "v1.me": "the key's own account",
    **dict.fromkeys(
        ("v1.send", "v1.send_media", "v1.send_location"), "leaves sent from the test line"
    ),
    **dict.fromkeys(("v1.send_template", "v1.send_message"), "leaves sent from the test line"),
    **dict.fromkeys(
        ("v1.send_in_conversation", "v1.send_to_contact"), "leaves sent from the test line"
    ),
    "v1.check_template": "stores nothing",
    "v1.preview_message": "stores nothing; it shows what the test line would send",
    **dict.fromkeys(("v1.upload_media", "v1.read_media"), OWN),
    **dict.fromkeys(("v1.list_messages", "v1.read", "v1.timeline", "v1.cancel"), OWN),
    **dict.fromkeys(("v1.list_conversations", "v1.read_conversation"), OWN),
    **dict.fromkeys(("v1.change_conversation", "v1.list_conversation_messages"), OWN),
    "v1.mark_conversation_read": OWN,
    **dict.fromkeys(("v1.list_orders", "v1.make_order", "v1.read_order"), OWN),
    **dict.fromkeys(("v1.order_changes", "v1.move_order", "v1.cancel_order"), OWN),
    **dict.fromkeys(("v1.list_tabs", "v1.read_tab", "v1.record_tab_payment"), OWN),
    **dict.fromkeys(("v1.move_tab", "v1.close_tab"), OWN),
    **dict.fromkeys(("v1.list_links", "v1.make_link", "v1.read_link"), OWN),
    **dict.fromkeys(("v1.cancel_link", "v1.renew_link"), OWN),
    **dict.fromkeys(("v1.order_payments", "v1.make_refund"), OWN),
    **dict.fromkeys(("v1.list_endpoints", "v1.register", "v1.read_endpoint"), OWN),
    **dict.fromkeys(("v1.change_endpoint", "v1.remove_endpoint", "v1.test_endpoint"), OWN),
    **dict.fromkeys(("v1.rotate", "v1.list_deliveries", "v1.read_delivery"), OWN),
    **dict.fromkeys(("v1.retry", "v1.replay", "v1.feed"), OWN),
    **dict.fromkeys(("v1.list_instances", "v1.read_instance"), "the test line alone"),
    **dict.fromkeys(("v1.list_templates", "v1.read_template"), "of the test line alone"),
    **dict.fromkeys(("v1.create_template", "v1.duplicate_template"), "of the test line alone"),
    **dict.fromkeys(("v1.change_template", "v1.delete_template"), "of the test line alone"),
    **dict.fromkeys(("v1.list_journeys", "v1.read_journey"), CONFIGURATION),
    "v1.start_journey_run": "starts a run on the test line",
    **dict.fromkeys(("v1.list_journey_runs", "v1.read_journey_run", "v1.stop_journey_run"), OWN),
    "v1.trigger": "acts on the test line, and makes test orders",
    **dict.fromkeys(("v1.read_clock", "v1.advance_clock", "v1.reset_clock"), OWN),
    **dict.fromkeys(("v1.list_sites", "v1.read_site", "v1.list_sold_out"), CONFIGURATION),
    **dict.fromkeys(("v1.list_stock", "v1.list_times"), CONFIGURATION),
    **dict.fromkeys(("v1.list_tables", "v1.list_stations"), CONFIGURATION),
    **dict.fromkeys(("v1.list_menus", "v1.read_menu"), CONFIGURATION),
    **dict.fromkeys(("v1.list_zones", "v1.find_zone"), CONFIGURATION),
}
SHOWS_CONFIGURATION = {
    endpoint for endpoint, why in OPEN_TO_TEST_KEYS.items() if why == CONFIGURATION
} | {"v1.me"}
# Rows that every request writes, or that count requests.
NOT_THE_BUSINESS = {"api_keys", "api_calls", "idempotency_keys", "test_clocks"}
# Each has a column for live orders and one for test orders.
COUNTS_BOTH_MODES = {"order_days"}
BODY = {
    "phone": "905321112233",
    "message": "From a test key",
    "status": "cancelled",
    "reason": "From a test key",
    "state": "closed",
    "unread": 0,
    "assigned_to": None,
    "enabled": False,
    "description": "From a test key",
    "name": "From a test key",
    "since": "2026-01-01T00:00:00Z",
    "minutes": 30,
    "tags": ["from-a-test-key"],
    "amount": 1,
    "because": "From a test key",
    "until": None,
}


@pytest.fixture
def planted(app, settings):
    """Live rows of every kind, and a test line."""
    made = make_sample_tenant(MARKER)
    with made.business.scope():
        add_simulated_line("Test line", settings.base_url, "secret", test=True)
        fanout.number_events()  # otherwise a replay of test events numbers the live ones
    return made


@pytest.fixture
def ids(planted):
    return {
        "instance_id": planted.line_id,
        "message_id": planted.message_id,
        "endpoint_id": planted.endpoint_id,
        "delivery_id": planted.delivery_id,
        "template_id": planted.template_id,
        "contact_id": planted.contact_id,
        "import_id": planted.import_id,
        "media_id": planted.media_id,
        "erasure_id": planted.erasure_id,
        "conversation_id": planted.conversation_id,
        "connection_id": planted.connection_id,
        "automation_id": planted.automation_id,
        "campaign_id": planted.campaign_id,
        "audience_id": planted.audience_id,
        "label_id": planted.label_id,
        **planted.journey,
        **planted.restaurant,
        **planted.printing,
    }


def live_rows(connection, tenant_id):
    """Every row that is not of test mode, by table."""
    found = {}
    with connection.cursor() as cursor:
        for table in owned_tables(cursor):
            if table in NOT_THE_BUSINESS:
                continue
            query = "SELECT to_jsonb(t)::text FROM {} t WHERE tenant_id = %s"
            query += " AND to_jsonb(t) ->> 'test' IS DISTINCT FROM 'true'"
            cursor.execute(sql.SQL(query).format(sql.Identifier(table)), (tenant_id,))
            found[table] = {row for (row,) in cursor.fetchall()}
    return found


def calls(app, ids, known):
    """Every v1 route with each of its methods, with the ids of live rows."""
    for rule in app.url_map.iter_rules():
        view = app.view_functions[rule.endpoint]
        if not rule.endpoint.startswith("v1.") or getattr(view, "for_partners", False):
            continue
        values = {name: ids[name] for name in rule.arguments}
        path = rule.build(values, append_unknown=False)[1]
        for method in sorted(rule.methods - {"OPTIONS", "HEAD"}):
            yield rule.endpoint, method, path + known.get(rule.endpoint, "")


def test_every_route_that_is_open_to_test_keys_is_listed_with_a_reason(app):
    open_now = {
        rule.endpoint
        for rule in app.url_map.iter_rules()
        if getattr(app.view_functions[rule.endpoint], "test_keys", False)
    }
    assert open_now == set(OPEN_TO_TEST_KEYS)


def test_a_test_key_changes_no_live_row_and_shows_no_live_message(
    app, client, planted, ids, superuser_connection
):
    bearer = {"Authorization": f"Bearer {planted.business.test_key}"}
    site = f"?site_id={ids['site_id']}"
    known = {"v1.list_zones": site, "v1.find_zone": f"{site}&latitude=41&longitude=29"}
    before = live_rows(superuser_connection, planted.tenant_id)
    assert sum(map(len, before.values())) > 50
    answered = {}
    for endpoint, method, path in calls(app, ids, known):
        body = BODY if method in ("POST", "PUT", "PATCH") else None
        if endpoint == "v1.register":
            body = {"url": "https://example.com/hook", "events": ["*"]}
        if endpoint == "v1.make_order":
            continue  # in the next test, with a body that is accepted
        _full_buckets(app)
        answer = client.open(path, method=method, json=body, headers=bearer)
        text = answer.get_data(as_text=True)
        answered[endpoint, method] = answer.status_code
        if endpoint not in OPEN_TO_TEST_KEYS:
            assert answer.status_code == 403, (method, path, answer.status_code)
            assert answer.json["code"] == "live_key_required", (method, path)
        elif endpoint not in SHOWS_CONFIGURATION:
            assert MARKER.lower() not in text.lower(), (method, path, text)
        for secret in ("text", "answer", "guest", "contact", "courier", "payer", "note"):
            assert f"{MARKER} {secret}".lower() not in text.lower(), (method, path, text)
    after = live_rows(superuser_connection, planted.tenant_id)
    for table, rows in before.items():
        assert not rows - after[table], f"{table}: a test key changed or removed a live row"
    for table in ("messages", "orders", "payment_links", "payments", "refunds", "endpoints"):
        assert after[table] == before[table], f"{table}: a test key added a live row"
    for name in ("messages", "order", "link", "conversation", "endpoint"):
        assert any(name in endpoint for endpoint, _ in answered)
    assert answered["v1.send", "POST"] == 202 or answered["v1.send", "POST"] == 200
    for endpoint in ("read", "read_order", "read_link", "read_endpoint", "read_conversation"):
        assert answered[f"v1.{endpoint}", "GET"] == 404, endpoint
    for endpoint in ("cancel", "cancel_order", "move_order", "make_refund", "cancel_link"):
        assert answered[f"v1.{endpoint}", "POST"] == 404, endpoint


def _full_buckets(app):
    """There are more routes than requests in a burst."""
    from core.redis.client import redis_client

    for name in redis_client().scan_iter("bucket:*"):
        redis_client().delete(name)


@pytest.fixture
def test_mode(planted):
    """Rows of test mode beside the live ones."""
    with planted.business.scope():
        endpoint = endpoints.register(
            EndpointFields("https://example.com/test", ["*"], "Test"), Policy(), test=True
        )
    with planted.business.scope():
        line = next(one for one in _lines(planted) if one.test)
        draft = MessageDraft(
            kind="text",
            phone="905321112244",
            text="Merhaba",
            scheduled_at=now() + timedelta(hours=1),
        )
        ticket = message_accept.accept_message(draft, line, current_tenant_facts())
        tally = UsageTally()
        said = InboundMessage(
            network_id=f"wamid.test.{planted.tenant_id}",
            sender_phone="905321112244",
            sender_network_id="",
            sender_name="Ada",
            at=int(now().timestamp()),
            kind="text",
            text="Selam",
        )
        receive_message(line, said, tally)
        tally.write()
        order = order_lifecycle.create_order(
            planted.site,
            order_lifecycle.OrderDraft(
                order_type="takeaway",
                payment_method="cash",
                items=[OrderedLine("", "Soup", "", 1, Decimal(5), Decimal(0), ("kitchen",))],
                sums={"subtotal": "5", "total": "5"},
                total=Decimal(5),
                language="tr",
                source="api",
                test=True,
            ),
        )
        link = payment_links.create_standalone(
            planted.site, "9", "Deposit", source="api", test=True
        )
    return {
        "message": ticket.id,
        "order": order.number,
        "link": link.id,
        "endpoint": endpoint.id,
    }


def _lines(planted):
    from core.db import db

    return db.session.query(Line).filter(Line.tenant_id == planted.tenant_id).all()


def test_what_a_test_key_does_with_its_own_rows_changes_no_live_row(
    app, client, planted, ids, test_mode, superuser_connection
):
    """The guest, the table and the dish are those of live orders."""
    bearer = {"Authorization": f"Bearer {planted.business.test_key}", "Prefer": "respond-async"}
    guest = "905321112233"

    def call(path, body=None, method="POST"):
        _full_buckets(app)
        answer = client.open(f"/api/v1{path}", method=method, json=body or {}, headers=bearer)
        assert answer.status_code < 300, (path, answer.status_code, answer.get_json(silent=True))
        return answer.json

    with planted.business.scope():
        availability.mark_available(planted.site, ids["item_id"])
    before = live_rows(superuser_connection, planted.tenant_id)
    call("/messages/send", {"phone": guest, "message": "Hello", "reference": "M-1"})
    order = {
        "site_id": ids["site_id"],
        "order_type": "takeaway",
        "payment_method": "cash",
        "customer": {"phone": f"+{guest}", "name": "Somebody else"},
        "items": [{"item_id": ids["item_id"], "quantity": 2}],
    }
    number = call("/orders", order)["order_id"]
    for status in ("preparing", "ready", "closed"):
        call(f"/orders/{number}/status", {"status": status})
    call(f"/orders/{call('/orders', order)['order_id']}/cancel", {"reason": "Test"})
    link = call("/payment-links", {"site_id": ids["site_id"], "amount": 5, "description": "Test"})
    call(f"/payment-links/{link['id']}/cancel")
    call(f"/payment-links/{link['id']}/renew")
    endpoint = test_mode["endpoint"]
    call(f"/webhooks/{endpoint}", {"description": "Test"}, "PATCH")
    call(f"/webhooks/{endpoint}", method="DELETE")
    after = live_rows(superuser_connection, planted.tenant_id)
    for table, rows in before.items():
        if table not in COUNTS_BOTH_MODES:
            assert not rows - after[table], f"{table}: a test key changed or removed a live row"
    for table in ("messages", "orders", "payment_links", "loyalty_coupons", "loyalty_entries"):
        assert after[table] == before[table], f"{table}: a test key added a live row"


def test_a_test_key_finds_the_rows_of_test_mode_and_only_those(client, planted, test_mode):
    bearer = {"Authorization": f"Bearer {planted.business.test_key}"}

    def get(path):
        answer = client.get(f"/api/v1{path}", headers=bearer)
        assert answer.status_code == 200, (path, answer.json)
        return answer.json

    assert test_mode["message"] in {one["id"] for one in get("/messages")["data"]}
    assert all(one["test"] for one in get("/messages")["data"])
    assert get(f"/messages/{test_mode['message']}")["text"] == "Merhaba"
    assert get(f"/messages/{test_mode['message']}/timeline")["data"]
    assert [one["order_id"] for one in get("/orders")["data"]] == [test_mode["order"]]
    assert [one["id"] for one in get("/payment-links")["data"]] == [test_mode["link"]]
    assert [one["id"] for one in get("/webhooks")["data"]] == [test_mode["endpoint"]]
    (talk,) = get("/conversations?view=all")["data"]
    assert talk["last_message"]["text"] == "Selam"
    assert all(one["test"] for one in get("/instances")["data"])
    kinds = {one["event"] for one in get("/events")["data"]}
    assert kinds == {"messages.upsert", "restaurant.order_created"}
    for path, body in (
        (f"/messages/{test_mode['message']}/cancel", {}),
        (f"/orders/{test_mode['order']}/cancel", {"reason": "Test"}),
        (f"/payment-links/{test_mode['link']}/cancel", {}),
    ):
        assert client.post(f"/api/v1{path}", json=body, headers=bearer).status_code == 200, path


def test_a_test_endpoint_gets_the_events_of_test_mode_and_no_others(client, planted, test_mode):
    """The endpoints of live keys still get all of them."""
    with planted.business.scope():
        from webhooks import queries as webhook_queries
        from webhooks.delivery import fanout

        fanout.number_events()
        mine = webhook_queries.list_deliveries(
            webhook_queries.DeliveryFilters(endpoint_id=test_mode["endpoint"]), None, 50
        )
        others = webhook_queries.list_deliveries(
            webhook_queries.DeliveryFilters(endpoint_id=planted.endpoint_id), None, 200
        )
    assert {one.type for one in mine} == {"messages.upsert", "restaurant.order_created"}
    assert {one.event_id for one in mine} <= {one.event_id for one in others}
    assert len(others) > len(mine)


def test_the_portal_marks_endpoints_and_payment_links_of_test_mode(browser, planted, test_mode):
    browser.signs_in(planted.business.owner)
    for path in (
        "/webhooks",
        f"/webhooks/{test_mode['endpoint']}",
        "/payments",
        f"/payments/links/{test_mode['link']}",
    ):
        answer = browser.get(path)
        assert answer.status_code == 200, path
        assert ">Test</span>" in answer.get_data(as_text=True), path
