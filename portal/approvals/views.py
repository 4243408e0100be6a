"""Messages of apps that wait for a person, and what each app may send without one."""

from collections.abc import Callable
from typing import Any

from flask import Blueprint, flash, g, jsonify, redirect, render_template, request, url_for
from flask_babel import gettext
from flask_login import current_user

from core.db import tenant_scope
from core.errors import DomainError, NotFound
from messaging.approvals import decisions, member_chats, policies, queries
from messaging.contacts import cards as contact_cards
from messaging.lines import repository as line_repository
from messaging.messages import queries as message_queries
from messaging.models import ApprovalChat, Line
from portal.approvals.forms import PolicyForm
from portal.web.auth import member_may
from portal.web.forms import domain_errors_on
from portal.web.i18n import error_message
from portal.web.paging import PAGE, cursor_in_url, page_of
from tenants import api_keys

approvals_pages = Blueprint("approvals", __name__)


@approvals_pages.get("/approvals")
@member_may("inbox.reply")
def index() -> Any:
    with tenant_scope(g.tenant_id):
        waiting = queries.list_waiting()
        names = contact_cards.names_by_phone(one.phone for one in waiting)
        lines = {line.id: line for line in line_repository.line_labels()}
        chat = member_chats.chat_of(current_user.id)
        chat_lines = [line for line in line_repository.list_lines() if line.enabled and line.phone]
    return render_template(
        "approvals/index.html",
        waiting=waiting,
        names=names,
        lines=lines,
        chat=chat,
        chat_url=_chat_url(chat, chat_lines),
        chat_lines=chat_lines,
    )


@approvals_pages.get("/approvals/decided")
@member_may("inbox.reply")
def decided() -> Any:
    with tenant_scope(g.tenant_id):
        found = queries.list_decided(cursor_in_url(), PAGE + 1)
        names = contact_cards.names_by_phone(one.phone for one in found)
    page = page_of(found, "approvals.decided", {}, PAGE)
    return render_template("approvals/decided.html", messages=page.rows, names=names, **page.urls)


@approvals_pages.get("/approvals/count")
@member_may("inbox.reply")
def count() -> Any:
    with tenant_scope(g.tenant_id):
        answer = jsonify(waiting=queries.waiting_count())
    answer.headers["Cache-Control"] = "no-store"
    return answer


@approvals_pages.post("/approvals/<message_id>/approve")
@member_may("inbox.reply")
def approve(message_id: str) -> Any:
    return _decide(message_id, decisions.approve, gettext("Approved. The message is on its way."))


@approvals_pages.post("/approvals/<message_id>/reject")
@member_may("inbox.reply")
def reject(message_id: str) -> Any:
    return _decide(message_id, decisions.reject, gettext("Rejected. The message is not sent."))


def _decide(message_id: str, act: Callable[[str], object], done: str) -> Any:
    try:
        with tenant_scope(g.tenant_id):
            act(message_id)
        flash(done, "success")
    except NotFound:
        with tenant_scope(g.tenant_id):
            message_queries.get(message_id)  # another tenant's message does not exist
        flash(gettext("This message does not wait for approval."), "error")
    except DomainError as error:
        flash(error_message(error), "error")
    return redirect(url_for("approvals.index"))


@approvals_pages.post("/approvals/chat")
@member_may("inbox.reply")
def connect_chat() -> Any:
    with tenant_scope(g.tenant_id):
        lines = [line for line in line_repository.list_lines() if line.enabled and line.phone]
        line = next((one for one in lines if str(one.id) == request.form.get("line")), None)
        if line is not None:
            member_chats.start_connecting(current_user.id, line)
        else:
            flash(gettext("Choose a line."), "error")
    return redirect(url_for("approvals.index") + "#chat")


@approvals_pages.post("/approvals/chat/disconnect")
@member_may("inbox.reply")
def disconnect_chat() -> Any:
    with tenant_scope(g.tenant_id):
        member_chats.disconnect(current_user.id)
    flash(gettext("Your chat is disconnected."), "success")
    return redirect(url_for("approvals.index"))


@approvals_pages.route("/approvals/policies/<key_id>", methods=["GET", "POST"])
@member_may("keys.manage")
def policy(key_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        key = api_keys.get(key_id)
        form = PolicyForm(obj=policies.policy_of(key_id))
        used = policies.used_today(key_id)
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                policies.set_policy(key_id, key.name, form.policy())
            flash(gettext("Saved."), "success")
            return redirect(url_for("approvals.policy", key_id=key_id))
    return render_template("approvals/policy.html", key=key, form=form, used=used)


def _chat_url(chat: ApprovalChat | None, lines: list[Line]) -> str:
    """Opens the member's chat with the line, with the code already written."""
    line = next((one for one in lines if chat is not None and one.id == chat.line_id), None)
    if chat is None or line is None or chat.phone:
        return ""
    return f"https://wa.me/{line.phone}?text=OK-{chat.code}"
