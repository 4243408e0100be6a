import pytest
from sqlalchemy import select

from core.db import db, global_scope
from core.mail import Mail
from tests.webhooks.receivers import Receiver


@pytest.fixture
def receive():
    """A customer's server, as many as are asked for."""
    made = []

    def make(*answers):
        made.append(Receiver(*answers))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def mailbox(app):
    """Subjects of the e-mails to a business's owner, oldest first."""

    def look(business):
        with global_scope():
            mails = db.session.scalars(
                select(Mail).where(Mail.recipient == business.owner.email).order_by(Mail.id)
            )
            return [mail.subject for mail in mails]

    return look
