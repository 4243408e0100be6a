"""Lines: the phone numbers a business sends from."""

from decimal import Decimal
from typing import Any

from flask import Blueprint, current_app, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext

from core.db import tenant_scope
from core.errors import DomainError
from core.settings import Settings
from messaging.lines import (
    allowances,
    direct_send,
    live_check,
    recipient_limits,
    send_lane,
)
from messaging.lines import removal as line_removal
from messaging.lines import repository as line_repository
from messaging.lines.capabilities import capabilities
from messaging.lines.drivers.base import LineDriver, LineFacts
from messaging.lines.drivers.cloud.driver import LineProblem
from messaging.lines.drivers.linked import pacing as linked_pace
from messaging.lines.drivers.linked import pairing
from messaging.lines.drivers.registry import DRIVERS
from messaging.models import Line, LinkedLine
from portal.lines.forms import LineAccessForm, LineForm, NewLineForm
from portal.messages.compose import send_text
from portal.messages.forms import TestMessageForm
from portal.messages.phone_input import read_phone
from portal.web.auth import may, member_may
from portal.web.confirm import confirm_then
from portal.web.forms import domain_errors_on, field_text
from portal.web.i18n import error_message, network_message

lines_pages = Blueprint("lines", __name__)

LINE = "/lines/<int(max=2147483647):line_id>"


@lines_pages.app_template_global()
def line_drivers() -> dict[str, LineDriver]:
    return DRIVERS


@lines_pages.get("/lines")
@member_may("lines.view")
def index() -> Any:
    with tenant_scope(g.tenant_id):
        listed = line_repository.list_lines()
    return render_template("lines/index.html", lines=listed)


@lines_pages.route("/lines/new", methods=["GET", "POST"])
@member_may("lines.manage")
def new() -> Any:
    """Add a line. `Check` only asks the network; `Save` also stores it unless it is refused."""
    form, found = NewLineForm(), None
    if form.validate_on_submit():
        with domain_errors_on(form):
            phone = read_phone(field_text(form.phone))
            found = _check_with_network(form)
            stopped = bool(live_check.blocking_problems(found))
            if request.form.get("act") == "save" and not stopped:
                with tenant_scope(g.tenant_id):
                    line = line_repository.add_cloud_line(
                        field_text(form.name),
                        phone,
                        field_text(form.phone_number_id),
                        field_text(form.token),
                        field_text(form.app_secret),
                        account_id=field_text(form.account_id),
                        unreached=live_check.unreachable_reason(found),
                    )
                _flash_findings(found)
                if line.state == "connected":
                    flash(gettext("Line saved. One step left: set up the webhook."), "success")
                else:
                    flash(
                        gettext(
                            "The line is saved but not connected. Choose Check "
                            "when WhatsApp can be reached. Until then, the line "
                            "cannot send and cannot be the default line."
                        ),
                        "warning",
                    )
                return redirect(url_for("lines.line", line_id=line.id, _anchor="webhook"))
    return render_template("lines/new.html", form=form, found=found, stops=live_check.BLOCKING)


@lines_pages.get(LINE)
@member_may("lines.view")
def line(line_id: int) -> Any:
    known = _line(line_id)
    return _page(known)


@lines_pages.post(LINE)
@member_may("lines.manage")
def save(line_id: int) -> Any:
    known, form = _line(line_id), LineForm()
    form.offer_lines(_fallback_choices(known))
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                line_repository.rename(line_id, field_text(form.name))
                pace = form.per_second.data or Decimal(1)
                if DRIVERS[known.kind].has_sessions:
                    linked_pace.set_pace(line_id, pace)
                else:
                    allowances.check_pace(line_repository.get(line_id), pace)
                    line_repository.set_pace(line_id, pace)
                if _has_access(known):
                    line_repository.set_account(line_id, field_text(form.account_id))
                if not known.test:
                    line_repository.set_fallback(line_id, form.fallback.data)
                send_lane.wake_waiting_messages()
            flash(gettext("Saved."), "success")
            return redirect(url_for("lines.line", line_id=line_id))
    return _page(known, form=form)


@lines_pages.post(f"{LINE}/check")
@member_may("lines.manage")
def check(line_id: int) -> Any:
    known = _line(line_id)
    if not DRIVERS[known.kind].has_access_token:  # a host watches its sessions all the time
        return redirect(url_for("lines.line", line_id=line_id))
    found = live_check.check_saved_line(_settings(), known)
    _store_findings(known, found)
    _learn_allowance(known)
    _flash_findings(found)
    if not found:
        flash(gettext("WhatsApp recognizes this line. It can send messages."), "success")
    return redirect(url_for("lines.line", line_id=line_id))


@lines_pages.post(f"{LINE}/access")
@member_may("lines.manage")
def access(line_id: int) -> Any:
    """Save new credentials; a new token is checked before it replaces the old one."""
    known, form = _line(line_id), LineAccessForm()
    if form.validate_on_submit() and _has_access(known):
        found = _check_with_network(form, known)
        stops = live_check.blocking_problems(found)
        if not stops:
            with domain_errors_on(form):
                with tenant_scope(g.tenant_id):
                    line_repository.replace_credentials(
                        line_id, field_text(form.token), field_text(form.app_secret)
                    )
                _store_findings(known, found)
                flash(gettext("The new access token is in use."), "success")
                return redirect(url_for("lines.line", line_id=line_id))
        form.form_errors += [network_message(one.reason) for one in stops]
    return _page(known, access_form=form)


@lines_pages.post(f"{LINE}/default")
@member_may("lines.manage")
def default(line_id: int) -> Any:
    try:
        with tenant_scope(g.tenant_id):
            name = line_repository.make_default(line_id).name
        flash(gettext("“%(name)s” is now the default line.", name=name), "success")
    except DomainError as error:
        if error.status == 404:
            raise
        flash(error_message(error), "error")
    return redirect(url_for("lines.line", line_id=line_id))


@lines_pages.post(f"{LINE}/enabled")
@member_may("lines.manage")
def enabled(line_id: int) -> Any:
    on = request.form.get("on") == "yes"
    with tenant_scope(g.tenant_id):
        line_repository.set_enabled(line_id, on)
        if on:
            send_lane.wake_waiting_messages()
    if on:
        flash(gettext("The line is on. Waiting messages are being sent."), "success")
    else:
        flash(gettext("The line is off. Its messages wait until you turn it on."), "success")
    return redirect(url_for("lines.line", line_id=line_id))


@lines_pages.route(f"{LINE}/resume", methods=["GET", "POST"])
@member_may("lines.manage")
def resume(line_id: int) -> Any:
    """Resume a line that was paused because its quality dropped."""
    known = _line(line_id)

    def act() -> None:
        with tenant_scope(g.tenant_id):
            if line_repository.resume(line_id):
                send_lane.wake_waiting_messages()

    return confirm_then(
        act,
        title=gettext("Resume sending on “%(name)s”?", name=known.name),
        text=gettext(
            "The line's quality dropped because people blocked or reported it. If "
            "it drops further, WhatsApp may restrict the number. Waiting messages "
            "are sent immediately."
        ),
        yes=gettext("Resume sending"),
        back_url=url_for("lines.line", line_id=line_id),
        done=gettext("“%(name)s” is sending again.", name=known.name),
    )


@lines_pages.route(f"{LINE}/message", methods=["GET", "POST"])
@member_may("messages.send")
def message(line_id: int) -> Any:
    """Send a test message. A GET shows the page too, because a rejected form is displayed here."""
    known, form = _line(line_id), TestMessageForm()
    if form.validate_on_submit():
        with domain_errors_on(form):
            accepted = send_text(known, read_phone(field_text(form.phone)), field_text(form.text))
            return redirect(url_for("messages.message", message_id=accepted.id))
    return _page(known, message_form=form)


@lines_pages.route(f"{LINE}/remove", methods=["GET", "POST"])
@member_may("lines.manage")
def remove(line_id: int) -> Any:
    known = _line(line_id)

    def act() -> None:
        with tenant_scope(g.tenant_id):
            if DRIVERS[known.kind].has_sessions and known.state not in ("unpaired", "logged_out"):
                pairing.end_session(line_id)
            line_removal.remove(line_id)

    return confirm_then(
        act,
        title=gettext("Delete “%(name)s”?", name=known.name),
        text=gettext(
            "Waiting messages will not be sent, and the access token is deleted. "
            "You can still read messages sent from this line."
        ),
        yes=gettext("Delete line"),
        back_url=url_for("lines.line", line_id=line_id),
        done=gettext("“%(name)s” was deleted.", name=known.name),
        done_url=url_for("lines.index"),
    )


@lines_pages.post(f"{LINE}/direct-send")
@member_may("lines.manage")
def set_direct_send(line_id: int) -> Any:
    with tenant_scope(g.tenant_id):
        direct_send.set_direct_send(line_id, request.form.get("on") == "yes")
    flash(gettext("Saved."), "success")
    return redirect(url_for("lines.line", line_id=line_id))


def _page(
    known: Line,
    *,
    form: LineForm | None = None,
    access_form: LineAccessForm | None = None,
    message_form: TestMessageForm | None = None,
) -> str:
    """Render the page; a rejected form keeps its input, the other forms are new."""
    if may("lines.manage"):
        pace = Decimal(f"{known.per_second.normalize():f}")  # 80, not 80.000
        if form is None:
            form = LineForm(
                formdata=None,
                name=known.name,
                per_second=pace,
                account_id=known.account_id or "",
                fallback=known.fallback_line_id,
            )
            form.offer_lines(_fallback_choices(known))
        if _has_access(known):
            access_form = access_form or LineAccessForm(formdata=None)
    if may("messages.send"):
        message_form = message_form or TestMessageForm(
            formdata=None, text=gettext("Hello! This is a test message.")
        )
    linked, today = _linked(known)
    limit = recipient_limits.limit_of(known)
    with tenant_scope(g.tenant_id):
        names = {one.id: one.name for one in line_repository.line_labels()}
    return render_template(
        "lines/line.html" if linked is None else "linked/line.html",
        line=known,
        linked=linked,
        today=today,
        stand_in=names.get(known.fallback_line_id or 0),
        callback_url=live_check.callback_url(_settings(), known),
        form=form,
        access_form=access_form,
        message_form=message_form,
        can=capabilities(known.kind),
        limit=limit,
        used=recipient_limits.used_recipients(limit) if limit is not None else None,
        has_direct_send=DRIVERS[known.kind].has_templates,
    )


def _has_access(known: Line) -> bool:
    return DRIVERS[known.kind].has_access_token and known.network != "simulator"


def _linked(known: Line) -> tuple[LinkedLine | None, linked_pace.DailyAllowance | None]:
    if not DRIVERS[known.kind].has_sessions:
        return None, None
    with tenant_scope(g.tenant_id):
        _, linked = pairing.get_linked_line(known.id)
        return linked, linked_pace.allowance_today(linked)


def _line(line_id: int) -> Line:
    with tenant_scope(g.tenant_id):
        return line_repository.get(line_id)


def _fallback_choices(known: Line) -> list[tuple[int, str]]:
    """Lines that can be the fallback of this one."""
    with tenant_scope(g.tenant_id):
        listed = line_repository.list_lines()
    return [(one.id, one.name) for one in listed if not one.test and one.id != known.id]


def _check_with_network(form: LineAccessForm, known: Line | None = None) -> list[LineProblem]:
    """Check the submitted credentials with the network before anything is stored."""
    number, account = (
        (known.phone_number_id or "", known.account_id or "")
        if known
        else (field_text(form.phone_number_id), field_text(form.account_id))
    )
    facts = LineFacts(
        g.tenant_id, 0, "cloud", number, field_text(form.token), field_text(form.app_secret)
    )
    return live_check.check_new_credentials(_settings(), facts, account)


def _store_findings(known: Line, found: list[LineProblem]) -> None:
    with tenant_scope(g.tenant_id):
        live_check.store_findings(known.id, found)


def _settings() -> Settings:
    settings: Settings = current_app.extensions["comanda"]
    return settings


def _learn_allowance(known: Line) -> None:
    """Ask for the line's limit of recipients, its quality and its portfolio."""
    asked = [(known.id, known.network, line_repository.line_facts(known), known.account_id or "")]
    found = allowances.ask_network(_settings(), asked)
    with tenant_scope(g.tenant_id):
        allowances.store_allowances(found)


def _flash_findings(found: list[LineProblem]) -> None:
    for one in found:
        flash(
            network_message(one.reason), "error" if one.code in live_check.BLOCKING else "warning"
        )
