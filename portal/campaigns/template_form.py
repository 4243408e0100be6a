"""The "what" step: a text or a template, with values for its header and buttons."""

from typing import Any

from flask import current_app

from messaging.campaigns import template_values
from messaging.campaigns.repository import CampaignInput
from messaging.messages.media import uploads as media_uploads
from messaging.messages.media.uploads import UploadedFile
from messaging.models import Campaign, Line, Template
from messaging.templates.components import TemplateParameters, required_parameters
from portal.campaigns.forms import CampaignMessageForm
from portal.inbox.place_text import parse_place
from portal.inbox.uploads import store_upload
from portal.web.forms import field_text

NO_NEEDS = TemplateParameters()


def template_fields(known: list[Template]) -> dict[str, str]:
    """The fields that each template needs, for the script that hides the others."""
    return {
        _key(one.name, one.language): _words(required_parameters(one.components)) for one in known
    }


def uploaded_file(form: CampaignMessageForm) -> UploadedFile | None:
    return store_upload(form.header_file.data) if form.says.data == "template" else None


def picture_url(file: dict[str, Any]) -> str:
    """The URL of the uploaded picture, for the page."""
    if file.get("kind") != "image":
        return ""
    secret = current_app.extensions["comanda"].secret_key
    return media_uploads.page_path(file["key"], file["mime_type"], file["filename"], secret)


def fill_form(
    form: CampaignMessageForm, campaign: Campaign, lines: list[Line], known: list[Template]
) -> None:
    template = campaign.template
    needs = _needs(known, template.get("name", ""), template.get("language", ""))
    fits = any(not one.test and one.is_default for one in lines)
    first = "" if fits or not lines else str(lines[0].id)
    form.name.data = campaign.name
    form.line_id.data = str(campaign.line_id) if campaign.line_id else first
    form.says.data = "template" if template else "text"
    form.text.data = campaign.text
    form.fill(campaign.card)
    form.template.data = _key(template["name"], template["language"]) if template else ""
    form.parameters.data = "\n".join(template.get("parameters", []))
    form.header.data = template.get("header", "")
    form.header_url.data = template.get("media", {}).get("url", "")
    _fill_location(form, template.get("location", {}))
    codes = needs.codes
    ends = [(at, one) for at, one in enumerate(template.get("buttons", [])) if one]
    form.buttons.data = "\n".join(one for at, one in ends if at not in codes)
    form.code.data = next((one for at, one in ends if at in codes), "")
    form.gift.data = campaign.gift or ""


def message_of(
    form: CampaignMessageForm, campaign: Campaign, known: list[Template], file: UploadedFile | None
) -> CampaignInput:
    as_template = form.says.data == "template"
    line = form.line_id.data or ""
    return CampaignInput(
        name=field_text(form.name),
        line_id=int(line) if line.isdigit() else None,
        text="" if as_template else field_text(form.text),
        card=None if as_template else form.card(),
        template=_template(form, campaign, known, file) if as_template else {},
        gift=form.gift.data or None,
    )


def _template(
    form: CampaignMessageForm, campaign: Campaign, known: list[Template], file: UploadedFile | None
) -> dict[str, Any]:
    """The template and its values. Fields that it does not need are in the form but ignored."""
    name, _, language = (form.template.data or "").partition("/")
    needs = _needs(known, name, language)
    given = [one for one in field_text(form.parameters).splitlines() if one.strip()]
    made: dict[str, Any] = {"name": name, "language": language, "parameters": given}
    if needs.header:
        made["header"] = field_text(form.header)
    if needs.header_media:
        made["media"] = _media(form, campaign, file)
    if needs.header_location:
        made["location"] = _location(form)
    lines = iter([one.strip() for one in field_text(form.buttons).splitlines() if one.strip()])
    ends = {at: next(lines, None) for at in needs.buttons}
    ends |= dict.fromkeys(needs.codes, field_text(form.code).strip() or None)
    made["buttons"] = [ends.get(at) for at in range(max(ends, default=-1) + 1)]
    return made


def _needs(known: list[Template], name: str, language: str) -> TemplateParameters:
    found = [one for one in known if (one.name, one.language) == (name, language)]
    return required_parameters(found[0].components) if found else NO_NEEDS


def _fill_location(form: CampaignMessageForm, location: dict[str, Any]) -> None:
    if location:
        form.location.data = f"{location['latitude']}, {location['longitude']}"
        form.location_name.data = location["name"]
        form.location_address.data = location["address"]


def _location(form: CampaignMessageForm) -> dict[str, Any]:
    place = parse_place(field_text(form.location), "location")
    if place is None:
        return {}
    latitude, longitude, name = place
    return {
        "latitude": latitude,
        "longitude": longitude,
        "name": field_text(form.location_name) or name,
        "address": field_text(form.location_address),
    }


def _media(
    form: CampaignMessageForm, campaign: Campaign, file: UploadedFile | None
) -> dict[str, Any]:
    """A new upload, otherwise a URL, otherwise the file already stored."""
    if file is not None:
        return template_values.media_from_upload(file)
    if url := field_text(form.header_url):
        return {"url": url}
    before = campaign.template.get("media", {})
    return {"file": before["file"]} if "file" in before else {}


def _key(name: str, language: str) -> str:
    return f"{name}/{language}"


def _words(needs: TemplateParameters) -> str:
    wants = {
        "values": bool(needs.body),
        "header": bool(needs.header),
        "media": bool(needs.header_media),
        "buttons": bool(needs.buttons),
        "location": needs.header_location,
        "code": bool(needs.codes),
    }
    return " ".join(name for name, is_wanted in wants.items() if is_wanted)
