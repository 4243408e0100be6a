"""Forms of the printer pages."""

from typing import Any

from flask_babel import gettext
from flask_babel import lazy_gettext as _
from wtforms import (
    BooleanField,
    IntegerField,
    RadioField,
    SelectField,
    SelectMultipleField,
    StringField,
)
from wtforms.validators import Length, Optional

from portal.web.forms import Form, InRange, required
from printing.connections.registry import CONNECTIONS
from printing.models import PrintAgent, Printer
from printing.rendering.encoders.registry import LANGUAGES
from printing.rendering.profiles import PROFILES
from restaurant.models import Station

OUTPUTS = [
    ("network", _("Network, port 9100")),
    ("usb", _("USB")),
    ("serial", _("Serial port")),
    ("file", _("File or device")),
    ("demo", _("Demo: pictures in a folder")),
]


def _ways() -> list[tuple[str, str]]:
    return [(code, str(gettext(way.title))) for code, way in CONNECTIONS.items()]


def _languages() -> list[tuple[str, str]]:
    return [(code, str(gettext(one.title))) for code, one in LANGUAGES.items() if one.by_agent]


class NewPrinterForm(Form):
    site = SelectField(_("Restaurant"), [required()])
    name = StringField(_("Name"), [required(), Length(max=60)])
    way = RadioField(
        _("How it is reached"), [required()], choices=_ways, default=next(iter(CONNECTIONS))
    )

    def offer(self, sites: list[tuple[str, str]]) -> None:
        self.site.choices = sites


class PrinterForm(Form):
    name = StringField(_("Name"), [required(), Length(max=60)])
    agent = SelectField(_("Print agent"), [Optional()])
    output = SelectField(_("Connected by"), [Optional()], choices=OUTPUTS)
    address = StringField(_("Address or device"), [Optional(), Length(max=200)])
    port = IntegerField(_("Port or speed"), [Optional(), InRange(1, 921600)])
    language = SelectField(_("Printer language"), [Optional()], choices=_languages)
    profile = SelectField(
        _("Model"), [required()], choices=[(one.code, one.name) for one in PROFILES.values()]
    )
    width_mm = SelectField(
        _("Paper width"), [required()], choices=[("80", "80 mm"), ("58", "58 mm")]
    )
    checks = BooleanField(_("Ask for its state before and after each ticket"))
    stations = SelectMultipleField(_("Prints for"))
    bills = BooleanField(_("Prints customer bills"))
    copies = IntegerField(_("Copies"), [Optional(), InRange(1, 3)])
    fallback = SelectField(_("Stand-in"), [Optional()])
    fallback_seconds = IntegerField(_("Stands in after, seconds"), [Optional(), InRange(5, 600)])
    enabled = BooleanField(_("In use"))

    def offer(
        self, agents: list[PrintAgent], stations: list[Station], others: list[Printer]
    ) -> None:
        self.agent.choices = [("", _("– none yet –")), *((one.id, one.name) for one in agents)]
        self.stations.choices = [(one.code, gettext(one.name)) for one in stations]
        self.fallback.choices = [
            ("", _("nobody: its tickets wait")),
            *((one.id, one.name) for one in others),
        ]

    def show(self, printer: Printer) -> None:
        """As it is stored."""
        self.name.data, self.agent.data = printer.name, printer.agent_id or ""
        self.output.data = printer.output.get("kind", "network")
        self.address.data = str(
            printer.output.get("host")
            or printer.output.get("device")
            or printer.output.get("path")
            or _usb(printer.output)
        )
        self.port.data = printer.output.get("port") or printer.output.get("baud")
        self.language.data, self.profile.data = printer.language, printer.profile
        self.width_mm.data = str(printer.width_mm)
        self.checks.data, self.bills.data = printer.checks, printer.bills
        self.stations.data, self.copies.data = list(printer.stations), printer.copies
        self.fallback.data = printer.fallback_id or ""
        self.fallback_seconds.data = printer.fallback_seconds
        self.enabled.data = printer.enabled

    def values(self, way: str) -> dict[str, Any]:
        values: dict[str, Any] = {
            "name": self.name.data or "",
            "profile": self.profile.data,
            "width_mm": int(self.width_mm.data),
            "stations": list(self.stations.data or []),
            "bills": bool(self.bills.data),
            "copies": self.copies.data or 1,
            "fallback_id": self.fallback.data or None,
            "fallback_seconds": self.fallback_seconds.data or 30,
            "enabled": bool(self.enabled.data),
        }
        if not CONNECTIONS[way].polls:
            values |= {
                "agent_id": self.agent.data or None,
                "output": self._output(),
                "language": self.language.data or CONNECTIONS[way].language,
                "checks": bool(self.checks.data),
            }
        return values

    def _output(self) -> dict[str, Any]:
        kind, address = self.output.data, (self.address.data or "").strip()
        if kind == "network":
            return {"kind": kind, "host": address, "port": self.port.data or 9100}
        if kind == "serial":
            return {"kind": kind, "device": address, "baud": self.port.data or 9600}
        if kind == "usb":
            vendor, _colon, product = address.partition(":")
            return {"kind": kind, "vendor": vendor, "product": product}
        if kind == "file":
            return {"kind": kind, "path": address}
        return {"kind": kind or ""}


def _usb(output: dict[str, Any]) -> str:
    return f"{output['vendor']}:{output.get('product', '')}" if output.get("vendor") else ""
