"""Every stored reason has a sentence in English and in Turkish."""

import pytest
from flask_babel import force_locale, gettext

from core.values.reasons import encode_reason
from messaging.automations.reasons import AUTOMATION_REASONS
from messaging.reasons import NETWORK_REASONS
from printing.reasons import PRINTING_REASONS
from restaurant.orders.hold_reasons import ORDER_REASONS
from restaurant.payments.reasons import PAYMENT_REASONS
from webhooks.inbound.reasons import HOOK_REASONS

KINDS = {
    "printing": PRINTING_REASONS,
    "network": NETWORK_REASONS,
    "orders": ORDER_REASONS,
    "automations": AUTOMATION_REASONS,
    "hooks": HOOK_REASONS,
    "payments": PAYMENT_REASONS,
}
VALUES = {
    "types": "SPAM",
    "limit": "250",
    "status": 502,
    "topic": "orders/paid",
    "known": "order.created",
    "event": "sold",
    "error": "NUL",
    "kind": "toy",
    "provider": "Toy",
    "number": "1",
    "place": "message 1",
    "currency": "JPY",
}


@pytest.mark.parametrize(
    ("kind", "code"), [(kind, code) for kind, codes in KINDS.items() for code in codes]
)
def test_a_reason_is_shown_in_the_readers_language(app, kind, code):
    sentences = KINDS[kind]
    values = {name: value for name, value in VALUES.items() if f"{{{name}}}" in sentences[code]}
    stored = encode_reason(code, detail="E-42", **values)
    with app.test_request_context("/"):
        with force_locale("en"):
            english = sentences.translated(stored, gettext)
        with force_locale("tr"):
            turkish = sentences.translated(stored, gettext)
    assert english == sentences.english(stored) != stored
    assert english.endswith("E-42")
    assert turkish.endswith("E-42")
    assert turkish != english
