"""Test triggers: make things happen on the simulated network, to test what receives the events."""

from typing import Any

from flask import current_app, g
from flask_openapi3.models.tag import Tag

from api.auth import key_may
from api.idempotency import JsonAnswer, idempotent
from api.v1 import v1
from api.v1.schemas.triggers import (
    GUEST_MESSAGES,
    LINE_CHANGES,
    ORDER,
    TRIGGERS,
    NewTrigger,
    TriggerAnswer,
)
from core.errors import Conflict, Forbidden, invalid
from core.settings import Settings
from core.values.phone import BadPhone, check_phone
from messaging.lines import repository as line_repository
from messaging.models import Line
from messaging.simulator import remote_control
from restaurant.menus.pricing import PricedMenu
from restaurant.menus.sample_items import orderable_item
from restaurant.models import Order
from restaurant.orders import placing
from restaurant.orders.placing import OrderRequest
from restaurant.sites import sites

TAG = Tag(name="Test mode")
DEFAULT_TEXTS = {"guest.writes": "Hello, do you have a table for two tonight?"}


def needs_test_key() -> None:
    if not g.caller.test:
        raise Forbidden("test_key_required", "This needs a test key (ck_test_…).")


@v1.post(
    "/test/triggers",
    tags=[TAG],
    summary="Make something happen in test mode",
    responses={202: TriggerAnswer},
)
@key_may("messages:send", test_keys=True)
@idempotent(check=needs_test_key)
def trigger(body: NewTrigger) -> JsonAnswer:
    """A simulated guest writes or orders, or the test line is banned. Needs a test key; no real
    person, phone or printer is involved. The events arrive as in live mode.
    """
    name = str(body.trigger)
    made: str | None = None
    if name == ORDER:
        made = _order(body).number
    elif name in GUEST_MESSAGES:
        made = _message(body, GUEST_MESSAGES[name])
    else:
        remote_control.change_line(_settings(), _test_line(), LINE_CHANGES[name])
    answer: dict[str, Any] = {"trigger": name, "events": list(TRIGGERS[name]), "id": made}
    return {**answer, "test": True}, 202


def _message(body: NewTrigger, kind: str) -> str:
    message = {
        "kind": kind,
        "name": body.name,
        "text": body.text or DEFAULT_TEXTS.get(str(body.trigger), ""),
    }
    return remote_control.write_to_line(_settings(), _test_line(), _phone(body.phone), message)


def _order(body: NewTrigger) -> Order:
    """A takeaway order of one item, as a guest would make it."""
    phone = _phone(body.phone)
    open_sites = [sites.get(body.site_id)] if body.site_id else sites.listed()
    for site in open_sites:
        if not site.menu_id:
            continue
        item = orderable_item(PricedMenu(*placing.current_menu(site)))
        if item is None:
            continue
        wanted = OrderRequest(
            items=[item],
            order_type="takeaway",
            payment_method="cash",
            source="api",
            phone=phone,
            name=body.name,
            notes=body.text,
            test=True,
        )
        return placing.place_order(site, wanted)
    raise Conflict(
        "no_menu", "An order needs a restaurant with a published menu and an available item."
    )


def _test_line() -> Line:
    line = line_repository.default_line(test=True)
    if line is None or line.network != "simulator" or not _settings().simulator_url:
        raise Conflict("no_test_line", "This account has no test line on the simulated network.")
    return line


def _phone(phone: str) -> str:
    try:
        return check_phone(phone)
    except BadPhone as error:
        raise invalid("phone", "invalid_phone", "{fault}", fault=str(error)) from None


def _settings() -> Settings:
    settings: Settings = current_app.extensions["comanda"]
    return settings
