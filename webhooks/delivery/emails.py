"""E-mails to a tenant's owners and admins about an endpoint that does not accept its events.

They are written in jobs, where no browser provides a language: each reader's own is used.
"""

from flask import current_app

from core import mail
from core.db import current_tenant_id
from tenants import people, team
from webhooks.delivery.reasons import DELIVERY_REASONS
from webhooks.models import Endpoint

RECIPIENT_ROLES = ("owner", "admin")
SUBJECTS = {
    "en": {
        "day": "A webhook endpoint has failed for a day",
        "days": "A webhook endpoint has failed for three days",
        "failing": "A webhook endpoint was switched off",
        "gone": "A webhook endpoint was switched off",
    },
    "tr": {
        "day": "Bir webhook adresi bir gündür yanıt vermiyor",
        "days": "Bir webhook adresi üç gündür yanıt vermiyor",
        "failing": "Bir webhook adresi kapatıldı",
        "gone": "Bir webhook adresi kapatıldı",
    },
}
TEXTS = {
    "en": {
        "day": "For 24 hours no event has reached {url}. We keep trying. The last answer was:",
        "days": "For 72 hours no event has reached {url}. After five days it is switched off. The"
        " last answer was:",
        "failing": "For five days no event has reached {url}, so it is switched off and gets no"
        " more events. Mend it, switch it on again and replay what it missed. The last answer was:",
        "gone": "{url} answered 410 (gone), so it is switched off and gets no more events. Was"
        " that a mistake? Then switch it on again and replay what it missed. The answer was:",
    },
    "tr": {
        "day": "24 saattir {url} adresine hiçbir olay ulaşmadı. Denemeyi sürdürüyoruz. Son yanıt:",
        "days": "72 saattir {url} adresine hiçbir olay ulaşmadı. Beş günün sonunda adres kapatılır."
        " Son yanıt:",
        "failing": "Beş gündür {url} adresine hiçbir olay ulaşmadı; adres kapatıldı ve artık olay"
        " gönderilmiyor. Onarıp yeniden açın ve kaçırılanları tekrar gönderin. Son yanıt:",
        "gone": "{url} 410 (artık yok) yanıtını verdi; adres kapatıldı ve artık olay gönderilmiyor."
        " Yanlışlık mı oldu? Yeniden açın ve kaçırılanları tekrar gönderin. Yanıt:",
    },
}
GREETINGS = {"en": "Hello {name},", "tr": "Merhaba {name},"}


def queue_endpoint_email(endpoint: Endpoint, what: str, error: str) -> None:
    """Queue one e-mail for each reader in the open transaction."""
    base = current_app.extensions["comanda"].base_url
    readers = [one for one in team.members() if one.role in RECIPIENT_ROLES]
    known = people.get_many({one.person_id for one in readers})
    for reader in readers:
        locale = known[reader.person_id].locale
        language = locale if locale in TEXTS else "en"
        paragraphs = (
            GREETINGS[language].format(name=reader.name),
            TEXTS[language][what].format(url=endpoint.url),
            DELIVERY_REASONS.english(error),
            f"{base}/webhooks/{endpoint.id}",
            "Comanda",
        )
        body = "\n\n".join(paragraphs) + "\n"
        mail.queue_email(reader.email, SUBJECTS[language][what], body, current_tenant_id())
