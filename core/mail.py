"""E-mails as rows: written in the transaction of the change that caused them, sent by a job.

Bodies are encrypted, because they contain sign-in links, and are deleted once sent.
"""

import smtplib
import ssl
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from urllib.parse import unquote, urlsplit

from sqlalchemy import BigInteger, Index, Text, select, text, update
from sqlalchemy.orm import Mapped, defer, mapped_column

from core.clock import now
from core.db import Base, db, notify_workers
from core.ids import Id, new_id
from core.security.encryption import EncryptedText

RETRY_SECONDS = (30, 120, 600, 3600, 4 * 3600, 12 * 3600)
LEASE_SECONDS = 60


class Mail(Base):
    __tablename__ = "mails"
    __table_args__ = (Index(None, "due_at", postgresql_where=text("due_at IS NOT NULL")),)

    id: Mapped[str] = mapped_column(Id("mail"), primary_key=True, default=lambda: new_id("mail"))
    recipient: Mapped[str] = mapped_column(Text)
    subject: Mapped[str] = mapped_column(Text)
    body: Mapped[str] = mapped_column(EncryptedText("mails.body"))
    tenant_id: Mapped[int | None] = mapped_column(BigInteger)
    state: Mapped[str] = mapped_column(Text, default="queued")
    attempts: Mapped[int] = mapped_column(default=0)
    error: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(default=now)
    due_at: Mapped[datetime | None] = mapped_column(default=now)
    sent_at: Mapped[datetime | None]


def queue_email(recipient: str, subject: str, body: str, tenant_id: int | None = None) -> None:
    """Queue an e-mail in the open transaction."""
    db.session.add(Mail(recipient=recipient, subject=subject, body=body, tenant_id=tenant_id))
    notify_workers("jobs.mail.drain")


def claim_next() -> Mail | None:
    """Claim the e-mail that has been due longest, or None. If this process dies, the e-mail becomes
    due again after LEASE_SECONDS.
    """
    moment = now()
    mail = db.session.scalars(
        select(Mail)
        .options(defer(Mail.body))  # a body that cannot be decrypted must not stop the others
        .where(Mail.due_at <= moment)
        .order_by(Mail.due_at)
        .limit(1)
        .with_for_update(skip_locked=True)
    ).first()
    if mail is not None:
        mail.attempts += 1
        mail.due_at = moment + timedelta(seconds=LEASE_SECONDS)
    return mail


def settle(mail: Mail, error: str | None, keep_body: bool) -> None:
    outcome: dict[str, object]
    if error is None:
        outcome = {"state": "sent", "sent_at": now(), "due_at": None, "error": None}
        if not keep_body:
            outcome["body"] = ""
    elif mail.attempts > len(RETRY_SECONDS):
        outcome = {"state": "failed", "due_at": None, "error": error}
    else:
        wait = timedelta(seconds=RETRY_SECONDS[mail.attempts - 1])
        outcome = {"due_at": now() + wait, "error": error}
    db.session.execute(
        update(Mail).where(Mail.id == mail.id, Mail.attempts == mail.attempts).values(**outcome)
    )


def body_of(mail_id: str) -> str:
    """Raises KeyringError if the body was encrypted with a key that no longer exists."""
    return db.session.scalars(select(Mail.body).where(Mail.id == mail_id)).one()


def send_email(mail: Mail, body: str, url: str, sender: str, *, may_be_plain: bool) -> None:
    """Send one e-mail through the SMTP server in MAIL_URL.

    Raises OSError or SMTPException, and ValueError if the e-mail cannot be encoded. Unless
    `may_be_plain` is set, nothing is sent to a server that does not offer encryption: an attacker
    in between could have removed the offer.
    """
    place = urlsplit(url)
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = sender, mail.recipient, mail.subject
    message["Date"] = formatdate(mail.created_at.timestamp())
    message["Message-ID"] = make_msgid(idstring=mail.id, domain=place.hostname)
    message.set_content(body)
    secure = place.scheme == "smtps"
    connect = smtplib.SMTP_SSL if secure else smtplib.SMTP
    with connect(
        place.hostname or "localhost", place.port or (465 if secure else 25), timeout=20
    ) as server:
        server.ehlo()
        if not secure and (server.has_extn("starttls") or not may_be_plain):
            server.starttls(context=ssl.create_default_context())
            server.ehlo()
        if place.username:
            server.login(unquote(place.username), unquote(place.password or ""))
        server.send_message(message)


def recent_emails(after: str | None, limit: int) -> list[Mail]:
    """Newest first, for the development page."""
    query = select(Mail).order_by(Mail.id.desc()).limit(limit)
    if after:
        query = query.where(Mail.id < after)
    return list(db.session.scalars(query))


def get(mail_id: str) -> Mail | None:
    return db.session.get(Mail, mail_id)
