"""The message of a campaign for one recipient."""

from dataclasses import dataclass, replace
from typing import Any

from core.errors import Invalid, invalid
from messaging.campaigns import template_values
from messaging.campaigns.experiments import paused_templates
from messaging.campaigns.experiments.variants import HasMessage, VariantMessage
from messaging.campaigns.template_values import TemplateShape
from messaging.inbox import composed
from messaging.lines import capabilities
from messaging.lines.drivers.registry import DRIVERS
from messaging.messages.accept import BULK, MessageDraft
from messaging.messages.kinds.base import MessageKind
from messaging.messages.kinds.registry import MESSAGE_KINDS
from messaging.models import Campaign, Line
from messaging.templates import repository as template_repository
from messaging.templates import validation as template_validation
from messaging.templates.components import TemplatePreview
from messaging.templates.placeholders import COUPON, fill_placeholders, placeholders_in


@dataclass(frozen=True)
class Recipient:
    """A recipient with the values for the placeholders."""

    contact_id: str
    name: str
    phone: str
    coupon: str = ""


@dataclass(frozen=True)
class MessagePreview:
    name: str
    phone: str
    text: str
    shown: TemplatePreview | None = None
    """A template, or a text with buttons, as the recipient's phone shows it."""
    choices: tuple[str, ...] = ()
    """The rows of a list, which its button opens."""


@dataclass(frozen=True)
class Personalizer:
    """A campaign's message, or one of its variants, looked up once for all recipients."""

    campaign: HasMessage
    shop: str
    shape: TemplateShape | None

    def draft(self, reader: Recipient) -> MessageDraft:
        values, content = recipient_values(reader, self.shop), dict[str, Any]()
        if not self.campaign.template:
            text = fill_placeholders(self.campaign.text, values).text
            kind, text, content = composed.message_of(self._card(values), text)
        else:
            kind = "template"
            content = template_values.message_content(self.campaign.template, values, self.shape)
            shown = self.shown(reader)
            text = shown.body if shown else ""
        return MessageDraft(
            kind=kind,
            phone=reader.phone,
            text=text,
            content=content,
            reference=self.campaign.id,
            priority=BULK,
            category="marketing",
        )

    def preview(self, reader: Recipient, line: Line | None) -> MessagePreview:
        draft = self.draft(reader)
        made = MessagePreview(reader.name, reader.phone, draft.text, self.shown(reader))
        kind = MESSAGE_KINDS[draft.kind]
        if self.campaign.template or not draft.content:
            return made
        can = DRIVERS[line.kind].capability(kind) if line is not None else "yes"
        if can == "as_text" and kind.plain_text is not None:
            return replace(made, text=kind.plain_text(draft.content))
        return _with_buttons(made, kind, draft.content)

    def _card(self, values: dict[str, str]) -> composed.ComposedCard | None:
        card = composed.read_json(self.campaign.card)
        if card is None or not card.link_url:
            return card
        return replace(card, link_url=template_values.filled_url(card.link_url, values) or "")

    def shown(self, reader: Recipient) -> TemplatePreview | None:
        """Return the template as the phone shows it; None if it is not known."""
        if not self.campaign.template or self.shape is None:
            return None
        values = recipient_values(reader, self.shop)
        return template_values.template_preview(self.campaign.template, values, self.shape)


def _with_buttons(
    made: MessagePreview, kind: MessageKind, content: dict[str, Any]
) -> MessagePreview:
    """A text with a link, with a button that opens a list, or with reply buttons."""
    parts = content["interactive"]
    titles = tuple(one.title for one in kind.choices(content)) if kind.choices else ()
    if url := parts.get("url"):
        shown = TemplatePreview(body=made.text, buttons=(parts["text"],), links=(url,))
        return replace(made, shown=shown)
    if label := parts.get("button"):
        shown = TemplatePreview(body=made.text, buttons=(label,), links=("",))
        return replace(made, shown=shown, choices=titles)
    shown = TemplatePreview(body=made.text, buttons=titles, links=("",) * len(titles))
    return replace(made, shown=shown)


def personalizer_for(campaign: HasMessage, line: Line | None, shop: str) -> Personalizer:
    return Personalizer(campaign, shop, _shape(campaign, line))


def check_messages(campaign: Campaign, line: Line) -> None:
    """Raise Invalid if the network would refuse a message of the campaign."""
    used = paused_templates.usable_messages(campaign, line)
    for name in [one for one in used if one]:
        check_message(used[name], campaign.gift, line)
    if campaign.stand_in and campaign.state in ("draft", "scheduled"):
        card: dict[str, Any] = {}
        other = VariantMessage(campaign.id, "", "", card, campaign.stand_in)
        try:
            check_message(other, campaign.gift, line)
        except Invalid as error:
            raise invalid("stand_in", error.code, error.template, **error.values) from None


def check_message(campaign: HasMessage, gift: str | None, line: Line) -> None:
    if not (campaign.text or campaign.template):
        raise invalid("text", "empty_text", "Write the message, or choose a template.")
    if campaign.template:
        if not DRIVERS[line.kind].has_templates:
            raise invalid(
                "line_id", "not_cloud", "Templates can only be sent from a WhatsApp Cloud API line."
            )
        shape = _shape(campaign, line)
        if shape is not None:
            template_values.check_template_values(campaign.template, shape)
        template_validation.check_template(
            line, template_values.message_content(campaign.template, {}, shape)
        )
    elif card := composed.read_json(campaign.card):
        capabilities.check_capability(line.kind, card.kind, {})
    names_coupon = COUPON in campaign_placeholders(campaign)
    if names_coupon and not gift:
        raise invalid("gift", "no_gift", "The text contains {{coupon}}. Choose the gift for it.")
    if gift and not names_coupon:
        raise invalid(
            "text", "no_coupon", "Add {{coupon}} to the text where the gift's code should appear."
        )


def campaign_placeholders(campaign: HasMessage) -> set[str]:
    """Return the names of the placeholders in its texts."""
    texts = campaign_texts(campaign)
    return {name for one in texts for name, _ in placeholders_in(one)}


def campaign_texts(campaign: HasMessage) -> list[str]:
    """Return all its texts that may have placeholders."""
    address = str(campaign.card.get("link_url", ""))
    return [campaign.text, address, *template_values.placeholder_texts(campaign.template)]


def recipient_values(reader: Recipient, shop: str) -> dict[str, str]:
    first, _, last = reader.name.partition(" ")
    return {
        "customer.name": reader.name,
        "customer.first_name": first,
        "customer.last_name": last.strip(),
        "shop.name": shop,
        COUPON: reader.coupon,
    }


def _shape(campaign: HasMessage, line: Line | None) -> TemplateShape | None:
    if not campaign.template or line is None:
        return None
    language = campaign.template["language"]
    found = template_repository.templates_named(line, campaign.template["name"])
    known = next((one for one in found if one.language == language), None)
    return template_values.template_shape(known) if known else None
