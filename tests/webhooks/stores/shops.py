"""Requests of store platforms and website forms, and the worker that processes them."""

import base64
import hashlib
import hmac
import json
from dataclasses import dataclass
from itertools import count
from typing import Any

from sqlalchemy import select

from api.hooks.stores import connection_addresses
from core.db import db, global_scope
from core.security.signing import webhook_headers
from jobs import automations as automations_job
from jobs.inbound import hooks as hooks_job
from messaging.automations import connections as store_connections
from messaging.automations import definitions as automation_definitions
from messaging.automations.reasons import AUTOMATION_REASONS
from messaging.models import AutomationRun, Connection, Message
from webhooks.inbound.models import ReceivedHook

SECRET = "shpss_a-secret-of-the-shop"
_numbers = count(1)
NO_PHONE_SENT_TEXT = (
    "The store or form sent no phone number for this customer, so nobody was written to."
)


def base64_hmac(secret: str, body: bytes) -> str:
    return base64.b64encode(hmac.new(secret.encode(), body, hashlib.sha256).digest()).decode()


@dataclass
class Shop:
    """One connection, and what its other side can do."""

    business: Any
    client: Any
    connection: Connection
    secret: str

    @property
    def path(self) -> str:
        return f"/hooks/{self.connection.kind}/{self.connection.token}"

    def posts(self, body: bytes, headers: dict[str, str]) -> Any:
        return self.client.post(self.path, data=body, headers=headers)

    def shopify(self, topic: str, payload: dict[str, Any], webhook_id: str = "") -> Any:
        body = json.dumps(payload).encode()
        headers = {
            "Content-Type": "application/json",
            "X-Shopify-Topic": topic,
            "X-Shopify-Webhook-Id": webhook_id or f"wh-{next(_numbers)}",
            "X-Shopify-Hmac-Sha256": base64_hmac(self.secret, body),
        }
        return self.posts(body, headers)

    def woocommerce(self, topic: str, payload: dict[str, Any], delivery_id: str = "") -> Any:
        body = json.dumps(payload).encode()
        headers = {
            "Content-Type": "application/json",
            "X-WC-Webhook-Topic": topic,
            "X-WC-Webhook-Delivery-ID": delivery_id or f"delivery-{next(_numbers)}",
            "X-WC-Webhook-Signature": base64_hmac(self.secret, body),
        }
        return self.posts(body, headers)

    def posts_event(self, event: str, **payload: Any) -> Any:
        """In our own neutral JSON, signed as our own events are."""
        payload.setdefault("id", f"evt-{next(_numbers)}")
        body = json.dumps({"event": event, **payload}).encode()
        headers = webhook_headers(self.secret, str(payload["id"]), body)
        return self.posts(body, {"Content-Type": "application/json", **headers})

    def submits(self, payload: Any, content_type: str = "application/json", **headers: str) -> Any:
        body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        return self.posts(body, {"Content-Type": content_type, **headers})


def connect_store(business: Any, client: Any, kind: str, country: str = "") -> Shop:
    connection_addresses.forget()
    with business.scope():
        made = store_connections.add(kind, f"My {kind}", country=country)
        if kind == "shopify":
            store_connections.set_secret(made.id, SECRET)
        secret = made.secret or ""
    return Shop(business, client, made, secret)


def enable_automations(business: Any, *recipes: str, **more: Any) -> list[str]:
    """Replies to forms go to everybody here: whether consent is asked for has its own tests."""
    with business.scope():
        made = [automation_definitions.add(one, one, **more) for one in recipes]
        for one in made:
            if one.recipe == "form_reply":
                one.conditions = {}
        return [one.id for one in made]


def run_hooks_and_automations(app: Any) -> None:
    """What sweep and workers do with what has come: the hooks, then the runs that are due."""
    with app.app_context():
        with global_scope():
            hooks_job.sweep()
            automations_job.sweep()
        hooks_job.drain()
        automations_job.drain()


def messages(business: Any) -> list[Message]:
    with business.scope():
        query = select(Message).where(
            Message.tenant_id == business.tenant_id, Message.direction == "out"
        )
        return list(db.session.scalars(query.order_by(Message.id)))


def sent_texts(business: Any) -> list[tuple[str, str]]:
    """Phone and text of every message that has not been taken back."""
    return [(one.phone, one.text) for one in messages(business) if one.state != "cancelled"]


def runs(business: Any) -> list[AutomationRun]:
    with business.scope():
        query = select(AutomationRun).where(AutomationRun.tenant_id == business.tenant_id)
        return list(db.session.scalars(query.order_by(AutomationRun.id)))


def run_states(business: Any) -> list[tuple[str, str]]:
    return [(one.state, AUTOMATION_REASONS.english(one.because)) for one in runs(business)]


def hooks_of(business: Any) -> list[ReceivedHook]:
    with business.scope():
        query = select(ReceivedHook).where(ReceivedHook.tenant_id == business.tenant_id)
        return list(db.session.scalars(query.order_by(ReceivedHook.id)))


def shopify_order(**more: Any) -> dict[str, Any]:
    return {
        "id": 820982911946154508,
        "name": "#1001",
        "currency": "TRY",
        "total_price": "349.90",
        "financial_status": "paid",
        "order_status_url": "https://kumru.example/orders/1001",
        "checkout_token": "chk-1",
        "phone": None,
        "customer": {"first_name": "Ayşe", "last_name": "Kaya", "email": "ayse@example.com"},
        "shipping_address": {"phone": "0532 111 22 33", "country_code": "TR"},
        "billing_address": {"phone": None, "country_code": "TR"},
        "line_items": [{"title": "El yapımı kupa", "quantity": 2}],
        **more,
    }


def shopify_checkout(**more: Any) -> dict[str, Any]:
    return {
        "id": 981820079255243537,
        "token": "chk-1",
        "cart_token": "cart-1",
        "currency": "TRY",
        "total_price": "349.90",
        "abandoned_checkout_url": "https://kumru.example/checkouts/chk-1/recover",
        "customer": {"first_name": "Ayşe", "email": "ayse@example.com"},
        "shipping_address": {"phone": "0532 111 22 33", "country_code": "TR"},
        "line_items": [{"title": "El yapımı kupa", "quantity": 2}],
        **more,
    }


def woo_order(**more: Any) -> dict[str, Any]:
    return {
        "id": 727,
        "number": "727",
        "status": "processing",
        "currency": "EUR",
        "total": "29.35",
        "date_modified_gmt": "2026-03-22T16:28:08",
        "billing": {
            "first_name": "Marta",
            "last_name": "Soler",
            "email": "marta@example.com",
            "phone": "611 11 01 06",
            "country": "ES",
        },
        "shipping": {"first_name": "Marta", "phone": "", "country": "ES"},
        "line_items": [{"name": "Taza", "quantity": 1}],
        "meta_data": [],
        **more,
    }
