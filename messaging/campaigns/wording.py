"""What a campaign says to one person."""

from dataclasses import dataclass
from typing import Any

from core.errors import invalid
from messaging import template_check, templates
from messaging.campaigns import template_words
from messaging.campaigns.template_words import Shape
from messaging.models import Campaign, Line
from messaging.placeholders import COUPON, fill, names_in
from messaging.sending import BULK, Draft
from messaging.template_parts import Bubble


@dataclass(frozen=True)
class Reader:
    """Whom it is said to."""

    contact_id: str
    name: str
    phone: str
    coupon: str = ""


@dataclass(frozen=True)
class Wording:
    """A campaign's words, looked up once for all its readers."""

    campaign: Campaign
    shop: str
    shape: Shape | None

    def draft(self, reader: Reader) -> Draft:
        values, content = values_of(reader, self.shop), dict[str, Any]()
        if not self.campaign.template:
            text, kind = fill(self.campaign.text, values).text, "text"
        else:
            kind = "template"
            content = template_words.content(self.campaign.template, values, self.shape)
            shown = self.shown(reader)
            text = shown.body if shown else ""
        return Draft(
            kind=kind,
            phone=reader.phone,
            text=text,
            content=content,
            reference=self.campaign.id,
            priority=BULK,
            category="marketing",
        )

    def shown(self, reader: Reader) -> Bubble | None:
        """A template as their phone shows it, as far as it is known here."""
        if not self.campaign.template or self.shape is None:
            return None
        values = values_of(reader, self.shop)
        return template_words.shown(self.campaign.template, values, self.shape)


def of(campaign: Campaign, line: Line | None, shop: str) -> Wording:
    return Wording(campaign, shop, _shape(campaign, line))


def check(campaign: Campaign, line: Line) -> None:
    """Whether the network would take it. Raises Invalid."""
    if not (campaign.text or campaign.template):
        raise invalid("text", "empty_text", "Write what the message says, or choose a template.")
    if campaign.template:
        if line.kind != "cloud":
            raise invalid(
                "line_id", "not_cloud", "Templates leave by a line of the cloud API only."
            )
        shape = _shape(campaign, line)
        if shape is not None:
            template_words.check(campaign.template, shape)
        template_check.check(line, template_words.content(campaign.template, {}, shape))
    says = COUPON in words_of(campaign)
    if says and not campaign.gift:
        raise invalid(
            "gift", "no_gift", "The text has a {{coupon}} in it: choose the gift it is for."
        )
    if campaign.gift and not says:
        raise invalid("text", "no_coupon", "Put {{coupon}} where the code of the gift is to stand.")


def words_of(campaign: Campaign) -> set[str]:
    """The placeholders in it."""
    said = [campaign.text, *template_words.strings(campaign.template)]
    return {name for one in said for name, _ in names_in(one)}


def values_of(reader: Reader, shop: str) -> dict[str, str]:
    first, _, last = reader.name.partition(" ")
    return {
        "customer.name": reader.name,
        "customer.first_name": first,
        "customer.last_name": last.strip(),
        "shop.name": shop,
        COUPON: reader.coupon,
    }


def _shape(campaign: Campaign, line: Line | None) -> Shape | None:
    if not campaign.template or line is None:
        return None
    wanted = campaign.template["language"]
    found = templates.named(line, campaign.template["name"])
    known = next((one for one in found if one.language == wanted), None)
    return template_words.shape_of(known) if known else None
