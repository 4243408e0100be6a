"""What starts a journey, from its real cause to the first message, once for each cause."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from sqlalchemy import update

from core import clock
from core.db import db
from core.ids import from_uuid
from core.sql.partitions import id_at
from jobs import journeys as journeys_job
from jobs.inbound import hooks as hooks_job
from messaging.contacts import consent, identities
from messaging.contacts import repository as contact_repository
from messaging.contacts.validation import ContactInput
from messaging.journeys import repository
from messaging.models import Message, StoreEvent
from restaurant.models import Order
from tests.jobs.inbound.test_hooks import put
from tests.line_factory import make_line
from tests.messaging.journeys.sample_journeys import AYSE, publish, runs, sent, writes
from tests.messaging.message_factory import cloud_body, text_value
from tests.messaging.templates.test_templates import network_template, store
from tests.restaurant.bistro import GUEST, open_bistro
from tests.webhooks.stores.shops import connect_store, shopify_checkout, shopify_order

NOON = datetime(2026, 5, 20, 12, 30, tzinfo=UTC)
BODY = {"type": "BODY", "text": "News for you: {{1}}"}


def asks_with(when, value):
    """Starts with a template, because the customer may never have written."""
    steps = [
        {"id": "a", "kind": "template", "name": "news", "language": "en", "parameters": [value]},
        {"id": "b", "kind": "end"},
    ]
    return {"when": when, "steps": steps}


def says(when, text):
    return {
        "when": when,
        "steps": [{"id": "a", "kind": "say", "text": text}, {"id": "b", "kind": "end"}],
    }


@pytest.fixture
def line(app, shop, redis):
    line = make_line(shop)
    store(shop, line, network_template("news", components=[BODY]))
    return line


@pytest.fixture
def bistro(app, restaurant, redis):
    bistro = open_bistro(restaurant)
    store(restaurant, bistro.line, network_template("news", components=[BODY]))
    return bistro


def work(app):
    """Each job twice: the second finds nothing to do."""
    with app.app_context():
        for _ in range(2):
            hooks_job.drain()
            journeys_job.drain()


def templates_sent(business, phone=AYSE):
    """The templates that were queued for a phone."""
    with business.scope():
        query = db.session.query(Message).filter_by(
            tenant_id=business.tenant_id, direction="out", kind="template", phone=phone
        )
        return [(one.text, one.state) for one in query.order_by(Message.id)]


# Orders of the restaurant


def test_each_state_of_an_order_starts_its_journey_once(app, bistro, restaurant):
    when = {"kind": "order_state", "states": ["preparing", "ready"]}
    publish(restaurant, asks_with(when, "{{order.number}}, {{order.total}}"))
    bistro.delivers()
    order = bistro.delivery()
    bistro.changes_state(order, "sent_to_kitchen")
    bistro.changes_state(order, "preparing")
    work(app)
    told = f"News for you: {order.number}, ₺765,00"
    assert templates_sent(restaurant, GUEST) == [(told, "queued")]
    bistro.changes_state(order, "ready")
    bistro.changes_state(order, "out_for_delivery")
    bistro.changes_state(order, "ready")  # the courier came back
    work(app)
    assert templates_sent(restaurant, GUEST) == [(told, "queued")] * 2
    causes = [one.cause for one in runs(restaurant)]
    assert causes == [f"order:{order.id}:preparing", f"order:{order.id}:ready"]


def test_a_placed_order_starts_the_journey_of_its_first_state(app, bistro, restaurant):
    when = {"kind": "order_state", "states": ["sent_to_kitchen"]}
    publish(restaurant, asks_with(when, "{{order.number}}"))
    order = bistro.order()
    assert order.state == "sent_to_kitchen"
    work(app)
    assert templates_sent(restaurant, GUEST) == [(f"News for you: {order.number}", "queued")]


def test_an_order_of_a_blocked_guest_and_a_silent_change_start_nothing(app, bistro, restaurant):
    when = {"kind": "order_state", "states": ["preparing", "ready"]}
    publish(restaurant, asks_with(when, "{{order.number}}"))
    order = bistro.order()
    bistro.changes_state(order, "preparing", notify=False)
    with restaurant.scope():
        contact_repository.set_blocked(identities.find_by_address(GUEST), True)
    bistro.changes_state(order, "ready")
    work(app)
    assert (templates_sent(restaurant, GUEST), runs(restaurant)) == ([], [])


# Stores, carts and forms


def test_an_order_of_a_store_starts_its_journey_once(app, shop, line, client):
    when = {"kind": "store_order", "states": ["order.created"]}
    publish(shop, asks_with(when, "{{order.number}} {{order.total}}"))
    door = connect_store(shop, client, "shopify")
    for webhook_id in ("wh-same", "wh-same", "wh-other"):  # the store repeats itself
        door.shopify("orders/create", shopify_order(), webhook_id)
        work(app)
    assert templates_sent(shop) == [("News for you: #1001 ₺349.90", "queued")]
    assert len(runs(shop)) == 1


def test_a_cart_starts_its_journey_once_however_often_it_changes(app, shop, line, client):
    publish(shop, asks_with({"kind": "cart"}, "{{checkout.items}}"))
    door = connect_store(shop, client, "shopify")
    door.shopify("checkouts/create", shopify_checkout())
    door.shopify("checkouts/update", shopify_checkout(total_price="500.00"))
    work(app)
    door.shopify("checkouts/update", shopify_checkout(total_price="510.00"))
    work(app)
    assert templates_sent(shop) == [("News for you: 2 × El yapımı kupa", "queued")]
    assert len(runs(shop)) == 1


def test_a_bought_cart_ends_its_journey_and_starts_none(app, shop, line, client):
    waits = asks_with({"kind": "cart"}, "{{checkout.items}}")
    waits["steps"].insert(0, {"id": "w", "kind": "wait", "minutes": 60})
    publish(shop, waits)
    door = connect_store(shop, client, "shopify")
    with clock.frozen():
        door.shopify("checkouts/create", shopify_checkout())
        work(app)
        door.shopify("orders/create", shopify_order())
        work(app)
        door.shopify("checkouts/update", shopify_checkout())
        clock.advance(timedelta(hours=2))
        with app.app_context():
            journeys_job.find_lost_work()
        work(app)
    (run,) = runs(shop)
    assert (run.state, run.because, templates_sent(shop)) == ("stopped", "ordered", [])


def test_a_cart_of_somebody_who_opted_out_starts_nothing(app, shop, line, client):
    publish(shop, asks_with({"kind": "cart"}, "{{checkout.items}}"))
    writes(shop, line, "hello")
    with shop.scope():
        consent.opt_out(identities.find_by_address(AYSE), clock.now(), "portal")
    door = connect_store(shop, client, "shopify")
    door.shopify("checkouts/create", shopify_checkout())
    work(app)
    assert runs(shop) == []


def test_a_form_starts_its_journey_once(app, shop, line, client):
    publish(shop, asks_with({"kind": "form"}, "{{customer.first_name}}: {{form.text}}"))
    door = connect_store(shop, client, "form", country="TR")
    filled = {"name": "Ayşe Kaya", "phone": "0532 111 22 33", "message": "Kupa var mı?"}
    for submission in ("sub-1", "sub-1"):
        door.submits({**filled, "submission_id": submission})
        work(app)
    assert templates_sent(shop) == [("News for you: Ayşe: Kupa var mı?", "queued")]
    door.submits({**filled, "submission_id": "sub-2"})
    work(app)
    assert len(templates_sent(shop)) == 2


def test_only_the_chosen_connection_starts_the_journey(app, shop, line, client):
    door = connect_store(shop, client, "form", country="TR")
    other = connect_store(shop, client, "form", country="TR")
    when = {"kind": "form", "connection_id": other.connection.id}
    publish(shop, asks_with(when, "{{form.text}}"))
    filled = {"name": "Ayşe Kaya", "phone": "0532 111 22 33", "message": "Merhaba"}
    door.submits(filled)
    work(app)
    assert runs(shop) == []
    other.submits(filled)
    work(app)
    assert len(runs(shop)) == 1


# Messages from ads


def from_ad(line, ad, network_id):
    value = text_value("Hi", network_id)
    value["messages"][0]["referral"] = {
        "source_id": ad,
        "source_type": "ad",
        "source_url": "https://fb.me/x",
        "headline": "Half price",
    }
    put(line, cloud_body(line, value))


def test_a_message_from_an_ad_starts_its_journey_once(app, shop, line):
    publish(shop, says({"kind": "ad", "ad": "120"}, "Half price today!"))
    from_ad(line, "7", "wamid.other")
    work(app)
    assert sent(shop) == []
    for network_id in ("wamid.ad", "wamid.ad"):  # the network delivers again
        from_ad(line, "120", network_id)
        work(app)
    assert sent(shop) == ["Half price today!"]
    assert len(runs(shop)) == 1


def test_the_answer_to_an_ad_comes_before_the_greeting(app, shop, line):
    publish(shop, says({"kind": "first_message"}, "Welcome!"), "Greeting")
    publish(shop, says({"kind": "ad"}, "Half price today!"), "Ad")
    from_ad(line, "120", "wamid.ad")
    work(app)
    assert sent(shop) == ["Half price today!"]


# Dates


def due(app, moment):
    with clock.frozen(moment):
        with app.app_context():
            journeys_job.find_lost_work()
        work(app)


@pytest.mark.parametrize(
    ("birthday", "days", "moment", "starts"),
    [
        ("1990-05-20", 0, NOON, True),
        ("--05-20", 0, NOON, True),
        ("1990-05-27", -7, NOON, True),
        ("1990-05-13", 7, NOON, True),
        ("1990-05-21", 0, NOON, False),
        ("1992-02-29", 0, NOON.replace(month=2, day=28), True),
        ("1992-02-29", 0, NOON.replace(year=2028, month=2, day=28), False),
        ("1992-02-29", 0, NOON.replace(year=2028, month=2, day=29), True),
        ("1990-05-20", 0, NOON.replace(hour=6), False),  # before its hour
    ],
)
def test_a_birthday_starts_its_journey_once(app, shop, line, birthday, days, moment, starts):
    with shop.scope():
        contact_repository.create(ContactInput(name="Ayşe", phone=AYSE, birthday=birthday))
    when = {"kind": "date", "date": "birthday", "days": days, "hour": 12}
    with clock.frozen(moment):
        publish(shop, asks_with(when, "{{customer.first_name}}"))
    due(app, moment)
    due(app, moment + timedelta(minutes=20))
    assert templates_sent(shop) == ([("News for you: Ayşe", "queued")] if starts else [])
    due(app, moment + timedelta(days=1))
    assert len(runs(shop)) <= 1


def test_a_birthday_of_somebody_who_opted_out_starts_nothing(app, shop, line):
    with shop.scope():
        card = contact_repository.create(ContactInput(name="Ayşe", phone=AYSE, birthday="--05-20"))
        consent.opt_out(card.id, clock.now(), "portal")
    with clock.frozen(NOON):
        when = {"kind": "date", "date": "birthday", "hour": 12}
        publish(shop, asks_with(when, "{{customer.first_name}}"))
    due(app, NOON)
    assert runs(shop) == []


def order_placed(bistro, moment, **more):
    order = bistro.order(**more)
    with bistro.scope():
        db.session.execute(
            update(Order)
            .where(Order.tenant_id == bistro.business.tenant_id, Order.id == order.id)
            .values(placed_at=moment, business_day=moment.date())
        )
    return order


def test_days_after_the_last_order_start_their_journey_once(app, bistro, restaurant):
    """Only the last order counts: one guest has ordered again since."""
    again, cancels = "905339998877", "905339998878"
    order_placed(bistro, NOON - timedelta(days=45))
    order_placed(bistro, NOON - timedelta(days=45), phone=again)
    order_placed(bistro, NOON - timedelta(days=3), phone=again)
    gone = order_placed(bistro, NOON - timedelta(days=45), phone=cancels)
    bistro.changes_state(gone, "cancelled", because="Changed their mind")
    when = {"kind": "date", "date": "last_order", "days": 45, "hour": 12}
    with clock.frozen(NOON):
        publish(restaurant, asks_with(when, "{{customer.first_name}}"))
    due(app, NOON)
    due(app, NOON + timedelta(hours=1))
    assert templates_sent(restaurant, GUEST) == [("News for you: Ayşe", "queued")]
    assert (templates_sent(restaurant, again), templates_sent(restaurant, cancels)) == ([], [])
    assert len(runs(restaurant)) == 1


def store_order_placed(shop, order_id, moment):
    with shop.scope():
        query = db.session.query(StoreEvent).filter_by(tenant_id=shop.tenant_id)
        (event,) = (one for one in query if one.data["order"]["id"] == order_id)
        event.at, event.id = moment, from_uuid("sev", UUID(id_at(moment)[:-2] + order_id.zfill(2)))


def test_days_after_the_last_order_in_a_store_start_their_journey_once(app, shop, line, client):
    """A second customer has ordered again since."""
    door = connect_store(shop, client, "shopify")
    again = {"shipping_address": {"phone": "0533 999 88 77", "country_code": "TR"}}
    for number, days, more in ((1, 45, {}), (2, 45, again), (3, 20, again)):
        door.shopify("orders/create", shopify_order(id=number, name=f"#{number}", **more))
        work(app)
        store_order_placed(shop, str(number), NOON - timedelta(days=days))
    when = {"kind": "date", "date": "last_order", "days": 45, "hour": 12}
    with clock.frozen(NOON):
        publish(shop, asks_with(when, "{{customer.first_name}}"))
    due(app, NOON)
    due(app, NOON + timedelta(hours=1))
    assert templates_sent(shop) == [("News for you: Ayşe", "queued")]
    assert len(runs(shop)) == 1


def test_a_paused_journey_starts_nothing_on_its_date(app, shop, line):
    with shop.scope():
        contact_repository.create(ContactInput(name="Ayşe", phone=AYSE, birthday="--05-20"))
    with clock.frozen(NOON):
        when = {"kind": "date", "date": "birthday", "hour": 12}
        journey_id = publish(shop, asks_with(when, "{{customer.first_name}}"))
        with shop.scope():
            repository.set_live(journey_id, False)
    due(app, NOON)
    assert runs(shop) == []
