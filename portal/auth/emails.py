"""E-mails to people, in their own language. Each is queued in the open transaction."""

import re
from datetime import datetime

from flask import current_app
from flask_babel import force_locale, format_date, gettext

from core import mail
from tenants.models import Invitation, Person


def _absolute_url(path: str) -> str:
    return f"{current_app.extensions['comanda'].base_url}{path}"


def break_links(name: str) -> str:
    """Keep mail programs from turning a name that looks like an address into a link."""
    if not re.search(r"://|\bwww\.|\w\.\w", name):
        return name
    # a character that looks like a dot but cannot be part of a host name
    return name.replace("://", " ").replace(".", "\u2024")


def _queue_email(
    to: str, subject: str, paragraphs: list[str], tenant_id: int | None = None
) -> None:
    mail.queue_email(to, subject, "\n\n".join([*paragraphs, "Comanda"]) + "\n", tenant_id)


def send_verification(person: Person, token: str) -> None:
    with force_locale(person.locale):
        _queue_email(
            person.email,
            gettext("Confirm your e-mail address"),
            [
                gettext("Hello %(name)s,", name=person.name),
                gettext("Open this link to confirm your e-mail address:"),
                _absolute_url(f"/verify/{token}"),
                gettext("The link works for 3 days. If you did not sign up, ignore this e-mail."),
            ],
        )


def send_already_registered(person: Person) -> None:
    """Sent instead of an error on the sign-up form, which would reveal who has an account."""
    with force_locale(person.locale):
        _queue_email(
            person.email,
            gettext("You already have an account"),
            [
                gettext("Hello %(name)s,", name=person.name),
                gettext(
                    "Someone, perhaps you, tried to sign up with this address. "
                    "You can sign in here:"
                ),
                _absolute_url("/signin"),
                gettext("Forgot your password? Choose a new one here:"),
                _absolute_url("/reset"),
            ],
        )


def send_password_reset(person: Person, token: str) -> None:
    with force_locale(person.locale):
        _queue_email(
            person.email,
            gettext("Choose a new password"),
            [
                gettext("Hello %(name)s,", name=person.name),
                gettext("Open this link to choose a new password:"),
                _absolute_url(f"/reset/{token}"),
                gettext(
                    "The link works for 1 hour. If you did not request it, ignore this e-mail."
                ),
            ],
        )


def send_security_notice(person: Person, what: str) -> None:
    with force_locale(person.locale):
        happened = {
            "password_changed": gettext("Your password was changed."),
            "two_step_on": gettext("Two-step verification was turned on for your account."),
            "two_step_off": gettext("Two-step verification was turned off for your account."),
            "recovery_code_used": gettext("A recovery code was used to sign in to your account."),
        }[what]
        _queue_email(
            person.email,
            happened,
            [
                gettext("Hello %(name)s,", name=person.name),
                happened,
                gettext("If this was not you, choose a new password immediately:"),
                _absolute_url("/reset"),
            ],
        )


def send_invitation(invitation: Invitation, business: str, token: str, locale: str) -> None:
    who, business = break_links(invitation.invited_by), break_links(business)
    with force_locale(locale):
        _queue_email(
            invitation.email,
            gettext("%(who)s invited you to %(business)s", who=who, business=business),
            [
                gettext("Hello,"),
                gettext(
                    "%(who)s invited you to join %(business)s on Comanda. Open "
                    "this link to accept:",
                    who=who,
                    business=business,
                ),
                _absolute_url(f"/invitations/{token}"),
                gettext("The link works for 7 days."),
            ],
            invitation.tenant_id,
        )


def send_account_suspended(person: Person, business: str, because: str) -> None:
    support = current_app.extensions["comanda"].support_email
    with force_locale(person.locale):
        _queue_email(
            person.email,
            gettext("%(business)s has been suspended", business=break_links(business)),
            [
                gettext("Hello %(name)s,", name=person.name),
                gettext(
                    "The account of %(business)s has been suspended. The API "
                    "rejects all requests, and messages are held until the account "
                    "is reactivated. Nothing is deleted.",
                    business=break_links(business),
                ),
                gettext("Reason: %(reason)s", reason=break_links(because) or gettext("not given")),
                gettext("Questions? Contact %(address)s.", address=support)
                if support
                else gettext("Questions? Contact the operator of this service."),
            ],
        )


def send_account_closed(email: str, name: str, business: str, erase_at: datetime) -> None:
    """Sent to the owners, in the language of the owner who closed the account."""
    day = format_date(erase_at, "d MMMM yyyy")
    _queue_email(
        email,
        gettext("%(business)s has been closed", business=break_links(business)),
        [
            gettext("Hello %(name)s,", name=name),
            gettext(
                "The account of %(business)s has been closed. The API rejects all "
                "requests, and nothing is sent.",
                business=break_links(business),
            ),
            gettext(
                "All its data will be permanently deleted on %(day)s. Until then, "
                "you can reopen the account:",
                day=day,
            ),
            _absolute_url("/settings/data"),
        ],
    )
