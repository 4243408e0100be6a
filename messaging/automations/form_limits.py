"""Protection for replies to public forms: limits, sanitized values, and an e-mail to the owner.

The visitor of a form chooses the phone and the text. Without limits, a business's line could be
used to write to strangers, and the text would seem to come from the business.
"""

import re
from collections.abc import Mapping
from datetime import timedelta
from uuid import UUID

from babel.units import format_unit
from flask import current_app
from sqlalchemy import func, select

from core import mail
from core.clock import now, running_now
from core.db import current_tenant_id, db
from core.i18n.catalogs import N_, PORTAL_TEXTS
from core.ids import from_uuid
from core.sql.partitions import id_at
from core.values.text import one_line
from messaging.automations import reasons
from messaging.models import Automation, AutomationRun
from tenants import people, team

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
PER_RECIPIENT = ((HOUR, 1), (DAY, 3))
PER_CONNECTION = ((HOUR, 60), (DAY, 300))
LOOKBACK = timedelta(days=31)  # a run may wait for some time before it is sent
LONGEST_NAME, LONGEST_VALUE = 40, 200
NAME_PLACEHOLDERS = ("customer.first_name", "customer.last_name", "customer.name")
_LINK = re.compile(r"://|\bwww\.|\w\.[^\W\d_]{2}")
NOTIFIED_ROLES = ("owner", "admin")
EMAIL_SUBJECT = N_("A form on your website has reached its limit")
EMAIL_TEXT = N_(
    "Hello {name},\n\nThe automation “{automation}” reached its limit of {most} "
    "form replies in {time}. To protect your number, further submissions get no "
    "reply for now. If you did not expect this many, someone may be abusing the "
    "form: add a captcha to it or turn off the automation.\n\n{url}\n\nComanda\n"
)


def exceeded_limit(automation: Automation, run: AutomationRun, phone: str) -> str:
    """Return the reason of the limit that this reply would exceed; "" if it may be sent."""
    for span, most in PER_RECIPIENT:
        if _sent(automation, span, AutomationRun.phone == phone) >= most:
            return reasons.RECIPIENT_LIMIT
    for span, most in PER_CONNECTION:
        of_connection = AutomationRun.connection_id == run.connection_id
        if _sent(automation, span, of_connection) >= most:
            _notify_owner(automation, run, span, most)
            return reasons.CONNECTION_LIMIT
    return ""


def sanitized_values(values: Mapping[str, str]) -> dict[str, str]:
    """Shorten the visitor's values and remove links; a name with a link becomes empty."""
    return {name: _sanitized(name, value) for name, value in values.items()}


def sanitized_name(name: str) -> str:
    return "" if _LINK.search(name[:LONGEST_VALUE]) else one_line(name, LONGEST_NAME)


def _sanitized(name: str, value: str) -> str:
    if name == "shop.name":
        return value
    if name in NAME_PLACEHOLDERS:
        return sanitized_name(value)
    words = value[: 2 * LONGEST_VALUE].split(" ")
    return " ".join("…" if _LINK.search(word) else word for word in words)[:LONGEST_VALUE]


def _sent(automation: Automation, span: timedelta, *which: object, state: str = "sent") -> int:
    query = select(func.count()).where(
        AutomationRun.tenant_id == current_tenant_id(),
        AutomationRun.automation_id == automation.id,
        AutomationRun.id >= from_uuid("run", UUID(id_at(running_now() - LOOKBACK))),
        AutomationRun.state == state,
        AutomationRun.ended_at > now() - span,
        *which,  # type: ignore[arg-type]
    )
    return db.session.scalar(query) or 0


def _notify_owner(automation: Automation, run: AutomationRun, span: timedelta, most: int) -> None:
    """E-mail the owners and admins, once a day per form."""
    of_connection = AutomationRun.connection_id == run.connection_id
    over_limit = AutomationRun.because == reasons.CONNECTION_LIMIT
    if _sent(automation, DAY, of_connection, over_limit, state="skipped"):
        return
    base = current_app.extensions["comanda"].base_url
    readers = [one for one in team.members() if one.role in NOTIFIED_ROLES]
    known = people.get_many({one.person_id for one in readers})
    for reader in readers:
        locale = known[reader.person_id].locale
        body = PORTAL_TEXTS.gettext(locale, EMAIL_TEXT).format(
            name=reader.name,
            automation=automation.name,
            most=most,
            time=format_unit(span // HOUR, "duration-hour", locale=locale),
            url=f"{base}/automations/{automation.id}",
        )
        subject = PORTAL_TEXTS.gettext(locale, EMAIL_SUBJECT)
        mail.queue_email(reader.email, subject, body, current_tenant_id())
