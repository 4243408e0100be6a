"""Pages for a new tenant: its purpose, and a first message to a simulated phone."""

from typing import Any

from flask import Blueprint, current_app, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext
from flask_login import current_user

from core.db import tenant_scope
from core.errors import DomainError
from core.settings import Settings
from messaging.lines import repository as line_repository
from messaging.messages import queries as message_queries
from portal.messages.compose import accept_text, checked_text
from portal.messages.forms import TestMessageForm
from portal.messages.phone_input import read_phone
from portal.onboarding import first_steps
from portal.web.auth import member_may
from portal.web.forms import domain_errors_on, field_text
from portal.web.i18n import error_message

first = Blueprint("first", __name__)
PHONE = "905321112233"
ON_ITS_WAY = frozenset({"queued", "sending", "sent", "delivered", "unknown"})


@first.post("/first-steps/aims")
@member_may("settings.manage")
def aims() -> Any:
    try:
        with tenant_scope(g.tenant_id):
            first_steps.choose_aims(request.form.getlist("aims"))
    except DomainError as error:
        flash(error_message(error), "error")
    return redirect(url_for("home.index"))


@first.post("/first-steps/hide")
@member_may("settings.manage")
def hide() -> Any:
    again = bool(request.form.get("again"))
    with tenant_scope(g.tenant_id):
        first_steps.set_hidden(again=again)
    if not again:
        flash(
            gettext("First steps hidden. You can show them again at the bottom of Home."), "success"
        )
    return redirect(url_for("home.index"))


@first.route("/first-message", methods=["GET", "POST"])
@member_may("messages.send")
def message() -> Any:
    form = TestMessageForm()
    if form.validate_on_submit():
        with domain_errors_on(form):
            phone = read_phone(field_text(form.phone))
            with tenant_scope(g.tenant_id):
                _send(phone, field_text(form.text))
            return redirect(url_for("first.message"))
    elif request.method == "GET":
        form.phone.data = PHONE
        form.text.data = gettext(
            "Hello from %(business)s! This is our first message.", business=current_user.tenant.name
        )
    settings: Settings = current_app.extensions["comanda"]
    with tenant_scope(g.tenant_id):
        sent = first_steps.own_messages()[::-1]
        line = line_repository.default_line(test=True)
        answers = _answers(sent[-1].phone) if sent else []
    phones = ""
    if settings.simulator_url and line is not None:
        phones = url_for("phones.write", line_id=line.id)
    page = (
        "onboarding/phone.html"
        if request.headers.get("X-Part")
        else "onboarding/first_message.html"
    )
    return render_template(
        page,
        form=form,
        sent=sorted([*sent, *answers], key=lambda one: one.id),
        line=line,
        phones=phones,
        live=bool(sent) and (sent[-1].state in ON_ITS_WAY or not answers),
        done=any(one.state in first_steps.ARRIVED for one in sent),
    )


def _send(phone: str, text: str) -> None:
    """Send through the normal code path, from the test line."""
    leaves_by = line_repository.route_for(None, test=True, allowed=None)
    accept_text(leaves_by, phone, checked_text(text), reference=first_steps.REFERENCE)


def _answers(phone: str) -> list[Any]:
    """Messages received from that phone."""
    return list(
        message_queries.list_messages(
            message_queries.MessageFilters(phone=phone, direction="in"), None, 3
        )
    )
