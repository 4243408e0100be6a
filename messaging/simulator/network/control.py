"""`/_sim`: how the service and the tests control the simulated network."""

import json
from typing import Annotated, Any

from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.values.phone import BadPhone
from messaging.simulator.network.behaviour import NetworkBehaviour
from messaging.simulator.network.lines_file import LinesFile
from messaging.simulator.network.people import reply_window
from messaging.simulator.network.people.customers import Customers
from messaging.simulator.network.people.messages import CustomerMessage
from messaging.simulator.network.receipts import ReceiptScheduler
from messaging.simulator.network.state import SimulatedLine, SimulatedNetwork
from messaging.simulator.network.webhook_sender import WebhookSender

MOST_SHOWN = 100
# What the network reports about a line: the webhook's field and value.
LINE_CHANGES: dict[str, tuple[str, dict[str, Any]]] = {
    "ban": (
        "account_update",
        {"event": "DISABLED_UPDATE", "ban_info": {"waba_ban_state": "DISABLE"}},
    ),
    "restore": (
        "account_update",
        {"event": "DISABLED_UPDATE", "ban_info": {"waba_ban_state": "REINSTATE"}},
    ),
    "lower_quality": (
        "phone_number_quality_update",
        {"event": "FLAGGED", "current_limit": "TIER_1K"},
    ),
    "raise_quality": (
        "phone_number_quality_update",
        {"event": "UNFLAGGED", "current_limit": "TIER_1K"},
    ),
}


class RegisterLine(BaseModel):
    """A line to register at the simulated network."""

    model_config = ConfigDict(extra="forbid")

    phone_number_id: Annotated[str, Field(pattern=r"^[0-9]{1,32}$")]
    phone: Annotated[str, Field(pattern=r"^[0-9]{6,15}$")]
    app_secret: Annotated[str, Field(max_length=500)] = ""
    callback_url: Annotated[str, Field(max_length=2000, pattern=r"^(https?://.*)?$")] = ""
    tenant_id: Annotated[int, Field(ge=0)] = 0
    account_id: Annotated[str, Field(pattern=r"^[0-9]{0,32}$")] = ""
    name: Annotated[str, Field(max_length=200)] = ""

    def line(self, callback_url: str) -> SimulatedLine:
        facts = self.model_dump()
        facts["callback_url"] = self.callback_url or callback_url
        return SimulatedLine(**facts)


class ControlApi:
    def __init__(
        self,
        network: SimulatedNetwork,
        courier: WebhookSender,
        receipts: ReceiptScheduler,
        people: Customers,
        lines_file: LinesFile,
        callback_url: str,
    ) -> None:
        self._network = network
        self._courier = courier
        self._receipts = receipts
        self._people = people
        self._lines_file = lines_file
        self._callback_url = callback_url

    def routes(self) -> list[web.RouteDef]:
        return [
            web.post("/lines", self.register),
            web.get("/lines", self.lines),
            web.post(r"/lines/{number_id:\d+}/clock", self.age_chats),
            web.post(r"/lines/{number_id:\d+}/{what:[a-z_]+}", self.change_line),
            web.get("/settings", self.settings),
            web.post("/settings", self.change_settings),
            web.get("/accepted", self.accepted),
            web.delete("/accepted", self.forget),
            web.get(r"/phones/{phone:\d+}/messages", self.messages),
            web.post(r"/phones/{phone:\d+}/messages", self.write),
            web.post(r"/phones/{phone:\d+}/read", self.read),
            web.post(r"/phones/{phone:\d+}/block", self.block),
        ]

    async def register(self, request: web.Request) -> web.Response:
        given = await _json(request)
        many = given.get("lines", [given]) if isinstance(given, dict) else given
        try:
            lines = [RegisterLine.model_validate(one).line(self._callback_url) for one in many]
        except (ValidationError, TypeError) as error:
            return _error_response(error)
        for line in lines:
            known = self._network.lines.get(line.phone_number_id)
            if known is not None and known.tenant_id != line.tenant_id:
                return web.json_response(
                    {"error": f"{line.phone_number_id} belongs to another tenant"}, status=409
                )
        for line in lines:
            self._network.register(line)
        self._lines_file.write(self._network.lines.values())
        return web.json_response({"registered": [line.phone_number_id for line in lines]})

    async def lines(self, _request: web.Request) -> web.Response:
        shown = [
            {name: value for name, value in line.__dict__.items() if name != "app_secret"}
            for line in self._network.lines.values()
        ]
        return web.json_response({"lines": shown})

    async def change_line(self, request: web.Request) -> web.Response:
        """The network bans or releases a line, or rates it worse or better, and reports it."""
        line = self._line(request.match_info["number_id"])
        change = LINE_CHANGES.get(request.match_info["what"])
        if change is None:
            raise web.HTTPNotFound(text=f"use one of {', '.join(LINE_CHANGES)}")
        field, value = change
        self._courier.account_update(line, field, {**value, "display_phone_number": line.phone})
        return web.json_response({"reported": field})

    async def age_chats(self, request: web.Request) -> web.Response:
        """The clock of test mode: people wrote to this line so many seconds earlier."""
        line = self._line(request.match_info["number_id"])
        seconds = (await _json(request)).get("seconds")
        if not isinstance(seconds, int) or seconds <= 0:
            return web.json_response({"error": "seconds must be a positive number"}, status=422)
        aged = [chat for chat in self._network.chats() if chat.line is line]
        for chat in aged:
            reply_window.age_chat(self._network, chat, seconds)
            self._network.publish(chat)
        return web.json_response({"aged": len(aged)})

    async def settings(self, _request: web.Request) -> web.Response:
        return web.json_response(self._network.conditions.model_dump())

    async def change_settings(self, request: web.Request) -> web.Response:
        """Change only the given settings."""
        changes = await _json(request)
        try:
            self._network.conditions = NetworkBehaviour.model_validate(
                {**self._network.conditions.model_dump(), **changes}
            )
        except (ValidationError, TypeError) as error:
            return _error_response(error)
        return await self.settings(request)

    async def accepted(self, request: web.Request) -> web.Response:
        accepted = self._network.accepted
        if ours := request.query.get("ours"):
            ids = accepted.ids(ours)
            return web.json_response({"ours": ours, "times": len(ids), "network_ids": ids})
        return web.json_response(
            {
                "accepted": accepted.total,
                "distinct": accepted.distinct,
                "doubled": len(accepted.doubled),
                "doubled_ids": list(accepted.doubled)[:MOST_SHOWN],
                "refused": self._network.refused,
                "hooks": {
                    "delivered": self._courier.delivered,
                    "refused": self._courier.refused,
                    "given_up": self._courier.given_up,
                    "waiting": self._courier.waiting + self._receipts.planned,
                },
            }
        )

    async def forget(self, _request: web.Request) -> web.Response:
        self._network.forget()
        return web.json_response({"forgotten": True})

    async def messages(self, request: web.Request) -> web.Response:
        chats = self._network.chats(request.match_info["phone"])
        if number_id := request.query.get("phone_number_id"):
            chats = [chat for chat in chats if chat.line.phone_number_id == number_id]
        found = [
            {"phone_number_id": chat.line.phone_number_id, **bubble.as_json()}
            for chat in chats
            for bubble in chat.bubbles
        ]
        return web.json_response({"messages": sorted(found, key=lambda one: one["at"])})

    async def write(self, request: web.Request) -> web.Response:
        try:
            writes = CustomerMessage.model_validate(await _json(request))
            line = self._line(writes.to_phone_number_id)
            bubble = self._people.write(request.match_info["phone"], line, writes)
        except (ValidationError, BadPhone, TypeError) as error:
            return _error_response(error)
        return web.json_response({"id": bubble.id}, status=201)

    async def read(self, request: web.Request) -> web.Response:
        """Open the chats of a phone that does not read automatically."""
        for chat in self._network.chats(request.match_info["phone"]):
            self._receipts.read(chat)
        return web.json_response({"read": True})

    async def block(self, request: web.Request) -> web.Response:
        given = await _json(request)
        line = self._line(str(given.get("phone_number_id")))
        blocked = given.get("blocked", True) is True
        self._people.block(self._network.chat(request.match_info["phone"], line), blocked)
        return web.json_response({"blocked": blocked})

    def _line(self, phone_number_id: str) -> SimulatedLine:
        line = self._network.lines.get(phone_number_id)
        if line is None:
            raise web.HTTPNotFound(text="there is no such line")
        return line


async def _json(request: web.Request) -> Any:
    try:
        return await request.json()
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError):
        raise web.HTTPBadRequest(text="the body is not JSON") from None


def _error_response(error: Exception) -> web.Response:
    if isinstance(error, ValidationError):
        faults = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
        return web.json_response({"error": "; ".join(faults)}, status=422)
    return web.json_response({"error": str(error)}, status=422)
