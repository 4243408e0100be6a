"""Linked phones: add one, show its QR code until it is scanned, restart it, log it out."""

import hashlib
from typing import Any

from flask import Blueprint, current_app, flash, g, redirect, render_template, request, url_for
from flask_babel import get_locale, gettext
from markupsafe import Markup

from core.clock import now
from core.db import tenant_scope
from core.errors import DomainError
from core.settings import Settings
from core.values import qr_codes
from core.values.phone import normalize_phone
from messaging.lines.drivers.linked import pairing
from messaging.models import Line, LinkedLine
from messaging.simulator.phones.access_links import phones_link
from portal.lines.forms import NewLinkedLineForm, PhoneForm
from portal.web.auth import member_may
from portal.web.confirm import confirm_then, in_tenant
from portal.web.forms import domain_errors_on, field_text
from portal.web.i18n import error_message
from tenants import accounts

linked_pages = Blueprint("linked", __name__)

LINE = "/lines/<int(max=2147483647):line_id>"
LATE_SECONDS = 12  # a code normally arrives within two or three


@linked_pages.route("/lines/link", methods=["GET", "POST"])
@member_may("lines.manage")
def link() -> Any:
    settings: Settings = current_app.extensions["comanda"]
    form = NewLinkedLineForm()
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                line = pairing.add_linked_line(
                    field_text(form.name), network=settings.linked_network
                )
                pairing.start(line.id)
            return redirect(url_for("linked.pair", line_id=line.id))
    return render_template("linked/new.html", form=form)


@linked_pages.get(f"{LINE}/pair")
@member_may("lines.manage")
def pair(line_id: int) -> Any:
    """The whole page, or only its changing part when a script asks for it."""
    part = "X-Part" in request.headers
    return _page(line_id, "linked/pairing_live.html" if part else "linked/pair.html")


@linked_pages.post(f"{LINE}/pair")
@member_may("lines.manage")
def start(line_id: int) -> Any:
    form = PhoneForm()
    phone = (form.phone.data or "").strip()
    if not phone or form.validate():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                country = accounts.account().country or None
                pairing.start(line_id, (normalize_phone(phone, country) or phone) if phone else "")
            return redirect(url_for("linked.pair", line_id=line_id))
    return _page(line_id, "linked/pair.html", form)


@linked_pages.post(f"{LINE}/restart")
@member_may("lines.manage")
def restart(line_id: int) -> Any:
    try:
        with tenant_scope(g.tenant_id):
            line, _ = pairing.restart(line_id)
    except DomainError as error:
        if error.status == 404:
            raise
        flash(error_message(error), "error")
        return redirect(url_for("lines.line", line_id=line_id))
    if line.state == "pairing":
        return redirect(url_for("linked.pair", line_id=line_id))
    flash(gettext("Reconnecting the phone. This takes a few seconds."), "success")
    return redirect(url_for("lines.line", line_id=line_id))


@linked_pages.route(f"{LINE}/logout", methods=["GET", "POST"])
@member_may("lines.manage")
def log_out(line_id: int) -> Any:
    line, _ = _find(line_id)
    return confirm_then(
        in_tenant(pairing.log_out, line_id),
        title=gettext("Unlink “%(name)s”?", name=line.name),
        text=gettext(
            "The phone is unlinked from Comanda. Messages wait until you link a phone again."
        ),
        yes=gettext("Unlink phone"),
        back_url=url_for("lines.line", line_id=line_id),
        done=gettext("Unlinking the phone."),
    )


def _find(line_id: int) -> tuple[Line, LinkedLine]:
    with tenant_scope(g.tenant_id):
        return pairing.get_linked_line(line_id)


def _page(line_id: int, template: str, form: PhoneForm | None = None) -> Any:
    settings: Settings = current_app.extensions["comanda"]
    line, linked = _find(line_id)
    shown = pairing.has_valid_code(linked)
    until = linked.shown_until if shown else None
    version = f"{line.state}{line.state_because}{linked.qr if shown else ''}{linked.code or ''}"
    phones = ""
    if line.network == "simulator" and settings.simulator_url:
        phones = phones_link(
            settings.simulator_url, settings.simulator_secret, g.tenant_id, str(get_locale())
        )
    waited = (now() - line.state_at).total_seconds()
    return render_template(
        template,
        line=line,
        picture=qr_picture(linked.qr) if shown and linked.qr else None,
        code=linked.code if shown else None,
        left=max(int((until - now()).total_seconds()), 0) if until else 0,
        late=line.state == "pairing" and not shown and waited > LATE_SECONDS,
        version=hashlib.sha256(version.encode()).hexdigest()[:12],
        phones=phones,
        form=form or PhoneForm(formdata=None),
    )


def qr_picture(code: str) -> Markup:
    return Markup(qr_codes.svg(code, correction="low"))  # noqa: S704 - holds numbers alone
