"""The simulated payment provider: payment links, paid or declined cards, and signed events.

No real money is involved. It stores its links in a file beside the lines' file, if there is one,
and repeats each event until it is acknowledged, as real providers do.
"""

import asyncio
import contextlib
import json
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from hashlib import sha256
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web

from core.clock import BadTime, now, parse_rfc3339, rfc3339
from core.ids import new_token
from core.logs import logger
from core.security.signing import webhook_headers

RETRY_DELAYS = (0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 60.0)
MOST_LINKS = 5_000
_TIMEOUT = aiohttp.ClientTimeout(total=15, sock_connect=5)
_log = logger(__name__)


@dataclass
class PaymentLink:
    id: str
    account: str
    key: str
    reference: str
    amount: str
    currency: str
    description: str
    shop: str
    language: str
    expires_at: str
    return_url: str
    notify_url: str
    notify_secret: str
    state: str = "open"
    """open, paid, failed, closed"""
    payment: str = ""
    paid_at: str = ""
    refunded: str = "0"
    refunds: dict[str, str] = field(default_factory=dict)

    @property
    def over(self) -> bool:
        return self.state == "closed" or parse_rfc3339(self.expires_at) <= now()

    def as_json(self) -> dict[str, Any]:
        """The public data of the link, without its secrets."""
        state = "expired" if self.state in ("open", "closed") and self.over else self.state
        shown = ("id", "account", "reference", "amount", "currency", "payment", "paid_at")
        return {**{name: getattr(self, name) for name in shown}, "state": state,
                "refunded": self.refunded}  # fmt: skip


class SimulatedBank:
    def __init__(self, address: str, ledger: Path | None) -> None:
        self.address = address.rstrip("/")
        self._ledger = ledger
        self.bills: dict[str, PaymentLink] = {}
        self._session: aiohttp.ClientSession | None = None
        self._posts: set[asyncio.Task[None]] = set()
        self._read()

    async def start(self) -> None:
        self._session = aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar(), timeout=_TIMEOUT)

    async def stop(self) -> None:
        for post in self._posts:
            post.cancel()
        await asyncio.gather(*self._posts, return_exceptions=True)
        if self._session is not None:
            await self._session.close()

    def open(self, account: str, given: dict[str, Any]) -> PaymentLink:
        """Open a link. The same key returns the same link.

        Raises ValueError if other values differ.
        """
        for bill in self.bills.values():
            if bill.account == account and bill.key == given["key"]:
                if any(getattr(bill, name) != value for name, value in given.items()):
                    raise ValueError("this key was used with other parameters")
                return bill
        bill = PaymentLink(id=f"bill_{new_token()}", account=account, **given)
        self.bills[bill.id] = bill
        while len(self.bills) > MOST_LINKS:
            self.bills.pop(next(iter(self.bills)))
        self.write()
        return bill

    def pay(self, bill: PaymentLink) -> None:
        if bill.state == "paid" or bill.over:
            return
        bill.state, bill.payment = "paid", f"pm_{new_token()}"
        bill.paid_at = rfc3339(datetime.now(UTC))
        self._post_event(bill, "payment.succeeded")

    def decline(self, bill: PaymentLink) -> None:
        if bill.state == "paid" or bill.over:
            return
        bill.state = "failed"
        self._post_event(bill, "payment.declined")

    def close(self, bill: PaymentLink) -> None:
        if bill.state != "paid":
            bill.state = "closed"
        self.write()

    def give_back(self, bill: PaymentLink, key: str, amount: Decimal) -> str:
        """Refund once per key. Raises ValueError with a sentence."""
        if key in bill.refunds:
            return bill.refunds[key]
        if amount <= 0 or Decimal(bill.refunded) + amount > Decimal(bill.amount):
            raise ValueError("that is more than was paid")
        bill.refunded = str(Decimal(bill.refunded) + amount)
        bill.refunds[key] = f"back_{new_token()}"
        self._post_event(bill, "payment.refunded")
        return bill.refunds[key]

    def write(self) -> None:
        if self._ledger is not None:
            rows = [asdict(bill) for bill in self.bills.values()]
            fresh = self._ledger.with_suffix(".new")
            fresh.write_text(json.dumps(rows))
            fresh.chmod(0o600)
            fresh.replace(self._ledger)

    def _read(self) -> None:
        if self._ledger is None or not self._ledger.is_file():
            return
        with contextlib.suppress(ValueError, TypeError):
            for row in json.loads(self._ledger.read_text()):
                self.bills[row["id"]] = PaymentLink(**row)

    def _post_event(self, bill: PaymentLink, what: str) -> None:
        self.write()
        event_id = f"evt_{new_token()}"
        event = {"id": event_id, "type": what, "account": bill.account, "link": bill.as_json()}
        body = json.dumps(event, separators=(",", ":")).encode()
        post = asyncio.create_task(self._post(bill, event_id, body))
        self._posts.add(post)
        post.add_done_callback(self._posts.discard)

    async def _post(self, bill: PaymentLink, event_id: str, body: bytes) -> None:
        if self._session is None or not bill.notify_url:
            return
        for wait in (0.0, *RETRY_DELAYS):
            await asyncio.sleep(wait)
            headers = webhook_headers(bill.notify_secret, event_id, body)
            with contextlib.suppress(aiohttp.ClientError, OSError, TimeoutError, ValueError):
                async with self._session.post(
                    bill.notify_url,
                    data=body,
                    headers={**headers, "Content-Type": "application/json"},
                    allow_redirects=False,
                ) as answer:
                    if 200 <= answer.status < 300:
                        return
        _log.warning("payment notification given up")


class BankApi:
    """`/bank`: the provider's API for the service."""

    def __init__(self, bank: SimulatedBank) -> None:
        self._bank = bank

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/account", self.account),
            web.post("/links", self.make),
            web.get("/links/{id}", self.link),
            web.post("/links/{id}/close", self.close),
            web.post("/payments/{payment}/refunds", self.refund),
        ]

    async def account(self, request: web.Request) -> web.Response:
        return web.json_response({"id": _account(request), "name": "Paper money"})

    async def make(self, request: web.Request) -> web.Response:
        given = await _json(request)
        link_params = (
            *("key", "reference", "amount", "currency", "description", "shop", "language"),
            *("expires_at", "return_url", "notify_url", "notify_secret"),
        )
        if any(not isinstance(given.get(name), str) for name in link_params):
            return _error_response("a link needs " + ", ".join(link_params))
        try:
            parse_rfc3339(given["expires_at"])
            if Decimal(given["amount"]) <= 0:
                return _error_response("the amount must be more than nothing")
        except (BadTime, InvalidOperation):
            return _error_response("the amount or the time cannot be read")
        try:
            bill = self._bank.open(_account(request), {name: given[name] for name in link_params})
        except ValueError as error:
            return _error_response(str(error), 400)
        return web.json_response({"id": bill.id, "url": f"{self._bank.address}/card/{bill.id}"})

    async def link(self, request: web.Request) -> web.Response:
        return web.json_response(self._bill(request).as_json())

    async def close(self, request: web.Request) -> web.Response:
        bill = self._bill(request)
        self._bank.close(bill)
        return web.json_response(bill.as_json())

    async def refund(self, request: web.Request) -> web.Response:
        payment, account = request.match_info["payment"], _account(request)
        own_refunds = [
            one
            for one in self._bank.bills.values()
            if one.payment == payment and one.account == account
        ]
        if not own_refunds:
            return _error_response("there is no such payment", 404)
        given = await _json(request)
        try:
            amount = Decimal(str(given.get("amount")))
            ref = self._bank.give_back(own_refunds[0], str(given.get("key")), amount)
        except InvalidOperation:
            return _error_response("the amount cannot be read")
        except ValueError as error:
            return _error_response(str(error))
        return web.json_response({"id": ref})

    def _bill(self, request: web.Request) -> PaymentLink:
        bill = self._bank.bills.get(request.match_info["id"])
        if bill is None or bill.account != _account(request):
            body = json.dumps({"error": "there is no such link"})
            raise web.HTTPNotFound(text=body, content_type="application/json")
        return bill


def _account(request: web.Request) -> str:
    """The account is derived from the key; the key itself is not stored."""
    key = request.headers.get("Authorization", "").removeprefix("Bearer ").strip()
    if not key:
        body = json.dumps({"error": "say your key"})
        raise web.HTTPUnauthorized(text=body, content_type="application/json")
    return account_id_of_key(key)


def account_id_of_key(key: str) -> str:
    return f"acct_{sha256(key.encode()).hexdigest()[:16]}"


async def _json(request: web.Request) -> dict[str, Any]:
    try:
        given = await request.json()
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError):
        given = None
    if not isinstance(given, dict):
        body = json.dumps({"error": "the body is not a JSON object"})
        raise web.HTTPBadRequest(text=body, content_type="application/json")
    return given


def _error_response(sentence: str, status: int = 422) -> web.Response:
    return web.json_response({"error": sentence}, status=status)
