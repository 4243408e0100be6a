"""A few hundred realistic contacts for each demo tenant."""

import random
from datetime import timedelta

from core.clock import now
from messaging.contacts import cards as contact_cards
from messaging.contacts import custom_fields
from messaging.contacts import identities as contact_identities
from messaging.contacts import repository as contact_repository
from messaging.contacts import search as contact_search
from messaging.contacts.importing import batches as import_batches
from messaging.contacts.importing.rows import ParsedRow
from messaging.contacts.search import ContactFilters
from messaging.contacts.validation import ContactInput
from messaging.models import Contact, ContactImport

COUNT = 320
FIRST = {
    "tr": "Ayşe Fatma Zeynep Elif Merve Selin Derya Ebru Gizem Esra Mehmet Mustafa Ahmet Can Emre"
    " Burak Kerem Ozan Murat Hakan İrem Işıl Şule Çağla Ümit Özge",
    "es": "Carla Marta Lucía Núria Paula Irene Sara Alba Jordi Pau Marc Álex Iker Hugo Diego Pablo"
    " Íñigo Sofía Elena Ramón",
}
LAST = {
    "tr": "Yılmaz Kaya Demir Çelik Şahin Yıldız Öztürk Aydın Arslan Doğan Kılıç Aslan Çetin Koç"
    " Kurt Özkan Şimşek Polat Güneş Ergin",
    "es": "García Martínez López Soler Ribas Ferrer Vidal Serra Puig Ortega Navarro Romero Castro"
    " Ibáñez Núñez Molina Prats Roca",
}
ABROAD = (
    ("4915", "de", ("Lukas Brandt", "Hanna Köhler", "Jürgen Groß", "Mia Schäfer", "Felix Roth")),
    ("4479", "en", ("Oliver Hart", "Grace Mills", "Amelia Reed", "Jack O'Neill", "Isla Ward")),
    ("336", "fr", ("Inès Moreau", "Théo Garnier", "Chloé Petit", "Hugo Lefèvre", "Zoé Renard")),
)
TAGS = {
    "tr": ("düzenli müşteri", "vip", "paket servis", "doğum günü", "kurumsal", "vejetaryen"),
    "es": ("newsletter", "vip", "ceramics", "wholesale", "workshop", "returns"),
}
NOTES = {
    "tr": ("Cam kenarını sever.", "Fıstık alerjisi var.", "Kalabalık gelir, önceden arar."),
    "es": ("Asks for gift wrapping.", "Prefers to be written to in the evening.", "Pays by bank."),
}


def add_contacts(language: str) -> None:
    """Runs in the open transaction. Seeded: the same contacts every time."""
    dice = random.Random(f"guests {language}")  # noqa: S311 - a demo, not a secret
    first, last = FIRST[language].split(), LAST[language].split()
    rows: dict[str, ParsedRow] = {}
    for number in range(COUNT):
        name, contact_language = f"{dice.choice(first)} {dice.choice(last)}", language
        # None of these numbers belongs to a person: they exist only in the simulated network.
        stem = {"tr": "905", "es": "346"}[language]
        if dice.random() < 0.08:
            stem, contact_language, names = dice.choice(ABROAD)
            name = dice.choice(names)
        length = {"905": 12, "346": 11, "4915": 13, "4479": 12, "336": 11}[stem]
        phone = stem + f"{dice.randrange(10**6):06}".rjust(length - len(stem), "0")
        phone = phone.replace(f"{stem}000", f"{stem}301", 1)
        tags = [tag for tag in TAGS[language] if dice.random() < 0.16]
        agreed = dice.random() < 0.55
        birthday = dice.randrange(1, 13) * 100 + dice.randrange(1, 29)
        rows[phone] = ParsedRow(
            line=number,
            cells=[],
            phone=phone,
            key=contact_identities.canonical_spelling(phone),
            name=name,
            language=contact_language,
            tags=tags,
            birthday=birthday if dice.random() < 0.4 else None,
            birth_year=dice.randrange(1955, 2005) if dice.random() < 0.2 else None,
            note=dice.choice(NOTES[language]) if dice.random() < 0.12 else "",
            source=dice.choice(("web form", "at the counter")) if agreed else "",
        )
    import_batches.create_contacts(ContactImport(author="Derya Aksoy"), list(rows.values()))
    contact_repository.record_tags(TAGS[language])
    _add_activity(dice, language)


def _add_activity(dice: random.Random, language: str) -> None:
    """Some contacts have written, some have opted out, one is blocked."""
    everybody = contact_search.search_contacts(ContactFilters(), limit=COUNT)
    for one in contact_cards.cards_of(dice.sample(everybody, 40)):
        ago = timedelta(hours=dice.randrange(2, 24 * 40))
        contact_identities.find_or_create(one.phone, "", one.contact.name.split()[0], now() - ago)
    for contact in everybody[5:60:9]:
        contact_repository.set_opted_out(contact.id, True)
    contact_repository.set_blocked(everybody[17].id, True)
    country = "TR" if language == "tr" else "ES"
    contact_identities.find_or_create(
        "", f"{country}.88120034519", "Deniz", now(), username="deniz.kahve"
    )
    _add_possible_duplicate(everybody, f"{country}.55101200874")


def _add_possible_duplicate(everybody: list[Contact], user_id: str) -> None:
    """One person with two numbers, whom WhatsApp has linked."""
    for one in contact_cards.cards_of(everybody[30:32]):
        contact_identities.find_or_create(one.phone, user_id, one.contact.name, now())


def add_contact_details() -> None:
    """Details that the restaurant's staff entered about contacts who wrote to them."""
    seat = custom_fields.add("Favorite table", "choice", ["Window", "Garden", "Bar", "Anywhere"])
    custom_fields.add("Allergies", "text", [])
    custom_fields.add("Guests, usually", "number", [])
    for phone, tags, value in (
        ("905321110101", ["vip", "düzenli müşteri"], "Window"),
        ("905321110102", ["paket servis"], "Garden"),
        ("905321110103", ["düzenli müşteri", "vejetaryen"], "Bar"),
    ):
        known = contact_identities.find_contact(phone)
        if known is not None:
            contact_repository.change(
                known,
                ContactInput(tags=tags, language="tr", birthday="--04-23", fields={seat.id: value}),
            )
            contact_repository.set_consent(known, "at the counter")
            contact_repository.add_note(known, "Cam kenarını sever, çayı açık içer.")
