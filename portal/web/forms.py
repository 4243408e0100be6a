"""Base form classes. They check the format of input; the domain checks its meaning."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flask import request
from flask_babel import lazy_gettext as _
from flask_wtf import FlaskForm
from markupsafe import Markup, escape
from wtforms import (
    Field,
    StringField,
)
from wtforms.form import BaseForm
from wtforms.validators import InputRequired, NumberRange
from wtforms.widgets import Select, TextArea, TextInput
from wtforms.widgets.core import clean_key  # type: ignore[attr-defined]

from core.errors import DomainError
from core.values.text import BadText, normalize_text
from portal.web.i18n import error_message

LOCAL_TIMES = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"]  # the formats that browsers send


def required() -> InputRequired:
    return InputRequired(_("Fill in this field."))


def field_text(field: StringField) -> str:
    """The submitted text; empty if the field was not sent."""
    return field.data or ""


class InRange(NumberRange):
    """A number range that also rejects numbers that cannot be converted to float."""

    def __call__(self, form: BaseForm, field: Field) -> None:
        try:
            float(field.data or 0)
        except (OverflowError, ValueError):
            field.data = None
        super().__call__(form, field)


class PlainSelect(Select):
    """Faster rendering for lists with hundreds of options, such as countries or time zones."""

    @classmethod
    def render_option(cls, choice: Any, **more: Any) -> Any:  # type: ignore[override]
        if choice.render_kw or more or not isinstance(choice.value, str):
            return super().render_option(choice, **more)
        chosen = "selected " if choice.selected else ""
        value, label = escape(choice.value), escape(choice.label or choice.value)
        return Markup(f'<option {chosen}value="{value}">{label}</option>')  # noqa: S704


def html_attributes(**attributes: Any) -> Markup:
    """As `html_params` of WTForms, which formats a page's attributes ten times as slowly."""
    found = []
    for name, value in sorted(attributes.items()):
        key = clean_key(name)
        if value is True:
            found.append(key)
        elif value is not False:
            text = str(escape(value)).replace('"', "&quot;")
            found.append(f'{escape(key)}="{text}"')
    return Markup(" ".join(found))  # noqa: S704 - its parts are escaped


class PlainTextInput(TextInput):
    html_params = staticmethod(html_attributes)


class PlainTextArea(TextArea):
    def __call__(self, field: Field, **given: Any) -> Markup:
        given.setdefault("id", field.id)
        for name in self.validation_attrs:
            if name not in given and name in field.flags:
                given[name] = getattr(field.flags, name)
        attributes = html_attributes(name=field.name, **given)
        value = field._value()  # type: ignore[attr-defined]  # noqa: SLF001 - as in WTForms
        text = escape(value)
        return Markup(f"<textarea {attributes}>\r\n{text}</textarea>")  # noqa: S704


PLAIN_WIDGETS = {TextInput: PlainTextInput(), TextArea: PlainTextArea()}


class Form(FlaskForm):  # type: ignore[misc]
    class Meta(FlaskForm.Meta):  # type: ignore[misc]
        def render_field(self, field: Field, given: dict[str, Any]) -> Any:
            widget: object = field.widget
            if type(widget) is Select:
                field.widget = PlainSelect(multiple=widget.multiple)  # type: ignore[assignment]
            elif type(widget) in PLAIN_WIDGETS:
                field.widget = PLAIN_WIDGETS[type(widget)]  # type: ignore[assignment]
            return super().render_field(field, given)

    def refuse(self, error: DomainError) -> None:
        """Show the error under its field, or above the form."""
        sentence = error_message(error)
        for fault in error.faults:
            field = getattr(self, fault.field, None)
            if isinstance(field, Field):
                field.errors = [*field.errors, sentence]
                return
        self.form_errors.append(sentence)


@contextmanager
def domain_errors_on(form: Form) -> Iterator[None]:
    """`with domain_errors_on(form), tenant_scope(…):` rolls back; the form shows the error."""
    try:
        yield
    except DomainError as error:
        form.refuse(error)


def submitted_text(name: str, limit: int = 1000) -> str:
    """A field that no form class declares. Text that cannot be stored is read as blank."""
    return _storable(request.form.get(name, ""), limit)


def text_in_url(name: str, limit: int) -> str:
    """A parameter of the address, such as a filter, read in the same way."""
    return _storable(request.args.get(name, ""), limit)


def _storable(text: str, limit: int) -> str:
    try:
        return normalize_text(text.replace("\0", ""))[:limit]
    except BadText:
        return ""


def line_id_or_none(value: Any) -> int | None:
    """The chosen line's id; None for no line and for anything that is not a number."""
    if value in (None, "", "None"):
        return None
    text = str(value)
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 12 else -1


def strip_text(text: str | None) -> str | None:
    return text.strip() if text else text
