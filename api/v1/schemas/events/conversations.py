"""Models of the events about conversations of the inbox."""

from typing import Literal

from pydantic import BaseModel, Field

from api.v1.schemas.webhooks import EventShape


class ConversationData(BaseModel):
    conversation_id: str = Field(examples=["cnv_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"])
    contact_id: str | None = Field(None, description="The customer.")
    assigned_to: str | None = Field(description="The member's person id; null: nobody.")
    by: str | None = Field(
        description="The person id of the member who did it; null: the service or a program."
    )
    test: bool | None = Field(None, description="`true`: on the test line. Otherwise left out.")


class AssignedData(ConversationData):
    automatic: bool = Field(description="Whether automatic assignment chose the member.")


class ReopenedData(ConversationData):
    reason: Literal["customer_wrote", "snooze_ended", "member"] = Field(
        description="Why it is in the list of open conversations again."
    )


class SnoozedData(ConversationData):
    snoozed_until: str = Field(examples=["2026-03-02T06:00:00Z"])


class RatedData(ConversationData):
    case_id: str = Field(
        description="One rating for each time that the conversation was closed.",
        examples=["cse_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"],
    )
    rating: int = Field(description="From 1 to `best`.", examples=[5])
    best: int = Field(description="3 with faces, 5 with numbers.", examples=[5])


class ConversationAssignedEvent(EventShape):
    """A conversation has another assignee, or none."""

    instance_id: int
    data: AssignedData


class ConversationClosedEvent(EventShape):
    """A member or a program closed a conversation."""

    instance_id: int
    data: ConversationData


class ConversationReopenedEvent(EventShape):
    """A closed or snoozed conversation is open again."""

    instance_id: int
    data: ReopenedData


class ConversationSnoozedEvent(EventShape):
    """A conversation was snoozed."""

    instance_id: int
    data: SnoozedData


class ConversationRatedEvent(EventShape):
    """A customer answered the satisfaction question."""

    instance_id: int
    data: RatedData
