"""Reads the e-mails that the portal sent."""

import re

from core import mail
from core.db import global_scope
from core.mail import Mail


def emails_to(email: str) -> list[Mail]:
    """Newest first."""
    with global_scope():
        return [letter for letter in mail.recent_emails(None, 200) if letter.recipient == email]


def path_in(letter: Mail) -> str:
    """The path of the link in an e-mail."""
    found = re.findall(r"http://localhost(/\S+)", letter.body)
    assert found, letter.body
    return str(found[0])


def link_to(email: str, start: str) -> str:
    """The path in the newest e-mail whose link starts with `start`."""
    paths = [path_in(letter) for letter in emails_to(email)]
    return next(path for path in paths if path.startswith(start))
