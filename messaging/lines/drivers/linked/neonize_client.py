"""Linked lines on the real network, through the package `neonize` (the extra `linked`).

UNTESTED on the real network: the library connects only to it, and no phone has been paired with
this client yet. The library's events, as of version 0.5, are converted in `neonize_mapping.py`,
which is tested without a network. All other code of linked lines is tested with the simulated
network. So this module is kept small. See docs/operations/linked.md.
"""

import asyncio
import contextlib
import importlib
from collections import OrderedDict
from collections.abc import AsyncGenerator
from datetime import timedelta
from typing import Any

from core.clock import now
from core.logs import logger
from core.values.network_address import is_phone
from messaging import reasons
from messaging.lines.drivers.base import (
    Envelope,
    SendAccepted,
    SendOutcome,
    SendRefused,
    SendUnknown,
    TryLater,
)
from messaging.lines.drivers.cloud.media import MediaNotFetched
from messaging.lines.drivers.linked.client import (
    ClientConnected,
    ClientDisconnected,
    ClientEvent,
    ClientUnavailable,
    DeviceLoggedOut,
    DevicePaired,
    EchoReceived,
    LinkedSession,
    MediaFileBody,
    MessageReceived,
    NumberRestricted,
    PairingCodeShown,
    QrCodeShown,
)
from messaging.lines.drivers.linked.neonize_mapping import (
    chat_address,
    message_fields,
    parse_device,
    read_message,
    read_receipt,
    recipient_fields,
)
from messaging.reasons import with_detail

log = logger(__name__)

FIRST_QR_SECONDS, NEXT_QR_SECONDS, CODE_SECONDS = 60, 20, 160
MOST_FILES = 200
_NOT_SENT_ERRORS = ("not connected", "not logged in", "websocket", "no signal session")


def _content_of(event: ClientEvent) -> dict[str, Any]:
    if isinstance(event, MessageReceived):
        return event.message.content
    return event.content if isinstance(event, EchoReceived) else {}


class NeonizeClient:
    def __init__(self, store_url: str, session: LinkedSession) -> None:
        try:
            # first: it provides the C library that neonize needs
            importlib.import_module("pylibmagic")
            self._library = importlib.import_module("neonize.aioze.client")
            self._event_types = importlib.import_module("neonize.aioze.events")
            self._proto = importlib.import_module("neonize.proto.Neonize_pb2")
            self._words = importlib.import_module("neonize.proto.waE2E.WAWebProtobufsE2E_pb2")
            self._kinds = importlib.import_module("neonize.utils.enum")
        except (ImportError, OSError) as error:
            log.warning("neonize import failed", error=str(error))
            raise ClientUnavailable(reasons.CLIENT_NOT_INSTALLED) from None
        device = parse_device(session.device)
        self._client: Any = self._library.NewAClient(
            store_url,
            jid=self._proto.JID(**device) if device else None,
            uuid=f"{session.tenant_id}-{session.line_id}",
            new_device=not device,
        )
        self._events: asyncio.Queue[ClientEvent] = asyncio.Queue()
        self._reachable: set[str] = set()
        self._files: OrderedDict[str, Any] = OrderedDict()
        self._codes = 0
        self._code_phone = ""

    async def events(self, code_phone: str = "") -> AsyncGenerator[ClientEvent, None]:
        self._code_phone = code_phone
        self._listen()
        ends = await self._client.connect()
        ends.add_done_callback(self._ended)
        while True:
            event = await self._events.get()
            yield event
            if isinstance(event, ClientDisconnected | DeviceLoggedOut):
                return

    def _ended(self, task: "asyncio.Task[None]") -> None:
        error = None if task.cancelled() else task.exception()
        because = (
            with_detail(reasons.CLIENT_ENDED_WITH, f"{error}.") if error else reasons.CLIENT_ENDED
        )
        self._events.put_nowait(ClientDisconnected(because))

    def _listen(self) -> None:
        event_types, client = self._event_types, self._client
        client.event.qr(self._qr)
        for kind, handler in (
            (event_types.PairStatusEv, self._pair_status),
            (event_types.ConnectedEv, lambda _: ClientConnected()),
            (
                event_types.DisconnectedEv,
                lambda _: ClientDisconnected(reasons.CONNECTION_CUT),
            ),
            (
                event_types.StreamReplacedEv,
                lambda _: ClientDisconnected(reasons.REPLACED),
            ),
            (
                event_types.ConnectFailureEv,
                lambda e: ClientDisconnected(
                    with_detail(reasons.CONNECTION_REFUSED, f"{e.Message}.")
                ),
            ),
            (event_types.ClientOutdatedEv, lambda _: ClientDisconnected(reasons.CLIENT_OUTDATED)),
            (event_types.LoggedOutEv, lambda _: DeviceLoggedOut(reasons.UNLINKED)),
            (event_types.TemporaryBanEv, self._ban),
            (event_types.MessageEv, self._message_came),
            (event_types.ReceiptEv, read_receipt),
        ):
            client.event(kind)(self._note(handler))

    def _note(self, handler: Any) -> Any:
        async def note(_client: Any, event: Any) -> None:
            try:
                made = handler(event)
            except Exception:
                log.exception("linked event handling failed")
                return
            for one in made if isinstance(made, list) else [made]:
                self._events.put_nowait(one)

        return note

    def _message_came(self, event: Any) -> list[ClientEvent]:
        """Keep the newest messages with files: the library fetches a file by its whole message."""
        made = read_message(event)
        if any(_content_of(one).get("id") for one in made):
            self._files[event.Info.ID] = event.Message
            while len(self._files) > MOST_FILES:
                self._files.popitem(last=False)
        return made

    async def fetch(self, source: str, most: int) -> bytes:
        message = self._files.get(source)
        if message is None:
            raise MediaNotFetched(reasons.FILE_HOST_RESTARTED, final=True)
        try:
            body = await self._client.download_any(message)
        except Exception as error:  # noqa: BLE001 - the library raises what it likes
            raise MediaNotFetched(with_detail(reasons.FILE_NOT_FETCHED, f"{error}.")) from None
        if len(body or b"") > most:
            raise MediaNotFetched(reasons.FILE_LARGER, final=True)
        return bytes(body or b"")

    async def _qr(self, _client: Any, code: bytes) -> None:
        if self._code_phone:
            if self._codes == 0:
                typed = await self._client.PairPhone(self._code_phone, True)
                until = now() + timedelta(seconds=CODE_SECONDS)
                self._events.put_nowait(PairingCodeShown(typed, until))
        else:
            lasts = NEXT_QR_SECONDS if self._codes else FIRST_QR_SECONDS
            until = now() + timedelta(seconds=lasts)
            self._events.put_nowait(QrCodeShown(code.decode(), until))
        self._codes += 1

    def _pair_status(self, event: Any) -> list[ClientEvent]:
        if event.Error:
            return [ClientDisconnected(with_detail(reasons.NOT_LINKED, f"{event.Error}."))]
        device = f"{event.ID.User}:{event.ID.Device}@{event.ID.Server}"
        return [DevicePaired(device, event.ID.User, event.BusinessName)]

    def _ban(self, event: Any) -> ClientEvent:
        because = reasons.BANNED.get(event.Code, reasons.RESTRICTED_FOR_A_WHILE)
        return NumberRestricted(because, now() + timedelta(seconds=event.Expire))

    async def send(self, envelope: Envelope, media: MediaFileBody | None) -> SendOutcome:
        try:
            refused = await self._unreachable(envelope.phone)
            if refused is not None:
                return refused
            message = await self._message(envelope, media)
        except Exception as error:  # noqa: BLE001 - nothing has left yet, whatever it was
            return TryLater("network_trouble", with_detail(reasons.NOT_PREPARED, f"{error}."))
        try:
            recipient = self._proto.JID(**recipient_fields(envelope.phone))
            answer = await self._client.send_message(recipient, message)
        except Exception as error:  # noqa: BLE001 - the library raises many kinds
            error_text = str(error)
            if any(part in error_text.lower() for part in _NOT_SENT_ERRORS):
                return TryLater(
                    "network_trouble", with_detail(reasons.DID_NOT_LEAVE, f"{error_text}.")
                )
            return SendUnknown(with_detail(reasons.LIBRARY_SILENT, f"{error_text}."))
        return SendAccepted(answer.ID)

    async def mark_read(self, phone: str, network_id: str, *, typing: bool) -> None:
        chat = self._proto.JID(**chat_address(phone))
        kinds = self._kinds
        await self._client.mark_read(
            network_id, chat=chat, sender=chat, receipt=kinds.ReceiptType.READ
        )
        if typing:
            await self._client.send_chat_presence(
                chat,
                kinds.ChatPresence.CHAT_PRESENCE_COMPOSING,
                kinds.ChatPresenceMedia.CHAT_PRESENCE_MEDIA_TEXT,
            )

    async def _unreachable(self, phone: str) -> SendRefused | None:
        if phone in self._reachable or not is_phone(phone):
            return None
        found = await self._client.is_on_whatsapp(f"+{phone}")
        if not any(one.IsIn for one in found):
            return SendRefused("recipient_unavailable", reasons.NOT_ON_NETWORK)
        self._reachable.add(phone)
        return None

    async def _message(self, envelope: Envelope, media: MediaFileBody | None) -> Any:
        field, facts, kind = message_fields(envelope, media)
        if media is not None:
            sent = await self._client.upload(media.body, getattr(self._kinds.MediaType, kind))
            facts |= {
                "URL": sent.url,
                "directPath": sent.DirectPath,
                "mediaKey": sent.MediaKey,
                "fileEncSHA256": sent.FileEncSHA256,
                "fileSHA256": sent.FileSHA256,
                "fileLength": sent.FileLength,
            }
        if field == "conversation":
            return self._words.Message(conversation=facts["text"])
        made = getattr(self._words, field[0].upper() + field[1:])(**facts)
        return self._words.Message(**{field: made})

    async def log_out(self) -> None:
        await self._client.logout()
        self._events.put_nowait(DeviceLoggedOut(reasons.LOGGED_OUT))

    async def close(self) -> None:
        with contextlib.suppress(Exception):
            await self._client.stop()
