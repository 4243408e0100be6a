"""Cards side by side, each with a picture or a video and with buttons."""

from typing import Annotated, Any

from pydantic import BaseModel, Field, model_validator

from core.i18n.catalogs import N_
from core.values.field_checks import field_error, optional_text
from messaging.messages.kinds.base import Choice
from messaging.messages.kinds.fields import FileReference, ResolveFile
from messaging.messages.kinds.interactive.base import (
    BODY,
    Body,
    Button,
    Content,
    InteractiveFields,
    Label,
    WebAddress,
    header_part,
    interactive_kind,
    unique,
)
from messaging.messages.kinds.interactive.link_button import link_action

LEAST_CARDS, MOST_CARDS, MOST_BUTTONS = 2, 10, 2
LONGEST_CARD, MOST_BREAKS = 160, 2


class CardLink(BaseModel):
    text: Label = Field(description="20 characters at most.", examples=["Order now"])
    url: WebAddress = Field(
        max_length=2000,
        description="The page that the button opens.",
        examples=["https://example.com/menu"],
    )


class CarouselCard(BaseModel):
    image: FileReference | None = Field(None, description="The image above the text.")
    video: FileReference | None = Field(None, description="A video instead of an image.")
    body: Annotated[str | None, optional_text("body", LONGEST_CARD)] = Field(
        None, description="160 characters and 2 line breaks at most.", examples=["Lahmacun"]
    )
    buttons: list[Button] | None = Field(
        None, min_length=1, max_length=MOST_BUTTONS, description="Reply buttons."
    )
    link: CardLink | None = Field(None, description="One link button instead of reply buttons.")

    @model_validator(mode="after")
    def _parts(self) -> "CarouselCard":
        if (self.image is None) == (self.video is None):
            raise field_error("invalid_card", "a card has an image or a video", "image")
        if (self.buttons is None) == (self.link is None):
            raise field_error("invalid_card", "a card has `buttons` or a `link`", "buttons")
        if self.body and self.body.count("\n") > MOST_BREAKS:
            raise field_error(
                "long_body", f"the text of a card has at most {MOST_BREAKS} line breaks", "body"
            )
        return self


class CarouselFields(InteractiveFields):
    body: Body = BODY
    cards: list[CarouselCard] = Field(
        min_length=LEAST_CARDS,
        max_length=MOST_CARDS,
        description="2 to 10 cards; all have the same kind and number of buttons.",
    )

    @model_validator(mode="after")
    def _alike(self) -> "CarouselFields":
        first = self.cards[0]
        for number, card in enumerate(self.cards):
            if (card.image is None) != (first.image is None):
                raise field_error(
                    "unlike_cards",
                    "all cards have an image, or all have a video",
                    f"cards.{number}.image",
                )
            if len(card.buttons or ()) != len(first.buttons or ()):
                raise field_error(
                    "unlike_cards",
                    "all cards have the same number of buttons",
                    f"cards.{number}.buttons",
                )
        unique([one.id for card in self.cards for one in card.buttons or ()], "cards", "id")
        return self

    def parts(self, resolve_file: ResolveFile) -> dict[str, Any]:
        made = self.model_dump(exclude_none=True)
        for number, card in enumerate(self.cards):
            for kind in ("image", "video"):
                if (file := getattr(card, kind)) is not None:
                    field = f"cards.{number}.{kind}"
                    made["cards"][number][kind] = resolve_file(file, field, kind)
        return made


def _card(number: int, card: Content) -> dict[str, Any]:
    kind = "image" if "image" in card else "video"
    part: dict[str, Any] = {"card_index": number}
    if "link" in card:
        part["type"] = "cta_url"
    part["header"] = header_part({kind: card[kind]})
    if card.get("body"):
        part["body"] = {"text": card["body"]}
    if "link" in card:
        part["action"] = link_action(card["link"])
    else:
        part["action"] = {
            "buttons": [
                {"type": "quick_reply", "quick_reply": {"id": one["id"], "title": one["title"]}}
                for one in card["buttons"]
            ]
        }
    return part


def _choices(content: Content) -> list[Choice]:
    return [
        Choice(one["id"], one["title"])
        for card in content["cards"]
        for one in card.get("buttons") or ()
    ]


CAROUSEL = interactive_kind(
    N_("Carousel"),
    "carousel",
    CarouselFields,
    lambda content: {"cards": [_card(at, card) for at, card in enumerate(content["cards"])]},
    icon="image",
    choices=_choices,
)
