"""A message outside the free window is sent as its template: once, with a note in its timeline."""

from datetime import timedelta

import pytest

from core.clock import advance, frozen, now
from messaging import reasons
from messaging.costs.usage import UsageTally
from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import SendAccepted, SendRefused
from messaging.lines.drivers.cloud.templates.listing import NetworkTemplate
from messaging.messages import accept as message_accept
from messaging.messages import claim as message_claim
from messaging.messages import fallback
from messaging.messages import queries as message_queries
from messaging.messages import settle as message_settle
from messaging.messages.accept import MessageDraft
from messaging.messages.receipts import receive_receipt
from messaging.messages.receive import receive_message
from messaging.reasons import with_detail
from messaging.templates.repository import store_templates, template_account
from tenants import accounts
from tenants.plans import quota
from tenants.plans.catalog import current_tenant_facts
from tests.line_factory import make_line
from tests.messaging.message_factory import receipt, wrote

LEASE = 60.0
PHONE = "905321112233"
FALLBACK = {"name": "order", "language": "en", "parameters": ["M-1"]}
CLOSED = SendRefused("window_closed", "Only a template can be sent.", "131047")


@pytest.fixture
def line(restaurant):
    made = make_line(restaurant)
    with restaurant.scope():
        components = [{"type": "BODY", "text": "Your order {{1}} is ready."}]
        found = NetworkTemplate("1", "order", "en", "utility", "approved", components=components)
        store_templates(template_account(made), [found])
        return line_repository.get(made.id)


def accept(business, line, **more):
    content = {"fallback": FALLBACK} | more
    with business.scope():
        draft = MessageDraft(kind="text", phone=PHONE, text="It is ready!", content=content)
        return message_accept.accept_message(draft, line, current_tenant_facts())


def claim(business, line):
    with business.scope():
        return fallback.send_as_templates(
            message_claim.claim_messages(10, LEASE, []), {line.id: line}, LEASE
        )


def settle(business, line, results):
    with business.scope():
        return message_settle.settle_messages(fallback.try_fallbacks(results, {line.id: line}))


def read(business, ticket):
    with business.scope():
        return message_queries.get(ticket.id)


def causes(business, ticket):
    with business.scope():
        return [change.cause for change in message_queries.timeline(ticket.id)]


def test_refused_for_the_window_it_goes_as_its_template(restaurant, line):
    ticket = accept(restaurant, line)
    begun = claim(restaurant, line)
    assert begun[0].envelope.kind == "text"
    assert settle(restaurant, line, [(begun[0], CLOSED)]) == []
    [again] = claim(restaurant, line)
    assert (again.envelope.kind, again.envelope.content["name"]) == ("template", "order")
    settle(restaurant, line, [(again, SendAccepted("wamid.t"))])
    message = read(restaurant, ticket)
    assert (message.state, message.kind, message.network_id) == ("sent", "template", "wamid.t")
    assert message.text == "Your order M-1 is ready."
    assert message.content["instead_of"] == {"kind": "text", "text": "It is ready!"}
    assert (message.category, message.cost_usd) == ("utility", message.quoted_usd)
    assert message.cost_usd > 0
    assert with_detail(reasons.SENT_AS_TEMPLATE, "order") in causes(restaurant, ticket)


def test_a_marketing_template_is_no_way_to_who_opted_out(restaurant, line):
    with restaurant.scope():
        words = [{"type": "BODY", "text": "Try {{1}} today."}]
        offer = NetworkTemplate("1", "order", "en", "marketing", "approved", components=words)
        store_templates(template_account(line), [offer])
        receive_message(line, wrote("STOP"), UsageTally())
    ticket = accept(restaurant, line)
    begun = claim(restaurant, line)
    settle(restaurant, line, [(begun[0], CLOSED)])
    assert claim(restaurant, line) == []
    message = read(restaurant, ticket)
    assert (message.state, message.error_code) == ("failed", "window_closed")


def test_a_template_that_is_refused_too_is_the_end(restaurant, line):
    ticket = accept(restaurant, line)
    begun = claim(restaurant, line)
    settle(restaurant, line, [(begun[0], CLOSED)])
    again = claim(restaurant, line)
    settle(restaurant, line, [(again[0], CLOSED)])
    assert read(restaurant, ticket).state == "failed"
    with restaurant.scope():
        assert quota.usage(current_tenant_facts()).messages == 0


def test_our_own_book_knows_that_the_window_is_closed(restaurant, line):
    with frozen(now() - timedelta(hours=30)), restaurant.scope():
        receive_message(line, wrote("Merhaba", at=int(now().timestamp())), UsageTally())
    ticket = accept(restaurant, line)
    [claimed] = claim(restaurant, line)
    assert claimed.envelope.kind == "template"
    settle(restaurant, line, [(claimed, SendAccepted("wamid.t"))])
    assert read(restaurant, ticket).kind == "template"


def test_inside_the_window_it_goes_as_it_was_written(restaurant, line):
    with restaurant.scope():
        receive_message(line, wrote("Merhaba"), UsageTally())
    accept(restaurant, line)
    assert claim(restaurant, line)[0].envelope.kind == "text"


def test_a_new_sender_on_a_line_of_one_day_is_outside_the_window(restaurant, line):
    accept(restaurant, line)
    assert claim(restaurant, line)[0].envelope.kind == "text"
    with frozen(now()):
        advance(timedelta(hours=25))
        accept(restaurant, line)
        assert [one.envelope.kind for one in claim(restaurant, line)][-1:] == ["template"]


def test_a_refusal_that_comes_later_by_receipt_turns_it_once(restaurant, line):
    ticket = accept(restaurant, line)
    begun = claim(restaurant, line)
    settle(restaurant, line, [(begun[0], SendAccepted("wamid.text"))])
    late = receipt("wamid.text", "failed", ticket.id, error_code="window_closed")
    for _ in range(2):
        with restaurant.scope():
            tally = UsageTally()
            receive_receipt(line, late, tally)
            tally.write()
    assert read(restaurant, ticket).state == "queued"
    [again] = claim(restaurant, line)
    assert again.envelope.kind == "template"
    settle(restaurant, line, [(again, SendAccepted("wamid.template"))])
    with restaurant.scope():
        assert receive_receipt(line, late, UsageTally()) is False
    message = read(restaurant, ticket)
    assert (message.state, message.network_id) == ("sent", "wamid.template")
    with restaurant.scope():
        used = quota.usage(current_tenant_facts())
        assert (used.messages, used.spend_usd) == (1, message.cost_usd)


def test_what_may_not_be_spent_is_not_sent(restaurant, line):
    ticket = accept(restaurant, line)
    with restaurant.scope():
        accounts.change_limits(None, None, None, 0)
    begun = claim(restaurant, line)
    settle(restaurant, line, [(begun[0], CLOSED)])
    message = read(restaurant, ticket)
    assert (message.state, message.error_code, message.kind) == ("failed", "window_closed", "text")


def test_without_a_template_it_fails_as_ever(restaurant, line):
    ticket = accept(restaurant, line, fallback=None)
    begun = claim(restaurant, line)
    settle(restaurant, line, [(begun[0], CLOSED)])
    assert read(restaurant, ticket).state == "failed"


def test_over_the_api_a_wrong_one_is_refused_where_it_stands(app, restaurant, line):
    answer = app.test_client().post(
        "/api/v1/messages/send",
        json={
            "phone": PHONE,
            "message": "hi",
            "fallback_template": {"name": "nothing", "language": "en"},
        },
        headers=restaurant.bearer,
    )
    assert answer.status_code == 422
    assert answer.json["errors"][0]["field"] == "fallback_template.name"
