"""Why a delivery failed, as its page shows it: by code, in the reader's language."""

import pytest
from flask_babel import force_locale

from core.http import ConnectFailed, RefusedAddress, Timeout
from core.http import errors as outbound
from portal.webhooks.delivery_views import attempt_error
from webhooks.delivery import reasons
from webhooks.delivery.reasons import DELIVERY_REASONS, not_reached


@pytest.mark.parametrize(
    "stored",
    [
        reasons.EVENT_EXPIRED,
        reasons.SWITCHED_OFF,
        reasons.REMOVED,
        not_reached(Timeout("host.example waits", problem=outbound.ANSWER_TIMED_OUT)),
        not_reached(Timeout("host.example waits", problem=outbound.CONNECTION_TIMED_OUT)),
        not_reached(ConnectFailed("host.example fails", problem=outbound.NO_CONNECTION)),
        not_reached(ConnectFailed("host.example fails", problem=outbound.BROKE_OFF)),
        not_reached(ConnectFailed("host.example fails", problem=outbound.NAME_NOT_FOUND)),
        not_reached(ConnectFailed("host.example fails", problem=outbound.BAD_CERTIFICATE)),
        not_reached(ConnectFailed("host.example fails", problem=outbound.NO_TLS)),
        not_reached(RefusedAddress("10.0.0.1 is refused")),
    ],
)
def test_a_failed_attempt_is_explained(app, stored):
    with app.test_request_context("/"):
        with force_locale("en"):
            english = attempt_error(None, stored)
        with force_locale("tr"):
            turkish = attempt_error(None, stored)
    assert english != stored
    assert "host.example" not in english
    assert turkish != english


def test_the_api_keeps_the_clients_own_words():
    stored = not_reached(Timeout("host.example did not answer", problem="answer_timeout"))
    assert DELIVERY_REASONS.english(stored) == "Host.example did not answer."


def test_an_old_text_stays_readable(app):
    with app.test_request_context("/"):
        assert attempt_error(None, "Something odd happened.") == "Something odd happened."
