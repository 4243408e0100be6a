"""One registry entry adds an adapter: a toy of each family works end to end."""

import json
from decimal import Decimal

import pytest

from core.adapters import SetupStep
from core.clock import now
from core.db import db, global_scope
from core.http import Reply
from core.http.async_client import Client
from core.settings import Settings
from jobs.inbound import hooks as hooks_job
from messaging.automations import connections as store_connections
from messaging.automations import store_events
from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import LineDriver, SendAccepted
from messaging.lines.drivers.registry import DRIVERS
from messaging.messages import accept as message_accept
from messaging.messages.accept import MessageDraft
from messaging.messages.content import public_content
from messaging.messages.kinds.base import MessageKind
from messaging.messages.kinds.registry import MESSAGE_KINDS
from messaging.models import Message
from printing import printers, render_jobs, utility_tickets
from printing.connections import pull_printers
from printing.connections.base import Connection
from printing.connections.registry import CONNECTIONS
from printing.rendering.encoders.base import PrinterLanguage
from printing.rendering.encoders.registry import LANGUAGES
from restaurant.payments import accounts as payment_accounts
from restaurant.payments import link_queries, payments, provider_events
from restaurant.payments import links as payment_links
from restaurant.payments.gateways.base import (
    AccountCheck,
    CreatedLink,
    GatewayEvent,
    KeyField,
    LinkStatus,
    RefundResult,
)
from restaurant.payments.gateways.registry import GATEWAYS
from tenants.plans.catalog import current_tenant_facts
from tests.factories import Browser
from tests.line_factory import make_line
from tests.restaurant.bistro import open_bistro
from tests.restaurant.fake_provider import Till
from webhooks.stores.base import ParsedEvent, ParseResult, PhoneHint, Platform, body_hash
from webhooks.stores.registry import PLATFORMS


class ToyGateway:
    """A gateway whose links are paid as soon as they are open."""

    title = "Toy bank"
    summary = "Pays at once."
    suggested_name = "Toy"
    key_fields = (KeyField("key", "Toy key", missing="The toy key is missing."),)
    setup_steps = (SetupStep("Ask the toy."),)
    needs_hook_secret = False
    play_money = False
    once = True
    status_poll_seconds = 60

    def __init__(self) -> None:
        self.links: dict[str, LinkStatus] = {}

    def is_offered(self, _settings: Settings) -> bool:
        return True

    def base_url(self, _settings: Settings, _key: str) -> str:
        return "https://toy.example"

    def operator_secret(self, _settings: Settings) -> str:
        return ""

    def new_hook_secret(self) -> None:
        return None

    def check(self, desk):
        return AccountCheck("toy owner", desk.base_url, live=True)

    def create_link(self, desk, asking):
        ref = f"toy-{asking.reference}"
        self.links[ref] = LinkStatus(
            "paid",
            reference=asking.reference,
            payment=f"pay-{asking.reference}",
            amount=asking.amount,
            currency=asking.currency,
            owner="toy owner",
            live=True,
            paid_at=now(),
        )
        return CreatedLink(f"{desk.base_url}/{ref}", ref)

    def close(self, _desk, _ref):
        return None

    def verify(self, _desk, _headers, raw):
        return self.read(raw)

    def read(self, raw):
        body = json.loads(raw)
        return GatewayEvent(key=body["id"], kind="paid", event="toy.paid", session=body["link"])

    def fetch(self, _desk, ref, _reference, _payment=""):
        return self.links[ref]

    def refund(self, _desk, payment, _amount, _currency, _key, _reason):
        return RefundResult(f"back-{payment}")


@pytest.fixture
def owner(app, restaurant):
    return Browser(app.test_client()).signs_in(restaurant.owner)


def page(browser, path: str) -> str:
    return browser.get(path).get_data(as_text=True)


def test_a_toy_payment_gateway_takes_a_payment(restaurant, owner, monkeypatch):
    toy = ToyGateway()
    monkeypatch.setitem(GATEWAYS, "toy", toy)
    bistro = open_bistro(restaurant)
    offer = page(owner, "/payments/providers")
    assert "Toy bank" in offer
    assert "Pays at once." in offer
    form = {"provider": "toy", "name": "Toy till", "link_minutes": "60"}
    refused = owner.post("/payments/providers/new", **form)
    assert "The toy key is missing." in refused.get_data(as_text=True)
    made = owner.post("/payments/providers/new", follow=True, key="toy_1", **form)
    assert "Ask the toy." in made.get_data(as_text=True)

    with bistro.scope():
        (account,) = payment_accounts.listed()
        assert (account.owner, payment_accounts.is_ready(account)) == ("toy owner", True)
        link = payment_links.create_standalone(bistro.site(), "25.00", "Deposit", source="staff")
    till = Till(bistro, toy, account.id)
    till.works()
    (ref,) = toy.links
    told = json.dumps({"id": "toy-event", "link": ref}).encode()
    with bistro.scope():
        provider_events.receive_event(account.id, told, signed=True, hook_id=None)
    till.works()
    with bistro.scope():
        (paid,) = payments.listed(None, None, 10)
        assert (paid.amount, paid.ref) == (Decimal("25.00"), f"pay-{link.reference}")
        assert link_queries.by_reference(link.reference).state == "paid"


TOY_STORE = Platform(
    title="Toy store",
    summary="Sells toys.",
    setup_steps=(SetupStep("Wind it up", "Turn the key.", url_label="Toy address"),),
    verify=lambda secret, headers, _body: headers.get("X-Toy") == secret,
    facts=lambda _headers: {"topic": "toys"},
    dedupe_keys=lambda _facts, body: (body_hash(body),),
    parse=lambda _facts, body: ParseResult(
        (
            ParsedEvent(
                "order.created",
                "order:1",
                "order:1",
                {"customer": {"name": "Ada"}, "order": json.loads(body)},
                (PhoneHint("0532 111 22 33", "TR", "order"),),
            ),
        )
    ),
    new_secret=lambda: "made by the toy",
)


def test_a_toy_stores_post_becomes_an_event(restaurant, owner, monkeypatch):
    monkeypatch.setitem(PLATFORMS, "toy", TOY_STORE)
    assert "Sells toys." in page(owner, "/stores/new")
    made = owner.post("/stores/new", follow=True, kind="toy", name="Toys", country="TR")
    assert "Turn the key." in made.get_data(as_text=True)

    with restaurant.scope():
        (connection,) = store_connections.list_connections()
        assert connection.secret == "made by the toy"
        body = b'{"id": "1", "number": "#1"}'
        facts = TOY_STORE.facts({})
        keys = TOY_STORE.dedupe_keys(facts, body)
        assert store_connections.record_hook(connection.id, "toy", keys, facts, body)
        assert not store_connections.record_hook(connection.id, "toy", keys, facts, body)
    with global_scope():
        hooks_job.sweep()
    hooks_job.drain()
    with restaurant.scope():
        event = store_events.last_event(("order.created",), connection.id)
        assert (event.phone, event.data["order"]["number"]) == ("905321112233", "#1")


def test_a_toy_printer_family_renders_a_ticket(restaurant, owner, monkeypatch):
    """A language and a way to reach the printer: two registries, one entry in each."""
    toy = PrinterLanguage(
        "Toy script",
        "text/x-toy",
        lambda document, roll, _page: f"{document.title} on {roll.width_mm} mm".encode(),
    )
    reach = Connection("Toy post", "A toy fetches the tickets.", language="toy", path="toy")
    monkeypatch.setitem(LANGUAGES, "toy", toy)
    monkeypatch.setitem(CONNECTIONS, "toy", reach)
    site = open_bistro(restaurant).site_id
    assert "A toy fetches the tickets." in page(owner, "/printers/new")
    made = owner.post("/printers/new", follow=True, site=site, name="Toy printer", way="toy")
    assert "/print/toy/" in made.get_data(as_text=True)

    with restaurant.scope():
        (printer,) = printers.listed(site)
        assert printer.language == "toy"
        utility_tickets.test_ticket(printer, language="en", time_zone="UTC", site="Bistro")
        render_jobs.render_due()
        job = pull_printers.offer_job(printer, "the toy")
        fetched = pull_printers.fetch_job(printer, pull_printers.job_token(job), "the toy")
        assert fetched.media_type == "text/x-toy"
        assert fetched.data == f"{job.title} on 80 mm".encode()


def sent_message(business, line, draft, run_jobs) -> Message:
    with business.scope():
        accepted = message_accept.accept_message(draft, line, current_tenant_facts())
    run_jobs()
    with business.scope():
        return db.session.get(Message, (business.tenant_id, accepted.id))


def test_a_toy_line_driver_sends_a_message(restaurant, owner, monkeypatch, run_jobs):
    carried = []

    async def send(_client, _settings, network, facts, envelope):
        carried.append((network, facts.phone_number_id, envelope.text))
        return SendAccepted("toy-message-1")

    driver = LineDriver("Carrier pigeon", "Simulated pigeon", send)
    monkeypatch.setitem(DRIVERS, "toy", driver)
    line = make_line(restaurant)
    with restaurant.scope():
        line_repository.get(line.id).kind = "toy"
    message = sent_message(restaurant, line, MessageDraft("text", "905321112233", "Coo"), run_jobs)
    assert (message.state, message.network_id) == ("sent", "toy-message-1")
    assert carried == [("simulator", line.phone_number_id, "Coo")]
    assert "Simulated pigeon" in page(owner, "/lines")


def test_a_toy_message_kind_is_accepted_and_sent(restaurant, owner, monkeypatch, run_jobs):
    toy = MessageKind(
        "Toy wave",
        cloud_part=lambda envelope: {"arm": envelope.content["arm"]},
        public_content=dict,
    )
    monkeypatch.setitem(MESSAGE_KINDS, "wave", toy)
    requests = []

    async def request(_client, _method, _url, *, body, **_more):
        requests.append(json.loads(body))
        return Reply(200, {}, body=b'{"messages": [{"id": "wamid.toy"}]}', duration=0.0, address="")

    monkeypatch.setattr(Client, "request", request)
    draft = MessageDraft("wave", "905321112233", content={"arm": "left"})
    message = sent_message(restaurant, make_line(restaurant), draft, run_jobs)
    assert (message.state, message.network_id) == ("sent", "wamid.toy")
    (body,) = requests
    assert (body["type"], body["wave"]) == ("wave", {"arm": "left"})
    assert public_content("wave", message.content) == {"wave": {"arm": "left"}}
    assert "Toy wave" in page(owner, f"/messages/{message.id}")


def test_the_hook_routes_accept_every_registered_code(app):
    rules = {rule.endpoint: rule.rule for rule in app.url_map.iter_rules()}
    assert rules["hooks.payment"] == f"/hooks/<any({', '.join(GATEWAYS)}):provider>/<token>"
    assert rules["hooks.store"] == f"/hooks/<any({', '.join(PLATFORMS)}):kind>/<token>"
