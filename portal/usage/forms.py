"""Forms of the usage page."""

from flask_babel import lazy_gettext as _
from wtforms import (
    DecimalField,
)
from wtforms.validators import Optional

from portal.web.forms import Form, InRange


class SpendCapForm(Form):
    cap_usd = DecimalField(
        _("Monthly spend cap (USD)"), [Optional(), InRange(0, 10_000_000)], places=2
    )
