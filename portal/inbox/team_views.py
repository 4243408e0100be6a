"""Actions of a team in a conversation: snooze, labels, replies for later, and who is away."""

from typing import Any

from flask import flash, g, redirect, request, url_for
from flask_babel import gettext
from flask_login import current_user

from core.db import tenant_scope
from core.errors import invalid
from messaging.inbox import conversations as inbox_conversations
from messaging.inbox.team import assignment, response_times, scheduled_replies, snooze
from messaging.inbox.team import labels as conversation_labels
from portal.inbox import inbox
from portal.inbox.action_views import act_on, submitted_time
from portal.web.auth import member_may


@inbox.post("/inbox/<conversation_id>/snooze")
@member_may("inbox.reply")
def snooze_conversation(conversation_id: str) -> Any:
    """Until a named time, such as tomorrow, or until the member's own."""

    def change() -> bool:
        inbox_conversations.get(conversation_id)
        named = snooze.suggested_times(response_times.tenant_zone())
        until = named.get(request.form.get("until", "")) or submitted_time("time")
        if until is None:
            raise invalid("time", "invalid_time", "Enter a date and a time.")
        return snooze.snooze(conversation_id, until)

    return act_on(conversation_id, change)


@inbox.post("/inbox/<conversation_id>/unsnooze")
@member_may("inbox.reply")
def unsnooze_conversation(conversation_id: str) -> Any:
    return act_on(conversation_id, lambda: snooze.unsnooze(conversation_id))


@inbox.post("/inbox/<conversation_id>/labels")
@member_may("inbox.reply")
def set_labels(conversation_id: str) -> Any:
    given = [one[:64] for one in request.form.getlist("labels")[:50]]
    return act_on(conversation_id, lambda: conversation_labels.set_labels(conversation_id, given))


@inbox.post("/inbox/<conversation_id>/scheduled/<scheduled_id>")
@member_may("inbox.reply")
def change_scheduled(conversation_id: str, scheduled_id: str) -> Any:
    """Change the time and the text of a reply that waits."""

    def change() -> bool:
        talk = inbox_conversations.get(conversation_id)
        scheduled_replies.get(conversation_id, scheduled_id)
        at = submitted_time("send_at")
        if at is None:
            raise invalid("send_at", "invalid_time", "Enter a date and a time.")
        text = request.form.get("text")
        scheduled_replies.change(
            talk, scheduled_id, at, None if text is None else text.replace("\r\n", "\n")
        )
        return True

    return act_on(conversation_id, change)


@inbox.post("/inbox/<conversation_id>/scheduled/<scheduled_id>/cancel")
@member_may("inbox.reply")
def cancel_scheduled(conversation_id: str, scheduled_id: str) -> Any:
    return act_on(conversation_id, lambda: scheduled_replies.cancel(conversation_id, scheduled_id))


@inbox.post("/inbox/away")
@member_may("inbox.reply")
def set_away() -> Any:
    """Whether new conversations are assigned to this member while a page is open."""
    away = request.form.get("away") == "yes"
    with tenant_scope(g.tenant_id):
        assignment.set_away(current_user.id, away)
    flash(
        gettext("You are away. New conversations go to your colleagues.")
        if away
        else gettext("You are back. New conversations can be assigned to you."),
        "success",
    )
    return redirect(url_for("inbox.index"))
