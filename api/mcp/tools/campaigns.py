"""Tools about campaigns. They start none: a person does that in the portal."""

from typing import Any

from pydantic import Field

from api.mcp.tools.base import Arguments, Tool, ToolCall
from api.v1.schemas.messaging.campaign_dry_run import outlook_json
from api.v1.schemas.messaging.campaigns import campaign_json
from messaging.campaigns import dry_run
from messaging.campaigns import repository as campaign_repository


class ListCampaigns(Arguments):
    limit: int = Field(20, ge=1, le=50)


def list_campaigns(_: ToolCall, given: ListCampaigns) -> dict[str, Any]:
    found = campaign_repository.list_campaigns(limit=given.limit)
    return {"campaigns": [campaign_json(one) for one in found]}


class QuoteCampaign(Arguments):
    campaign_id: str = Field(max_length=64, description="Such as cmp_01J….")


def quote_campaign(_: ToolCall, given: QuoteCampaign) -> dict[str, Any]:
    campaign = campaign_repository.get(given.campaign_id)
    return {"quote": outlook_json(dry_run.run_dry_run(campaign))}


LIST_CAMPAIGNS = Tool(
    "list_campaigns",
    "List campaigns",
    "Lists campaigns with their state and results, the newest first.",
    "campaigns",
    ListCampaigns,
    list_campaigns,
)
QUOTE_CAMPAIGN = Tool(
    "quote_campaign",
    "Quote campaign",
    "Tells what a campaign would do: how many people get it, who is left out and why, what it "
    "costs and how long it takes. Sends nothing; a person starts the campaign in the portal.",
    "campaigns",
    QuoteCampaign,
    quote_campaign,
)
