"""A closed window: Direct Send if the account has it, else the template, else a clear refusal."""

import pytest

from messaging import refusal_reasons
from messaging.lines import direct_send
from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import SendAccepted, SendRefused
from messaging.lines.drivers.cloud.driver import payload
from messaging.lines.drivers.cloud.templates.listing import NetworkTemplate
from messaging.messages import accept as message_accept
from messaging.messages import claim as message_claim
from messaging.messages import fallback
from messaging.messages import queries as message_queries
from messaging.messages import settle as message_settle
from messaging.messages.accept import MessageDraft
from messaging.templates.repository import store_templates, template_account
from tenants.plans.catalog import current_tenant_facts
from tests.line_factory import make_line

PHONE = "905321112233"
FALLBACK = {"name": "order", "language": "en", "parameters": ["M-1"]}
CLOSED = SendRefused("window_closed", "window_closed", "131047")
BLOCKED = SendRefused("direct_send_unavailable", refusal_reasons.DIRECT_SEND_BLOCKED, "139200")


@pytest.fixture
def line(restaurant):
    made = make_line(restaurant)
    with restaurant.scope():
        components = [{"type": "BODY", "text": "Your order {{1}} is ready."}]
        found = NetworkTemplate("1", "order", "en", "utility", "approved", components=components)
        store_templates(template_account(made), [found])
        direct_send.set_direct_send(made.id, enabled=True)
        return line_repository.get(made.id)


def accept(business, line, kind="text", **content):
    with business.scope():
        draft = MessageDraft(kind=kind, phone=PHONE, text="It is ready!", content=content)
        return message_accept.accept_message(draft, line, current_tenant_facts())


def attempt(business, outcome):
    """Claim the message, give the network's answer, and return what was sent."""
    with business.scope():
        lines = {one.id: one for one in line_repository.list_lines()}
        [one] = fallback.send_as_templates(message_claim.claim_messages(10, 60.0, []), lines, 60.0)
        message_settle.settle_messages(fallback.try_fallbacks([(one, outcome)], lines))
        return payload(one.envelope)


def read(business, ticket):
    with business.scope():
        return message_queries.get(ticket.id)


def test_a_closed_window_is_answered_with_direct_send(restaurant, line):
    ticket = accept(restaurant, line)
    assert "category" not in attempt(restaurant, CLOSED)
    sent = attempt(restaurant, SendAccepted("wamid.d"))
    assert (sent["type"], sent["category"]) == ("text", "utility")
    message = read(restaurant, ticket)
    assert (message.state, message.kind, message.category) == ("sent", "text", "utility")
    with restaurant.scope():
        causes = [change.cause for change in message_queries.timeline(ticket.id)]
    assert refusal_reasons.SENT_DIRECTLY in causes


def test_direct_send_comes_before_the_template(restaurant, line):
    accept(restaurant, line, fallback=FALLBACK)
    attempt(restaurant, CLOSED)
    assert attempt(restaurant, SendAccepted("wamid.d"))["type"] == "text"


def test_a_refused_direct_send_uses_the_template_and_is_not_tried_again(restaurant, line):
    accept(restaurant, line, fallback=FALLBACK)
    attempt(restaurant, CLOSED)
    attempt(restaurant, BLOCKED)
    assert attempt(restaurant, SendAccepted("wamid.t"))["type"] == "template"
    with restaurant.scope():
        assert line_repository.get(line.id).direct_send == "blocked"
    second = accept(restaurant, line)
    attempt(restaurant, CLOSED)
    message = read(restaurant, second)
    assert (message.state, message.error_code) == ("failed", "window_closed")


def test_without_a_template_the_refusal_is_the_end(restaurant, line):
    ticket = accept(restaurant, line)
    attempt(restaurant, CLOSED)
    attempt(restaurant, BLOCKED)
    message = read(restaurant, ticket)
    assert (message.state, message.error_code) == ("failed", "direct_send_unavailable")


def test_other_kinds_are_not_sent_directly(restaurant, line):
    ticket = accept(restaurant, line, kind="location", latitude="41.0", longitude="29.0")
    attempt(restaurant, CLOSED)
    assert read(restaurant, ticket).state == "failed"


def test_a_line_without_direct_send_refuses(restaurant, line):
    with restaurant.scope():
        direct_send.set_direct_send(line.id, enabled=False)
    ticket = accept(restaurant, line)
    attempt(restaurant, CLOSED)
    assert read(restaurant, ticket).error_code == "window_closed"
