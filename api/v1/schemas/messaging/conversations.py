"""Schemas of conversations."""

from typing import Literal

from pydantic import BaseModel, Field

from api.paging import PageQuery

State = Literal["open", "closed"]


class ConversationPath(BaseModel):
    conversation_id: str = Field(max_length=64)


class ConversationQuery(PageQuery):
    view: Literal["open", "unassigned", "unread", "closed", "all"] = Field(
        "open", description="Which ones; `open` are those that are not closed."
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
