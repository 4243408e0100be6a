"""The inbox of the demo shop: questions about parcels, colours and wholesale."""

from collections.abc import Mapping

from core.clock import now
from core.db import tenant_scope
from deploy.demo.messaging.inbox import DERYA, Guest, InboxScript, prepare_inbox
from messaging.contacts import custom_fields
from messaging.contacts import repository as contact_repository
from messaging.contacts import search as contact_search
from messaging.contacts.search import ContactFilters
from messaging.contacts.validation import ContactInput
from tenants.audit import acting_as
from tenants.models import Person

MARTA = "marta@comanda.example"
QUICK_REPLIES = {
    "shipping": "Parcels leave the next working day and take 2 to 4 days in Spain, 4 to 7 abroad.",
    "returns": "You have 30 days, {first_name}. Use the label in the box, or we send one.",
    "hours": "The workshop in Gràcia is open Tuesday to Saturday, 10:00–14:00 and 17:00–20:00.",
    "care": "Stoneware goes into the dishwasher; olive wood does not, and likes a little oil.",
    "gracias": "¡Gracias, {first_name}! Un saludo de *{business}*.",
}
PAU = Guest("34611110106", name="Pau Ribas")
NURIA = Guest("34622334455", name="Núria Camps")
LENA = Guest("4915211110105", name="Lena Vogt")
TOM = Guest("447400123456", name="Tom Baker")
MARC = Guest("33612345678", name="Marc Dubois")
ZEYNEP = Guest("905321110101", name="Zeynep Arslan")
CAFE = Guest("34644120987", name="Cafè Vila")
IRENE = Guest("34655801122", name="Irene Ortega")
NOBODY = Guest(network_id="ES.77120094518820", name="lafloreta")


def add_shop_inbox(tenant_id: int, people: Mapping[str, Person]) -> None:
    script = InboxScript(people, now(), prefix="shop")
    with tenant_scope(tenant_id):
        with acting_as(script.actor(MARTA)):
            prepare_inbox(QUICK_REPLIES)
        _last_week(script)
        _yesterday(script)
        _today(script)
        script.end()
        with acting_as(script.actor(MARTA)):
            _add_customers()


def _last_week(script: InboxScript) -> None:
    day = 24 * 60
    script.writes(8 * day, IRENE, "Hola! ¿Hacéis talleres de torno para principiantes?")
    script.answers(
        8 * day - 25, MARTA, IRENE, "¡Hola Irene! Sí, cada primer sábado de mes. ¿Te apunto?"
    )
    script.writes(8 * day - 40, IRENE, "Sí, por favor, para dos personas")
    script.answers(8 * day - 44, MARTA, IRENE, "Hecho: sábado 10:00, dos plazas. ¡Hasta pronto!")
    script.does(8 * day - 50, MARTA, IRENE, "close")
    script.writes(6 * day, MARC, "Bonjour, mon bol est arrivé cassé 😕")
    script.writes(6 * day - 2, MARC, "", kind="location", latitude=43.6045, longitude=1.4440)
    script.does(
        6 * day - 20, MARTA, MARC, "add_note", "Second one this month. *Pack bowls upright.*"
    )
    script.answers(6 * day - 22, MARTA, MARC, "So sorry, Marc! A new one leaves tomorrow morning.")
    script.writes(4 * day, MARC, "It arrived whole this time. Merci beaucoup!")
    script.does(4 * day - 30, MARTA, MARC, "close")


def _yesterday(script: InboxScript) -> None:
    script.writes(1700, CAFE, "Good morning, do you sell to cafés? We need 60 mugs by December.")
    script.does(1690, MARTA, CAFE, "assign", script.cast[DERYA].id)
    script.answers(1660, DERYA, CAFE, "We do! From 40 pieces it is 20 % less. Which colours?")
    script.writes(1640, CAFE, "Half white, half blue. Could we have our name on them?")
    script.does(1636, DERYA, CAFE, "add_note", "Stamp costs 90 € once. Ask the kiln for two slots.")
    script.answers(1630, DERYA, CAFE, "Yes, with a stamp of your own. I send you an offer today.")
    script.writes(1500, TOM, "Is the large bowl safe in the microwave?")
    script.answers(1490, MARTA, TOM, "It is, and in the dishwasher too.", "delivered")
    script.does(1480, MARTA, TOM, "close")
    script.writes(1440 + 180, ZEYNEP, "Merhaba, İstanbul'a kargo var mı?")
    script.answers(1440 + 160, DERYA, ZEYNEP, "Merhaba Zeynep Hanım, var: 5 iş günü, 14 €.")
    script.writes(1440 + 150, ZEYNEP, "Harika, çay bardağı setini alıyorum 🙂")


def _today(script: InboxScript) -> None:
    question = script.writes(230, LENA, "Can I change the address of my order #1071?")
    script.answers(226, MARTA, LENA, "Of course, it has not left yet. Where to?", reply_to=question)
    script.writes(221, LENA, "Kastanienallee 7, 10435 Berlin")
    script.answers(219, MARTA, LENA, "Changed, Lena. It leaves this afternoon.")
    script.writes(218, LENA, "❤️", kind="reaction", message_id=question, emoji="❤️")
    script.does(215, MARTA, LENA, "close")
    script.writes(96, NURIA, "Hola! El paquet diu entregat i no el tinc…")
    script.does(90, MARTA, NURIA, "assign", script.cast[MARTA].id)
    script.answers(88, MARTA, NURIA, "Hola Núria, ho miro ara mateix amb Correos.")
    script.does(70, MARTA, NURIA, "add_note", "Correos: left with the neighbour at 2-1.")
    script.answers(68, MARTA, NURIA, "Diuen que és al veí del 2n 1a. Em dius si hi és?")
    script.writes(41, NOBODY, "do you do gift wrapping?")
    script.writes(
        33,
        CAFE,
        "Here is our logo",
        kind="document",
        filename="cafe-vila-logo.pdf",
        mime_type="application/pdf",
        size=184_200,
        caption="Here is our logo",
    )
    script.answers(28, DERYA, CAFE, "Thank you! The offer is in your mail.", "failed")
    script.writes(12, PAU, "The apron is lovely! Do you have it in green too?")
    script.writes(4, NURIA, "Sí! El tenia ell. Moltes gràcies!")


def _add_customers() -> None:
    """Details that the shop entered about some of its contacts."""
    glaze = custom_fields.add("Favorite glaze", "choice", ["White", "Blue", "Green", "Raw"])
    custom_fields.add("VAT number", "text", [])
    for name, tags, value in (
        ("Pau Ribas", ["vip", "ceramics"], "Green"),
        ("Cafè Vila", ["wholesale"], "White"),
        ("Lena Vogt", ["newsletter"], "Blue"),
    ):
        known = contact_search.search_contacts(ContactFilters(search=name))
        if known:
            contact_repository.change(
                known[0].id, ContactInput(tags=tags, language="en", fields={glaze.id: value})
            )
            contact_repository.set_consent(known[0].id, "web shop")
