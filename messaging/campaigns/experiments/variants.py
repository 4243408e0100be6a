"""The messages of a campaign: its own, variant A, and up to three others.

Stored as `{"weight", "text", "template"}`, for B to D. A variant has a text or a template; buttons
and the link below a text are the same for all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from core.errors import Invalid, invalid
from messaging.campaigns import template_values
from messaging.campaigns.experiments.assignment import VARIANT_NAMES
from messaging.models import Campaign
from messaging.templates.placeholders import check_placeholders, clean_text

MOST_VARIANTS = len(VARIANT_NAMES)
LARGEST_HOLDOUT = 50
LARGEST_WEIGHT = 100


class HasMessage(Protocol):
    """A campaign, or one of its variants."""

    @property
    def id(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def card(self) -> dict[str, Any]: ...
    @property
    def template(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class VariantMessage:
    id: str
    """Of the campaign."""
    name: str
    """A to D; empty in a campaign without variants and holdout."""
    text: str
    card: dict[str, Any]
    template: dict[str, Any]


def messages_of(campaign: Campaign) -> dict[str, VariantMessage]:
    """All messages by the variant's name; the campaign's own is also found by an empty name."""
    own = VariantMessage(campaign.id, "A", campaign.text, campaign.card, campaign.template)
    found = {"": own, "A": own}
    for name, stored in zip(VARIANT_NAMES[1:], campaign.variants, strict=False):
        template = dict(stored.get("template") or {})
        card = {} if template else campaign.card
        found[name] = VariantMessage(campaign.id, name, stored.get("text", ""), card, template)
    return found


def weights_of(campaign: Campaign) -> list[int]:
    return [campaign.weight, *(int(one["weight"]) for one in campaign.variants)]


def checked_variants(given: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Raises Invalid with the field `variants.<number>`, counted from 0 for variant B."""
    if len(given) > MOST_VARIANTS - 1:
        raise invalid(
            "variants",
            "too_many",
            "A campaign can have at most {most} variants.",
            most=MOST_VARIANTS,
        )
    return [_checked(at, one) for at, one in enumerate(given)]


def checked_stand_in(given: Mapping[str, Any]) -> dict[str, Any]:
    """Checked like the campaign's template; {} without one."""
    try:
        template = template_values.checked_template(given)
        check_placeholders(template_values.placeholder_texts(template), "campaign")
    except Invalid as error:
        raise invalid("stand_in", error.code, error.template, **error.values) from None
    return template


def checked_weight(field: str, weight: Any) -> int:
    if isinstance(weight, bool) or not isinstance(weight, int) or not 1 <= weight <= LARGEST_WEIGHT:
        raise invalid(
            field,
            "invalid_weight",
            "Enter the weight as a whole number between 1 and {most}.",
            most=LARGEST_WEIGHT,
        )
    return weight


def checked_holdout(percent: int) -> int:
    if not 0 <= percent <= LARGEST_HOLDOUT:
        raise invalid(
            "holdout_percent",
            "invalid_percent",
            "Enter a whole number of percent between 0 and {most}.",
            most=LARGEST_HOLDOUT,
        )
    return percent


def _checked(at: int, given: Mapping[str, Any]) -> dict[str, Any]:
    field = f"variants.{at}"
    weight = checked_weight(f"{field}.weight", given.get("weight", 50))
    try:
        template = template_values.checked_template(given.get("template") or {})
        text = "" if template else clean_text(str(given.get("text") or ""))
        check_placeholders([text, *template_values.placeholder_texts(template)], "campaign")
    except Invalid as error:
        raise invalid(field, error.code, error.template, **error.values) from None
    if not (text or template):
        raise invalid(field, "empty_text", "Write the text of the variant, or choose a template.")
    return {"weight": weight, "text": text, "template": template}
