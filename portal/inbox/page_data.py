"""Collects the data that a page of the inbox shows."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, tzinfo
from functools import cached_property, lru_cache
from typing import Any

from flask import current_app, g, request, url_for
from flask_babel import format_timedelta
from flask_login import current_user

from core.clock import now
from core.db import tenant_scope
from core.ids import BadId, new_token, to_uuid
from core.settings import Settings
from core.values.geo import route_url
from messaging.contacts import repository as contact_book
from messaging.inbox import conversations as inbox_conversations
from messaging.inbox import phone_requests, quick_replies, thread
from messaging.inbox import replies as inbox_replies
from messaging.inbox.conversations import VIEWS, ConversationFilters, ConversationSummary
from messaging.inbox.team import overview as team_overview
from messaging.inbox.team import scheduled_replies, snooze
from messaging.inbox.team.overview import TeamOverview
from messaging.inbox.thread import ThreadMessage, ThreadNote, ThreadPage
from messaging.lines import direct_send
from messaging.lines import repository as line_repository
from messaging.lines.capabilities import capabilities
from messaging.lines.repository import LineLabel
from messaging.messages.kinds.registry import is_picture
from messaging.messages.media import uploads as media_uploads
from messaging.models import Line, ScheduledReply
from messaging.templates import repository as template_repository
from messaging.templates import validation as template_validation
from messaging.templates.components import filled_preview, required_parameters
from messaging.templates.repository import TemplateFilters
from messaging.templates.validation import APPROVED
from portal.loyalty import contact_summary as loyalty_summary
from portal.web.auth import may
from portal.web.forms import text_in_url
from portal.web.rendering.template_cache import time_zone
from restaurant.orders import queries as order_queries
from tenants import team
from tenants.rights import role_may

PAGE = 30
GROUPING_GAP = timedelta(minutes=5)
TONES = 6
MOST_TEMPLATES = 100
LONGEST_PREVIEW = 90
FEW = 3


@dataclass
class ThreadEntry:
    """One entry of the thread, with what is drawn around it."""

    entry: ThreadMessage | ThreadNote
    day: date
    new_day: bool
    follows: bool
    """From the same side shortly after the previous entry, so drawn as one block."""
    author: str = ""


@dataclass(frozen=True)
class TemplateChoice:
    """A template that can be filled in on this page."""

    name: str
    language: str
    preview: str


@dataclass
class InboxPage:
    filters: dict[str, str]
    conversations: list[ConversationSummary]
    next_cursor: str | None
    lines: dict[int, LineLabel]
    members: dict[str, str]
    me: str
    team: TeamOverview
    talk: ConversationSummary | None = None
    entries: list[ThreadEntry] = field(default_factory=list)
    older: str | None = None
    hurdle: str = ""
    direct_send: bool = False
    """The window is closed, but the line sends texts and buttons as utility messages."""
    can_ask_phone: bool = False
    quick: list[dict[str, Any]] = field(default_factory=list)
    can: dict[str, str] = field(default_factory=dict)
    """What the line does with each kind of message: `yes`, `as_text` or `no`."""
    once: str = ""
    templates: list[TemplateChoice] = field(default_factory=list)
    """Approved templates to choose from. If empty, the page has fields to type the name instead."""
    scheduled: Sequence[ScheduledReply] = ()
    """Replies that wait for their time, or could not be sent."""
    times: dict[str, datetime] = field(default_factory=dict)
    """What snooze and send later offer."""
    shows_contact: bool = False
    """Whether the person may see the contact's page, notes and loyalty."""
    notes: Sequence[Any] = ()
    orders: Sequence[Any] = ()
    """The latest orders, with what the page shows of each."""
    standings: Sequence[Any] = ()
    """Points or stamps, each with its restaurant's name and the programme's unit."""

    @cached_property
    def has_several_lines(self) -> bool:
        """Whether each conversation shows its line."""
        return len({one.line_id for one in self.conversations}) > 1


def inbox_page(conversation_id: str | None = None, since: str = "") -> InboxPage:
    """Load the page; with `since`, only entries after one that the page already shows."""
    filters = filters_in_url()
    after = request.args.get("after")
    with tenant_scope(g.tenant_id):
        lines = {line.id: line for line in line_repository.line_labels()}
        found = inbox_conversations.list_conversations(
            _list_filters(filters, lines), after, PAGE + 1
        )
        people = team.members()
        shared = team_overview.overview(current_user.id)
        made = InboxPage(
            team=shared,
            filters=filters,
            conversations=found[:PAGE],
            next_cursor=found[PAGE - 1].cursor if len(found) > PAGE else None,
            lines=lines,
            members={
                one.person_id: one.name for one in people if role_may(one.role, "inbox.reply")
            },
            me=current_user.id,
        )
        if conversation_id is not None:
            _open(made, conversation_id, since, {one.person_id: one.name for one in people})
    return made


def _open(made: InboxPage, conversation_id: str, since: str, names: dict[str, str]) -> None:
    talk = made.talk = next(
        (one for one in made.conversations if one.id == conversation_id), None
    ) or inbox_conversations.get(conversation_id)
    page = thread.entries_since(talk, since) if since else thread.newest_entries(talk)
    made.entries, made.older = thread_entries(page, names), page.older
    line = inbox_replies.conversation_line(talk)
    made.hurdle = inbox_replies.reply_obstacle(talk, line)
    made.direct_send = inbox_replies.has_direct_send(made.hurdle, line)
    if line is not None:
        made.can = dict(capabilities(line.kind))
    if made.direct_send:
        made.can = {code: can for code, can in made.can.items() if code in direct_send.KINDS}
    made.can_ask_phone = phone_requests.can_ask(talk, line)
    if line is not None and made.hurdle == "window_closed":
        made.templates = _templates(line)
    _read_templates(made.entries, line)
    if may("contacts.view"):
        made.shows_contact = True
        made.notes = contact_book.list_notes(talk.contact_id, FEW)
        made.standings = loyalty_summary.standings_of_contact(talk.contact_id)
    if may("orders.view"):
        made.orders = order_queries.latest_of_contact(talk.contact_id, FEW)
    made.scheduled = scheduled_replies.list_of(talk.id)
    made.times = snooze.suggested_times(made.team.zone)
    made.once = new_token()
    if may("inbox.reply"):
        made.quick = [
            {
                "shortcut": one.shortcut,
                "text": quick_replies.fill_quick_reply(one.text, _values(talk)),
                "card": one.content,
            }
            for one in quick_replies.list_quick_replies()
            if not one.content or made.can.get(one.content["kind"], "no") != "no"
        ]


def _read_templates(entries: list[ThreadEntry], line: Line | None) -> None:
    """Show sent templates with their text, also those whose text was not stored."""
    if line is None:
        return
    without_text = [
        message
        for message in (one.entry for one in entries)
        if isinstance(message, ThreadMessage) and message.kind == "template" and not message.text
    ]
    texts = template_validation.template_texts(line, [message.content for message in without_text])
    for message, text in zip(without_text, texts, strict=True):
        message.text = text


def _templates(line: Line) -> list[TemplateChoice]:
    """Approved templates with placeholders in the body only; others have their own page."""
    wanted = TemplateFilters(
        state=APPROVED, accounts=frozenset({template_repository.template_account(line)})
    )
    offered = []
    for one in template_repository.list_templates(wanted, limit=MOST_TEMPLATES):
        if required_parameters(one.components).only_body:
            body = " ".join(filled_preview(one.components, {}).body.split())
            offered.append(TemplateChoice(one.name, one.language, shortened(body)))
    return offered


def shortened(text: str) -> str:
    return text if len(text) <= LONGEST_PREVIEW else f"{text[: LONGEST_PREVIEW - 1]}…"


def older(
    conversation_id: str, before: str
) -> tuple[ConversationSummary, ThreadPage, dict[str, str]]:
    with tenant_scope(g.tenant_id):
        talk = inbox_conversations.get(conversation_id)
        names = {one.person_id: one.name for one in team.members()}
        return talk, thread.newest_entries(talk, before), names


def thread_entries(page: ThreadPage, names: dict[str, str]) -> list[ThreadEntry]:
    made: list[ThreadEntry] = []
    for entry in page.entries:
        day = _local_day(entry.at)
        before = made[-1] if made else None
        author = names.get(entry.by, "") if isinstance(entry, ThreadMessage) and entry.by else ""
        made.append(
            ThreadEntry(
                entry=entry,
                day=day,
                new_day=before is None or before.day != day,
                follows=before is not None and _same_side(before, entry, author),
                author=author,
            )
        )
    return made


def _same_side(before: ThreadEntry, entry: ThreadMessage | ThreadNote, author: str) -> bool:
    one = before.entry
    return (
        isinstance(one, ThreadMessage)
        and isinstance(entry, ThreadMessage)
        and one.direction == entry.direction
        and before.author == author
        and one.content.get("sent_from") == entry.content.get("sent_from")
        and timedelta(0) <= entry.at - one.at < GROUPING_GAP
    )


def filters_in_url() -> dict[str, str]:
    """The filters as they stand in the address; what is empty or usual is left out of it."""
    given = {name: text_in_url(name, 100) for name in "q"}
    view, line = request.args.get("view", ""), request.args.get("line", "")
    if view in VIEWS and view != "open":
        given["view"] = view
    if line.isascii() and line.isdigit() and len(line) < 11:
        given["line"] = line
    if is_id("lbl", label := request.args.get("label", "")):
        given["label"] = label
    return {name: value for name, value in given.items() if value}


def is_id(prefix: str, text: str) -> bool:
    try:
        to_uuid(prefix, text)
    except BadId:
        return False
    return True


def _list_filters(given: dict[str, str], lines: dict[int, LineLabel]) -> ConversationFilters:
    line_id = int(given.get("line") or 0)
    return ConversationFilters(
        view=given.get("view", "open"),
        line_id=line_id if line_id in lines else None,
        query=given.get("q", ""),
        label_id=given.get("label", ""),
        me=current_user.id,
    )


def _values(talk: ConversationSummary) -> dict[str, str]:
    name = talk.contact_name
    return {
        "name": name or "",
        "first_name": name.split()[0] if name else "",
        "phone": f"+{talk.phone}" if talk.phone else "",
        "business": current_user.tenant.name,
        "member": current_user.name,
    }


def day_label(day: date) -> str:
    """Which day it is: `today`, `yesterday`, `week` or `far`."""
    today = now().astimezone(time_zone()).date()
    if day == today:
        return "today"
    if day == today - timedelta(days=1):
        return "yesterday"
    return "week" if today - timedelta(days=6) <= day < today else "far"


def short_time(moment: datetime) -> str:
    return day_label(_local_day(moment))


def _local_day(moment: datetime) -> date:
    return _day_in(moment, time_zone())


@lru_cache(maxsize=4096)
def _day_in(moment: datetime, zone: tzinfo) -> date:
    return moment.astimezone(zone).date()


def window_label(left: timedelta) -> str:
    """In hours if at least one is left, so that 23:59 hours are not shown as a day."""
    return str(format_timedelta(left, granularity="minute", threshold=1))


def contact_colour(public_id: str) -> int:
    """A fixed colour for each contact."""
    return sum(public_id[-6:].encode()) % TONES


def media_url(entry: ThreadMessage) -> str:
    """The URL of a message's file: a signed link to our store, or a page for members; or empty.

    A picture that has just arrived gets its URL at once; the endpoint waits until it is fetched.
    """
    content, file = entry.content, entry.file
    if file is not None and not content.get("blob"):
        drawn = is_picture(entry.kind)
        if file.state == "kept":
            drawn = drawn and bool(file.preview_blob_key)
        elif file.state != "waiting" or not drawn or file.tries > 1:
            return ""
        return url_for("messages.picture" if drawn else "messages.file", message_id=entry.id)
    key = content.get("blob") or content.get("file_key")
    if not key:
        return ""
    settings: Settings = current_app.extensions["comanda"]
    mime_type, name = str(content.get("mime_type")), str(content.get("filename") or "file")
    return media_uploads.page_path(str(key), mime_type, name, settings.secret_key)


def route_to(content: dict[str, Any]) -> str:
    return route_url(float(content["latitude"]), float(content["longitude"]))
