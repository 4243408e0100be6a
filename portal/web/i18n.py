"""Languages, time zones and the template filters that depend on them."""

from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from functools import lru_cache, wraps
from typing import Any

from babel import negotiate_locale
from babel.numbers import get_decimal_symbol
from babel.units import format_unit
from flask import Flask, request, session
from flask_babel import (
    Babel,
    format_currency,
    format_date,
    format_datetime,
    format_decimal,
    format_number,
    format_time,
    format_timedelta,
    get_locale,
    get_translations,
    gettext,
)
from flask_login import current_user

from core.clock import now
from core.errors import DomainError
from core.i18n.catalogs import TRANSLATIONS
from core.values.money import format_money
from core.values.phone import display_phone
from messaging.automations.reasons import AUTOMATION_REASONS
from messaging.journeys.reasons import JOURNEY_REASONS
from messaging.reasons import NETWORK_REASONS
from portal.web import core_errors
from portal.web.rendering.template_cache import language, time_zone
from restaurant.payments.reasons import PAYMENT_REASONS
from tenants.people import LOCALES, THEMES
from webhooks.inbound.reasons import HOOK_REASONS

REASON_DETAIL = " · "
AGE_UNITS = (7 * 86400, 86400, 3600, 60, 1)  # in seconds
NEARLY = 0.95  # of an hour is "1 hour", less is a number of minutes


def choose_locale() -> str:
    """The person's setting, else this browser's choice, else its Accept-Language header."""
    person = getattr(current_user, "person", None)
    for locale in (getattr(person, "locale", None), session.get("locale")):
        if locale in LOCALES:
            return str(locale)
    accepted = [language for language, _ in request.accept_languages]
    return negotiate_locale(accepted, LOCALES, sep="-") or "en"


def choose_time_zone() -> str:
    return getattr(getattr(current_user, "person", None), "time_zone", None) or "UTC"


def choose_theme() -> str:
    person = getattr(current_user, "person", None)
    theme = getattr(person, "theme", None) or session.get("theme")
    return str(theme) if theme in THEMES else "auto"


def cached_format(form: Callable[..., str]) -> Callable[..., str]:
    """Cache a function of its arguments, the reader's language and the reader's time zone.

    The rows of a list, and the lists of one day, show the same times and numbers again and again.
    """

    @lru_cache(maxsize=4096, typed=True)
    def kept(_language: str, _zone: Any, *args: Any) -> str:
        return str(form(*args))

    @wraps(form)
    def formatted(value: Any, *args: Any) -> str:
        if value is None:  # the current time
            return str(form(value, *args))
        return kept(language(), time_zone(), value, *args)

    return formatted


def time_ago(moment: datetime | None) -> str:
    if moment is None:
        return str(gettext("never"))
    ahead = moment - now()
    if abs(ahead) < timedelta(seconds=45):
        return str(gettext("just now"))
    if abs(ahead) >= timedelta(days=28):
        return _date(moment)
    seconds = ahead // timedelta(seconds=1)
    unit = next(one for one in AGE_UNITS if abs(seconds) >= one * NEARLY)
    return _age(round(seconds / unit), unit)


@cached_format
def _date(moment: datetime) -> str:
    return str(format_datetime(moment, "d MMM yyyy"))


@cached_format
def _age(number: int, unit: int) -> str:
    """In 3 hours, 7 days ago: in this unit (in seconds), even if a larger one fits."""
    limit = 1 if abs(number) == 1 else 1.01
    ahead = timedelta(seconds=number * unit)
    return str(format_timedelta(ahead, add_direction=True, threshold=limit))


@cached_format
def exact_time(moment: datetime | None) -> str:
    return str(format_datetime(moment, "d MMMM yyyy, HH:mm:ss zzz")) if moment else ""


@cached_format
def day_and_time(moment: datetime | None) -> str:
    """Day and time without seconds, for use in a sentence."""
    return str(format_datetime(moment, "d MMMM yyyy, HH:mm")) if moment else ""


def error_message(error: DomainError) -> str:
    """The error in the reader's language."""
    message = core_errors.core_error_message(error.message)
    if message:
        return message
    if error.plural:
        one, other, _ = error.plural
        number = error.plural.count(error.values)
        sentence = str(get_translations().ungettext(one, other, number))
    else:
        sentence = str(gettext(error.template))
    return sentence.format(**error.values) if error.values else sentence


def network_message(reason: str | None) -> str:
    """Why a line, a message or a file has a problem, in the reader's language."""
    return NETWORK_REASONS.translated(reason, gettext)


def automation_reason(reason: str | None) -> str:
    """Why an automation sent nothing, in the reader's language."""
    return AUTOMATION_REASONS.translated(reason, gettext)


def journey_reason(reason: str | None) -> str:
    """Why a run of a journey ended, in the reader's language."""
    return JOURNEY_REASONS.translated(reason, gettext)


def hook_reasons(stored: str | None) -> str:
    """Why a received hook was not processed, in the reader's language."""
    return HOOK_REASONS.translated_lines(stored, gettext, joint=" ")


def payment_reason(reason: str | None) -> str:
    """Why a payment provider did not do something, in the reader's language."""
    return PAYMENT_REASONS.translated(reason, gettext)


def reason_message(sentence: str | None) -> str:
    """The reason of an audited change; after the dot comes what was given."""
    if not sentence:
        return ""
    sentence_part, mark, given = sentence.partition(REASON_DETAIL)
    return f"{gettext(sentence_part)}{mark}{given}"


def format_minutes(minutes: int) -> str:
    """90 → 90 minutes, 120 → 2 hours."""
    for unit, length in (("day", 1440), ("hour", 60), ("minute", 1)):
        if minutes % length == 0:
            return str(format_unit(minutes // length, f"duration-{unit}", locale=get_locale()))
    raise AssertionError("every number of minutes is one of minutes")


def format_duration(seconds: int) -> str:
    """An approximate duration: 40 seconds, 12 minutes, 3 hours, 2 days."""
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= length * (2 if unit != "minute" else 1):
            return str(format_unit(-(-seconds // length), f"duration-{unit}", locale=get_locale()))
    return str(format_unit(max(seconds, 1), "duration-second", locale=get_locale()))


def format_phone(phone: str) -> str:
    """A phone number in its usual notation; ids of the network stay unchanged."""
    if not phone:
        return str(gettext("deleted"))
    return display_phone(phone) if phone.isascii() and phone.isdigit() else phone


@cached_format
def format_amount(amount: Decimal | str, currency: str) -> str:
    """An amount in the notation of the reader's language."""
    return format_money(Decimal(amount), currency, str(get_locale()))


def amount_for_input(amount: Decimal | str) -> str:
    """An amount for an input field, with the reader's decimal separator."""
    return str(amount).replace(".", get_decimal_symbol(get_locale()))


def format_size(size: int) -> str:
    """900 → 900 B, 12_300 → 12.3 kB."""
    for unit, length in (("megabyte", 1_000_000), ("kilobyte", 1000)):
        if size >= length:
            rounded = round(Decimal(size) / length, 1)
            return str(format_unit(rounded, f"digital-{unit}", "short", locale=get_locale()))
    return f"{format_decimal(size)} B"


def setup_i18n(app: Flask) -> None:
    app.config["BABEL_TRANSLATION_DIRECTORIES"] = str(TRANSLATIONS)
    Babel(app, locale_selector=choose_locale, timezone_selector=choose_time_zone)
    app.add_template_filter(time_ago, "ago")
    app.add_template_filter(exact_time, "exact")
    app.add_template_filter(day_and_time, "clock")
    app.add_template_filter(network_message, "network_words")
    app.add_template_filter(format_phone, "phone")
    app.add_template_filter(reason_message, "reason")
    app.add_template_filter(automation_reason, "automation_reason")
    app.add_template_filter(journey_reason, "journey_reason")
    app.add_template_filter(hook_reasons, "hook_reasons")
    app.add_template_filter(payment_reason, "payment_reason")
    app.add_template_filter(format_minutes, "minutes")
    app.add_template_filter(format_duration, "lasts")
    app.add_template_filter(format_amount, "money")
    app.add_template_filter(format_size, "size")
    app.add_template_filter(cached_format(format_datetime), "datetimeformat")
    app.add_template_filter(cached_format(format_date), "dateformat")
    app.add_template_filter(cached_format(format_time), "timeformat")
    app.add_template_filter(cached_format(format_number), "numberformat")
    app.add_template_filter(cached_format(format_currency), "currencyformat")

    @app.context_processor
    def words() -> dict[str, Any]:
        return {"current_locale": str(get_locale()), "current_theme": choose_theme()}
