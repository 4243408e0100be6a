"""The pages of simulated phones: what a customer sees and can do."""

import math
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from aiohttp import web
from jinja2 import Environment, FileSystemLoader
from pydantic import ValidationError

from core.i18n.catalogs import N_
from core.values.phone import BadPhone, check_phone, display_phone, normalize_phone
from messaging.simulator.access import HEADERS, TENANT
from messaging.simulator.i18n import Gettext, gettext_in, language_of, translate_for
from messaging.simulator.network.magic_numbers import DIGITS, MAGIC_NUMBERS, PREFIX, magic_number_of
from messaging.simulator.network.people.customers import Customers
from messaging.simulator.network.people.messages import CustomerMessage
from messaging.simulator.network.people.reply_window import clock, seconds_left
from messaging.simulator.network.receipts import ReceiptScheduler
from messaging.simulator.network.state import Chat, SimulatedLine, SimulatedNetwork, timestamp
from messaging.simulator.phones.formatting import (
    KIND_NAMES,
    ORDER_STATES,
    chat_preview,
    file_name,
    format_day,
    format_time,
    initials,
    rich_text,
)
from messaging.simulator.phones.live_updates import stream_updates

HERE = Path(__file__).parent
MOST_PEOPLE, MOST_LINES = 100, 50
LONGEST_TEXT = 4096
INVALID_NUMBER = N_("Enter the number with its country code, such as 905321112233.")
STATIC = {
    "phones.css": "text/css",
    "chat.css": "text/css",
    "panel.css": "text/css",
    "phones.js": "text/javascript",
    "phones.svg": "image/svg+xml",
}


class PhonePages:
    def __init__(
        self, network: SimulatedNetwork, receipts: ReceiptScheduler, people: Customers
    ) -> None:
        self._network = network
        self._receipts = receipts
        self._people = people
        self._pages = Environment(
            loader=FileSystemLoader(HERE / "pages"),
            autoescape=True,
        )
        self._pages.globals.update(names=KIND_NAMES, order_states=ORDER_STATES)
        self._pages.filters.update(
            clock=format_time,
            day=format_day,
            initials=initials,
            rich=rich_text,
            filename=file_name,
            preview=chat_preview,
            phone=display_phone,
        )
        self._static = {name: (HERE / "static" / name).read_bytes() for name in STATIC}

    def routes(self) -> list[web.RouteDef]:
        chat = r"/{phone:\d+}/{line:\d+}"
        return [
            web.get("", self.everybody),
            web.post("", self.add),
            web.get("/people", self.people),
            web.get("/events", self.events),
            web.get("/static/{name}", self.static),
            web.get(r"/media/{id:\d+}", self.media),
            web.get(r"/{phone:\d+}", self.handset),
            web.get(chat, self.chat),
            web.get(chat + "/bubbles", self.bubbles),
            web.post(chat, self.write),
            web.post(chat + "/{what:block|unblock|read|reads|waits}", self.change),
        ]

    async def everybody(self, request: web.Request) -> web.Response:
        """Show all phones, or open a chat with a prepared text.

        With `to`, the phone that was used last opens its chat with that line and `text` in the
        field. Nothing is sent; the person does that.
        """
        to, text = request.query.get("to", ""), request.query.get("text", "")[:LONGEST_TEXT]
        line, tenant = self._network.lines.get(to), request.get(TENANT)
        if line is None or tenant not in (None, line.tenant_id):
            return self.page(request)
        known = self._network.phones_of(line.tenant_id)
        if not known:
            return self.page(request, to=to, text=text)
        raise web.HTTPSeeOther(chat_address(self._network.chat(known[0], line), text))

    async def add(self, request: web.Request) -> web.Response:
        form = await request.post()
        given, name = str(form.get("phone", "")).strip(), str(form.get("name", "")).strip()[:100]
        to, text = str(form.get("to", "")), str(form.get("text", ""))[:LONGEST_TEXT]
        try:
            phone = check_phone(normalize_phone(given) or given)
        except BadPhone:
            fault = translate_for(request, INVALID_NUMBER)
            return self.page(request, status=422, fault=fault, given=given, to=to, text=text)
        line, tenant = self._network.lines.get(to), request.get(TENANT)
        self._network.people.keep(phone, request.get(TENANT, 0)).name = name
        if line is not None and tenant in (None, line.tenant_id):
            raise web.HTTPSeeOther(chat_address(self._network.chat(phone, line), text))
        raise web.HTTPSeeOther(f"/phones/{phone}")

    async def people(self, request: web.Request) -> web.Response:
        chosen = request.query.get("phone", "")
        return self.html(request, "people.html", **self._people_of(request, chosen))

    async def handset(self, request: web.Request) -> web.Response:
        return self.page(request, phone=request.match_info["phone"])

    async def chat(self, request: web.Request) -> web.Response:
        chat = self.find_chat(request)
        text = request.query.get("text", "")[:LONGEST_TEXT]
        reply = chat.find(request.query.get("reply", ""))
        facts = self.person_facts(chat)
        return self.page(request, phone=chat.phone, chat=chat, text=text, reply=reply, **facts)

    async def bubbles(self, request: web.Request) -> web.Response:
        chat = self.find_chat(request)
        return self.html(request, "bubbles.html", chat=chat, **self.person_facts(chat))

    def person_facts(self, chat: Chat) -> dict[str, Any]:
        return {
            "person": self._network.person(chat),
            "window_hours": math.ceil(seconds_left(self._network, chat) / 3600),
            "linked": chat.line.phone_number_id in self._network.linked,
            "now": timestamp(),
        }

    async def write(self, request: web.Request) -> web.Response:
        chat = self.find_chat(request)
        form = read_form({k: str(v) for k, v in (await request.post()).items() if v})
        try:
            writes = CustomerMessage.model_validate(
                {**form, "to_phone_number_id": chat.line.phone_number_id}
            )
        except ValidationError:
            raise web.HTTPUnprocessableEntity(
                text=translate_for(request, N_("This message cannot be sent."))
            ) from None
        if writes.kind != "text" or writes.text.strip():
            self._people.write(chat.phone, chat.line, writes)
            self._receipts.read(chat)  # a customer who answers has read the chat
        raise web.HTTPSeeOther(chat_address(chat))

    async def change(self, request: web.Request) -> web.Response:
        chat, what = self.find_chat(request), request.match_info["what"]
        if what in ("block", "unblock"):
            self._people.block(chat, what == "block")
        elif what in ("reads", "waits"):
            chat.reads = what == "reads"
        if what in ("read", "reads"):
            self._receipts.read(chat)
        raise web.HTTPSeeOther(chat_address(chat))

    async def events(self, request: web.Request) -> web.StreamResponse:
        return await stream_updates(self._network, request, request.get(TENANT), HEADERS)

    async def static(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        if name not in STATIC:
            raise web.HTTPNotFound
        return web.Response(
            body=self._static[name],
            content_type=STATIC[name],
            charset="utf-8",
            headers={"Cache-Control": "no-cache"},
        )

    async def media(self, request: web.Request) -> web.Response:
        media = self._network.media(request.match_info["id"])
        if media is None:
            raise web.HTTPNotFound
        # Only images are shown inline; other files are downloaded.
        shown = "inline" if media.mime_type in ("image/png", "image/jpeg") else "attachment"
        return web.Response(
            body=media.body,
            headers={"Content-Type": media.mime_type, "Content-Disposition": shown},
        )

    def find_chat(self, request: web.Request) -> Chat:
        line = self._network.lines.get(request.match_info["line"])
        tenant = request.get(TENANT)
        if line is None or tenant not in (None, line.tenant_id):
            raise web.HTTPNotFound
        return self._network.chat(self._phone(request), line)

    def _phone(self, request: web.Request) -> str:
        try:
            return check_phone(request.match_info["phone"])
        except BadPhone:
            raise web.HTTPNotFound from None

    def _people_of(self, request: web.Request, selected: str) -> dict[str, Any]:
        tenant, gettext = request.get(TENANT), gettext_in(language_of(request))
        latest: dict[str, Chat] = {}
        unread: dict[str, int] = {}
        for chat in self._network.chats(tenant_id=tenant):
            latest.setdefault(chat.phone, chat)
            unread[chat.phone] = unread.get(chat.phone, 0) + chat.unread
        return {
            "selected": selected,
            "people": [
                {
                    "phone": phone,
                    "name": self.name_of(phone, tenant, gettext),
                    "unread": unread.get(phone, 0),
                    "last": latest[phone].bubbles[-1]
                    if phone in latest and latest[phone].bubbles
                    else None,
                }
                for phone in self._network.phones_of(tenant)[:MOST_PEOPLE]
            ],
        }

    def name_of(self, phone: str, tenant: int | None, gettext: Gettext) -> str:
        known = self._network.people
        named = known.named(phone) if tenant is None else known.find(phone, tenant).name
        return named or gettext("Customer {digits}", digits=phone[-4:])

    def page(
        self,
        request: web.Request,
        *,
        status: int = 200,
        phone: str = "",
        chat: Chat | None = None,
        **more: Any,
    ) -> web.Response:
        if phone:
            phone = self._phone(request)
        tenant = request.get(TENANT)
        gettext = gettext_in(language_of(request))
        return self.html(
            request,
            "phones.html",
            status=status,
            **self._people_of(request, phone),
            **{"phone_number": phone, **more},
            name=self.name_of(phone, tenant, gettext) if phone else "",
            magic=magic_number_of(phone),
            chat=chat,
            clock=clock(self._network.people.find(phone, tenant or 0)),
            reads=chat is not None and self._network.reads(chat),
            businesses=self._businesses(phone, tenant) if phone and chat is None else [],
            lines=len(self._network.lines_of(tenant)),
            numbers=[
                (f"{PREFIX}{last:0>{DIGITS}}", magic.says) for last, magic in MAGIC_NUMBERS.items()
            ],
        )

    def _businesses(
        self, phone: str, tenant: int | None
    ) -> list[tuple[SimulatedLine, Chat | None]]:
        chats = {chat.line.phone_number_id: chat for chat in self._network.chats(phone, tenant)}
        rest = [
            line for line in self._network.lines_of(tenant) if line.phone_number_id not in chats
        ]
        known = [(chat.line, chat) for chat in chats.values()]
        return [*known, *((line, None) for line in rest)][:MOST_LINES]

    def html(
        self, request: web.Request, page: str, *, status: int = 200, **facts: Any
    ) -> web.Response:
        language = language_of(request)
        context = {"language": language, "_": gettext_in(language)}
        return web.Response(
            text=self._pages.get_template(page).render(**context, **facts),
            status=status,
            content_type="text/html",
            headers={"Cache-Control": "no-store"},
        )


def read_form(form: dict[str, str]) -> dict[str, Any]:
    """The fields of a message. `quantity.<id>` is a product, `answer.<name>` a form's field."""
    fields: dict[str, Any] = {k: v for k, v in form.items() if "." not in k}
    if "text" in fields:  # forms send CRLF
        fields["text"] = fields["text"].replace("\r\n", "\n")
    parts = [(*name.split(".", 1), value) for name, value in form.items() if "." in name]
    if products := [
        {"product_retailer_id": name, "quantity": value}
        for kind, name, value in parts
        if kind == "quantity" and value != "0"
    ]:
        fields["products"] = products
    if answers := {name: value for kind, name, value in parts if kind == "answer"}:
        fields["answers"] = answers
    return fields


def chat_address(chat: Chat, text: str = "") -> str:
    query = f"?{urlencode({'text': text})}" if text else ""
    return f"/phones/{chat.phone}/{chat.line.phone_number_id}{query}"
