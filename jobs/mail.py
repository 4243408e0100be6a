"""Send the e-mails that are due."""

from smtplib import SMTPException

from flask import current_app

from core import mail
from core.db import global_scope
from core.logs import logger
from core.queue.wakeups import acknowledge_wakeup
from core.settings import Settings

log = logger(__name__)


def drain() -> int:
    """Claim, send and settle one e-mail at a time until none is due. Returns how many."""
    acknowledge_wakeup("jobs.mail.drain")
    settings: Settings = current_app.extensions["comanda"]
    done = 0
    while True:
        with global_scope():
            message = mail.claim_next()
        if message is None:
            return done
        error = _send(message, settings)
        with global_scope():
            mail.settle(message, error, keep_body=settings.mailbox)
        done += 1


def _send(message: mail.Mail, settings: Settings) -> str | None:
    if settings.mailbox:
        return None
    try:
        with global_scope():
            body = mail.body_of(message.id)
        mail.send_email(
            message,
            body,
            settings.mail_url,
            settings.mail_from,
            may_be_plain=settings.mail_may_be_plain,
        )
    except (OSError, SMTPException, ValueError) as error:
        log.warning("e-mail not sent", mail=message.id, error=type(error).__name__)
        return f"{type(error).__name__}: {error}"[:500]
    return None
