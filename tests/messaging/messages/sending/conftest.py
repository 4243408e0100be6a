"""An app whose web process sends itself, and a network that it sends to."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pytest

from core.redis.client import redis_client
from messaging.lines.simulated_line import add_simulated_line
from messaging.messages.sending.direct import DirectSender
from tests.factories import Business
from tests.messaging.messages.sending.cloud_network import CloudNetwork


@pytest.fixture
def network(settings):
    made = CloudNetwork(int(settings.simulator_url.rpartition(":")[2]))
    yield made
    made.close()


@pytest.fixture
def sender(app, settings, monkeypatch):
    """The sender of this process, with the settings of this test: `sender(direct_sends=2)`."""
    made = []

    def use(**more):
        new = DirectSender(app, settings.model_copy(update=more))
        monkeypatch.setitem(app.extensions, "direct_sends", new)
        made.append(new)
        return new

    use()
    yield use
    for one in made:
        one.stop()


@dataclass
class Caller:
    """Calls the API as a program of this business."""

    app: Any
    business: Business
    threads: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(8))

    def send(self, text="Merhaba", phone="905321112233", *, key="", **headers):
        bearer = {"Authorization": f"Bearer {key or self.business.key}"}
        answer = self.app.test_client().post(
            "/api/v1/messages/send",
            data=json.dumps({"phone": phone, "message": text}),
            content_type="application/json",
            headers={
                **bearer,
                **{name.replace("_", "-"): value for name, value in headers.items()},
            },
        )
        return answer.status_code, answer.get_json()

    def send_soon(self, *args, **more):
        return self.threads.submit(self.send, *args, **more)


@pytest.fixture
def caller(app, restaurant, settings, sender):
    with restaurant.scope():
        url, secret = "http://localhost", settings.simulator_secret
        add_simulated_line("Front desk", url, secret, test=False, default=True)
        add_simulated_line("Test line", url, secret, test=True)
    made = Caller(app, restaurant)
    yield made
    made.threads.shutdown()
    assert threading.active_count() < 100
    assert redis_client().ping()
