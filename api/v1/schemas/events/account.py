"""Models of the events about lines, contacts, campaigns and the account."""

from pydantic import BaseModel, Field

from api.v1.schemas.webhooks import EventShape


class LineStateData(BaseModel):
    state: str = Field(description="The line's new state.", examples=["restricted"])
    because: str = Field(description="The reason in words; may be empty.")
    test: bool | None = Field(None, description="`true`: the test line. Otherwise left out.")


class LineStateEvent(EventShape):
    """A line changed its state."""

    instance_id: int
    data: LineStateData


class PairingCodeData(BaseModel):
    state: str = Field(description="Always `pairing`.", examples=["pairing"])
    qr: str | None = Field(description="The content of the QR code.")
    code: str | None = Field(description="The code to type on the phone instead.")
    expires_at: str


class PairingCodeEvent(EventShape):
    """A new code to link a phone."""

    instance_id: int
    data: PairingCodeData


class OptedOutData(BaseModel):
    contact_id: str
    sender: str | None = Field(
        alias="from", description="Phone or network id.", examples=["905321112233"]
    )
    from_kind: str | None = Field(examples=["phone"])
    timestamp: int = Field(description="Unix time in seconds.", examples=[1772359200])


class OptedOutEvent(EventShape):
    """A contact opted out of marketing messages."""

    instance_id: int | None = Field(description="The line; null if no message was received.")
    data: OptedOutData


class CampaignData(BaseModel):
    campaign_id: str
    name: str
    state: str = Field(description="The campaign's state.", examples=["finished"])
    started_at: str | None
    finished_at: str | None
    test: bool
    recipients: int
    sent: int
    delivered: int
    read: int
    failed: int
    left_out: int = Field(description="People who got no message, for example after an opt-out.")
    stopped: int = Field(description="Messages that were not sent because someone stopped it.")
    cost_usd: float | str


class CampaignFinishedEvent(EventShape):
    """The last message of a campaign was sent."""

    instance_id: int | None
    data: CampaignData


class JourneyRunData(BaseModel):
    run_id: str = Field(description="The run.")
    journey_id: str = Field(description="The journey.")
    version: int = Field(description="The version that the run began with.", examples=[3])
    contact_id: str = Field(description="The contact.")
    reason: str | None = Field(
        description="Why it ended, as a code; null if it ran to its end.",
        examples=["person_answered"],
    )
    at: str = Field(description="When.")
    test: bool | None = Field(
        None, description="true: the run is on the test line. Otherwise it is left out."
    )


class JourneyRunEvent(EventShape):
    """A contact's run through a journey began or ended."""

    instance_id: int
    data: JourneyRunData


class ThresholdData(BaseModel):
    percent: int = Field(description="80 or 100.", examples=[80])
    of: str = Field(description="`messages` or `spend`.", examples=["messages"])
    used: float
    limit: float = Field(description="The limit of the month.", examples=[5000])


class ThresholdEvent(EventShape):
    """80 % or 100 % of the month's messages or of the spend cap is used."""

    data: ThresholdData


class WebhookTestData(BaseModel):
    endpoint_id: str
    message: str = Field(description="A greeting.")
    timestamp: int = Field(description="Unix time in seconds.", examples=[1772359200])


class WebhookTestEvent(EventShape):
    """Someone sent a test event to this endpoint."""

    data: WebhookTestData
