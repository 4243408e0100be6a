"""The forms of the portal. What they check is form; what things mean is checked in the domain."""

import zoneinfo
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

from flask_babel import lazy_gettext as _
from flask_wtf import FlaskForm
from markupsafe import Markup, escape
from wtforms import (
    BooleanField,
    DateField,
    DateTimeLocalField,
    DecimalField,
    Field,
    HiddenField,
    IntegerField,
    PasswordField,
    RadioField,
    SelectField,
    SelectMultipleField,
    StringField,
    TextAreaField,
)
from wtforms.form import BaseForm
from wtforms.validators import InputRequired, Length, NumberRange, Optional, Regexp
from wtforms.widgets import PasswordInput, Select

from core.errors import DomainError
from portal.choices import LANGUAGES, countries, currencies, zones
from portal.words import in_words
from tenants.rights import ROLES, SCOPES, may_give
from webhooks.kinds import KINDS

LOCAL_TIMES = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"]  # as browsers send them


def needed() -> InputRequired:
    return InputRequired(_("Fill this in."))


def said(field: StringField) -> str:
    """What was typed; an empty text when the field was not sent at all."""
    return field.data or ""


class Between(NumberRange):
    """Numbers that even a comparison falls over are out of range too."""

    def __call__(self, form: BaseForm, field: Field) -> None:
        try:
            float(field.data or 0)
        except (OverflowError, ValueError):
            field.data = None
        super().__call__(form, field)


class Options(Select):
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
                field.widget = Options(multiple=widget.multiple)  # type: ignore[assignment]
            return super().render_field(field, given)

    def refuse(self, error: DomainError) -> None:
        """Put a refusal where it belongs: under its field, or above the form."""
        sentence = in_words(error)
        for fault in error.faults:
            field = getattr(self, fault.field, None)
            if isinstance(field, Field):
                field.errors = [*field.errors, sentence]
                return
        self.form_errors.append(sentence)


@contextmanager
def refusals_on(form: Form) -> Iterator[None]:
    """`with refusals_on(form), tenant_scope(…):` — nothing is written, the form says why."""
    try:
        yield
    except DomainError as error:
        form.refuse(error)


class SignInForm(Form):
    email = StringField(_("E-mail"), [needed(), Length(max=254)])
    password = PasswordField(_("Password"), [needed(), Length(max=1000)])
    next = HiddenField()


class SignUpForm(Form):
    business = StringField(_("Business"), [needed(), Length(max=120)])
    name = StringField(_("Your name"), [needed(), Length(max=120)])
    email = StringField(_("E-mail"), [needed(), Length(max=254)])
    password = PasswordField(
        _("Password"), [needed(), Length(max=256)], description=_("At least 10 characters.")
    )
    time_zone = HiddenField()

    def zone(self) -> str:
        wanted = self.time_zone.data or ""
        return wanted if wanted in zoneinfo.available_timezones() else "UTC"


class CodeForm(Form):
    code = StringField(_("Code"), [needed(), Length(max=20)])


class EmailForm(Form):
    email = StringField(_("E-mail"), [needed(), Length(max=254)])


class NewPasswordForm(Form):
    password = PasswordField(
        _("New password"), [needed(), Length(max=256)], description=_("At least 10 characters.")
    )


class JoinForm(Form):
    name = StringField(_("Your name"), [needed(), Length(max=120)])
    password = PasswordField(
        _("Password"), [needed(), Length(max=256)], description=_("At least 10 characters.")
    )


class KeyForm(Form):
    name = StringField(_("Name"), [needed(), Length(max=120)])
    scopes = SelectMultipleField(_("May do"), choices=[(s, s) for s in SCOPES])
    rate_per_second = IntegerField(
        _("Requests per second"), [Optional(), Between(1, 10_000, _("At least 1."))]
    )
    line_ids = SelectMultipleField(_("Only these lines"), coerce=int)

    def offer_lines(self, lines: list[tuple[int, str]]) -> None:
        self.line_ids.choices = lines


class NewKeyForm(KeyForm):
    mode = RadioField(_("Kind"), [needed()], choices=[("test", "test"), ("live", "live")])
    expires = SelectField(
        _("Expires"),
        choices=[
            ("", _("never")),
            ("30", _("in 30 days")),
            ("90", _("in 90 days")),
            ("365", _("in a year")),
        ],
    )


class RotateForm(Form):
    overlap = RadioField(
        _("The old key works for"),
        [needed()],
        choices=[(c, c) for c in ("now", "hour", "day", "week")],
        default="day",
    )


class RoleForm(Form):
    role = RadioField(_("Role"), [needed()])

    def offer(self, giver: str) -> None:
        self.role.choices = [(role, role) for role in ROLES if may_give(giver, role)]


class InviteForm(RoleForm):
    email = StringField(_("E-mail"), [needed(), Length(max=254)])


class SettingsForm(Form):
    name = StringField(_("Name of the business"), [needed(), Length(max=120)])
    locale = SelectField(_("Language"), [needed()], choices=LANGUAGES)
    time_zone = SelectField(_("Time zone"), [needed()], choices=zones)
    country = SelectField(_("Country"), choices=countries)
    currency = SelectField(_("Currency"), [needed()], choices=currencies)


class ProfileForm(Form):
    name = StringField(_("Your name"), [needed(), Length(max=120)])
    locale = SelectField(_("Language"), [needed()], choices=LANGUAGES)
    time_zone = SelectField(_("Time zone"), [needed()], choices=zones)
    theme = RadioField(
        _("Look"),
        [needed()],
        choices=[("auto", _("As the system")), ("light", _("Light")), ("dark", _("Dark"))],
    )


class PasswordForm(Form):
    current = PasswordField(_("Current password"), [needed(), Length(max=1000)])
    password = PasswordField(
        _("New password"), [needed(), Length(max=256)], description=_("At least 10 characters.")
    )


class ProveForm(Form):
    password = PasswordField(_("Your password"), [needed(), Length(max=1000)])


class LimitsForm(Form):
    plan = SelectField(_("Plan"), [needed()])
    rate_per_second = IntegerField(_("Requests per second"), [Optional(), Between(1, 100_000)])
    burst = IntegerField(_("Burst"), [Optional(), Between(1, 1_000_000)])
    monthly_messages = IntegerField(_("Messages a month"), [Optional(), Between(0, 2**31 - 1)])
    spend_cap_usd = DecimalField(
        _("Spend cap in USD"), [Optional(), Between(0, 10_000_000)], places=2
    )
    paid_until = DateField(_("Paid until"), [Optional()])


class SpendCapForm(Form):
    cap_usd = DecimalField(
        _("Your spend cap a month, in USD"), [Optional(), Between(0, 10_000_000)], places=2
    )


def _line_or_none(value: Any) -> int | None:
    """The line chosen, or none; what is no number is not among the choices either."""
    if value in (None, "", "None"):
        return None
    text = str(value)
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 12 else -1


def _trimmed(text: str | None) -> str | None:
    return text.strip() if text else text


def _network_id() -> Regexp:
    return Regexp(r"\d{5,32}\Z", message=_("Digits only, as the network shows it."))


def _secret(label: str, *validators: Any) -> PasswordField:
    """Comes back with its form, so that what was checked need not be pasted again to be saved."""
    widget = PasswordInput(hide_value=False)
    return PasswordField(label, [*validators], filters=[_trimmed], widget=widget)


class AccessForm(Form):
    token = _secret(_("Access token"), needed(), Length(max=2000))
    app_secret = _secret(_("App secret"), Optional(), Length(max=200))


class NewLineForm(AccessForm):
    name = StringField(_("Name"), [needed(), Length(max=120)])
    phone = StringField(_("Phone number"), [needed(), Length(max=40)])
    phone_number_id = StringField(
        _("Phone number ID"), [needed(), _network_id()], filters=[_trimmed]
    )
    account_id = StringField(
        _("Business account ID"), [Optional(), _network_id()], filters=[_trimmed]
    )
    app_secret = _secret(_("App secret"), needed(), Length(max=200))


class LinkForm(Form):
    name = StringField(_("Name"), [needed(), Length(max=120)])


class PhoneForm(Form):
    phone = StringField(_("Phone number"), [needed(), Length(max=40)])


class LineForm(Form):
    name = StringField(_("Name"), [needed(), Length(max=120)])
    per_second = DecimalField(
        _("Messages per second"),
        [needed(), NumberRange(Decimal("0.1"), 1000, _("Between 0.1 and 1000."))],
        places=None,
    )
    account_id = StringField(
        _("Business account ID"), [Optional(), _network_id()], filters=[_trimmed]
    )
    fallback = SelectField(_("While it is down"), [Optional()], coerce=_line_or_none)

    def offer_lines(self, lines: list[tuple[int, str]]) -> None:
        self.fallback.choices = [("", _("its messages wait")), *lines]


class TestMessageForm(Form):
    __test__ = False  # the name is not meant for pytest

    phone = StringField(_("To"), [needed(), Length(max=40)])
    text = TextAreaField(_("Text"), [needed(), Length(max=4096)])


class MessageForm(Form):
    line = SelectField(_("Line"), [needed()], coerce=_line_or_none)
    phone = StringField(_("To"), [needed(), Length(max=80)])
    text = TextAreaField(_("Text"), [needed(), Length(max=4096)])

    def offer_lines(self, lines: list[tuple[int, str]]) -> None:
        self.line.choices = lines


class TemplateForm(Form):
    phone = StringField(_("To"), [needed(), Length(max=40)])
    line = SelectField(_("Line"), [needed()], coerce=_line_or_none)

    def offer_lines(self, lines: list[tuple[int, str]]) -> None:
        self.line.choices = lines


class RateForm(Form):
    kind = SelectField(
        _("Kind"),
        [needed()],
        choices=[("cloud", _("WhatsApp Cloud API")), ("linked", _("Linked phone"))],
    )
    category = SelectField(
        _("Category"),
        [needed()],
        choices=[
            ("marketing", _("Marketing")),
            ("utility", _("Utility")),
            ("authentication", _("Authentication")),
            ("service", _("Service")),
        ],
    )
    since = DateField(_("Valid from"), [needed()])
    usd = DecimalField(_("US dollars"), [needed()], places=None)


class EndpointForm(Form):
    url = StringField(_("URL"), [needed(), Length(max=2048)], filters=[_trimmed])
    description = StringField(_("Name"), [Optional(), Length(max=200)])
    every = RadioField(
        _("Events"), [needed()], choices=[("yes", "yes"), ("no", "no")], default="yes"
    )
    events = SelectMultipleField(_("Events"), choices=[(kind, kind) for kind in KINDS])

    def chosen(self) -> list[str]:
        return ["*"] if self.every.data == "yes" else list(self.events.data or [])


class SecretForm(Form):
    overlap = RadioField(
        _("The old secret also signs for"),
        [needed()],
        choices=[(c, c) for c in ("now", "hour", "day", "week")],
        default="day",
    )


class ReplayForm(Form):
    since = DateTimeLocalField(_("Since"), [needed()], format=LOCAL_TIMES)
    until = DateTimeLocalField(_("Until"), [needed()], format=LOCAL_TIMES)
    missed = BooleanField(_("Only what did not arrive"), default=True)
