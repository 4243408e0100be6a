"""Pages of the inbox: the list, one conversation, and the parts that refresh."""

from datetime import datetime, tzinfo
from decimal import Decimal
from typing import Any

from babel.dates import format_datetime
from flask import Flask, g, jsonify, render_template, request, url_for
from flask_babel import get_locale

from core.db import tenant_scope
from messaging.inbox import conversations as inbox_conversations
from messaging.inbox import thread
from portal.inbox import inbox
from portal.inbox import page_data as inbox_page_data
from portal.inbox.message_text import format_message_text
from portal.web.auth import member_may

MOST_REFRESHED = 60


@inbox.get("/inbox")
@member_may("inbox.view")
def index() -> Any:
    page_data = inbox_page_data.inbox_page()
    part = request.headers.get("X-Part") == "fresh"
    return render_template("inbox/live.html" if part else "inbox/index.html", page_data=page_data)


@inbox.get("/inbox/<conversation_id>")
@member_may("inbox.view")
def conversation(conversation_id: str) -> Any:
    """With `X-Part: fresh`, only what changed: the list, the header, and entries after `since`."""
    if request.headers.get("X-Part") != "fresh":
        return render_template(
            "inbox/index.html", page_data=inbox_page_data.inbox_page(conversation_id)
        )
    page_data = inbox_page_data.inbox_page(
        conversation_id, since=request.args.get("since", "")[:40]
    )
    again = [one for one in request.args.get("again", "").split(",") if one][:MOST_REFRESHED]
    changed = []
    if page_data.talk is not None and again:
        with tenant_scope(g.tenant_id):
            changed = thread.messages_by_id(page_data.talk, again)
    return render_template("inbox/live.html", page_data=page_data, changed=changed)


@inbox.get("/inbox/<conversation_id>/older")
@member_may("inbox.view")
def older(conversation_id: str) -> Any:
    """Entries before a given one: a full page for a link, only the entries for a script."""
    talk, page, names = inbox_page_data.older(conversation_id, request.args.get("before", "")[:40])
    entries = inbox_page_data.thread_entries(page, names)
    if request.headers.get("X-Part") == "older":
        return render_template("inbox/older.html", talk=talk, entries=entries, older=page.older)
    page_data = inbox_page_data.inbox_page(conversation_id)
    page_data.entries, page_data.older = entries, page.older
    return render_template("inbox/index.html", page_data=page_data, in_the_past=True)


@inbox.get("/inbox/unread")
@member_may("inbox.view")
def unread() -> Any:
    with tenant_scope(g.tenant_id):
        answer = jsonify(unread=inbox_conversations.unread_count())
    answer.headers["Cache-Control"] = "no-store"
    return answer


def setup_inbox(app: Flask) -> None:
    app.add_template_filter(format_message_text, "as_on_a_phone")
    app.add_template_filter(inbox_page_data.contact_colour, "tone_of")
    app.add_template_filter(inbox_page_data.day_label, "day_words")
    app.add_template_filter(inbox_page_data.short_time, "short_time")
    app.add_template_filter(inbox_page_data.window_label, "window_words")
    app.add_template_filter(inbox_page_data.media_url, "media_url")
    app.add_template_filter(inbox_page_data.route_to, "route_to")
    app.add_template_filter(zone_time)
    app.add_template_filter(zone_input)
    app.add_template_filter(Decimal, "exact_amount")
    app.add_template_global(_list_url, "inbox_here")


def zone_time(moment: datetime) -> str:
    """Weekday and time, for a moment that already is in the time zone of the business."""
    return str(format_datetime(moment, "EEE HH:mm", tzinfo=moment.tzinfo, locale=get_locale()))


def zone_input(moment: datetime, zone: tzinfo | None = None) -> str:
    """The value of a date and time field, in the time zone of the business."""
    return moment.astimezone(zone or moment.tzinfo).strftime("%Y-%m-%dT%H:%M")


def _list_url(page_data: inbox_page_data.InboxPage, **changed: str | None) -> str:
    """The URL of the list with some filters changed."""
    params = {**page_data.filters, **changed}
    args: dict[str, Any] = {name: value for name, value in params.items() if value}
    return url_for("inbox.index", **args)
