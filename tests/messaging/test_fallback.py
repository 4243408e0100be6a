"""A message that may not go freely goes as its template: once, and said so."""

from datetime import timedelta

import pytest

from core.clock import advance, frozen, now
from messaging import claiming, fallback, lines_book, reading, sending, settling
from messaging.lines import Accepted, Refused
from messaging.lines.cloud_templates import NetworkTemplate
from messaging.receipts import receive_receipt
from messaging.receiving import receive_message
from messaging.sending import Draft
from messaging.templates import account_of, store
from messaging.usage import Tally
from tenants import accounts, quota
from tenants.plans import known_facts
from tests.lines import give_line
from tests.messaging.line_cast import receipt, wrote

LEASE = 60.0
PHONE = "905321112233"
FALLBACK = {"name": "order", "language": "en", "parameters": ["M-1"]}
CLOSED = Refused("window_closed", "Only a template can be sent.", "131047")


@pytest.fixture
def line(restaurant):
    made = give_line(restaurant)
    with restaurant.scope():
        components = [{"type": "BODY", "text": "Your order {{1}} is ready."}]
        found = NetworkTemplate("1", "order", "en", "utility", "approved", components=components)
        store(account_of(made), [found])
        return lines_book.get(made.id)


def accept(business, line, **more):
    content = {"fallback": FALLBACK} | more
    with business.scope():
        draft = Draft(kind="text", phone=PHONE, text="It is ready!", content=content)
        return sending.accept(draft, line, known_facts())


def claim(business, line):
    with business.scope():
        return fallback.as_templates(claiming.claim(10, LEASE, []), {line.id: line}, LEASE)


def settle(business, line, results):
    with business.scope():
        return settling.settle(fallback.second_chances(results, {line.id: line}))


def read(business, ticket):
    with business.scope():
        return reading.get(ticket.id)


def causes(business, ticket):
    with business.scope():
        return [change.cause for change in reading.timeline(ticket.id)]


def test_refused_for_the_window_it_goes_as_its_template(restaurant, line):
    ticket = accept(restaurant, line)
    begun = claim(restaurant, line)
    assert begun[0].envelope.kind == "text"
    assert settle(restaurant, line, [(begun[0], CLOSED)]) == []
    [again] = claim(restaurant, line)
    assert (again.envelope.kind, again.envelope.content["name"]) == ("template", "order")
    settle(restaurant, line, [(again, Accepted("wamid.t"))])
    message = read(restaurant, ticket)
    assert (message.state, message.kind, message.network_id) == ("sent", "template", "wamid.t")
    assert message.text == "Your order M-1 is ready."
    assert message.content["instead_of"] == {"kind": "text", "text": "It is ready!"}
    assert (message.category, message.cost_usd) == ("utility", message.quoted_usd)
    assert message.cost_usd > 0
    assert any("as the template: order" in cause for cause in causes(restaurant, ticket))


def test_a_marketing_template_is_no_way_to_who_opted_out(restaurant, line):
    with restaurant.scope():
        words = [{"type": "BODY", "text": "Try {{1}} today."}]
        offer = NetworkTemplate("1", "order", "en", "marketing", "approved", components=words)
        store(account_of(line), [offer])
        receive_message(line, wrote("STOP"), Tally())
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
        assert quota.usage(known_facts()).messages == 0


def test_our_own_book_knows_that_the_window_is_closed(restaurant, line):
    with frozen(now() - timedelta(hours=30)), restaurant.scope():
        receive_message(line, wrote("Merhaba", at=int(now().timestamp())), Tally())
    ticket = accept(restaurant, line)
    [claimed] = claim(restaurant, line)
    assert claimed.envelope.kind == "template"
    settle(restaurant, line, [(claimed, Accepted("wamid.t"))])
    assert read(restaurant, ticket).kind == "template"


def test_inside_the_window_it_goes_as_it_was_written(restaurant, line):
    with restaurant.scope():
        receive_message(line, wrote("Merhaba"), Tally())
    accept(restaurant, line)
    assert claim(restaurant, line)[0].envelope.kind == "text"


def test_a_stranger_to_a_line_we_know_for_a_day_is_outside_the_window(restaurant, line):
    accept(restaurant, line)
    assert claim(restaurant, line)[0].envelope.kind == "text"
    with frozen(now()):
        advance(timedelta(hours=25))
        accept(restaurant, line)
        assert [one.envelope.kind for one in claim(restaurant, line)][-1:] == ["template"]


def test_a_refusal_that_comes_later_by_receipt_turns_it_once(restaurant, line):
    ticket = accept(restaurant, line)
    begun = claim(restaurant, line)
    settle(restaurant, line, [(begun[0], Accepted("wamid.text"))])
    late = receipt("wamid.text", "failed", ticket.id, error_code="window_closed")
    for _ in range(2):
        with restaurant.scope():
            tally = Tally()
            receive_receipt(line, late, tally)
            tally.write()
    assert read(restaurant, ticket).state == "queued"
    [again] = claim(restaurant, line)
    assert again.envelope.kind == "template"
    settle(restaurant, line, [(again, Accepted("wamid.template"))])
    with restaurant.scope():
        assert receive_receipt(line, late, Tally()) is False
    message = read(restaurant, ticket)
    assert (message.state, message.network_id) == ("sent", "wamid.template")
    with restaurant.scope():
        used = quota.usage(known_facts())
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
