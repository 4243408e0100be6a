"""The list of contacts with its filters and export."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from flask import (
    Blueprint,
    flash,
    g,
    redirect,
    render_template,
    request,
    url_for,
)
from flask_babel import gettext
from flask_login import current_user

from core.clock import rfc3339
from core.db import tenant_scope
from core.errors import DomainError
from core.values.network_address import is_network_id
from messaging.contacts import cards as contact_cards
from messaging.contacts import custom_fields, duplicates
from messaging.contacts import repository as contact_repository
from messaging.contacts import search as contact_search
from messaging.contacts.cards import ContactCard
from messaging.contacts.search import SORTS, ContactFilters
from messaging.contacts.validation import ContactInput
from messaging.models import ContactField
from portal.contacts.forms import ContactForm
from portal.web.auth import member_may
from portal.web.csv_files import csv_response
from portal.web.forms import domain_errors_on, field_text, text_in_url
from portal.web.i18n import error_message
from tenants import accounts

contacts_pages = Blueprint("contacts", __name__)

PAGE = 50
BATCH = 500
# Each choice in the URL stands for a set of filters.
MARKS: dict[str, dict[str, bool]] = {
    "agreed": {"consent": True},
    "open": {"opted_out": False, "blocked": False},
    "out": {"opted_out": True},
    "blocked": {"blocked": True},
    "nophone": {"has_phone": False},
}
COLUMNS = ("id", "name", "phone", "other_identities", "language", "tags", "birthday")
MORE_COLUMNS = (
    *("consent_at", "consent_source", "opted_out_at", "blocked_at", "last_wrote_at", "username"),
    "network_id",
)


@contacts_pages.get("/contacts")
@member_may("contacts.view")
def index() -> Any:
    given, after = _filters_in_url(), request.args.get("after")
    filters = _filters(given)
    with tenant_scope(g.tenant_id):
        tags, country = contact_repository.list_tags(), current_user.account.country or None
        sort = contact_search.usable_sort(filters, given.get("sort", "newest"), country)
        try:
            found = contact_search.search_contacts(
                filters, sort=sort, after=after, limit=PAGE + 1, country=country
            )
        except DomainError as error:
            flash(error_message(error), "error")
            return redirect(url_for("contacts.index"))
        shown = contact_cards.cards_of(found[:PAGE])
        unresolved = duplicates.open_cases()
    next_url = previous_url = None
    chosen: dict[str, Any] = dict(given)
    if len(found) > PAGE:
        cursor = contact_search.cursor_of(shown[-1].contact, sort)
        next_url = url_for("contacts.index", **chosen, after=cursor)
    if after:
        previous_url = url_for("contacts.index", **chosen)
    return render_template(
        "contacts/index.html",
        contacts=shown,
        duplicates=unresolved,
        tags=tags,
        filters=given,
        too_many=sort != given.get("sort", "newest"),
        filtered={name: value for name, value in given.items() if name != "sort"},
        next_url=next_url,
        previous_url=previous_url,
        csv_url=url_for("contacts.export", **chosen),
    )


@contacts_pages.get("/contacts.csv")
@member_may("contacts.view")
def export() -> Any:
    """Stream the contacts in batches, each in its own transaction."""
    tenant_id, given = g.tenant_id, _filters_in_url()
    with tenant_scope(tenant_id):
        own, country = custom_fields.list_fields(), _country()
    filters = _filters(given)

    def rows() -> Iterator[tuple[str, ...]]:
        after = None
        while True:
            with tenant_scope(tenant_id):
                found = contact_search.search_contacts(
                    filters, after=after, limit=BATCH, country=country
                )
                batch = contact_cards.cards_of(found)
            yield from (_cells(card, own) for card in batch)
            if len(found) < BATCH:
                return
            after = contact_search.cursor_of(found[-1], "newest")

    columns = (*COLUMNS, *MORE_COLUMNS, *(one.name for one in own))
    return csv_response("contacts", columns, rows())


@contacts_pages.route("/contacts/new", methods=["GET", "POST"])
@member_may("contacts.manage")
def new() -> Any:
    with tenant_scope(g.tenant_id):
        own, tags = custom_fields.list_fields(), contact_repository.list_tags()
    form = ContactForm.with_fields(own)
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                card = contact_repository.create(_entry(form, own))
            flash(gettext("%(name)s was added to your contacts.", name=card.title), "success")
            return redirect(url_for("contact.page", contact_id=card.id))
    return render_template("contacts/edit.html", form=form, own=own, tags=tags, card=None)


@contacts_pages.route("/contacts/<contact_id>/edit", methods=["GET", "POST"])
@member_may("contacts.manage")
def edit(contact_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        card, own, tags = (
            contact_cards.get(contact_id),
            custom_fields.list_fields(),
            contact_repository.list_tags(),
        )
    known = card.contact
    values: dict[str, Any] = {
        "name": known.name,
        "language": known.language,
        "birthday": card.birthday,
        "tags": ", ".join(known.tags),
    }
    values |= {f"own_{number}": known.fields.get(one.id) for number, one in enumerate(own)}
    form = ContactForm.with_fields(own, **values)
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                card = contact_repository.change(card.id, _entry(form, own))
            flash(gettext("Saved."), "success")
            return redirect(url_for("contact.page", contact_id=card.id))
    return render_template("contacts/edit.html", form=form, own=own, tags=tags, card=card)


def _entry(form: ContactForm, own: list[ContactField]) -> ContactInput:
    return ContactInput(
        name=field_text(form.name),
        phone=field_text(form.phone).strip() or None,
        language=field_text(form.language),
        tags=field_text(form.tags).split(","),
        birthday=field_text(form.birthday),
        fields=form.custom_field_values(own),
    )


def _filters_in_url() -> dict[str, str]:
    """The filters from the URL, without empty values."""
    given = {
        name: text_in_url(name, 80) for name in ("q", "tag", "mark", "language", "since", "sort")
    }
    if given["mark"] not in MARKS:
        given["mark"] = ""
    if given["sort"] not in SORTS or given["sort"] == "newest":
        given["sort"] = ""
    if _day(given["since"]) is None:
        given["since"] = ""
    return {name: value for name, value in given.items() if value}


def _filters(given: dict[str, str]) -> ContactFilters:
    return ContactFilters(
        search=given.get("q", ""),
        tags=(given["tag"],) if "tag" in given else (),
        language=given.get("language", ""),
        seen_since=_day(given.get("since", "")),
        **MARKS.get(given.get("mark", ""), {}),
    )


def _day(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        return None


def _country() -> str | None:
    return accounts.account().country or None


def _cells(card: ContactCard, own: list[ContactField]) -> tuple[str, ...]:
    one = card.contact
    others = [each.spelling for each in card.identities if each.spelling != card.phone]
    times = (one.consent_at, one.opted_out_at, one.blocked_at, one.last_seen_at)
    agreed, out, blocked, wrote = (rfc3339(at) if at else "" for at in times)
    return (
        *(card.id, one.name, card.phone, " ".join(others), one.language, ", ".join(one.tags)),
        *(card.birthday, agreed, one.consent_source, out, blocked, wrote, one.username),
        next((each for each in others if is_network_id(each)), ""),
        *(one.fields.get(each.id, "") for each in own),
    )
