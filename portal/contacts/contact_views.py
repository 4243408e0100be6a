"""One contact: its page and the actions on it."""

from collections.abc import Callable
from datetime import date
from typing import Any

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from flask_babel import format_date, gettext

from core.db import tenant_scope
from core.errors import DomainError, NotFound, invalid
from core.ids import BadId
from messaging.contacts import cards as contact_cards
from messaging.contacts import consent as contact_consent
from messaging.contacts import custom_fields, duplicates, merging
from messaging.contacts import history as contact_history
from messaging.contacts import identities as contact_identities
from messaging.contacts import repository as contact_repository
from messaging.contacts import search as contact_search
from messaging.contacts.cards import ContactCard
from messaging.contacts.erasure import erasures as contact_erasures
from messaging.contacts.search import ContactFilters
from messaging.contacts.validation import ContactInput
from messaging.lines import repository as line_repository
from messaging.lines.drivers.registry import DRIVERS
from messaging.messages.accept import AcceptedMessage
from portal.contacts.forms import ConsentForm, NoteForm, PhoneForm, TagsForm, WriteForm
from portal.loyalty import contact_summary as loyalty_summary
from portal.messages.compose import accept_text, checked_text
from portal.web.auth import may, member_may
from portal.web.forms import Form, domain_errors_on, field_text, text_in_url
from portal.web.i18n import error_message
from tenants import accounts

contact_pages = Blueprint("contact", __name__)

MESSAGES = 20
CONTACT = "/contacts/<contact_id>"


@contact_pages.get(CONTACT)
@member_may("contacts.view")
def page(contact_id: str) -> Any:
    return _page(contact_id)


@contact_pages.route(f"{CONTACT}/notes", methods=["GET", "POST"])
@member_may("contacts.manage")
def note(contact_id: str) -> Any:
    form = NoteForm()
    return _submit(
        contact_id,
        form,
        lambda: contact_repository.add_note(contact_id, field_text(form.text)),
        note_form=form,
    )


@contact_pages.route(f"{CONTACT}/notes/<note_id>/remove", methods=["GET", "POST"])
@member_may("contacts.manage")
def remove_note(contact_id: str, note_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        card = contact_cards.get(contact_id)
    if request.method == "GET":
        return _confirm(
            card, gettext("Delete this note?"), gettext("This cannot be undone."),
            gettext("Delete note"),
        )  # fmt: skip
    with tenant_scope(g.tenant_id):
        contact_repository.delete_note(card.id, note_id)
    flash(gettext("Note deleted."), "success")
    return redirect(url_for("contact.page", contact_id=card.id))


@contact_pages.route(f"{CONTACT}/tags", methods=["GET", "POST"])
@member_may("contacts.manage")
def tags(contact_id: str) -> Any:
    form = TagsForm()
    given = field_text(form.tags).split(",")
    return _submit(
        contact_id,
        form,
        lambda: contact_repository.change(contact_id, ContactInput(tags=given)),
        tags_form=form,
    )


@contact_pages.route(f"{CONTACT}/phones", methods=["GET", "POST"])
@member_may("contacts.manage")
def phones(contact_id: str) -> Any:
    form = PhoneForm()
    return _submit(
        contact_id,
        form,
        lambda: contact_repository.add_phone(contact_id, field_text(form.phone)),
        phone_form=form,
    )


@contact_pages.route(f"{CONTACT}/identities/remove", methods=["GET", "POST"])
@member_may("contacts.manage")
def remove_identity(contact_id: str) -> Any:
    """The identity to remove is in the URL."""
    kind, value = (request.args.get(name, "").replace("\0", "") for name in ("kind", "value"))
    with tenant_scope(g.tenant_id):
        card = contact_cards.get(contact_id)
    if request.method == "GET":
        return _confirm(
            card,
            gettext("Remove this number or ID?"),
            gettext("Its messages are kept but are no longer linked to this contact."),
            gettext("Remove from contact"),
        )
    try:
        with tenant_scope(g.tenant_id):
            contact_repository.remove_identity(card.id, kind, value)
        flash(gettext("Saved."), "success")
    except DomainError as error:
        flash(error_message(error), "error")
    return redirect(url_for("contact.page", contact_id=card.id))


@contact_pages.route(f"{CONTACT}/consent", methods=["GET", "POST"])
@member_may("contacts.manage")
def consent(contact_id: str) -> Any:
    form = ConsentForm()
    return _submit(
        contact_id,
        form,
        lambda: contact_repository.set_consent(contact_id, field_text(form.consent_source)),
        consent_form=form,
    )


@contact_pages.post(f"{CONTACT}/wish")
@member_may("contacts.manage")
def change_consent(contact_id: str) -> Any:
    """Set opt-out, consent or block; no confirmation, because one click undoes it."""
    acts: dict[str, Callable[[str], ContactCard]] = {
        "opt_out": lambda one: contact_repository.set_opted_out(one, True),
        "opt_in": lambda one: contact_repository.set_opted_out(one, False),
        "withdraw": lambda one: contact_repository.set_consent(one, None),
        "block": lambda one: contact_repository.set_blocked(one, True),
        "unblock": lambda one: contact_repository.set_blocked(one, False),
    }
    act = acts.get(request.form.get("act", ""))
    with tenant_scope(g.tenant_id):
        card = contact_cards.get(contact_id)
        if act is not None:
            act(card.id)
    flash(gettext("Saved."), "success")
    return redirect(url_for("contact.page", contact_id=card.id, _anchor="consent"))


@contact_pages.route(f"{CONTACT}/message", methods=["GET", "POST"])
@member_may("messages.send")
def message(contact_id: str) -> Any:
    form = WriteForm()
    if form.validate_on_submit():
        with domain_errors_on(form):
            accepted = _send(contact_id, field_text(form.text))
            return redirect(url_for("messages.message", message_id=accepted.id))
    return _page(contact_id, write_form=form)


@contact_pages.route(f"{CONTACT}/merge", methods=["GET", "POST"])
@member_may("contacts.manage")
def merge(contact_id: str) -> Any:
    """Choose the other contact, review what will happen, then merge."""
    other = request.values.get("other", "")[:64]
    search = text_in_url("q", 80)
    preview, found = None, []
    with tenant_scope(g.tenant_id):
        card = contact_cards.get(contact_id)
        try:
            if other and request.method == "POST":
                card = merging.merge(card.id, other)
            elif other:
                preview = merging.preview_merge(card.id, other)
            elif search:
                country = accounts.account().country or None
                rows = contact_search.search_contacts(
                    ContactFilters(search=search), limit=11, country=country
                )
                found = contact_cards.cards_of([row for row in rows if row.id != card.id][:10])
        except DomainError as error:
            if isinstance(error, NotFound):
                raise
            flash(error_message(error), "error")
    if request.method == "POST" and other:
        flash(gettext("Contacts merged."), "success")
        return redirect(url_for("contact.page", contact_id=card.id))
    return render_template(
        "contacts/merge.html", card=card, preview=preview, found=found, search=search
    )


@contact_pages.route(f"{CONTACT}/remove", methods=["GET", "POST"])
@member_may("contacts.manage")
def remove(contact_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        card = contact_cards.get(contact_id)
    if request.method == "GET":
        return _confirm(
            card,
            gettext("Delete contact %(name)s?", name=card.title),
            gettext(
                "Notes, tags and consent are deleted. Messages are kept. If this "
                "person writes again, a new contact is created."
            ),
            gettext("Delete contact"),
        )
    with tenant_scope(g.tenant_id):
        contact_erasures.delete_contact_only(card.id)
    flash(gettext("%(name)s was deleted.", name=card.title), "success")
    return redirect(url_for("contacts.index"))


@contact_pages.route(f"{CONTACT}/erase", methods=["GET", "POST"])
@member_may("contacts.manage")
def erase(contact_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        card = contact_cards.get(contact_id)
    if request.method == "GET":
        return _confirm(
            card,
            gettext("Permanently erase all data for %(name)s?", name=card.title),
            gettext(
                "The name, numbers, notes, texts and files are erased from "
                "messages, events, the audit log and all other records. Message "
                "costs are kept for your accounting. Messages that are waiting to "
                "be sent are cancelled. This cannot be undone."
            ),
            gettext("Erase permanently"),
        )
    with tenant_scope(g.tenant_id):
        begun = contact_erasures.start_erasure(card.id)
    return redirect(url_for("contact.erasure", erasure_id=begun.id))


@contact_pages.get("/contacts/erasures/<erasure_id>")
@member_may("contacts.view")
def erasure(erasure_id: str) -> Any:
    """With `X-Part`, only the parts that change."""
    with tenant_scope(g.tenant_id):
        try:
            found = contact_erasures.get(erasure_id)
        except BadId:
            found = None
    if found is None:
        raise NotFound()
    part = "X-Part" in request.headers
    return render_template(
        "contacts/erasure_live.html" if part else "contacts/erasure.html",
        erasure=found,
        steps=contact_erasures.STEPS,
    )


def _page(contact_id: str, **forms: Form) -> Any:
    """Render the page; a rejected form keeps its input, the other forms are new."""
    after = request.args.get("after") or None
    with tenant_scope(g.tenant_id):
        card = contact_cards.get(contact_id)
        own = custom_fields.list_fields()
        notes, changes = (
            contact_repository.list_notes(card.id),
            contact_consent.consent_history(card.id),
        )
        talks = contact_history.list_conversations(card.id)
        lines = {line.id: line for line in line_repository.line_labels()}
        found = (
            contact_history.list_messages(card, after, MESSAGES + 1) if may("messages.view") else []
        )
        known_tags = contact_repository.list_tags()
        collected = loyalty_summary.for_contact(card.id)
        cases = duplicates.list_cases(card.id)
    fresh: dict[str, Form] = {}
    if may("contacts.manage"):
        fresh = {
            "note_form": NoteForm(formdata=None),
            "tags_form": TagsForm(formdata=None, tags=", ".join(card.contact.tags)),
            "phone_form": PhoneForm(formdata=None),
            "consent_form": ConsentForm(formdata=None),
        }
    if may("messages.send"):
        fresh["write_form"] = WriteForm(formdata=None)
    next_url = newest_url = None
    if len(found) > MESSAGES:
        next_url = url_for(
            "contact.page", contact_id=card.id, after=found[MESSAGES - 1].id, _anchor="messages"
        )
    if after:
        newest_url = url_for("contact.page", contact_id=card.id, _anchor="messages")
    return render_template(
        "contacts/contact.html",
        card=card,
        contact=card.contact,
        birthday=_birthday(card),
        own=own,
        notes=notes,
        consent_changes=changes,
        talks=talks,
        lines=lines,
        messages=found[:MESSAGES],
        next_url=next_url,
        newest_url=newest_url,
        known_tags=known_tags,
        cases=cases,
        **collected,
        **{**fresh, **forms},
    )


def _birthday(card: ContactCard) -> str:
    """The birthday in words: 23 April, with the year if it is known."""
    if card.contact.birthday is None:
        return ""
    month, day = divmod(card.contact.birthday, 100)
    year = card.contact.birth_year
    return str(format_date(date(year or 2000, month, day), "d MMMM y" if year else "d MMMM"))


def _submit(contact_id: str, form: Form, act: Callable[[], object], **named: Form) -> Any:
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                act()
            flash(gettext("Saved."), "success")
            return redirect(url_for("contact.page", contact_id=contact_id))
    return _page(contact_id, **named)


def _confirm(card: ContactCard, title: str, text: str, yes: str) -> Any:
    return render_template(
        "shared/confirm.html",
        title=title,
        text=text,
        yes=yes,
        back_url=url_for("contact.page", contact_id=card.id),
    )


def _send(contact_id: str, text: str) -> AcceptedMessage:
    """Send from the default line, or from the test line if there is no other.

    A contact without a phone gets it from the line on which they were last seen.
    """
    words = checked_text(text)
    with tenant_scope(g.tenant_id):
        card = contact_cards.get(contact_id)
        test = line_repository.default_line(test=False) is None
        line_id = contact_cards.line_of_newest_id(card.identities)
        line = line_repository.route_for(None if test else line_id, test=test, allowed=None)
        kinds = DRIVERS[line.kind].address_kinds
        address = contact_cards.address_on_line(card.identities, line.id, kinds)
        if not address:
            raise invalid("text", "no_phone", "This contact has no phone number.")
        contact_identities.check_not_blocked(address)
        return accept_text(line, address, words)
