"""Templates: messages that the network has approved for use at any time, and their states."""

import re
from typing import Any

from flask import Blueprint, current_app, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext

from core.db import tenant_scope
from core.errors import Forbidden, invalid
from core.settings import Settings
from core.values.text import BadText, normalize_text
from messaging.lines import repository as line_repository
from messaging.messages import accept as message_accept
from messaging.messages.accept import AcceptedMessage, MessageDraft
from messaging.models import Line, Template
from messaging.templates import repository as template_repository
from messaging.templates import stand_ins
from messaging.templates import sync as template_sync
from messaging.templates import validation as template_validation
from messaging.templates.authoring import EDITABLE_STATES, header_file_of
from messaging.templates.components import (
    TemplateParameters,
    filled_preview,
    required_parameters,
    sample_values,
)
from messaging.templates.drafts import is_draftable
from messaging.templates.repository import CATEGORIES, TEMPLATE_STATES, TemplateFilters
from portal.messages.forms import TemplateForm
from portal.messages.phone_input import read_phone
from portal.messages.template_editor_form import picture_url
from portal.messages.template_editor_views import delete_warning
from portal.web.auth import may, member_may
from portal.web.forms import domain_errors_on, field_text, text_in_url
from portal.web.i18n import network_message
from tenants import audit
from tenants.plans.catalog import current_tenant_facts

templates_pages = Blueprint("templates", __name__)

PAGE = 60
LONGEST_VALUE = 1024


@templates_pages.get("/templates")
@member_may("lines.view")
def index() -> Any:
    filters = _filters_in_url()
    after = request.args.get("after")
    with tenant_scope(g.tenant_id):
        lines = [
            line
            for line in line_repository.list_lines()
            if template_repository.template_account(line)
        ]
        chosen = [line for line in lines if filters.get("line") == str(line.id)]
        accounts = frozenset(
            map(
                template_repository.template_account,
                chosen or template_repository.main_lines(lines),
            )
        )
        template_filters = TemplateFilters(
            filters.get("state"), filters.get("category"), filters.get("q"), accounts
        )
        found = template_repository.list_templates(template_filters, after, PAGE + 1)
    shown = found[:PAGE]
    more: dict[str, Any] = dict(filters)
    return render_template(
        "templates/index.html",
        templates=[(one, _sample(one)) for one in shown],
        lines=lines,
        faults=sorted({line.templates_error for line in lines if line.templates_error}),
        synced_at=max((line.templates_at for line in lines if line.templates_at), default=None),
        filters=filters,
        states=TEMPLATE_STATES,
        categories=CATEGORIES,
        next_url=url_for("templates.index", **more, after=shown[-1].id)
        if len(found) > PAGE
        else None,
        previous_url=url_for("templates.index", **more) if after else None,
    )


@templates_pages.post("/templates/sync")
@member_may("lines.manage")
def sync() -> Any:
    """Ask the network for its templates while the person waits."""
    settings: Settings = current_app.extensions["comanda"]
    with tenant_scope(g.tenant_id):
        accounts = template_sync.accounts_to_sync()
    answers = template_sync.fetch_all_accounts(settings, accounts)
    with tenant_scope(g.tenant_id):
        faults = template_sync.store_answers(answers)
        audit.record("templates.synced", "")
    for one in faults:
        flash(network_message(one.reason), "error")
    if not faults:
        flash(gettext("Templates synced from WhatsApp."), "success")
    return redirect(url_for("templates.index"))


@templates_pages.get("/templates/<template_id>")
@member_may("lines.view")
def template(template_id: str) -> Any:
    return _page(_known(template_id), None)


@templates_pages.route("/templates/<template_id>/send", methods=["GET", "POST"])
@member_may("messages.send")
def send(template_id: str) -> Any:
    """Send a template. A GET shows the page too, because a rejected form is displayed here."""
    known, form = _known(template_id), TemplateForm()
    form.offer_lines(_choices(known))
    if form.validate_on_submit():
        with domain_errors_on(form):
            accepted = _send(known, field_text(form.phone), form.line.data)
            return redirect(url_for("messages.message", message_id=accepted.id))
    return _page(known, form if request.method == "POST" else None)


def _page(known: Template, form: TemplateForm | None) -> str:
    needs = required_parameters(known.components)
    with tenant_scope(g.tenant_id):
        lines = template_repository.lines_of(known, line_repository.list_lines())
        uses = template_repository.latest_uses(known) if may("messages.view") else []
        stand_in_choices = stand_ins.possible_stand_ins(known) if may("lines.manage") else []
    if form is None and lines and may("messages.send"):
        form = TemplateForm(formdata=None)
        form.phone.data = request.args.get("phone", "")[:40]
        form.offer_lines(_choices(known))
    return render_template(
        "templates/template.html",
        template=known,
        bubble=filled_preview(known.components, _shown_values(known, needs)),
        needs=needs,
        values=_shown_values(known, needs),
        given=request.form,
        lines=lines,
        uses=uses,
        form=form if known.state == template_validation.APPROVED else None,
        editable=known.state in EDITABLE_STATES,
        draftable=is_draftable(known.components),
        delete_warning=delete_warning(),
        stand_in_choices=[one.name for one in stand_in_choices],
        picture=picture_url(header_file_of(known)),
    )


def _known(template_id: str) -> Template:
    with tenant_scope(g.tenant_id):
        return template_repository.get(template_id)


def _choices(known: Template) -> list[tuple[int, str]]:
    with tenant_scope(g.tenant_id):
        lines = template_repository.lines_of(known, line_repository.list_lines())
    return [(line.id, line.name) for line in lines]


def _sample(known: Template) -> Any:
    return filled_preview(known.components, sample_values(known.components))


def _shown_values(known: Template, needs: TemplateParameters) -> dict[str, str]:
    """The submitted values, or the author's samples before the first submission."""
    typed = request.form.getlist("values")
    samples = sample_values(known.components)
    if not typed:
        return {name: samples.get(name, "") for name in needs.body}
    return dict(zip(needs.body, typed, strict=False))


def _send(known: Template, written: str, line_id: int) -> AcceptedMessage:
    """Accept the message through the same code as the API."""
    phone = read_phone(written)
    content = {
        "name": known.name,
        "language": known.language,
        "parameters": _parameters(known),
    }
    with tenant_scope(g.tenant_id):
        facts = current_tenant_facts()
        if facts.suspended:
            raise Forbidden(
                "account_suspended",
                "This account is suspended. Contact us to reactivate it.",
            )
        line: Line = line_repository.get(line_id)
        leaves_by = line_repository.route_for(
            None if line.test else line.id, test=line.test, allowed=None
        )
        content |= message_accept.author_field()
        draft = MessageDraft(kind="template", phone=phone, content=content, category="utility")
        checked = message_accept.check_template_draft(draft, line_repository.get(leaves_by.id))
        return message_accept.accept_message(checked, leaves_by, facts)


def _parameters(known: Template) -> Any:
    needs = required_parameters(known.components)
    values = [_value(one) for one in request.form.getlist("values")][: len(needs.body)]
    named = known.parameter_format == "named"
    body: Any = dict(zip(needs.body, values, strict=False)) if named else values
    header = _header(needs)
    if not (header or needs.buttons or needs.codes):
        return body
    places = {"body": body, "buttons": _buttons(needs)}
    return {**places, "header": header} if header else places


def _header(needs: TemplateParameters) -> Any:
    if needs.header_location:
        point = {name: _coordinate(name) for name in ("latitude", "longitude")}
        return {"location": {**point, "name": _value(request.form.get("place", ""))}}
    if needs.header_media:
        return {needs.header_media: _value(request.form.get("header", ""))}
    return [_value(request.form.get("header", ""))] if needs.header else None


def _coordinate(name: str) -> str:
    given = _value(request.form.get(name, "")).replace(",", ".")
    if not re.fullmatch(r"-?[0-9]{1,3}(\.[0-9]{1,10})?", given, re.ASCII):
        raise invalid("values", "invalid_location", "Enter coordinates such as 41.0370.")
    return given


def _buttons(needs: TemplateParameters) -> list[Any]:
    ends, codes = iter(request.form.getlist("buttons")), iter(request.form.getlist("codes"))

    def parameter(at: int) -> Any:
        if at in needs.buttons:
            return _value(next(ends, ""))
        if at in needs.codes:
            return {"type": "copy_code", "code": _value(next(codes, ""))}
        return None

    return [parameter(at) for at in range(max((*needs.buttons, *needs.codes), default=-1) + 1)]


def _value(written: str) -> str:
    try:
        value = normalize_text(written)[:LONGEST_VALUE]
    except BadText:
        raise invalid("values", "invalid_text", "The text contains an invalid character.") from None
    if not value:
        raise invalid("values", "empty_text", "Fill in all values of the template.")
    return value


def _filters_in_url() -> dict[str, str]:
    """The filters in the URL, without unknown values."""
    given = {name: text_in_url(name, 64) for name in ("q", "state", "category", "line")}
    known = {"state": TEMPLATE_STATES, "category": CATEGORIES}
    return {
        name: value
        for name, value in given.items()
        if value and (name not in known or value in known[name])
    }
