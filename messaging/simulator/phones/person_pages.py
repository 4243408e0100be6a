"""What can be done in a chat beside writing: as the person, as staff, and as Meta's agent."""

from collections.abc import Callable

from aiohttp import web
from pydantic import ValidationError

from core.i18n.catalogs import N_
from core.values.phone import BadPhone, normalize_phone
from messaging.simulator.i18n import translate_for
from messaging.simulator.network.people.business_phone import BusinessPhone, PhoneMessage
from messaging.simulator.network.people.control import PersonChange
from messaging.simulator.network.people.customers import CannotDo, Customers
from messaging.simulator.network.people.messages import CustomerMessage, Referral
from messaging.simulator.network.people.meta_agent import MetaAgent
from messaging.simulator.network.state import Chat, SimulatedNetwork
from messaging.simulator.phones.phone_pages import INVALID_NUMBER, PhonePages, chat_address

LONGEST_TEXT = 4096
A_DAY = 24.0
INVALID_USERNAME = N_("A username can contain letters, digits, dots and underscores.")
Form = dict[str, str]


class PersonPages:
    def __init__(
        self,
        network: SimulatedNetwork,
        pages: PhonePages,
        people: Customers,
        business_phone: BusinessPhone,
        agent: MetaAgent,
    ) -> None:
        self._network = network
        self._pages = pages
        self._people = people
        self._business_phone = business_phone
        self._agent = agent
        self._actions: dict[str, Callable[[Chat, Form], object]] = {
            "own/edit": lambda chat, form: people.edit(chat, form["id"], form["new_text"]),
            "own/delete": lambda chat, form: people.delete(chat, form["id"]),
            "person/hide": self._hide,
            "person/show": lambda chat, _form: people.hide_phone(chat, False),
            "person/number": self._change_number,
            "person/rotate": lambda chat, _form: people.rotate_id(network.person(chat)),
            "person/later": lambda chat, _form: people.move_clock(chat, A_DAY),
            "person/ad": self._arrive,
            "person/forward": self._forward,
            "staff/write": self._type,
            "staff/edit": lambda chat, form: business_phone.edit(
                chat, form["id"], form["new_text"]
            ),
            "staff/delete": lambda chat, form: business_phone.delete(chat, form["id"]),
            "agent/take": lambda chat, _form: agent.take(chat),
            "agent/hand_over": lambda chat, _form: agent.hand_over(chat),
            "agent/answer": lambda chat, form: agent.answer(chat, form["words"]),
        }

    def routes(self) -> list[web.RouteDef]:
        chat = r"/{phone:\d+}/{line:\d+}"
        return [
            web.get(chat + "/facts", self.facts),
            web.post(chat + r"/{what:(?:own|person|staff|agent)/\w+}", self.act),
        ]

    async def facts(self, request: web.Request) -> web.Response:
        chat = self._pages.find_chat(request)
        return self._pages.html(
            request, "person_facts.html", chat=chat, **self._pages.person_facts(chat)
        )

    async def act(self, request: web.Request) -> web.Response:
        chat = self._pages.find_chat(request)
        act = self._actions.get(request.match_info["what"])
        if act is None:
            raise web.HTTPNotFound
        form = {name: str(value)[:LONGEST_TEXT] for name, value in (await request.post()).items()}
        try:
            act(chat, form)
        except CannotDo as error:
            raise web.HTTPUnprocessableEntity(text=translate_for(request, str(error))) from None
        except (BadPhone, ValidationError, KeyError):
            fault = N_("This cannot be done. Check what you entered.")
            raise web.HTTPUnprocessableEntity(text=translate_for(request, fault)) from None
        raise web.HTTPSeeOther(chat_address(chat))

    def _hide(self, chat: Chat, form: Form) -> None:
        try:
            wanted = PersonChange(
                phone_number_id=chat.line.phone_number_id, username=form.get("username", "").strip()
            )
        except ValidationError:
            raise CannotDo(INVALID_USERNAME) from None
        self._people.hide_phone(chat, True, wanted.username)

    def _change_number(self, chat: Chat, form: Form) -> None:
        given = form["new_phone"].strip()
        try:
            self._people.change_number(self._network.person(chat), normalize_phone(given) or given)
        except BadPhone:
            raise CannotDo(INVALID_NUMBER) from None

    def _arrive(self, chat: Chat, form: Form) -> None:
        self._write(chat, text=form["words"], referral=Referral(headline=form["headline"]))

    def _forward(self, chat: Chat, form: Form) -> None:
        self._write(chat, text=form["words"], forwarded="often" if "often" in form else "once")

    def _write(self, chat: Chat, **fields: object) -> None:
        facts = {"to_phone_number_id": chat.line.phone_number_id, **fields}
        self._people.write(chat.phone, chat.line, CustomerMessage.model_validate(facts))

    def _type(self, chat: Chat, form: Form) -> None:
        self._business_phone.write(chat, PhoneMessage(text=form["words"]))
