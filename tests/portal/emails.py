"""What the portal wrote to people, read as they would."""

import re

from core import mail
from core.db import global_scope
from core.mail import Mail


def emails_to(email: str) -> list[Mail]:
    """The newest first."""
    with global_scope():
        return [letter for letter in mail.recent_emails(None, 200) if letter.recipient == email]


def path_in(letter: Mail) -> str:
    """The path of the link in a letter that has one."""
    found = re.findall(r"http://localhost(/\S+)", letter.body)
    assert found, letter.body
    return str(found[0])


def link_to(email: str, start: str) -> str:
    """The path in the newest letter whose link begins so."""
    paths = [path_in(letter) for letter in emails_to(email)]
    return next(path for path in paths if path.startswith(start))
