"""Letters that no page causes: to a tenant's admins, each in their own language.

Workers have no pages and so no Babel; they read the same compiled words.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path

from babel.support import Translations

from core import mail
from core.db import current_tenant_id
from core.links import address
from tenants import team
from tenants.models import Person

WORDS = Path(__file__).parent.parent / "portal" / "translations"
THEIR_WORDS = " The network says: "
Gettext = Callable[[str], str]
Letter = tuple[str, list[str]]  # the subject, and what is between greeting and name


@cache
def words_in(locale: str) -> Gettext:
    return Translations.load(WORDS, [locale]).gettext


def to_admins(write: Callable[[Gettext], Letter], path: str) -> int:
    """In the open transaction. Returns how many were written to."""
    return to_each_admin(lambda gettext, _locale: write(gettext), path)


def to_each_admin(write: Callable[[Gettext, str], Letter], path: str) -> int:
    """The same for letters with days and sums, which each language writes its own way."""
    people = team.admins()
    for person in people:
        subject, paragraphs = write(words_in(person.locale), person.locale)
        _send(person, subject, paragraphs, path)
    return len(people)


def network_words(sentence: str, gettext: Gettext) -> str:
    """What a driver wrote down in English, as far as it is ours."""
    ours, mark, theirs = sentence.partition(THEIR_WORDS)
    said = gettext("The network says:")
    return f"{gettext(ours)} {said} {theirs}" if mark else gettext(ours) if ours else ""


def _send(person: Person, subject: str, paragraphs: list[str], path: str) -> None:
    gettext = words_in(person.locale)
    body = [
        gettext("Hello %(name)s,") % {"name": person.name},
        *paragraphs,
        address(path),
        "Comanda",
    ]
    mail.write(person.email, subject, "\n\n".join(body) + "\n", current_tenant_id())
