"""The campaign pages, and the demo data in their URLs."""

from messaging.campaigns import audiences
from messaging.campaigns import lifecycle as campaign_lifecycle
from messaging.campaigns import repository as campaign_repository
from messaging.campaigns.repository import CampaignInput
from messaging.inbox.composed import ComposedCard

CAMPAIGNS = {
    "campaigns": "/campaigns",
    "campaigns-empty": "/campaigns?state=stopped",
    "campaign-new": "/campaigns/new",
    "campaign-who": "/campaigns/{draft_campaign}/who",
    "campaign-what": "/campaigns/{draft_campaign}/what",
    "campaign-buttons": "/campaigns/{buttons_campaign}/what",
    "campaign-map": "/campaigns/{map_campaign}/what",
    "campaign-measure": "/campaigns/{draft_campaign}/measure",
    "campaign-when": "/campaigns/{draft_campaign}/when",
    "campaign-check": "/campaigns/{draft_campaign}/check",
    "campaign-start": "/campaigns/{draft_campaign}/start",
    "campaign-remove": "/campaigns/{draft_campaign}/remove",
    "campaign-finished": "/campaigns/{campaign}",
    "campaign-effect": "/campaigns/{measured_campaign}",
    "campaign-scheduled": "/campaigns/{scheduled_campaign}",
    "campaign-paused": "/campaigns/{paused_campaign}",
    "campaign-stop": "/campaigns/{paused_campaign}/stop",
    "audiences": "/audiences",
    "audience": "/audiences/{audience}",
    "audience-new": "/audiences/new",
    "audience-remove": "/audiences/{audience}/remove",
}


def campaign_ids() -> dict[str, object]:
    """The demo's campaigns, and one that was paused before anything was sent."""
    known = campaign_repository.list_campaigns()
    measured = next(one.id for one in known if one.holdout_percent)
    found = {one.state: one.id for one in known if one.id != measured}
    held = campaign_repository.add(CampaignInput(name="Paused on the way", text="Not yet"))
    campaign_lifecycle.start(held.id)
    campaign_lifecycle.pause(held.id)
    rows = ("19:00 | By the window", "20:00", "21:00")
    choices = ComposedCard("list", list_button="Choose a time", rows=rows)
    listed = campaign_repository.add(CampaignInput(name="Dinner", text="When?", card=choices))
    place = {"latitude": 41.0, "longitude": 29.0, "name": "Mavi", "address": "Moda 1, Istanbul"}
    opening = {
        "name": "new_place",
        "language": "en",
        "parameters": ["{{customer.first_name}}"],
        "location": place,
        "buttons": [None, "MODA-10"],
    }
    mapped = campaign_repository.add(CampaignInput(name="Opening", template=opening))
    return {
        "buttons_campaign": listed.id,
        "map_campaign": mapped.id,
        "campaign": found["finished"],
        "measured_campaign": measured,
        "draft_campaign": found["draft"],
        "scheduled_campaign": found["scheduled"],
        "paused_campaign": held.id,
        "audience": audiences.list_audiences()[0].id,
    }
