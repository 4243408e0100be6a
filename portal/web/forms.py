"""The forms of the portal. What they check is form; what things mean is checked in the domain."""

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
from wtforms.widgets import Select

from core.errors import DomainError
from core.values.text import BadText, normalize_text
from portal.web.i18n import error_message

LOCAL_TIMES = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"]  # as browsers send them


def required() -> InputRequired:
    return InputRequired(_("Fill this in."))


def field_text(field: StringField) -> str:
    """What was typed; an empty text when the field was not sent at all."""
    return field.data or ""


class InRange(NumberRange):
    """Numbers that even a comparison falls over are out of range too."""

    def __call__(self, form: BaseForm, field: Field) -> None:
        try:
            float(field.data or 0)
        except (OverflowError, ValueError):
            field.data = None
        super().__call__(form, field)


class PlainSelect(Select):
    """Of countries or time zones there are hundreds, and few have anything but a value."""

    @classmethod
    def render_option(cls, choice: Any, **more: Any) -> Any:  # type: ignore[override]
        if choice.render_kw or more or not isinstance(choice.value, str):
            return super().render_option(choice, **more)
        chosen = "selected " if choice.selected else ""
        value, label = escape(choice.value), escape(choice.label or choice.value)
        return Markup(f'<option {chosen}value="{value}">{label}</option>')  # noqa: S704


class Form(FlaskForm):  # type: ignore[misc]
    class Meta(FlaskForm.Meta):  # type: ignore[misc]
        def render_field(self, field: Field, given: dict[str, Any]) -> Any:
            widget: object = field.widget
            if type(widget) is Select:
                field.widget = PlainSelect(multiple=widget.multiple)  # type: ignore[assignment]
            return super().render_field(field, given)

    def refuse(self, error: DomainError) -> None:
        """Put a refusal where it belongs: under its field, or above the form."""
        sentence = error_message(error)
        for fault in error.faults:
            field = getattr(self, fault.field, None)
            if isinstance(field, Field):
                field.errors = [*field.errors, sentence]
                return
        self.form_errors.append(sentence)


@contextmanager
def domain_errors_on(form: Form) -> Iterator[None]:
    """`with refusals_on(form), tenant_scope(…):` — nothing is written, the form says why."""
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
    """The line chosen, or none; what is no number is not among the choices either."""
    if value in (None, "", "None"):
        return None
    text = str(value)
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 12 else -1


def strip_text(text: str | None) -> str | None:
    return text.strip() if text else text
