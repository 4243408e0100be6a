"""E-mails to a tenant's admins that no page triggers, each in the reader's own language.

Workers have no pages and therefore no Babel extension; they read the same compiled catalogs.
"""

from collections.abc import Callable
from functools import partial

from core import mail
from core.db import current_tenant_id
from core.i18n.catalogs import PORTAL_TEXTS
from core.security.signed_urls import absolute_url
from tenants import team
from tenants.models import Person

Gettext = Callable[[str], str]
# the subject, and the paragraphs between the greeting and the sender's name
Email = tuple[str, list[str]]


def gettext_for(locale: str) -> Gettext:
    return partial(PORTAL_TEXTS.gettext, locale)


def email_admins(write: Callable[[Gettext], Email], path: str) -> int:
    """In the open transaction. Returns how many admins the e-mail is for."""
    return email_each_admin(lambda gettext, _locale: write(gettext), path)


def email_each_admin(write: Callable[[Gettext, str], Email], path: str) -> int:
    """The same for e-mails with dates and amounts, whose format depends on the locale."""
    people = team.admins()
    for person in people:
        subject, paragraphs = write(gettext_for(person.locale), person.locale)
        _send(person, subject, paragraphs, path)
    return len(people)


def _send(person: Person, subject: str, paragraphs: list[str], path: str) -> None:
    gettext = gettext_for(person.locale)
    body = [
        gettext("Hello %(name)s,") % {"name": person.name},
        *paragraphs,
        absolute_url(path),
        "Comanda",
    ]
    mail.queue_email(person.email, subject, "\n\n".join(body) + "\n", current_tenant_id())
