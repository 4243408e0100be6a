"""Schemas of conversations."""

from typing import Literal

from pydantic import AwareDatetime, BaseModel, Field

from api.paging import PageQuery

State = Literal["open", "closed"]
Colour = Literal["grey", "red", "orange", "green", "teal", "blue", "purple", "pink"]


class ConversationPath(BaseModel):
    conversation_id: str = Field(max_length=64)


class ConversationQuery(PageQuery):
    view: Literal["open", "unassigned", "unread", "snoozed", "closed", "all"] = Field(
        "open", description="Which ones; `open` are those that are neither closed nor snoozed."
    )
    label: str | None = Field(
        None,
        max_length=64,
        description="Only conversations with this label, by its id.",
    )
    instance_id: int | None = Field(None, ge=1, le=2**31 - 1)
    q: str | None = Field(
        None, max_length=200, description="Words of a name, a phone or a text; at most 200 found."
    )


class LastMessage(BaseModel):
    id: str
    direction: str
    type: str = Field(description="The type of the message, such as `text` or `image`.")
    text: str = Field(description="The message's text, or the caption of its file.")
    status_code: str


class ConversationShape(BaseModel):
    id: str = Field(examples=["cnv_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"])
    instance_id: int
    contact_id: str
    name: str = Field(description="The contact's own profile name; may be empty.")
    username: str | None = Field(description="The contact's user name on the network.")
    phone: str | None = Field(description="Null if the network did not provide a phone number.")
    state: State = Field(description="`open` or `closed`.")
    unread: int
    assigned_to: str | None = Field(description="The member's person id.")
    window_until: str | None = Field(
        description="Until when a cloud line can send any message. Afterwards only templates."
    )
    handled_by: str = Field(
        description=(
            "`team`, or `meta_agent` while Meta's agent answers. The next message you send takes"
            " over."
        ),
        examples=["team"],
    )
    labels: list[str] = Field(
        description="The ids of its labels; see `GET /labels`.",
        examples=[["lbl_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"]],
    )
    snoozed_until: str | None = Field(
        description="It is not in the list of open conversations until then, or until the customer"
        " writes.",
        examples=[None],
    )
    last_at: str
    last_message: LastMessage


class ConversationPage(BaseModel):
    data: list[ConversationShape]
    next: str | None = Field(description="The value for `?after=` if there are more results.")


class ConversationRead(BaseModel):
    typing: bool = Field(
        False,
        description="Also show the customer that somebody types, for 25 seconds or until a "
        "message is sent. Repeat the call every 20 seconds while you prepare a longer answer.",
        examples=[True],
    )


class ConversationChange(BaseModel):
    """Only given fields are changed."""

    state: State | None = Field(None, description="`open` or `closed`.")
    assigned_to: str | None = Field(None, max_length=64, description="A person id, or null.")
    unread: Literal[0, 1] | None = Field(
        None,
        description="0 marks it read, also on the customer's phone; 1 marks it unread.",
        examples=[0],
    )
    labels: list[str] | None = Field(
        None,
        max_length=10,
        description="All labels that it should have, by id.",
        examples=[["lbl_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"]],
    )
    snoozed_until: AwareDatetime | None = Field(
        None,
        description="Snooze until this time; null takes it back into the list now.",
        examples=["2026-03-02T06:00:00Z"],
    )


class LabelPath(BaseModel):
    label_id: str = Field(max_length=64)


class LabelShape(BaseModel):
    id: str = Field(examples=["lbl_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"])
    name: str = Field(description="What the conversation is about.", examples=["Complaint"])
    colour: Colour = Field(description="The colour in the inbox.", examples=["red"])


class LabelList(BaseModel):
    data: list[LabelShape] = Field(description="All labels, by name.")


class NewLabel(BaseModel):
    name: str = Field(
        min_length=1,
        max_length=40,
        description="What the conversation is about, such as `Complaint`.",
        examples=["Complaint"],
    )
    colour: Colour = Field("grey", description="The colour in the inbox.", examples=["red"])
