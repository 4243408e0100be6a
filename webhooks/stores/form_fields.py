"""Which field of a form is the phone, name, consent or text: guessed, until the tenant chooses."""

import re

from core.values.text import strip_accents
from core.values.yes_no import TICKS, words_of, yes_or_no
from webhooks.stores.base import FormAnswer

FIELD_ROLES = ("phone", "name", "email", "consent", "text")
TYPES = {
    "phone": {"phone_number", "input_phone_number", "tel", "phone", "control_phone"},
    "email": {"email", "input_email", "control_email"},
    "consent": {"legal", "acceptance", "gdpr-checkbox", "consent"},
    "text": {"long_text", "textarea", "control_textarea"},
    "name": {"name", "control_fullname"},
}
WORDS = {
    "phone": "phone telephone telefon tel mobile whatsapp gsm cep movil celular handy telefono"
    " telefone numara rufnummer",
    "email": "email mail eposta correo",
    "consent": "consent onay izin kvkk agree accept accepts gdpr optin acepto consentimiento"
    " zustimmung riza",
    "name": "name names isim ad adiniz adi adisoyadi adsoyad nombre nome vorname fullname"
    " firstname",
    "text": "message mesaj mensaje comment comments question soru nachricht not notes mesajiniz",
}
_WORDS = {role: frozenset(spelt.split()) for role, spelt in WORDS.items()}


def guess_fields(answers: list[FormAnswer]) -> dict[str, str]:
    """A key for each role that can be guessed, by the builder's field type, then by the label."""
    found: dict[str, str] = {}
    for role in FIELD_ROLES:
        for matches in (_by_type, _by_words):
            hit = next(
                (one for one in answers if matches(one, role) and one.key not in found.values()),
                None,
            )
            if hit is not None:
                found[role] = hit.key
                break
    return found


def value_of(answers: list[FormAnswer], mapping: dict[str, str], role: str) -> str:
    key = mapping.get(role)
    return next((one.value for one in answers if one.key == key), "") if key else ""


def means_consent(value: str) -> bool:
    """A ticked box may send any text, such as its label. Blank text, a dash or a refusal is a
    no.
    """
    return bool(words_of(value) or value in TICKS) and yes_or_no(value) is not False


def slug(label: str) -> str:
    """A label as the name of a placeholder: ``Adınız soyadınız`` → ``adiniz_soyadiniz``."""
    return re.sub(r"[^a-z0-9]+", "_", _plain(label)).strip("_")[:40] or "answer"


def _by_type(one: FormAnswer, role: str) -> bool:
    return one.type.lower() in TYPES[role]


def _by_words(one: FormAnswer, role: str) -> bool:
    words = set(re.split(r"[^a-z0-9]+", f"{_plain(one.label)} {_plain(one.key)}"))
    joined = {slug(one.label).replace("_", ""), slug(one.key).replace("_", "")}
    return bool((words | joined) & _WORDS[role])


def _plain(text: str) -> str:
    """Case-folded, without accents."""
    return strip_accents(text.replace("-", "")).strip()
