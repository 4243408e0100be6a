"""One example for every event, as it is posted."""

from typing import Any

AT, UNIX = "2026-03-01T10:00:00.120331Z", 1772359200
ULID = "01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"
NETWORK_ID = "wamid.HBgMOTA1MzIxMTEyMjMzFQIAEhgUM0EwQjE="
PHONE = "905321112233"
CONVERSATION = {
    "conversation_id": f"cnv_{ULID}",
    "contact_id": f"con_{ULID}",
    "assigned_to": f"per_{ULID}",
    "by": f"per_{ULID}",
}
GUEST = {"from": PHONE, "from_kind": "phone", "sender_name": "Ayşe Kaya"}
ITEM = {
    "name": "Adana dürüm",
    "quantity": 2,
    "unit_price": 240,
    "options": ["Acılı"],
    "station": "kitchen",
    "stations": ["kitchen"],
    "note": "",
    "regular_price": 240,
    "course": 0,
    "fired": True,
}
ORDER = {
    "order_id": "MAVI-20260301-0007",
    "order_type": "dine_in",
    "table_number": "12",
    "waiter_assigned": "Mehmet Demir",
    "customer": {"phone": f"+{PHONE}", "name": "Ayşe Kaya", "contact_id": f"con_{ULID}"},
    "items": [ITEM],
    "notes": "",
    "total_amount": 480,
    "discount": 0,
    "payment_method": "pos_at_table",
    "status": "sent_to_kitchen",
    "id": f"ord_{ULID}",
    "site": {"id": f"sit_{ULID}", "name": "Lokanta Mavi"},
    "currency": "TRY",
    "address": "",
    "delivery": None,
    "paid": False,
    "paid_amount": 0,
    "open_amount": 480,
    "placed_at": AT,
    "due_at": "",
    "promised_at": "2026-03-01T10:20:00Z",
    "promise_minutes": 20,
    "test": False,
}
JOURNEY_RUN = {
    "run_id": f"jrn_{ULID}",
    "journey_id": f"jny_{ULID}",
    "version": 3,
    "contact_id": f"con_{ULID}",
    "reason": None,
    "at": AT,
}
DELIVERY_ORDER = ORDER | {
    "order_type": "delivery",
    "table_number": "",
    "waiter_assigned": "",
    "payment_method": "cash",
    "status": "on_the_way",
    "address": "Moda Cd. 12, Kadıköy",
    "total_amount": 520,
    "open_amount": 520,
    "delivery": {
        "fee": 40,
        "zone": "Kadıköy",
        "latitude": 40.9839,
        "longitude": 29.0266,
        "route_url": "https://www.google.com/maps/dir/?api=1&destination=40.9839,29.0266",
    },
}
SHARE = {
    "id": f"tsh_{ULID}",
    "tab_id": f"tab_{ULID}",
    "guest": "Ayşe",
    "kind": "equal",
    "amount": 240,
    "tip": 24,
    "surplus": 0,
    "status": "reserved",
    "reference": "MAVI-20260301-0007-2",
    "payment_link_id": f"plk_{ULID}",
}
TAB = {
    "id": f"tab_{ULID}",
    "status": "open",
    "site": {"id": f"sit_{ULID}", "name": "Lokanta Mavi"},
    "table_number": "12",
    "currency": "TRY",
    "total_amount": 480,
    "paid_amount": 0,
    "reserved_amount": 0,
    "open_amount": 480,
    "orders": ["MAVI-20260301-0007"],
    "shares": [],
    "opened_at": AT,
    "ended_at": None,
    "test": False,
}
COURIER = {
    "id": f"cou_{ULID}",
    "name": "Can Öz",
    "phone": "+905321114455",
    "assigned_at": AT,
    "picked_up_at": AT,
    "delivered_at": None,
    "problem": "",
    "problem_note": "",
    "problem_at": None,
    "collected": None,
    "collected_by": "",
}
PAYMENT = {
    "id": f"pay_{ULID}",
    "reference": "MAVI-20260301-0007",
    "payment_link_id": f"plk_{ULID}",
    "order_id": "MAVI-20260301-0007",
    "amount": 480,
    "currency": "TRY",
    "refunded_amount": 0,
    "status": "succeeded",
    "reason": "",
    "surplus_amount": 0,
    "share": None,
    "paid_at": AT,
    "test": False,
}
PRINTER = {
    "id": f"prn_{ULID}",
    "name": "Kitchen",
    "site_id": f"sit_{ULID}",
    "state": "offline",
    "detail": "The printer does not answer.",
}


def _state(status: str, **more: Any) -> dict[str, Any]:
    data = {
        "id": f"msg_{ULID}",
        "message_id": NETWORK_ID,
        "to": PHONE,
        "timestamp": UNIX,
        "status_code": status,
        "reference": "order-184",
        "cost_usd": 0.0034 if status in ("sent", "delivered", "read") else 0,
        "test": False,
    }
    return {"instance_id": 7, "data": data | more}


def _line(state: str, because: str) -> dict[str, Any]:
    return {"instance_id": 7, "data": {"state": state, "because": because}}


APP_MESSAGE = {
    "id": f"msg_{ULID}",
    "to": PHONE,
    "timestamp": UNIX,
    "reference": "order-184",
    "app": "Table agent",
    "test": False,
}
UNDELIVERABLE = {"code": "recipient_unavailable", "message": "This number cannot be reached."}
BODIES: dict[str, dict[str, Any]] = {
    "messages.upsert": {
        "instance_id": 7,
        "data": {
            **GUEST,
            "message_id": NETWORK_ID,
            "timestamp": UNIX,
            "type": "text",
            "id": f"msg_{ULID}",
            "contact_id": f"con_{ULID}",
            "username": None,
            "network_id": None,
            "text": "A table for two tonight?",
        },
    },
    "messages.updated": {
        "instance_id": 7,
        "data": {
            "from": PHONE,
            "from_kind": "phone",
            "direction": "in",
            "message_id": NETWORK_ID,
            "id": f"msg_{ULID}",
            "timestamp": UNIX,
            "type": "text",
            "change": "edited",
            "text": "A table for three tonight?",
            "earlier_texts": ["A table for two tonight?"],
        },
    },
    "messages.echo": {
        "instance_id": 7,
        "data": {
            "to": PHONE,
            "to_kind": "phone",
            "message_id": NETWORK_ID,
            "timestamp": UNIX,
            "type": "text",
            "id": f"msg_{ULID}",
            "sent_from": "phone",
            "text": "Yes, at eight.",
        },
    },
    "messages.sent": _state("sent"),
    "messages.delivered": _state("delivered"),
    "messages.read": _state("read"),
    "messages.failed": _state("failed", error=UNDELIVERABLE),
    "messages.expired": _state("expired", message_id=None),
    "messages.cancelled": _state("cancelled", message_id=None),
    "messages.unknown": _state("unknown", message_id=None),
    "conversations.assigned": {"instance_id": 7, "data": CONVERSATION | {"automatic": True}},
    "conversations.closed": {"instance_id": 7, "data": CONVERSATION},
    "conversations.reopened": {
        "instance_id": 7,
        "data": CONVERSATION | {"by": None, "reason": "customer_wrote"},
    },
    "conversations.snoozed": {
        "instance_id": 7,
        "data": CONVERSATION | {"snoozed_until": "2026-03-02T06:00:00Z"},
    },
    "conversations.rated": {
        "instance_id": 7,
        "data": CONVERSATION | {"by": None, "rating": 5, "best": 5, "case_id": f"cse_{ULID}"},
    },
    "messages.held": {
        "instance_id": 7,
        "data": {
            **APP_MESSAGE,
            "status_code": "held",
            "for_person": "Derya Aksoy",
            "type": "text",
            "text": "Your table is ready.",
            "expires_at": "2026-03-01T22:00:00Z",
        },
    },
    "messages.decided": {
        "instance_id": 7,
        "data": {**APP_MESSAGE, "decision": "approved", "decided_by": "Derya Aksoy"},
    },
    "restaurant.order_created": ORDER,
    "restaurant.order_updated": ORDER | {"status": "preparing", "change": "status"},
    "restaurant.order_cancelled": ORDER | {"status": "cancelled", "reason": "The guest called."},
    "restaurant.delivery_updated": DELIVERY_ORDER | {"change": "picked_up", "courier": COURIER},
    "restaurant.payment_succeeded": PAYMENT,
    "restaurant.payment_failed": {
        "payment_link_id": f"plk_{ULID}",
        "reference": "MAVI-20260301-0007",
        "amount": 480,
        "currency": "TRY",
        "test": False,
    },
    "restaurant.payment_refunded": PAYMENT | {"status": "refunded", "refunded_amount": 480},
    "restaurant.payment_review": PAYMENT | {"status": "review", "reason": "paid twice"},
    "restaurant.tab_opened": TAB,
    "restaurant.tab_updated": TAB | {"reserved_amount": 240, "shares": [SHARE]},
    "restaurant.tab_settled": TAB
    | {
        "status": "settled",
        "paid_amount": 480,
        "open_amount": 0,
        "shares": [SHARE | {"status": "paid"}],
        "ended_at": AT,
    },
    "instances.connected": _line("connected", ""),
    "instances.disconnected": _line("disconnected", "The phone is offline."),
    "instances.qr": {
        "instance_id": 7,
        "data": {
            "state": "pairing",
            "qr": "2@Yq3k…",
            "code": None,
            "expires_at": "2026-03-01T10:01:00Z",
        },
    },
    "instances.restricted": _line("restricted", "WhatsApp closed the account."),
    "printing.job_failed": {
        "job": {
            "id": f"pj_{ULID}",
            "title": "MAVI-20260301-0007",
            "printer_id": f"prn_{ULID}",
            "site_id": f"sit_{ULID}",
            "order_id": "MAVI-20260301-0007",
            "kind": "order",
            "state": "unconfirmed",
            "detail": "The printer did not confirm the ticket.",
        }
    },
    "printing.printer_offline": {"printer": PRINTER},
    "printing.printer_online": {"printer": PRINTER | {"state": "ready", "detail": ""}},
    "contacts.opted_out": {
        "instance_id": 7,
        "data": {
            "contact_id": f"con_{ULID}",
            "from": PHONE,
            "from_kind": "phone",
            "timestamp": UNIX,
        },
    },
    "journeys.started": {"instance_id": 7, "data": JOURNEY_RUN},
    "journeys.completed": {"instance_id": 7, "data": JOURNEY_RUN},
    "journeys.stopped": {"instance_id": 7, "data": JOURNEY_RUN | {"reason": "person_answered"}},
    "journeys.failed": {"instance_id": 7, "data": JOURNEY_RUN | {"reason": "window_closed"}},
    "campaigns.finished": {
        "instance_id": 7,
        "data": {
            "campaign_id": f"cmp_{ULID}",
            "name": "Weekend menu",
            "state": "finished",
            "started_at": AT,
            "finished_at": AT,
            "test": False,
            "recipients": 1200,
            "sent": 1180,
            "delivered": 1150,
            "read": 830,
            "failed": 12,
            "left_out": 8,
            "stopped": 0,
            "cost_usd": 12.98,
        },
    },
    "usage.threshold_reached": {
        "data": {"percent": 80, "of": "messages", "used": 4000, "limit": 5000}
    },
    "webhooks.test": {
        "data": {
            "endpoint_id": f"ep_{ULID}",
            "message": "Hello! If you can read this, the endpoint works.",
            "timestamp": UNIX,
        }
    },
}


def example_of_event(name: str) -> dict[str, Any]:
    """The whole body, as an endpoint gets it."""
    head = {"event": name, "event_id": f"evt_{ULID}", "occurred_at": AT, "sequence": 1041}
    return head | BODIES[name]
