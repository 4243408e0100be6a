"""The form of the "measure" step: holdout group, variants, short links and the stand-in."""

from typing import Any

from flask_babel import lazy_gettext as _
from wtforms import BooleanField, IntegerField, SelectField, TextAreaField
from wtforms.validators import Length, Optional

from messaging.campaigns.experiments.assignment import VARIANT_NAMES
from messaging.campaigns.experiments.variants import LARGEST_HOLDOUT
from messaging.campaigns.repository import CampaignInput
from messaging.models import Campaign, Template
from messaging.templates.components import required_parameters
from portal.web.forms import Form, InRange, field_text

OTHER_VARIANTS = VARIANT_NAMES[1:]
PERCENT = InRange(0, LARGEST_HOLDOUT, _("Enter 0 to 50 percent."))
WEIGHT = InRange(1, 100, _("Enter a whole number between 1 and 100."))


class MeasureForm(Form):
    holdout_percent = IntegerField(_("Holdout group, in percent"), [Optional(), PERCENT])
    count_clicks = BooleanField(_("Count clicks with short links"))
    weight = IntegerField(_("Weight of variant A"), [Optional(), WEIGHT])
    text_b = TextAreaField(_("Text"), [Length(max=5000)])
    text_c = TextAreaField(_("Text"), [Length(max=5000)])
    text_d = TextAreaField(_("Text"), [Length(max=5000)])
    template_b = SelectField(_("Template"), [Optional()])
    template_c = SelectField(_("Template"), [Optional()])
    template_d = SelectField(_("Template"), [Optional()])
    values_b = TextAreaField(_("Template values, one per line"), [Length(max=5000)])
    values_c = TextAreaField(_("Template values, one per line"), [Length(max=5000)])
    values_d = TextAreaField(_("Template values, one per line"), [Length(max=5000)])
    weight_b = IntegerField(_("Weight"), [Optional(), WEIGHT])
    weight_c = IntegerField(_("Weight"), [Optional(), WEIGHT])
    weight_d = IntegerField(_("Weight"), [Optional(), WEIGHT])
    stand_in = SelectField(_("Stand-in template"), [Optional()])
    stand_in_values = TextAreaField(_("Template values, one per line"), [Length(max=5000)])

    def offer(self, templates: list[tuple[str, str]]) -> None:
        choices = [("", _("– none –")), *templates]
        for name in OTHER_VARIANTS:
            self[f"template_{name.lower()}"].choices = choices
        self.stand_in.choices = choices

    def show(self, campaign: Campaign) -> None:
        self.holdout_percent.data = campaign.holdout_percent
        self.count_clicks.data = campaign.count_clicks
        self.weight.data = campaign.weight
        for name, stored in zip(OTHER_VARIANTS, campaign.variants, strict=False):
            at, template = name.lower(), stored.get("template") or {}
            self[f"weight_{at}"].data = stored["weight"]
            self[f"text_{at}"].data = stored.get("text", "")
            self[f"template_{at}"].data = _key(template)
            self[f"values_{at}"].data = _lines(template)
        self.stand_in.data = _key(campaign.stand_in)
        self.stand_in_values.data = _lines(campaign.stand_in)

    def to_input(self, campaign: Campaign, known: list[Template]) -> CampaignInput:
        return CampaignInput(
            holdout_percent=self.holdout_percent.data or 0,
            count_clicks=bool(self.count_clicks.data),
            weight=self.weight.data or 50,
            variants=[
                one for name in OTHER_VARIANTS if (one := self._variant(name, campaign, known))
            ],
            stand_in=_template(
                self.stand_in.data or "", field_text(self.stand_in_values), campaign, known
            ),
        )

    def _variant(
        self, name: str, campaign: Campaign, known: list[Template]
    ) -> dict[str, Any] | None:
        """A variant without a text and a template does not exist."""
        at = name.lower()
        text = field_text(self[f"text_{at}"])
        chosen = self[f"template_{at}"].data or ""
        if campaign.template and not chosen:
            return None
        if not campaign.template and not text.strip():
            return None
        template = {}
        if campaign.template:
            template = _template(chosen, field_text(self[f"values_{at}"]), campaign, known)
        weight = self[f"weight_{at}"].data or 50
        return {"weight": weight, "text": "" if template else text, "template": template}


def _key(template: dict[str, Any]) -> str:
    return f"{template['name']}/{template['language']}" if template else ""


def _lines(template: dict[str, Any]) -> str:
    return "\n".join(template.get("parameters", []))


def _template(
    chosen: str, values: str, campaign: Campaign, known: list[Template]
) -> dict[str, Any]:
    """The chosen template. Header and buttons have the values of the campaign's own template."""
    name, _slash, language = chosen.partition("/")
    if not name:
        return {}
    own = campaign.template
    found = [one for one in known if (one.name, one.language) == (name, language)]
    parameters = [one for one in values.splitlines() if one.strip()]
    made: dict[str, Any] = {"name": name, "language": language, "parameters": parameters}
    needs = required_parameters(found[0].components) if found else None
    if needs is not None and not parameters and len(needs.body) == len(own.get("parameters", [])):
        made["parameters"] = own.get("parameters", [])
    if needs is not None:
        shared = (
            ("header", bool(needs.header)),
            ("media", bool(needs.header_media)),
            ("location", needs.header_location),
            ("buttons", bool(needs.buttons or needs.codes)),
        )
        made |= {part: own[part] for part, wanted in shared if wanted and own.get(part)}
    return made
