"""Forms of the restaurant pages."""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from flask import request
from flask_babel import gettext
from flask_babel import lazy_gettext as _
from flask_wtf.file import FileField
from wtforms import (
    BooleanField,
    DecimalField,
    HiddenField,
    IntegerField,
    SelectField,
    SelectMultipleField,
    StringField,
)
from wtforms.validators import Length, NumberRange, Optional

from core.errors import DomainError
from portal.diner.menu_content import own_name
from portal.diner.texts import diner_languages
from portal.web.choices import countries, currencies, time_zone_choices
from portal.web.forms import Form, InRange, required, submitted_text
from portal.web.i18n import error_message
from restaurant.models import Site
from restaurant.models.order_states import ORDER_TYPES, PAYMENT_METHODS
from restaurant.sites import stations
from restaurant.sites.hours import DAYS, LONGEST_NAME, MOST_SPECIAL_DAYS

NOTIFIED_STATES = (
    "sent_to_kitchen", "preparing", "ready", "served", "out_for_delivery", "delivered",
    "cancelled", "refunded", "late",
)  # fmt: skip
SPANS_PER_DAY = 2
_SPECIAL_ROW = re.compile(r"(special[0-9]{1,3})-starts")
COMMON_LANGUAGES = (
    "az", "bg", "el", "fa", "he", "it", "ja", "ko", "nl", "pl", "ro", "ru", "uk", "zh",
)  # fmt: skip


def languages() -> list[tuple[str, str]]:
    """Common languages; if the menu page is not translated, its buttons are in English."""
    return [(code, own_name(code)) for code in sorted({*diner_languages(), *COMMON_LANGUAGES})]


def station_names(places: Sequence[Site]) -> dict[str, str]:
    """The stations of these restaurants by code; every menu can use the kitchen and the bar."""
    names = {"kitchen": gettext("Kitchen"), "bar": gettext("Bar")}
    for site in places:
        names |= {one.code: gettext(one.name) for one in stations.listed(site.id)}
    return names


def submitted_hours(prefix: str = "hours") -> dict[str, list[list[str]]]:
    """Read the hours editor: `hours-0-0-from`, two spans a day. Half a span is an error."""
    days = {str(day): _typed_spans(f"{prefix}-{day}") for day in range(DAYS)}
    return {day: spans for day, spans in days.items() if spans}


def _typed_spans(prefix: str) -> list[list[str]]:
    spans = []
    for place in range(SPANS_PER_DAY):
        begins = submitted_text(f"{prefix}-{place}-from", 8)
        ends = submitted_text(f"{prefix}-{place}-to", 8)
        if begins or ends:
            spans.append([begins[:5], ends[:5]])
    return spans


def typed_special_days() -> list[dict[str, Any]]:
    """Read the rows of the special days: `special0-starts`. Empty rows are left out."""
    found: list[dict[str, Any]] = []
    for name in request.form:
        row = _SPECIAL_ROW.fullmatch(name)
        if row is None or len(found) > MOST_SPECIAL_DAYS:
            continue
        prefix = row[1]
        day = {
            "starts_on": submitted_text(f"{prefix}-starts", 10),
            "ends_on": submitted_text(f"{prefix}-ends", 10),
            "name": submitted_text(f"{prefix}-name", LONGEST_NAME),
            "hours": _typed_spans(prefix),
        }
        if any(day.values()):
            found.append(day)
    return found


def submitted_texts(codes: list[str], prefix: str = "") -> dict[str, dict[str, str]]:
    """Name and description in each language: `name-tr`, `description-tr`."""
    return {
        code: {
            "name": submitted_text(f"{prefix}name-{code}", 200),
            "description": submitted_text(f"{prefix}description-{code}", 1000),
        }
        for code in codes
    }


class BareForm(Form):
    """For pages whose fields depend on the menu's languages: the CSRF token and the errors."""

    def refuse(self, error: DomainError) -> None:
        self.form_errors.append(error_message(error))


class NewSiteForm(Form):
    name = StringField(_("Name"), [required(), Length(max=120)])
    slug = StringField(_("Menu link"), [Optional(), Length(max=40)])
    order_prefix = StringField(_("Order prefix"), [Optional(), Length(max=6)])
    country = SelectField(_("Country"), [required()], choices=countries)
    currency = SelectField(_("Currency"), [required()], choices=currencies)
    time_zone = SelectField(_("Time zone"), [required()], choices=time_zone_choices)
    language = SelectField(_("Menu language"), [required()], choices=languages)
    others = SelectMultipleField(_("Other menu languages"), choices=languages)

    def chosen_languages(self) -> list[str]:
        return list(dict.fromkeys([self.language.data, *(self.others.data or [])]))


class BasicsForm(Form):
    part = HiddenField(default="basics")
    name = StringField(_("Name"), [required(), Length(max=120)])
    address = StringField(_("Street address"), [Optional(), Length(max=300)])
    phone = StringField(_("Phone number"), [Optional(), Length(max=32)])
    order_prefix = StringField(_("Order prefix"), [required(), Length(max=6)])
    country = SelectField(_("Country"), [required()], choices=countries)
    currency = SelectField(_("Currency"), [required()], choices=currencies)
    time_zone = SelectField(_("Time zone"), [required()], choices=time_zone_choices)
    language = SelectField(_("Menu language"), [required()], choices=languages)
    others = SelectMultipleField(_("Other menu languages"), choices=languages)
    menu_id = SelectField(_("Menu"), [Optional()])
    line_id = SelectField(_("Order line"), [Optional()])

    def offer(
        self, menus: list[tuple[str, str]], lines: list[tuple[str, str]], menu_languages: list[str]
    ) -> None:
        """Set the choices. Languages that the site already uses stay available, even rare ones."""
        rare = [(code, own_name(code)) for code in menu_languages if code not in dict(languages())]
        self.language.choices = self.others.choices = [*languages(), *rare]
        self.menu_id.choices = [("", _("– no menu yet –")), *menus]
        self.line_id.choices = [("", _("Default line of the business")), *lines]

    def values(self) -> dict[str, Any]:
        names = ("name", "address", "phone", "country", "currency", "time_zone")
        line = self.line_id.data or ""
        return {
            **{name: self[name].data or "" for name in names},
            "prefix": self.order_prefix.data or "",
            "languages": list(dict.fromkeys([self.language.data, *(self.others.data or [])])),
            "menu_id": self.menu_id.data or None,
            "line_id": int(line) if line.isdigit() else None,
        }


class HoursForm(Form):
    part = HiddenField(default="hours")
    day_starts = StringField(_("Start of the business day"), [required(), Length(max=5)])

    def values(self) -> dict[str, Any]:
        values = {"hours": submitted_hours(), "day_starts": self.day_starts.data or ""}
        shown = any(_SPECIAL_ROW.fullmatch(name) for name in request.form)
        return values | ({"special_days": typed_special_days()} if shown else {})


ORDER_TYPE_NAMES = [
    ("dine_in", _("Dine-in")),
    ("takeaway", _("Pickup")),
    ("delivery", _("Delivery")),
]


class OrdersForm(Form):
    part = HiddenField(default="orders")
    order_types = SelectMultipleField(
        _("Order types"),
        [required()],
        choices=ORDER_TYPE_NAMES,
    )
    payment_methods = SelectMultipleField(
        _("Payment"),
        [required()],
        choices=[
            ("pos_at_table", _("Card at the table")),
            ("cash", _("Cash")),
            ("card_at_door", _("Card on delivery")),
            ("card_link", _("Card online")),
        ],
    )
    told_states = SelectMultipleField(_("Notify the guest when the order"), choices=[])
    accept_minutes = IntegerField(
        _("Order alarm after (minutes)"),
        [required(), InRange(1, 120, _("Enter a number from 1 to 120."))],
    )
    guest_cancel_minutes = IntegerField(
        _("Guests can cancel for (minutes)"),
        [required(), InRange(0, 60, _("Enter a number from 0 to 60."))],
    )
    manager_phone = StringField(_("Manager's phone"), [Optional(), Length(max=32)])
    prints_bills = BooleanField(_("Print the bill when a guest asks for it"))
    orders_in_words = BooleanField(_("Guests can order in their own words"))

    def offer(self) -> None:
        labels = {
            "sent_to_kitchen": _("is sent to the kitchen"),
            "preparing": _("is being prepared"),
            "ready": _("is ready"),
            "served": _("is served"),
            "out_for_delivery": _("is out for delivery"),
            "delivered": _("is delivered"),
            "cancelled": _("is cancelled"),
            "refunded": _("is refunded"),
            "late": _("is late"),
        }
        self.told_states.choices = [(state, labels[state]) for state in NOTIFIED_STATES]

    def values(self) -> dict[str, Any]:
        return {
            "order_types": [one for one in ORDER_TYPES if one in (self.order_types.data or ())],
            "payment_methods": [
                one for one in PAYMENT_METHODS if one in (self.payment_methods.data or ())
            ],
            "told_states": self.told_states.data or [],
            "accept_minutes": self.accept_minutes.data,
            "guest_cancel_minutes": self.guest_cancel_minutes.data,
            "manager_phone": self.manager_phone.data or "",
            "prints_bills": bool(self.prints_bills.data),
            "orders_in_words": bool(self.orders_in_words.data),
        }


def _cap(label: Any, most: int) -> IntegerField:
    return IntegerField(label, [required(), InRange(1, most, _("Enter 1 or more."))])


class MoneyForm(Form):
    part = HiddenField(default="money")
    service_percent = DecimalField(
        _("Service charge (percent)"),
        [required(), NumberRange(Decimal(0), Decimal(50), _("Enter a number from 0 to 50."))],
        places=None,
    )
    service_order_types = SelectMultipleField(
        _("Add service charge to"), choices=ORDER_TYPE_NAMES, validators=[Optional()]
    )
    tips = StringField(_("Tip options (percent)"), [Optional(), Length(max=40)])
    tax_included = BooleanField(_("Prices include tax"))
    table_orders_per_hour = _cap(_("Orders per hour per table"), 1000)
    phone_orders_per_hour = _cap(_("Orders per hour per phone"), 1000)
    address_orders_per_hour = _cap(_("Orders per hour per IP address"), 10_000)
    newcomer_limit = DecimalField(
        _("Order limit for new guests"),
        [Optional(), NumberRange(Decimal(0), Decimal(10**9), _("Enter 0 or more."))],
        places=None,
    )

    def values(self) -> dict[str, Any]:
        tips = [one.strip(" %") for one in (self.tips.data or "").split(",") if one.strip(" %")]
        names = ("service_percent", "tax_included", "newcomer_limit")
        caps = ("table_orders_per_hour", "phone_orders_per_hour", "address_orders_per_hour")
        return {
            **{name: self[name].data for name in (*names, *caps)},
            "service_order_types": self.service_order_types.data or [],
            "tip_percents": [int(one) if one.isdecimal() and len(one) < 4 else -1 for one in tips],
        }


class AppearanceForm(Form):
    part = HiddenField(default="looks")
    tone = StringField(_("Color"), [Optional(), Length(max=7)])
    own_tone = BooleanField(_("Use this color on the menu"))
    host = StringField(_("Custom domain"), [Optional(), Length(max=253)])
    logo = FileField(_("Logo"))
    no_logo = BooleanField(_("Remove logo"))

    def values(self, codes: list[str]) -> dict[str, Any]:
        return {
            "tone": (self.tone.data or "").removeprefix("#").lower() if self.own_tone.data else "",
            "host": self.host.data or "",
            "welcome": {code: submitted_text(f"welcome-{code}", 400) for code in codes},
        }


class TablesForm(Form):
    numbers = StringField(_("Table numbers"), [required(), Length(max=400)])
    area_id = SelectField(_("Area"), [Optional()])
    area = StringField(_("Or add a new area"), [Optional(), Length(max=60)])
    seats = IntegerField(
        _("Seats"), [required(), InRange(1, 99, _("Enter a number from 1 to 99."))], default=4
    )

    def offer(self, areas: list[tuple[str, str]]) -> None:
        self.area_id.choices = [("", _("– none –")), *areas]


class TableForm(Form):
    number = StringField(_("Table number"), [required(), Length(max=40)])
    area_id = SelectField(_("Area"), [Optional()])
    area = StringField(_("Or add a new area"), [Optional(), Length(max=60)])
    seats = IntegerField(
        _("Seats"), [required(), InRange(1, 99, _("Enter a number from 1 to 99."))]
    )

    def offer(self, areas: list[tuple[str, str]]) -> None:
        self.area_id.choices = [("", _("– none –")), *areas]


class AreaForm(Form):
    name = StringField(_("Name"), [required(), Length(max=60)])


class NewMenuForm(Form):
    name = StringField(_("Name"), [required(), Length(max=120)])
    currency = SelectField(_("Currency"), [required()], choices=currencies)
    language = SelectField(_("Menu language"), [required()], choices=languages)
    others = SelectMultipleField(_("Other menu languages"), choices=languages)

    def chosen_languages(self) -> list[str]:
        return list(dict.fromkeys([self.language.data, *(self.others.data or [])]))
