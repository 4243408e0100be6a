"""Forms of the account: retention, closure, invoice address, first steps."""

from typing import Any

from flask_babel import lazy_gettext as _
from wtforms import (
    BooleanField,
    IntegerField,
    PasswordField,
    RadioField,
    SelectField,
    SelectMultipleField,
    StringField,
    TextAreaField,
)
from wtforms.validators import Length, Optional

from messaging.inbox.team.settings import MAX_RETURN, MIN_RETURN
from portal.web.choices import LANGUAGES, countries, currencies, time_zone_choices
from portal.web.forms import Form, InRange, required
from tenants.data.retention import MAX_DAYS, MIN_DAYS


def _days(kind: str, label: Any) -> IntegerField:
    return IntegerField(
        label,
        [
            Optional(),
            InRange(MIN_DAYS[kind], MAX_DAYS, _("Enter a number from %(min)s to %(max)s.")),
        ],
    )


class RetentionForm(Form):
    message_days = _days("message_days", _("Message texts (days)"))
    media_days = _days("media_days", _("Images and files (days)"))
    call_days = _days("call_days", _("Request log (days)"))
    hook_days = _days("hook_days", _("Received webhooks and sent events (days)"))


class CloseAccountForm(Form):
    name = StringField(_("Business name"), [required(), Length(max=200)])
    password = PasswordField(_("Your password"), [required(), Length(max=1000)])


class LanguageModelForm(Form):
    url = StringField(_("Address of the server"), [required(), Length(max=300)])
    key = PasswordField(_("API key"), [Optional(), Length(max=400)])
    model = StringField(_("Model"), [required(), Length(max=120)])
    transcription_model = StringField(_("Model for voice notes"), [Optional(), Length(max=120)])
    timeout_seconds = IntegerField(
        _("Wait for an answer (seconds)"),
        [required(), InRange(2, 30, _("Enter a number from %(min)s to %(max)s."))],
        default=8,
    )
    daily_requests = IntegerField(
        _("Requests per day"),
        [required(), InRange(1, 100_000, _("Enter a number from %(min)s to %(max)s."))],
        default=500,
    )
    enabled = BooleanField(_("Use this language model"), default=True)


class AdConversionForm(Form):
    dataset_id = StringField(_("Dataset ID"), [required(), Length(max=20)])
    token = PasswordField(_("Access token"), [Optional(), Length(max=1000)])
    enabled = BooleanField(_("Report purchases"), default=True)


class InboxForm(Form):
    assignment = RadioField(
        _("Assign conversations"),
        [required()],
        choices=[
            ("off", _("By hand")),
            ("round_robin", _("In turn to members who are present")),
        ],
    )
    return_minutes = IntegerField(
        _("Give to somebody else after (minutes)"),
        [Optional(), InRange(MIN_RETURN, MAX_RETURN, _("Enter a number from %(min)s to %(max)s."))],
    )
    rating = RadioField(
        _("Ask after a conversation is closed"),
        [required()],
        choices=[
            ("off", _("Do not ask")),
            ("faces", _("Three faces")),
            ("numbers", _("1 to 5")),
        ],
    )
    rating_text = TextAreaField(_("Question"), [Length(max=600)])
    rating_lines = SelectMultipleField(_("Lines"), coerce=int)


class LabelForm(Form):
    name = StringField(_("Name"), [required(), Length(max=40)])
    colour = SelectField(_("Colour"), [required()])


class SettingsForm(Form):
    name = StringField(_("Business name"), [required(), Length(max=120)])
    locale = SelectField(_("Language"), [required()], choices=LANGUAGES)
    time_zone = SelectField(_("Time zone"), [required()], choices=time_zone_choices)
    country = SelectField(_("Country"), choices=countries)
    currency = SelectField(_("Currency"), [required()], choices=currencies)
