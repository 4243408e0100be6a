"""E-mails to a tenant's owners and admins about an endpoint that does not accept its events.

They are written in jobs, where no browser provides a language: each reader's own is used.
"""

from functools import partial

from flask import current_app

from core import mail
from core.db import current_tenant_id
from core.i18n.catalogs import N_, PORTAL_TEXTS
from tenants import people, team
from webhooks.delivery.reasons import DELIVERY_REASONS
from webhooks.models import Endpoint

RECIPIENT_ROLES = ("owner", "admin")
SUBJECTS = {
    "day": N_("A webhook endpoint has failed for a day"),
    "days": N_("A webhook endpoint has failed for three days"),
    "failing": N_("A webhook endpoint was switched off"),
    "gone": N_("A webhook endpoint was switched off"),
}
TEXTS = {
    "day": N_("For 24 hours no event has reached {url}. We keep trying. The last answer was:"),
    "days": N_(
        "For 72 hours no event has reached {url}. After five days it is switched off. The last "
        "answer was:"
    ),
    "failing": N_(
        "For five days no event has reached {url}, so it is switched off and gets no more "
        "events. Mend it, switch it on again and replay what it missed. The last answer was:"
    ),
    "gone": N_(
        "{url} answered 410 (gone), so it is switched off and gets no more events. Was that a "
        "mistake? Then switch it on again and replay what it missed. The answer was:"
    ),
}


def queue_endpoint_email(endpoint: Endpoint, what: str, error: str) -> None:
    """Queue one e-mail for each reader in the open transaction."""
    base = current_app.extensions["comanda"].base_url
    readers = [one for one in team.members() if one.role in RECIPIENT_ROLES]
    known = people.get_many({one.person_id for one in readers})
    for reader in readers:
        locale = known[reader.person_id].locale
        gettext = partial(PORTAL_TEXTS.gettext, locale)
        paragraphs = (
            gettext("Hello %(name)s,") % {"name": reader.name},
            gettext(TEXTS[what]).format(url=endpoint.url),
            DELIVERY_REASONS.translated(error, gettext),
            f"{base}/webhooks/{endpoint.id}",
            "Comanda",
        )
        body = "\n\n".join(paragraphs) + "\n"
        mail.queue_email(reader.email, gettext(SUBJECTS[what]), body, current_tenant_id())
