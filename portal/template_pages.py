"""Templates: what the network lets a line send at any time, and in which state each is."""

from typing import Any

from flask import Blueprint, current_app, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext

from core.db import tenant_scope
from core.errors import Forbidden, invalid
from core.settings import Settings
from core.texts import BadText, clean
from messaging import lines_book, sending, template_check, template_sync, templates
from messaging.models import Line, Template
from messaging.sending import Draft, Ticket
from messaging.template_parts import Needs, filled, needs_of, samples_of
from messaging.templates import CATEGORIES, STATES, Wanted
from portal.forms import TemplateForm, refusals_on, said
from portal.numbers import read_phone
from portal.visitors import may, member_may
from portal.words import network_words
from tenants import audit
from tenants.plans import known_facts

templates_pages = Blueprint("templates", __name__)

PAGE = 60
LONGEST_VALUE = 1024


@templates_pages.get("/templates")
@member_may("lines.view")
def index() -> Any:
    asked = _asked()
    after = request.args.get("after")
    with tenant_scope(g.tenant_id):
        lines = [line for line in lines_book.listed() if templates.account_of(line)]
        chosen = [line for line in lines if asked.get("line") == str(line.id)]
        accounts = frozenset(map(templates.account_of, chosen or templates.mainly(lines)))
        wanted = Wanted(asked.get("state"), asked.get("category"), asked.get("q"), accounts)
        found = templates.listed(wanted, after, PAGE + 1)
    shown = found[:PAGE]
    more: dict[str, Any] = dict(asked)
    return render_template(
        "templates/index.html",
        templates=[(one, _sample(one)) for one in shown],
        lines=lines,
        faults=sorted({line.templates_error for line in lines if line.templates_error}),
        synced_at=max((line.templates_at for line in lines if line.templates_at), default=None),
        asked=asked,
        states=STATES,
        categories=CATEGORIES,
        next_url=url_for("templates.index", **more, after=shown[-1].id)
        if len(found) > PAGE
        else None,
        previous_url=url_for("templates.index", **more) if after else None,
    )


@templates_pages.post("/templates/sync")
@member_may("lines.manage")
def sync() -> Any:
    """The network is asked while the person waits."""
    settings: Settings = current_app.extensions["comanda"]
    with tenant_scope(g.tenant_id):
        asked = template_sync.accounts()
    answers = template_sync.ask(settings, asked)
    with tenant_scope(g.tenant_id):
        faults = template_sync.settle(answers)
        audit.record("templates.synced", "")
    for one in faults:
        flash(network_words(one.sentence), "error")
    if not faults:
        flash(gettext("The list is as the network has it now."), "success")
    return redirect(url_for("templates.index"))


@templates_pages.get("/templates/<template_id>")
@member_may("lines.view")
def template(template_id: str) -> Any:
    return _page(_known(template_id), None)


@templates_pages.route("/templates/<template_id>/send", methods=["GET", "POST"])
@member_may("messages.send")
def send(template_id: str) -> Any:
    """A refused form is shown here, so that it can be loaded again."""
    known, form = _known(template_id), TemplateForm()
    form.offer_lines(_choices(known))
    if form.validate_on_submit():
        with refusals_on(form):
            ticket = _send(known, said(form.phone), form.line.data)
            return redirect(url_for("messages.message", message_id=ticket.id))
    return _page(known, form if request.method == "POST" else None)


def _page(known: Template, form: TemplateForm | None) -> str:
    needs = needs_of(known.components)
    with tenant_scope(g.tenant_id):
        lines = templates.lines_of(known, lines_book.listed())
        uses = templates.latest_uses(known) if may("messages.view") else []
    if form is None and lines and may("messages.send"):
        form = TemplateForm(formdata=None)
        form.phone.data = request.args.get("phone", "")[:40]
        form.offer_lines(_choices(known))
    return render_template(
        "templates/template.html",
        template=known,
        bubble=filled(known.components, _shown_values(known, needs)),
        needs=needs,
        values=_shown_values(known, needs),
        given=request.form,
        lines=lines,
        uses=uses,
        form=form if known.state == template_check.SENDABLE else None,
    )


def _known(template_id: str) -> Template:
    with tenant_scope(g.tenant_id):
        return templates.get(template_id)


def _choices(known: Template) -> list[tuple[int, str]]:
    with tenant_scope(g.tenant_id):
        lines = templates.lines_of(known, lines_book.listed())
    return [(line.id, line.name) for line in lines]


def _sample(known: Template) -> Any:
    return filled(known.components, samples_of(known.components))


def _shown_values(known: Template, needs: Needs) -> dict[str, str]:
    """What was typed; before that, the author's samples."""
    typed = request.form.getlist("values")
    samples = samples_of(known.components)
    if not typed:
        return {name: samples.get(name, "") for name in needs.body}
    return dict(zip(needs.body, typed, strict=False))


def _send(known: Template, written: str, line_id: int) -> Ticket:
    """The same way as a template of the API takes."""
    phone = read_phone(written)
    content = {
        "name": known.name,
        "language": known.language,
        "parameters": _parameters(known),
    }
    with tenant_scope(g.tenant_id):
        facts = known_facts()
        if facts.suspended:
            raise Forbidden(
                "account_suspended",
                "This account is suspended. Write to us to have it opened again.",
            )
        line: Line = lines_book.get(line_id)
        leaves_by = lines_book.route_for(
            None if line.test else line.id, test=line.test, allowed=None
        )
        content |= sending.signed()
        draft = Draft(kind="template", phone=phone, content=content, category="utility")
        checked = template_check.checked(draft, lines_book.get(leaves_by.id))
        return sending.accept(checked, leaves_by, facts)


def _parameters(known: Template) -> Any:
    needs = needs_of(known.components)
    values = [_value(one) for one in request.form.getlist("values")][: len(needs.body)]
    named = known.parameter_format == "named"
    body: Any = dict(zip(needs.body, values, strict=False)) if named else values
    if not (needs.header or needs.header_media or needs.buttons):
        return body
    header: Any = _value(request.form.get("header", ""))
    header = {needs.header_media: header} if needs.header_media else [header]
    ends = iter(request.form.getlist("buttons"))
    buttons = [
        _value(next(ends, "")) if at in needs.buttons else None
        for at in range(max(needs.buttons, default=-1) + 1)
    ]
    places = {"body": body, "buttons": buttons}
    return {**places, "header": header} if needs.header or needs.header_media else places


def _value(written: str) -> str:
    try:
        value = clean(written)[:LONGEST_VALUE]
    except BadText:
        raise invalid(
            "values", "invalid_text", "The text holds a character nobody can read."
        ) from None
    if not value:
        raise invalid("values", "empty_text", "Fill in every value of the template.")
    return value


def _asked() -> dict[str, str]:
    """The filters as they stand in the address; what names nothing we know is left out."""
    given = {
        name: request.args.get(name, "")[:64].replace("\0", "").strip()
        for name in ("q", "state", "category", "line")
    }
    known = {"state": STATES, "category": CATEGORIES}
    return {
        name: value
        for name, value in given.items()
        if value and (name not in known or value in known[name])
    }
