"""Forms of the webhook pages."""

from flask_babel import lazy_gettext as _
from wtforms import (
    BooleanField,
    DateTimeLocalField,
    RadioField,
    SelectMultipleField,
    StringField,
    TextAreaField,
)
from wtforms.validators import Length, Optional

from portal.web.forms import LOCAL_TIMES, Form, required, strip_text
from webhooks.event_types import EVENT_TYPES


class EndpointForm(Form):
    url = StringField(_("URL"), [required(), Length(max=2048)], filters=[strip_text])
    description = StringField(_("Name"), [Optional(), Length(max=200)])
    every = RadioField(
        _("Events"), [required()], choices=[("yes", "yes"), ("no", "no")], default="yes"
    )
    events = SelectMultipleField(_("Events"), choices=[(kind, kind) for kind in EVENT_TYPES])
    lines = SelectMultipleField(_("Lines"), coerce=int)
    filters = TextAreaField(_("Filters"), [Optional(), Length(max=5000)])
    headers = TextAreaField(_("Your own headers"), [Optional(), Length(max=6000)])
    ordered = BooleanField(_("Keep the order of each conversation"))

    def chosen(self) -> list[str]:
        return ["*"] if self.every.data == "yes" else list(self.events.data or [])


class RotateSecretForm(Form):
    overlap = RadioField(
        _("Keep the old secret valid for"),
        [required()],
        choices=[(c, c) for c in ("now", "hour", "day", "week")],
        default="day",
    )


class ReplayForm(Form):
    since = DateTimeLocalField(_("Since"), [required()], format=LOCAL_TIMES)
    until = DateTimeLocalField(_("Until"), [required()], format=LOCAL_TIMES)
    missed = BooleanField(_("Undelivered events only"), default=True)
