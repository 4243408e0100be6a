"""A synchronous send is not slower while a campaign is sent by the same line."""

import json
import os
import time
from itertools import count
from statistics import median, quantiles
from urllib.request import Request, urlopen

import pytest

from messaging.campaigns import lifecycle as campaign_lifecycle
from messaging.campaigns import repository as campaign_repository
from messaging.lines.simulated_line import add_simulated_line
from tests.factories import make_business
from tests.messaging.campaigns.campaign_factory import drafts
from tests.messaging.campaigns.many_contacts import crowd_of
from tests.timeouts import allow_for_load

SIZE = int(os.environ.get("BESIDE_CAMPAIGN", "2500"))
ROUNDS, SENDS = 3, 20
_guests = count()
# One worker has the hooks of the campaign to do as well: one send in twenty waits for two
# slices of 50 ms.
WAIT_SECONDS = 0.1


@pytest.fixture
def place(app, settings, service):
    business = make_business("Lokanta Mavi")
    with business.scope():
        secret = settings.simulator_secret
        add_simulated_line("Front desk", service.url, secret, test=False, default=True)
    crowd_of(business, SIZE)
    return business


def send(service, business):
    # Each to another recipient, because messages to one recipient are paced.
    body = {"phone": f"90533111{next(_guests):04}", "message": "Your table is ready"}
    headers = {**business.bearer, "Content-Type": "application/json"}
    request = Request(f"{service.url}/api/v1/messages/send", json.dumps(body).encode(), headers)
    began = time.monotonic()
    with urlopen(request, timeout=30) as answer:
        told = json.load(answer)
    assert told["status_code"] in ("sent", "delivered", "read"), told
    return time.monotonic() - began


def sent(business, campaign_id):
    with business.scope():
        return campaign_repository.get(campaign_id).counts.get("sent", 0)


@pytest.mark.timing
def test_its_p95_stays_within_twice_the_idle_one(service, place):
    for _ in range(5):
        send(service, place)
    mine = drafts(place)
    with place.scope():
        campaign_lifecycle.start(mine)
        campaign_lifecycle.pause(mine)
    idle, beside, moved = [], [], 0
    for _ in range(ROUNDS):
        idle += [send(service, place) for _ in range(SENDS)]
        before = sent(place, mine)
        with place.scope():
            campaign_lifecycle.resume(mine)
        end = time.monotonic() + allow_for_load(20)
        while sent(place, mine) == before and time.monotonic() < end:
            time.sleep(0.1)
        beside += [send(service, place) for _ in range(SENDS)]
        with place.scope():
            assert campaign_repository.get(mine).state == "running", (
                "it was over before it could disturb"
            )
            campaign_lifecycle.pause(mine)
        moved += sent(place, mine) - before
        time.sleep(3)  # what is under way has left
    slow, usual = (quantiles(times, n=20)[-1] for times in (beside, idle))
    print(
        f"p95 idle {usual:.3f} s, beside {slow:.3f} s; median {median(idle):.3f},"
        f" {median(beside):.3f}; {moved} of the campaign meanwhile"
    )
    assert moved > 0
    assert slow <= 2 * usual + WAIT_SECONDS
