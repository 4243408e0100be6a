"""Forms of the plan and invoice pages."""

from flask_babel import lazy_gettext as _
from wtforms import (
    DateField,
    StringField,
    TextAreaField,
)
from wtforms.validators import Length, Optional

from portal.web.forms import Form, required


class InvoiceForm(Form):
    billing_name = StringField(_("Name"), [Optional(), Length(max=200)])
    billing_address = TextAreaField(_("Address"), [Optional(), Length(max=500)])
    billing_tax_number = StringField(_("Tax number"), [Optional(), Length(max=60)])


class InvoiceCorrectionForm(InvoiceForm):
    begins = DateField(_("Start date"), [required()])
    ends = DateField(_("End date"), [required()])
