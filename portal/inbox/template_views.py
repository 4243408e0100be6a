"""Send a template with all its parts: header, file, location, values and buttons."""

from typing import Any

from flask import g, redirect, render_template, request, url_for

from core.db import tenant_scope
from core.errors import DomainError, NotFound
from core.ids import new_token
from messaging.inbox import conversations as inbox_conversations
from messaging.inbox import replies as inbox_replies
from messaging.inbox.replies import Reply
from messaging.inbox.team import scheduled_replies
from messaging.inbox.team.template_values import SubmittedValues, message_parameters
from messaging.models import Line, Template
from messaging.templates import repository as template_repository
from messaging.templates.components import filled_preview, find_buttons, required_parameters
from messaging.templates.repository import TemplateFilters
from messaging.templates.validation import APPROVED
from portal.inbox import inbox
from portal.inbox.action_views import submitted_time
from portal.inbox.page_data import MOST_TEMPLATES
from portal.inbox.place_text import parse_place
from portal.inbox.uploads import store_upload
from portal.web.auth import member_may
from portal.web.i18n import error_message


@inbox.route("/inbox/<conversation_id>/template", methods=["GET", "POST"])
@member_may("inbox.reply")
def template(conversation_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        talk = inbox_conversations.get(conversation_id)
        line = inbox_replies.conversation_line(talk)
        if line is None:
            raise NotFound()
        known = _approved(line)
    chosen = _chosen(known, request.values.get("template", ""))
    fault, status = "", 200
    if request.method == "POST" and chosen is not None:
        try:
            _send(conversation_id, chosen)
            return redirect(url_for("inbox.conversation", conversation_id=conversation_id))
        except DomainError as error:
            if error.status == 404:
                raise
            fault, status = error_message(error), error.status
    needs = required_parameters(chosen.components) if chosen else None
    page = render_template(
        "inbox/template.html",
        talk=talk,
        known=known,
        chosen=chosen,
        needs=needs,
        preview=filled_preview(chosen.components, {}) if chosen else None,
        button_texts=[str(one.get("text") or "") for one in find_buttons(chosen.components)]
        if chosen
        else [],
        once=request.form.get("once", "")[:200].replace("\0", "") or new_token(),
        fault=fault,
    )
    return page, status


def _send(conversation_id: str, chosen: Template) -> None:
    form = request.form
    needs = required_parameters(chosen.components)
    file = store_upload(request.files.get("header_file")) if needs.header_media else None
    place = parse_place(form.get("place", "")) if needs.header_location else None
    given = SubmittedValues(
        body=tuple(form.get(f"body_{at}", "") for at in range(len(needs.body))),
        header=form.get("header", ""),
        file=file,
        place=place,
        place_name=form.get("place_name", ""),
        place_address=form.get("place_address", ""),
        buttons={at: form.get(f"button_{at}", "") for at in (*needs.buttons, *needs.codes)},
    )
    parameters = message_parameters(chosen, given)
    reply = Reply(
        once=form.get("once", "")[:200].replace("\0", "") or new_token(),
        template=(chosen.name, chosen.language, parameters),
        template_file=file,
    )
    with tenant_scope(g.tenant_id):
        talk = inbox_conversations.get(conversation_id)
        if at := submitted_time("send_at"):
            scheduled_replies.schedule(talk, reply, at)
        else:
            inbox_replies.send_reply(talk, reply)


def _approved(line: Line) -> list[Template]:
    wanted = TemplateFilters(
        state=APPROVED, accounts=frozenset({template_repository.template_account(line)})
    )
    return list(template_repository.list_templates(wanted, limit=MOST_TEMPLATES))


def _chosen(known: list[Template], key: str) -> Template | None:
    name, _, language = key.partition("|")
    return next((one for one in known if (one.name, one.language) == (name, language)), None)
