"""Posts webhooks to the lines' callback URLs: signed, at least once, with retries."""

import asyncio
import contextlib
import json
from dataclasses import dataclass
from typing import Any

import aiohttp

from core.logs import logger
from core.security.signing import hmac_hex
from messaging.simulator.network.state import SimulatedLine, SimulatedNetwork

AT_ONCE = 32
RETRY_DELAYS = (0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 60.0)
GATHER_SECONDS = 0.02
_TIMEOUT = aiohttp.ClientTimeout(total=15, sock_connect=5)
_log = logger(__name__)
StatusOfContact = tuple[dict[str, Any], dict[str, Any]]


@dataclass
class PendingWebhook:
    line: SimulatedLine
    body: bytes
    tries: int = 0


class WebhookSender:
    def __init__(self, network: SimulatedNetwork) -> None:
        self._network = network
        self._queue: asyncio.Queue[PendingWebhook] = asyncio.Queue()
        self._gathered: dict[str, list[StatusOfContact]] = {}
        self._session: aiohttp.ClientSession | None = None
        self._hands: list[asyncio.Task[None]] = []
        self.delivered = self.refused = self.given_up = 0
        self._later = self._on_the_way = 0

    async def start(self) -> None:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=AT_ONCE),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=_TIMEOUT,
        )
        self._hands = [asyncio.create_task(self._carry()) for _ in range(AT_ONCE)]

    async def stop(self) -> None:
        for task in self._hands:
            task.cancel()
        await asyncio.gather(*self._hands, return_exceptions=True)
        if self._session is not None:
            await self._session.close()

    @property
    def waiting(self) -> int:
        gathered = sum(map(len, self._gathered.values()))
        return self._queue.qsize() + self._on_the_way + self._later + gathered

    def post(
        self,
        line: SimulatedLine,
        value: dict[str, Any],
        *,
        field: str = "messages",
        copies: int = 1,
    ) -> None:
        for _ in range(copies):
            self._post(line, value, field)

    def status(self, line: SimulatedLine, status: dict[str, Any], contact: dict[str, Any]) -> None:
        if self._network.conditions.hook_batch == 1:
            self._post(line, _statuses(line, [(status, contact)]))
            return
        gathered = self._gathered.setdefault(line.phone_number_id, [])
        gathered.append((status, contact))
        if len(gathered) == 1:
            asyncio.get_running_loop().call_later(GATHER_SECONDS, self._flush, line)

    def account_update(self, line: SimulatedLine, field: str, value: dict[str, Any]) -> None:
        """An update about the account, such as a template's state; it has a field of its own."""
        self._post(line, value, field)

    def _flush(self, line: SimulatedLine) -> None:
        gathered = self._gathered.pop(line.phone_number_id, [])
        most = self._network.conditions.hook_batch
        for start in range(0, len(gathered), most):
            self._post(line, _statuses(line, gathered[start : start + most]))

    def _post(self, line: SimulatedLine, value: dict[str, Any], field: str = "messages") -> None:
        if (send := self._network.linked.get(line.phone_number_id)) is not None:
            send({"type": "news", "value": value})
            return
        if not line.callback_url:
            return
        change = {"value": value, "field": field}
        entry = {"id": line.account_id, "changes": [change]}
        body = {"object": "whatsapp_business_account", "entry": [entry]}
        self._queue.put_nowait(
            PendingWebhook(line, json.dumps(body, separators=(",", ":")).encode())
        )

    async def _carry(self) -> None:
        while True:
            parcel = await self._queue.get()
            self._on_the_way += 1
            delivered = await self._delivered(parcel)
            self._on_the_way -= 1
            if delivered:
                self.delivered += 1
                continue
            self.refused += 1
            if parcel.tries >= len(RETRY_DELAYS):
                self.given_up += 1
                _log.warning("webhook given up", url=parcel.line.callback_url)
                continue
            wait = RETRY_DELAYS[parcel.tries]
            parcel.tries += 1
            self._later += 1
            asyncio.get_running_loop().call_later(wait, self._again, parcel)

    def _again(self, parcel: PendingWebhook) -> None:
        self._later -= 1
        self._queue.put_nowait(parcel)

    async def _delivered(self, parcel: PendingWebhook) -> bool:
        if self._session is None:
            raise RuntimeError("the courier has not started")
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "facebookexternalua",
            "X-Hub-Signature-256": f"sha256={hmac_hex(parcel.line.app_secret, parcel.body)}",
        }
        with contextlib.suppress(aiohttp.ClientError, OSError, TimeoutError, ValueError):
            async with self._session.post(
                parcel.line.callback_url, data=parcel.body, headers=headers, allow_redirects=False
            ) as answer:
                return 200 <= answer.status < 300
        return False


def _statuses(line: SimulatedLine, statuses: list[StatusOfContact]) -> dict[str, Any]:
    contacts = {contact["user_id"]: contact for _, contact in statuses}
    return {
        **webhook_metadata(line),
        "contacts": list(contacts.values()),
        "statuses": [status for status, _ in statuses],
    }


def webhook_metadata(line: SimulatedLine) -> dict[str, Any]:
    return {
        "messaging_product": "whatsapp",
        "metadata": {
            "display_phone_number": line.phone,
            "phone_number_id": line.phone_number_id,
        },
    }
