"""Campaigns keep the network's limit of new people in 24 hours."""

import pytest

from core.clock import now
from core.redis.client import redis_client
from messaging.campaigns import dry_run as campaign_dry_run
from messaging.lines import recipient_limits
from messaging.lines import repository as line_repository
from messaging.lines.drivers.cloud.templates.listing import NetworkTemplate
from messaging.templates.repository import store_templates, template_account
from tests.messaging.campaigns.campaign_factory import (
    campaign,
    drafts,
    looks,
    meets,
    messages,
    starts,
    steps,
)
from tests.messaging.campaigns.test_campaigns import line

__all__ = ["line"]

TEMPLATE = {"name": "offer", "language": "en", "parameters": []}
PEOPLE = ("Ayşe", "Bora", "Cem", "Derya", "Ece", "Fatih")


@pytest.fixture
def limited(restaurant, line):
    """A line that may write to five new people a day, four of them by campaigns."""
    with restaurant.scope():
        known = line_repository.get(line.id)
        known.recipient_limit = "5"
        words = [{"type": "BODY", "text": "Soup is on us today."}]
        offer = NetworkTemplate("1", "offer", "en", "marketing", "approved", components=words)
        store_templates(template_account(known), [offer])
        limit = recipient_limits.limit_of(known)
    redis_client().delete(limit.key)
    return limit


def test_the_dry_run_says_how_many_days_a_campaign_needs(restaurant, limited):
    meets(restaurant, *PEOPLE)
    found = looks(restaurant, drafts(restaurant, text="", template=TEMPLATE))
    assert (found.recipients, found.days, found.recipient_limit) == (6, 2, 5)
    assert campaign_dry_run.OVER_RECIPIENT_LIMIT in found.warnings
    assert found.seconds >= 86400


def test_a_text_campaign_has_no_such_limit(restaurant, limited):
    meets(restaurant, *PEOPLE)
    found = looks(restaurant, drafts(restaurant))
    assert (found.days, found.recipient_limit) == (1, None)


def test_batches_stop_at_the_limit_and_go_on_when_there_is_room(restaurant, limited):
    meets(restaurant, *PEOPLE)
    mine = drafts(restaurant, text="", template=TEMPLATE)
    starts(restaurant, mine)
    steps(restaurant)
    assert len(messages(restaurant)) == 4
    waiting = campaign(restaurant, mine)
    assert waiting.state == "running"
    assert waiting.due_at > now()
