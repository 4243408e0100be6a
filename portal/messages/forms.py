"""Forms of the message and template pages."""

from flask_babel import lazy_gettext as _
from wtforms import (
    SelectField,
    StringField,
    TextAreaField,
)
from wtforms.validators import Length

from portal.web.forms import Form, line_id_or_none, required


class TestMessageForm(Form):
    __test__ = False  # pytest would collect the class because of its name

    phone = StringField(_("To"), [required(), Length(max=40)])
    text = TextAreaField(_("Text"), [required(), Length(max=4096)])


class MessageForm(Form):
    line = SelectField(_("Line"), [required()], coerce=line_id_or_none)
    phone = StringField(_("To"), [required(), Length(max=80)])
    text = TextAreaField(_("Text"), [required(), Length(max=4096)])

    def offer_lines(self, lines: list[tuple[int, str]]) -> None:
        self.line.choices = lines


class TemplateForm(Form):
    phone = StringField(_("To"), [required(), Length(max=40)])
    line = SelectField(_("Line"), [required()], coerce=line_id_or_none)

    def offer_lines(self, lines: list[tuple[int, str]]) -> None:
        self.line.choices = lines
