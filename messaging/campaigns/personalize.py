"""The message of a campaign for one recipient."""

from dataclasses import dataclass
from typing import Any

from core.errors import invalid
from messaging.campaigns import template_values
from messaging.campaigns.template_values import TemplateShape
from messaging.lines.drivers.registry import DRIVERS
from messaging.messages.accept import BULK, MessageDraft
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
class Personalizer:
    """A campaign's message, looked up once for all recipients."""

    campaign: Campaign
    shop: str
    shape: TemplateShape | None

    def draft(self, reader: Recipient) -> MessageDraft:
        values, content = recipient_values(reader, self.shop), dict[str, Any]()
        if not self.campaign.template:
            text, kind = fill_placeholders(self.campaign.text, values).text, "text"
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

    def shown(self, reader: Recipient) -> TemplatePreview | None:
        """Return the template as the phone shows it; None if it is not known."""
        if not self.campaign.template or self.shape is None:
            return None
        values = recipient_values(reader, self.shop)
        return template_values.template_preview(self.campaign.template, values, self.shape)


def personalizer_for(campaign: Campaign, line: Line | None, shop: str) -> Personalizer:
    return Personalizer(campaign, shop, _shape(campaign, line))


def check_message(campaign: Campaign, line: Line) -> None:
    """Raise Invalid if the network would refuse the message."""
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
    names_coupon = COUPON in campaign_placeholders(campaign)
    if names_coupon and not campaign.gift:
        raise invalid("gift", "no_gift", "The text contains {{coupon}}. Choose the gift for it.")
    if campaign.gift and not names_coupon:
        raise invalid(
            "text", "no_coupon", "Add {{coupon}} to the text where the gift's code should appear."
        )


def campaign_placeholders(campaign: Campaign) -> set[str]:
    """Return the names of the placeholders in its texts."""
    texts = [campaign.text, *template_values.placeholder_texts(campaign.template)]
    return {name for one in texts for name, _ in placeholders_in(one)}


def recipient_values(reader: Recipient, shop: str) -> dict[str, str]:
    first, _, last = reader.name.partition(" ")
    return {
        "customer.name": reader.name,
        "customer.first_name": first,
        "customer.last_name": last.strip(),
        "shop.name": shop,
        COUPON: reader.coupon,
    }


def _shape(campaign: Campaign, line: Line | None) -> TemplateShape | None:
    if not campaign.template or line is None:
        return None
    language = campaign.template["language"]
    found = template_repository.templates_named(line, campaign.template["name"])
    known = next((one for one in found if one.language == language), None)
    return template_values.template_shape(known) if known else None
