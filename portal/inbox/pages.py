"""Pages of the inbox: the list, one conversation, and the parts that turn while one looks."""

from typing import Any

from flask import Flask, g, jsonify, render_template, request, url_for
from flask_login import current_user

from core.db import tenant_scope
from messaging.inbox import listing, thread
from portal.inbox import inbox, views
from portal.inbox.speech import as_on_a_phone
from portal.visitors import may, member_may

MOST_ASKED_AGAIN = 60


@inbox.get("/inbox")
@member_may("inbox.view")
def index() -> Any:
    desk = views.desk()
    part = request.headers.get("X-Part") == "fresh"
    return render_template("inbox/fresh.html" if part else "inbox/index.html", desk=desk)


@inbox.get("/inbox/<conversation_id>")
@member_may("inbox.view")
def conversation(conversation_id: str) -> Any:
    """With `X-Part: fresh` only what changed: the list, the head, and entries after `since`."""
    if request.headers.get("X-Part") != "fresh":
        return render_template("inbox/index.html", desk=views.desk(conversation_id))
    desk = views.desk(conversation_id, since=request.args.get("since", "")[:40])
    again = [one for one in request.args.get("again", "").split(",") if one][:MOST_ASKED_AGAIN]
    changed = []
    if desk.talk is not None and again:
        with tenant_scope(g.tenant_id):
            changed = thread.these(desk.talk, again)
    return render_template("inbox/fresh.html", desk=desk, changed=changed)


@inbox.get("/inbox/<conversation_id>/older")
@member_may("inbox.view")
def older(conversation_id: str) -> Any:
    """A page of entries before one; whole without a script, its entries alone with one."""
    talk, page, names = views.older(conversation_id, request.args.get("before", "")[:40])
    entries = views.shown(page, names)
    if request.headers.get("X-Part") == "older":
        return render_template("inbox/older.html", talk=talk, entries=entries, older=page.older)
    desk = views.desk(conversation_id)
    desk.entries, desk.older = entries, page.older
    return render_template("inbox/index.html", desk=desk, in_the_past=True)


@inbox.get("/inbox/unread")
@member_may("inbox.view")
def unread() -> Any:
    answer = jsonify(unread=_unread())
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _unread() -> int:
    with tenant_scope(g.tenant_id):
        return listing.unread_count()


def unread_badge() -> int:
    """For the navigation of every page."""
    if getattr(current_user, "role", None) is None or not may("inbox.view"):
        return 0
    if "unread_badge" not in g:
        g.unread_badge = _unread()
    return int(g.unread_badge)


def set_up_inbox(app: Flask) -> None:
    app.add_template_global(unread_badge)
    app.add_template_filter(as_on_a_phone, "as_on_a_phone")
    app.add_template_filter(views.tone_of, "tone_of")
    app.add_template_filter(views.day_words, "day_words")
    app.add_template_filter(views.short_time, "short_time")
    app.add_template_filter(views.window_words, "window_words")
    app.add_template_filter(views.media_url, "media_url")
    app.add_template_filter(views.route_to, "route_to")
    app.add_template_global(_here, "inbox_here")


def _here(desk: views.Desk, **changed: str | None) -> str:
    """The address of the list with some of its filters changed."""
    wanted = {**desk.asked, **changed}
    args: dict[str, Any] = {name: value for name, value in wanted.items() if value}
    return url_for("inbox.index", **args)
