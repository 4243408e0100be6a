"""Forms of the API key pages."""

from flask_babel import lazy_gettext as _
from wtforms import (
    IntegerField,
    RadioField,
    SelectField,
    SelectMultipleField,
    StringField,
)
from wtforms.validators import Length, Optional

from portal.web.forms import Form, InRange, required
from tenants.rights import SCOPES


class ApiKeyForm(Form):
    name = StringField(_("Name"), [required(), Length(max=120)])
    scopes = SelectMultipleField(_("Permissions"), choices=[(s, s) for s in SCOPES])
    rate_per_second = IntegerField(
        _("Requests per second"), [Optional(), InRange(1, 10_000, _("Enter 1 or more."))]
    )
    line_ids = SelectMultipleField(_("Limit to these lines"), coerce=int)

    def offer_lines(self, lines: list[tuple[int, str]]) -> None:
        self.line_ids.choices = lines


class NewApiKeyForm(ApiKeyForm):
    mode = RadioField(_("Type"), [required()], choices=[("test", "test"), ("live", "live")])
    expires = SelectField(
        _("Expires"),
        choices=[
            ("", _("never")),
            ("30", _("in 30 days")),
            ("90", _("in 90 days")),
            ("365", _("in a year")),
        ],
    )


class RotateKeyForm(Form):
    overlap = RadioField(
        _("Keep the old key valid for"),
        [required()],
        choices=[(c, c) for c in ("now", "hour", "day", "week")],
        default="day",
    )
