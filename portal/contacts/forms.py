"""Forms of the contact pages."""

from typing import Any

from flask_babel import lazy_gettext as _
from wtforms import (
    BooleanField,
    FileField,
    SelectField,
    StringField,
    TextAreaField,
)
from wtforms.validators import Length, Optional

from messaging.models import ContactField
from portal.web.choices import countries
from portal.web.forms import Form, required


class ContactForm(Form):
    name = StringField(_("Name"), [Length(max=400)])
    phone = StringField(_("Phone number"), [Length(max=64)])
    language = StringField(_("Language"), [Length(max=20)])
    birthday = StringField(_("Birthday"), [Length(max=20)])
    tags = StringField(_("Tags"), [Length(max=2000)])

    @classmethod
    def with_fields(cls, own: list[ContactField], **values: Any) -> "ContactForm":
        """Add the tenant's custom fields as inputs of their type."""
        added = {f"own_{number}": _input(one) for number, one in enumerate(own)}
        form: ContactForm = type("OwnContactForm", (cls,), added)(**values)
        return form

    def custom_field_values(self, own: list[ContactField]) -> dict[str, str]:
        found = {}
        for number, one in enumerate(own):
            data = getattr(self, f"own_{number}").data
            found[one.id] = "" if data is None else str(data)
        return found


def _input(one: ContactField) -> Any:
    if one.kind == "choice":
        choices = [("", "–"), *((choice, choice) for choice in one.choices)]
        return SelectField(one.name, [Optional()], choices=choices, validate_choice=False)
    return StringField(one.name, [Length(max=1000)])


class NoteForm(Form):
    text = TextAreaField(_("Note"), [required(), Length(max=4000)])


class TagsForm(Form):
    tags = StringField(_("Tags"), [Length(max=2000)])


class PhoneForm(Form):
    phone = StringField(_("Phone number"), [required(), Length(max=64)])


class ConsentForm(Form):
    consent_source = StringField(_("Consent source"), [required(), Length(max=120)])


class WriteForm(Form):
    text = TextAreaField(_("Text"), [required(), Length(max=4096)])


class FieldForm(Form):
    name = StringField(_("Name"), [required(), Length(max=120)])
    kind = SelectField(
        _("Type"),
        choices=[
            ("text", _("Text")),
            ("number", _("Numeric value")),
            ("date", _("Date")),
            ("choice", _("Choice from a list")),
        ],
    )
    choices = TextAreaField(_("Choices"), [Length(max=5000)])


class UploadForm(Form):
    file = FileField(_("CSV or Excel file"))


class ColumnsForm(Form):
    """The template renders the column fields, because their number depends on the file."""

    country = SelectField(_("Country for numbers without a country code"), choices=countries)
    tags = StringField(_("Tags for all contacts"), [Length(max=2000)])
    agreed = BooleanField(_("All contacts in this file gave marketing consent"))
    consent_source = StringField(_("Consent source"), [Length(max=120)])
    update = BooleanField(_("Update existing contacts"))
