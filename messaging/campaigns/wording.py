"""What a campaign says to one person."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import invalid
from messaging import template_check, templates
from messaging.models import Campaign, Line
from messaging.placeholders import COUPON, fill, names_in
from messaging.sending import BULK, Draft
from messaging.template_parts import Components, filled, needs_of

NOTHING = "–"
"""For a template's value that somebody does not have: the network takes no empty one."""


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
    components: Components | None

    def draft(self, reader: Reader) -> Draft:
        values = values_of(reader, self.shop)
        if not self.campaign.template:
            text, kind, content = fill(self.campaign.text, values).text, "text", {}
        else:
            kind, content = "template", _content(self.campaign.template, values)
            text = self._reads(content["parameters"])
        return Draft(
            kind=kind,
            phone=reader.phone,
            text=text,
            content=content,
            reference=self.campaign.id,
            priority=BULK,
            category="marketing",
        )

    def _reads(self, given: Sequence[str]) -> str:
        if self.components is None:
            return ""
        names = needs_of(self.components).body
        return filled(self.components, dict(zip(names, given, strict=False))).body


def of(campaign: Campaign, line: Line | None, shop: str) -> Wording:
    components = None
    if campaign.template and line is not None:
        known = [
            one
            for one in templates.named(line, campaign.template["name"])
            if one.language == campaign.template["language"]
        ]
        components = known[0].components if known else None
    return Wording(campaign, shop, components)


def check(campaign: Campaign, line: Line) -> None:
    """Whether the network would take it. Raises Invalid."""
    if not (campaign.text or campaign.template):
        raise invalid("text", "empty_text", "Write what the message says, or choose a template.")
    if campaign.template:
        if line.kind != "cloud":
            raise invalid(
                "line_id", "not_cloud", "Templates leave by a line of the cloud API only."
            )
        template_check.check(line, _content(campaign.template, {}))
    says = COUPON in words_of(campaign)
    if says and not campaign.gift:
        raise invalid(
            "gift", "no_gift", "The text has a {{coupon}} in it: choose the gift it is for."
        )
    if campaign.gift and not says:
        raise invalid("text", "no_coupon", "Put {{coupon}} where the code of the gift is to stand.")


def words_of(campaign: Campaign) -> set[str]:
    """The placeholders in it."""
    said = [campaign.text, *campaign.template.get("parameters", [])]
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


def _content(template: Mapping[str, Any], values: Mapping[str, str]) -> dict[str, Any]:
    return {
        "name": template["name"],
        "language": template["language"],
        "parameters": [fill(one, values).text or NOTHING for one in template["parameters"]],
    }
