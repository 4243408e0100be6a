"""Messages sent and received, and the outcome of each."""

from collections.abc import Iterator
from mimetypes import guess_extension
from typing import Any

from flask import (
    Blueprint,
    abort,
    current_app,
    g,
    redirect,
    render_template,
    request,
    url_for,
)
from flask_babel import gettext

from core.clock import rfc3339
from core.db import tenant_scope
from core.errors import NotFound
from core.storage.responses import file_response, poll_until_found
from core.values.phone import normalize_phone
from messaging.campaigns import repository as campaign_repository
from messaging.contacts import cards as contact_cards
from messaging.contacts.cards import ContactCard
from messaging.lines import repository as line_repository
from messaging.messages import queries as message_queries
from messaging.messages.kinds.base import MessageKind
from messaging.messages.kinds.registry import MESSAGE_KINDS
from messaging.messages.media import files as media_files
from messaging.messages.queries import MessageFilters
from messaging.messages.states import FINAL_STATES, OUT_STATES
from messaging.models import MediaFile, Message
from messaging.reasons import NETWORK_REASONS
from messaging.templates import repository as template_repository
from messaging.templates import validation as template_validation
from portal.messages.compose import find_recipients, send_text
from portal.messages.forms import MessageForm
from portal.web.auth import may, member_may
from portal.web.confirm import confirm_then, in_tenant
from portal.web.csv_files import csv_response
from portal.web.forms import domain_errors_on, field_text, text_in_url
from portal.web.paging import PAGE, cursor_in_url, page_of
from tenants import accounts

messages_pages = Blueprint("messages", __name__)

WAIT_SECONDS = 8.0
STATES = (*OUT_STATES, "received")
BATCH = 500
MOST_TEMPLATES = 20  # shown on the page of a new message
COLUMNS = (
    *("id", "time", "direction", "phone", "name", "line", "kind", "text", "state", "error"),
    *("cost_usd", "reference", "test"),
)
CANCELLABLE = frozenset({"scheduled", "queued"})


@messages_pages.app_template_global()
def message_kinds() -> dict[str, MessageKind]:
    return MESSAGE_KINDS


@messages_pages.get("/messages")
@member_may("messages.view")
def index() -> Any:
    given: dict[str, Any] = _filters_in_url()
    with tenant_scope(g.tenant_id):
        lines = {line.id: line for line in line_repository.line_labels()}
        found = message_queries.list_rows(_filters(given, set(lines)), cursor_in_url(), PAGE + 1)
        campaigns = campaign_repository.names_of(one.reference for one in found)
        names = contact_cards.names_by_phone(one.phone for one in found)
    page = page_of(found, "messages.index", given, PAGE)
    return render_template(
        "messages/index.html",
        messages=page.rows,
        lines=lines,
        campaigns=campaigns,
        names=names,
        csv_url=url_for("messages.export", **given),
        states=STATES,
        filters=given,
        **page.urls,
    )


@messages_pages.get("/messages.csv")
@member_may("messages.view")
def export() -> Any:
    """Stream the messages in batches, each in its own transaction."""
    tenant_id, given = g.tenant_id, _filters_in_url()
    with tenant_scope(tenant_id):
        lines = {line.id: line.name for line in line_repository.line_labels()}
        filters = _filters(given, set(lines))

    def rows() -> Iterator[tuple[str, ...]]:
        after = None
        while True:
            with tenant_scope(tenant_id):
                batch = message_queries.list_messages(filters, after, BATCH)
                names = contact_cards.names_by_phone(one.phone for one in batch)
            for one in batch:
                yield _cells(one, names.get(one.phone, ("", ""))[1], lines)
            if len(batch) < BATCH:
                return
            after = batch[-1].id

    return csv_response("messages", COLUMNS, rows())


def _cells(message: Message, name: str, lines: dict[int, str]) -> tuple[str, ...]:
    return (
        message.id,
        rfc3339(message.created_at),
        message.direction,
        message.phone,
        name,
        lines.get(message.line_id, str(message.line_id)),
        message.kind,
        message.text,
        message.state,
        NETWORK_REASONS.english(message.error_reason),
        str(message.cost_usd or ""),
        message.reference or "",
        "yes" if message.test else "no",
    )


@messages_pages.route("/messages/new", methods=["GET", "POST"])
@member_may("messages.send")
def new() -> Any:
    """Send a message. If a name matches several contacts, ask which one first."""
    form, choices = MessageForm(), list[ContactCard]()
    with tenant_scope(g.tenant_id):
        lines = {line.id: line for line in line_repository.list_lines() if line.enabled}
        default = line_repository.default_line(test=False) or line_repository.default_line(
            test=True
        )
        senders = template_repository.main_lines(
            [one for one in lines.values() if template_repository.template_account(one)]
        )
        named = {template_repository.template_account(line): line.name for line in senders}
        approved = template_repository.TemplateFilters(
            state=template_validation.APPROVED, accounts=frozenset(named)
        )
        found = (
            template_repository.list_templates(approved, limit=MOST_TEMPLATES)
            if may("lines.view")
            else []
        )
    form.offer_lines([(line.id, line.name) for line in lines.values()])
    if form.validate_on_submit():
        with domain_errors_on(form):
            phone, choices = find_recipients(field_text(form.phone))
            if phone:
                accepted = send_text(lines[form.line.data], phone, field_text(form.text))
                return redirect(url_for("messages.message", message_id=accepted.id))
    elif request.method == "GET":
        form.phone.data = request.args.get("phone", "")[:40]
        form.line.data = default.id if default else None
    return render_template(
        "messages/new.html",
        form=form,
        lines=lines,
        choices=choices,
        templates=[(one, named[one.account_id]) for one in found],
        more_templates=len(found) == MOST_TEMPLATES,
    )


@messages_pages.get("/messages/<message_id>")
@member_may("messages.view")
def message(message_id: str) -> Any:
    """One message; with `X-Part: timeline`, only what changes until it is delivered."""
    with tenant_scope(g.tenant_id):
        known = message_queries.get(message_id)
        media_files.request_download(known)
        media_file = media_files.get_file(known.id)
        changes = message_queries.timeline(known.id)
        lines = {line.id: line for line in line_repository.line_labels()}
        campaigns = campaign_repository.names_of([known.reference])
    part = request.headers.get("X-Part") == "timeline"
    return render_template(
        "messages/live.html" if part else "messages/message.html",
        message=known,
        changes=changes,
        file=media_file,
        line=lines.get(known.line_id),
        campaigns=campaigns,
        final=is_final(known),
        cancellable=known.state in CANCELLABLE,
    )


@messages_pages.get("/messages/<message_id>/picture")
@member_may("messages.view")
def picture(message_id: str) -> Any:
    """A picture re-encoded by us; waits for one that is still being fetched."""
    file = _file(message_id)
    if not file.preview_blob_key:
        abort(404)
    kind = "image/png" if file.preview_blob_key.endswith(".png") else "image/jpeg"
    return file_response(
        current_app.extensions["blobs"], file.preview_blob_key, kind, None, inline=True
    )


@messages_pages.get("/messages/<message_id>/file")
@member_may("messages.view")
def file(message_id: str) -> Any:
    """The original file, as a download."""
    found = _file(message_id)
    if not found.blob_key:
        abort(404)
    name = found.filename or f"{found.kind}{guess_extension(found.mime_type) or ''}"
    return file_response(
        current_app.extensions["blobs"],
        found.blob_key,
        found.mime_type,
        found.size,
        name,
        inline=False,
    )


def _file(message_id: str) -> MediaFile:
    def find_file() -> MediaFile | None:
        with tenant_scope(g.tenant_id):
            found = media_files.get_file(message_queries.get(message_id).id)
        if found is None:
            raise NotFound()
        return None if found.state == "waiting" else found

    ready = poll_until_found(find_file, WAIT_SECONDS)
    if ready is None or ready.state != "kept":
        abort(404)
    return ready


@messages_pages.route("/messages/<message_id>/cancel", methods=["GET", "POST"])
@member_may("messages.send")
def cancel(message_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = message_queries.get(message_id)
    return confirm_then(
        in_tenant(message_queries.cancel_message, known.id),
        title=gettext("Cancel this message?"),
        text=gettext(
            "It has not been sent yet. If you cancel it, it will not be sent and costs nothing."
        ),
        yes=gettext("Cancel message"),
        back_url=url_for("messages.message", message_id=known.id),
        done=gettext("Message cancelled."),
    )


def is_final(message: Message) -> bool:
    """A message that we did not send may never get a receipt."""
    received = message.direction == "in" or "sent_from" in message.content
    return received or message.state in FINAL_STATES


def _filters_in_url() -> dict[str, str]:
    """The filters from the URL, without empty values."""
    given = {
        name: text_in_url(name, 64) for name in ("phone", "line", "state", "direction", "reference")
    }
    return {name: value for name, value in given.items() if value}


def _filters(given: dict[str, str], line_ids: set[int]) -> MessageFilters:
    """An unknown search value matches nothing; an unknown choice is ignored."""
    line, state, direction = (given.get(name, "") for name in ("line", "state", "direction"))
    return MessageFilters(
        phone=_phone(given["phone"]) if "phone" in given else None,
        line_id=int(line) if line in map(str, line_ids) else None,
        state=state if state in STATES else None,
        direction=direction if direction in ("in", "out") else None,
        reference=given.get("reference"),
    )


def _phone(written: str) -> str:
    return normalize_phone(written, accounts.account().country or None) or written
