"""Request models of a campaign's message: a template, or what is below the text."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from api.v1.schemas.messaging.messages import media_url
from messaging.inbox.composed import ComposedCard


class HeaderLocation(BaseModel):
    latitude: float = Field(ge=-90, le=90, examples=[41.0082])
    longitude: float = Field(ge=-180, le=180, examples=[28.9784])
    name: str = Field(max_length=200, examples=["Lokanta Mavi"])
    address: str = Field(max_length=200, examples=["Divan Yolu 1, Istanbul"])


class CardFacts(BaseModel):
    """Shown below the text. A linked phone sends buttons and lists as numbered text."""

    kind: Literal["buttons", "list", "link_button"] = Field(
        description="What guests can tap: reply buttons, a list of choices, or a link."
    )
    buttons: list[str] = Field(
        default_factory=list,
        max_length=10,
        examples=[["I am coming", "Not this time"]],
        description="For `buttons`: one to three titles, 20 characters each.",
    )
    list_button: str = Field(
        "", max_length=60, description="For `list`: the label of the button that opens it."
    )
    rows: list[str] = Field(
        default_factory=list,
        max_length=50,
        description="For `list`: one to ten choices of 24 characters; a description of 72"
        " characters can follow after `|`.",
    )
    link_text: str = Field("", max_length=60, description="For `link_button`: its label.")
    link_url: str = Field(
        "",
        max_length=2000,
        description="For `link_button`: the page that it opens. Placeholders are filled in and"
        " URL-encoded.",
    )

    def to_card(self) -> ComposedCard:
        return ComposedCard(
            kind=self.kind,
            buttons=tuple(self.buttons),
            list_button=self.list_button,
            rows=tuple(self.rows),
            link_text=self.link_text,
            link_url=self.link_url,
        )


class TemplateFacts(BaseModel):
    name: str = Field(
        max_length=512,
        examples=["weekend_offer"],
        description="The template's name on the network.",
    )
    language: str = Field(max_length=15, examples=["tr"])
    parameters: list[str] = Field(
        default_factory=list,
        max_length=20,
        description="Placeholders are filled in for each recipient.",
    )
    header: str | None = Field(
        None, max_length=200, description="The value in a text header. Placeholders are allowed."
    )
    header_url: str | None = Field(
        None,
        max_length=2048,
        description="The URL of the header image, video or document that the template needs."
        " Or upload it: `PUT /campaigns/{campaign_id}/header-file`.",
        examples=["https://example.com/weekend.jpg"],
    )
    buttons: list[str | None] = Field(
        default_factory=list,
        max_length=10,
        description="The end of each button's URL, or the code that a button copies, in the order"
        " of the buttons; null for a button without one. Placeholders are filled in, and"
        " URL-encoded in a URL.",
    )
    header_location: HeaderLocation | None = Field(
        None, description="The place on the map above the text, if the template has one."
    )

    def values_to_store(self) -> dict[str, Any]:
        named = self.model_dump(exclude={"header_url", "header_location"}, exclude_none=True)
        media = {"url": media_url(self.header_url, "header_url")} if self.header_url else {}
        place = self.header_location
        location = place.model_dump() if place else {}
        return {**named, "buttons": self.buttons, "media": media, "location": location}


class VariantFacts(BaseModel):
    """Another message of the same campaign: a text or a template."""

    weight: int = Field(
        50, ge=1, le=100, description="Its share of the recipients, relative to the other weights."
    )
    message: str = Field(
        "", max_length=4096, examples=["Soup day! Come by until 15:00."], description="The text."
    )
    template: TemplateFacts | None = Field(
        None, description="A template to send instead of `message`."
    )

    def values_to_store(self) -> dict[str, Any]:
        template = self.template.values_to_store() if self.template else {}
        return {"weight": self.weight, "text": self.message, "template": template}
