"""`/_sim`: how tests act as people, as staff on the business phone, and as Meta's agent."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.values.phone import BadPhone
from messaging.simulator.network.people.business_phone import BusinessPhone, PhoneMessage
from messaging.simulator.network.people.customers import CannotDo, Customers
from messaging.simulator.network.people.meta_agent import MetaAgent
from messaging.simulator.network.people.person import Person
from messaging.simulator.network.state import Chat, SimulatedNetwork

LONGEST_TEXT = 4096


class PersonChange(BaseModel):
    """A change of one person, for the tenant of the line."""

    model_config = ConfigDict(extra="forbid")

    phone_number_id: str
    hides_phone: bool | None = None
    username: Annotated[str, Field(max_length=35, pattern=r"^@?[A-Za-z0-9._]*$")] = ""
    phone: Annotated[str, Field(pattern=r"^[0-9]{0,15}$")] = ""
    """The new number."""
    rotate_id: bool = False
    hours_ahead: Annotated[float, Field(ge=0, le=10_000)] = 0.0
    """How far to move the clock of the phone forward."""


class MessageChange(BaseModel):
    """A message that its sender edits or deletes."""

    model_config = ConfigDict(extra="forbid")

    phone_number_id: str
    id: str
    by: Literal["person", "business"] = "person"
    text: Annotated[str, Field(max_length=LONGEST_TEXT)] = ""


class PeopleControlApi:
    def __init__(
        self,
        network: SimulatedNetwork,
        people: Customers,
        business_phone: BusinessPhone,
        agent: MetaAgent,
    ) -> None:
        self._network = network
        self._people = people
        self._business_phone = business_phone
        self._agent = agent

    def routes(self) -> list[web.RouteDef]:
        phone = r"/phones/{phone:\d+}"
        return [
            web.get(phone + "/person", self.person),
            web.post(phone + "/person", self.change_person),
            web.post(phone + "/messages/{what:edit|delete}", self.change_message),
            web.post(phone + "/business_phone", self.type_on_business_phone),
            web.post(phone + "/agent/{what:take|hand_over|answer}", self.agent),
        ]

    async def person(self, request: web.Request) -> web.Response:
        chat = self._chat(request, request.query.get("phone_number_id", ""))
        return web.json_response(person_json(self._network.person(chat)))

    async def change_person(self, request: web.Request) -> web.Response:
        async def change(given: Any) -> dict[str, Any]:
            wanted = PersonChange.model_validate(given)
            chat = self._chat(request, wanted.phone_number_id)
            change_person(self._network, self._people, chat, wanted)
            return person_json(self._network.person(chat))

        return await self._answer(request, change)

    async def change_message(self, request: web.Request) -> web.Response:
        async def change(given: Any) -> dict[str, Any]:
            wanted = MessageChange.model_validate(given)
            chat = self._chat(request, wanted.phone_number_id)
            side = self._people if wanted.by == "person" else self._business_phone
            if request.match_info["what"] == "edit":
                side.edit(chat, wanted.id, wanted.text)
            else:
                side.delete(chat, wanted.id)
            return {"done": True}

        return await self._answer(request, change)

    async def type_on_business_phone(self, request: web.Request) -> web.Response:
        async def write(given: Any) -> dict[str, Any]:
            chat = self._chat(request, str(given.pop("phone_number_id", "")))
            return {"id": self._business_phone.write(chat, PhoneMessage.model_validate(given)).id}

        return await self._answer(request, write, status=201)

    async def agent(self, request: web.Request) -> web.Response:
        async def act(given: Any) -> dict[str, Any]:
            chat = self._chat(request, str(given.get("phone_number_id", "")))
            what = request.match_info["what"]
            if what == "answer":
                text = str(given.get("text", ""))[:LONGEST_TEXT]
                return {"id": self._agent.answer(chat, text).id}
            (self._agent.take if what == "take" else self._agent.hand_over)(chat)
            return {"held_by_agent": chat.held_by_agent}

        return await self._answer(request, act)

    async def _answer(
        self, request: web.Request, act: Callable[[Any], Any], status: int = 200
    ) -> web.Response:
        try:
            given = await request.json()
            return web.json_response(await act(given), status=status)
        except ValidationError as error:
            faults = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
            return web.json_response({"error": "; ".join(faults)}, status=422)
        except (CannotDo, BadPhone, AttributeError, ValueError) as error:
            return web.json_response({"error": str(error)}, status=422)

    def _chat(self, request: web.Request, phone_number_id: str) -> Chat:
        line = self._network.lines.get(phone_number_id)
        if line is None:
            raise web.HTTPNotFound(text="there is no such line")
        return self._network.chat(request.match_info["phone"], line)


def change_person(
    network: SimulatedNetwork, people: Customers, chat: Chat, wanted: PersonChange
) -> None:
    if wanted.hides_phone is not None or wanted.username:
        hidden = network.person(chat).hides_phone
        hidden = hidden if wanted.hides_phone is None else wanted.hides_phone
        people.hide_phone(chat, hidden, wanted.username)
    if wanted.hours_ahead:
        people.move_clock(chat, wanted.hours_ahead)
    if wanted.rotate_id:
        people.rotate_id(network.person(chat))
    if wanted.phone:
        people.change_number(network.person(chat), wanted.phone)


def person_json(person: Person) -> dict[str, Any]:
    return {
        "phone": person.phone,
        "name": person.name,
        "username": person.username,
        "hides_phone": person.hides_phone,
        "user_id": person.user_id,
        "parent_user_id": person.parent_user_id,
        "linked_id": person.linked_id,
        "hours_ahead": person.hours_ahead,
    }
