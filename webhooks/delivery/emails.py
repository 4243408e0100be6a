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
    "day": N_("A webhook endpoint has been failing for a day"),
    "days": N_("A webhook endpoint has been failing for three days"),
    "failing": N_("A webhook endpoint was turned off"),
    "gone": N_("A webhook endpoint was turned off"),
}
TEXTS = {
    "day": N_(
        "We have not been able to deliver events to {url} for 24 hours. We "
        "keep trying. The last response was:"
    ),
    "days": N_(
        "We have not been able to deliver events to {url} for 72 hours. After five "
        "days we turn it off. The last response was:"
    ),
    "failing": N_(
        "We have not been able to deliver events to {url} for five days, so we "
        "turned it off. Fix it, turn it on again and replay the missed events. The "
        "last response was:"
    ),
    "gone": N_(
        "{url} responded with 410 (Gone), so we turned it off. If that was a "
        "mistake, turn it on again and replay the missed events. The response was:"
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
