"""Actions in a conversation. Each answers a script with JSON, a form with a page."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from flask import flash, g, jsonify, redirect, render_template, request, url_for
from flask_babel import force_locale, get_locale, gettext
from flask_login import current_user
from werkzeug.datastructures import MultiDict

from core.db import tenant_scope
from core.errors import DomainError, invalid
from core.ids import new_token
from messaging.contacts import cards as contact_cards
from messaging.inbox import conversation_actions, phone_requests, typing_indicator
from messaging.inbox import conversations as inbox_conversations
from messaging.inbox import replies as inbox_replies
from messaging.inbox.composed import COMPOSED_KINDS, ComposedCard
from messaging.inbox.replies import Reply
from messaging.inbox.team import response_times, scheduled_replies
from messaging.messages.media.uploads import UploadedFile
from portal.inbox import inbox
from portal.inbox import page_data as inbox_page_data
from portal.inbox.place_text import parse_place
from portal.inbox.uploads import STORES, store_upload
from portal.web.auth import member_may
from portal.web.choices import LANGUAGES
from portal.web.i18n import error_message


@inbox.post("/inbox/<conversation_id>/answer")
@member_may("inbox.reply")
def answer(conversation_id: str) -> Any:
    """Send a reply to the customer or, with `mode=note`, add a note for colleagues."""
    try:
        if request.form.get("mode") == "note":
            with tenant_scope(g.tenant_id):
                made = conversation_actions.add_note(conversation_id, request.form.get("text", ""))
        else:
            made = _reply(conversation_id)
    except DomainError as error:
        return _not_sent(conversation_id, error)
    if is_script_request():
        return jsonify(id=made, once=new_token())
    return redirect(page_of(conversation_id))


@inbox.post("/inbox/<conversation_id>/ask-phone")
@member_may("inbox.reply")
def ask_phone(conversation_id: str) -> Any:
    """Send a request for the phone number, with a button that shares it."""
    with tenant_scope(g.tenant_id):
        talk = inbox_conversations.get(conversation_id)
        language = contact_cards.get_contact(talk.contact_id).language
    try:
        with tenant_scope(g.tenant_id):
            phone_requests.ask_for_phone(talk, _phone_request_text(language))
    except DomainError as error:
        flash(error_message(error), "error")
    return redirect(page_of(conversation_id))


def _phone_request_text(language: str) -> str:
    """In the customer's language if the portal has it."""
    spoken = language.partition("-")[0]
    with force_locale(spoken if spoken in dict(LANGUAGES) else str(get_locale())):
        return str(gettext("May we have your phone number? Tap the button to share it."))


def _reply(conversation_id: str) -> str:
    with tenant_scope(g.tenant_id):
        # check that it exists before a file is stored for it
        inbox_conversations.get(conversation_id)
    given = _submitted_answer()
    with tenant_scope(g.tenant_id):
        if at := submitted_time("send_at"):
            return scheduled_replies.schedule(
                inbox_conversations.get(conversation_id), given, at
            ).id
        return inbox_replies.send_reply(inbox_conversations.get(conversation_id), given)


def _submitted_answer() -> Reply:
    form = request.form
    return Reply(
        once=form.get("once", "")[:200].replace("\0", "") or new_token(),
        text=form.get("text", "").replace("\r\n", "\n"),
        reply_to=form.get("reply_to", "")[:64],
        file=_submitted_file(),
        place=parse_place(form.get("place", "")),
        template=_template(),
        card=submitted_card(form),
    )


def _submitted_file() -> UploadedFile | None:
    kind = request.form.get("kind", "")
    special = request.files.get(f"{kind}_file") if kind in STORES else None
    return store_upload(special, kind) or store_upload(request.files.get("file"))


def submitted_card(form: MultiDict[str, str]) -> ComposedCard | None:
    """The buttons, list, link or contact card beside the text; None if none was chosen."""
    kind = form.get("kind", "")
    if kind not in COMPOSED_KINDS:
        return None
    return ComposedCard(
        kind=kind,
        buttons=tuple(form.getlist("buttons")[:10]),
        list_button=form.get("list_button", ""),
        rows=tuple(form.get("rows", "").splitlines()[:50]),
        link_text=form.get("link_text", ""),
        link_url=form.get("link_url", ""),
        contact_name=form.get("contact_name", ""),
        contact_phone=form.get("contact_phone", ""),
    )


@inbox.post("/inbox/<conversation_id>/react")
@member_may("inbox.reply")
def react(conversation_id: str) -> Any:
    """React to a message with an emoji."""
    message_id, emoji = request.form.get("message", "")[:64], request.form.get("emoji", "")[:64]

    def send_reaction() -> bool:
        talk = inbox_conversations.get(conversation_id)
        return bool(inbox_replies.react(talk, message_id, emoji))

    return act_on(conversation_id, send_reaction)


def submitted_time(field: str) -> datetime | None:
    """A date and time in the time zone of the business; None if the field is empty."""
    written = request.form.get(field, "").strip()[:40]
    if not written:
        return None
    try:
        at = datetime.fromisoformat(written)
        return (at if at.tzinfo else at.replace(tzinfo=response_times.tenant_zone())).astimezone(
            UTC
        )
    except (ValueError, OverflowError):
        raise invalid(field, "invalid_time", "Enter a date and a time.") from None


def _template() -> tuple[str, str, list[str]] | None:
    """The field `template` is `name|language` if it was chosen from a list."""
    name, language = request.form.get("template", ""), request.form.get("language", "")
    if "|" in name:
        name, _, language = name.partition("|")
    if not name.strip():
        return None
    lines = request.form.get("parameters", "").splitlines()
    return name, language or "en", [line for line in lines if line.strip()][:50]


@inbox.post("/inbox/<conversation_id>/assign")
@member_may("inbox.reply")
def assign(conversation_id: str) -> Any:
    person = request.form.get("person", "")[:64]
    person_id = current_user.id if person == "me" else person or None
    return act_on(conversation_id, lambda: conversation_actions.assign(conversation_id, person_id))


@inbox.post("/inbox/<conversation_id>/close")
@member_may("inbox.reply")
def close(conversation_id: str) -> Any:
    return act_on(conversation_id, lambda: conversation_actions.close(conversation_id))


@inbox.post("/inbox/<conversation_id>/reopen")
@member_may("inbox.reply")
def reopen(conversation_id: str) -> Any:
    return act_on(conversation_id, lambda: conversation_actions.reopen(conversation_id))


@inbox.post("/inbox/<conversation_id>/read")
@member_may("inbox.reply")
def read(conversation_id: str) -> Any:
    shown_id = request.form.get("seen", "")[:64]
    return act_on(
        conversation_id, lambda: conversation_actions.mark_read(conversation_id, shown_id)
    )


@inbox.post("/inbox/<conversation_id>/typing")
@member_may("inbox.reply")
def typing(conversation_id: str) -> Any:
    """The page calls this while a member writes."""
    with tenant_scope(g.tenant_id):
        shown = typing_indicator.show_typing(inbox_conversations.get(conversation_id))
    return jsonify(shown=shown)


@inbox.post("/inbox/<conversation_id>/unread")
@member_may("inbox.reply")
def mark_unread(conversation_id: str) -> Any:
    """Mark as unread and return to the list; showing the conversation would mark it as read."""
    done = act_on(conversation_id, lambda: conversation_actions.mark_unread(conversation_id))
    return done if is_script_request() else redirect(url_for("inbox.index"))


def act_on(conversation_id: str, change: Callable[[], bool]) -> Any:
    try:
        with tenant_scope(g.tenant_id):
            changed = change()
    except DomainError as error:
        if error.status == 404:
            raise
        if is_script_request():
            return jsonify(error=error_message(error)), error.status
        flash(error_message(error), "error")
        return redirect(page_of(conversation_id))
    if is_script_request():
        return jsonify(changed=changed)
    return redirect(page_of(conversation_id))


def _not_sent(conversation_id: str, error: DomainError) -> Any:
    """Show the error. Nothing was stored, and the form keeps its input."""
    if error.status == 404:
        raise error
    if is_script_request():
        return jsonify(error=error_message(error)), error.status
    page_data = inbox_page_data.inbox_page(conversation_id)
    page = render_template(
        "inbox/index.html",
        page_data=page_data,
        typed=request.form.get("text", ""),
        fault=error_message(error),
    )
    return page, error.status


def page_of(conversation_id: str) -> str:
    filters = inbox_page_data.filters_in_url()
    return url_for("inbox.conversation", conversation_id=conversation_id, **filters)  # type: ignore[arg-type]


def is_script_request() -> bool:
    return request.headers.get("X-Part") == "act"
