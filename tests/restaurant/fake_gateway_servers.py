"""Small servers that follow the providers' documentation and record the requests."""

import base64
import hashlib
import hmac
import json
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit


@dataclass
class ReceivedRequest:
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    raw: bytes

    @property
    def form(self) -> dict[str, str]:
        return dict(parse_qsl(self.raw.decode(), keep_blank_values=True))

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.raw)


@dataclass
class Failure:
    """A failure to simulate for one request, before the provider answers."""

    status: int = 0
    seconds: float = 0.0
    drop: bool = False
    body: bytes = b""


class Provider:
    def __init__(self) -> None:
        self.asked: list[ReceivedRequest] = []
        self.troubles: list[Failure] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                size = int(self.headers.get("Content-Length") or 0)
                url = urlsplit(self.path)
                asked = ReceivedRequest(
                    self.command,
                    url.path,
                    dict(parse_qsl(url.query)),
                    {name.lower(): value for name, value in self.headers.items()},
                    self.rfile.read(size),
                )
                outer.asked.append(asked)
                trouble = outer.troubles.pop(0) if outer.troubles else Failure()
                time.sleep(trouble.seconds)
                if trouble.drop:
                    self.close_connection = True
                    return
                if trouble.status:
                    status, body = trouble.status, trouble.body or b'{"error":{"message":"no"}}'
                else:
                    status, found = outer.reply(asked)
                    body = json.dumps(found).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_PATCH = do_DELETE = answer  # noqa: N815 - http.server's names

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def reply(self, asked: ReceivedRequest) -> tuple[int, dict[str, Any]]:
        raise NotImplementedError

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class StripeServer(Provider):
    KEY = "sk_test_cast"

    def __init__(self) -> None:
        self.sessions: dict[str, dict[str, Any]] = {}
        self.once: dict[str, tuple[dict[str, str], dict[str, Any]]] = {}
        super().__init__()

    def reply(self, asked: ReceivedRequest) -> tuple[int, dict[str, Any]]:
        if asked.headers.get("authorization") != f"Bearer {self.KEY}":
            return 401, {"error": {"type": "invalid_request_error", "message": "Invalid API Key"}}
        key = asked.headers.get("idempotency-key", "")
        if key in self.once:
            form, found = self.once[key]
            if form != asked.form:
                message = "Keys for idempotent requests can only be used with the same parameters"
                return 400, {"error": {"type": "idempotency_error", "message": message}}
            return 200, found
        status, found = self._reply(asked)
        if key and status == 200:
            self.once[key] = (asked.form, found)
        return status, found

    def _reply(self, asked: ReceivedRequest) -> tuple[int, dict[str, Any]]:
        parts = asked.path.strip("/").split("/")
        if asked.path == "/v1/account":
            dashboard = {"display_name": "Lemar"}
            return 200, {
                "id": "acct_1", "object": "account", "charges_enabled": True,
                "settings": {"dashboard": dashboard},
            }  # fmt: skip
        if asked.path == "/v1/checkout/sessions" and asked.method == "POST":
            return 200, self._open(asked.form)
        if asked.path == "/v1/checkout/sessions":
            intent = asked.query.get("payment_intent")
            mine = [one for one in self.sessions.values() if _intent(one) == intent]
            return 200, {"object": "list", "data": mine}
        if asked.path == "/v1/refunds":
            return self._refund(asked.form)
        session = self.sessions.get(parts[3]) if len(parts) > 3 else None
        if session is None:
            return 404, {"error": {"code": "resource_missing", "message": "No such session"}}
        if parts[-1] == "expire":
            session["status"] = "expired"
        return 200, session

    def _open(self, form: dict[str, str]) -> dict[str, Any]:
        ref = f"cs_test_{len(self.sessions) + 1}"
        self.sessions[ref] = {
            "id": ref,
            "object": "checkout.session",
            "url": f"https://checkout.stripe.com/c/pay/{ref}",
            "mode": form["mode"],
            "status": "open",
            "payment_status": "unpaid",
            "client_reference_id": form["client_reference_id"],
            "amount_total": int(form["line_items[0][price_data][unit_amount]"]),
            "currency": form["line_items[0][price_data][currency]"],
            "livemode": False,
            "payment_intent": None,
            "expires_at": int(form["expires_at"]),
            "metadata": {"reference": form["metadata[reference]"]},
        }
        return self.sessions[ref]

    def _refund(self, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        for session in self.sessions.values():
            if _intent(session) == form["payment_intent"]:
                charge = session["payment_intent"]["latest_charge"]
                left = session["amount_total"] - charge["amount_refunded"]
                if int(form["amount"]) > left:
                    message = "Refund amount is greater than unrefunded amount on charge"
                    return 400, {"error": {"message": message}}
                charge["amount_refunded"] += int(form["amount"])
                return 200, {"id": "re_1", "object": "refund", "status": "succeeded"}
        return 404, {"error": {"message": "No such payment_intent"}}

    def pays(self, ref: str) -> None:
        charge = {"id": "ch_1", "amount_refunded": 0, "created": int(time.time())}
        self.sessions[ref] |= {
            "status": "complete",
            "payment_status": "paid",
            "payment_intent": {"id": f"pi_{ref}", "status": "succeeded", "latest_charge": charge},
        }

    def event(self, ref: str, what: str = "checkout.session.completed") -> bytes:
        session = {**self.sessions[ref], "payment_intent": _intent(self.sessions[ref])}
        payload = {"id": f"evt_{ref}_{what}", "object": "event", "type": what, "livemode": False}
        return json.dumps({**payload, "data": {"object": session}}).encode()


class IyzicoServer(Provider):
    KEY, SECRET = "sandbox-cast", "sandbox-secret"

    def __init__(self) -> None:
        self.links: dict[str, dict[str, Any]] = {}
        self.payments: list[dict[str, Any]] = []
        self.mute = 0
        """How many further reports do not contain the payment yet."""
        super().__init__()

    def reply(self, asked: ReceivedRequest) -> tuple[int, dict[str, Any]]:
        if not self._knows(asked):
            return 200, {"status": "failure", "errorCode": "1000", "errorMessage": "imza"}
        if asked.path == "/payment/bin/check":
            return 200, {"status": "success", "binNumber": asked.json["binNumber"]}
        if asked.path == "/v2/iyzilink/products":
            token = f"AAB{len(self.links) + 1}"
            self.links[token] = asked.json
            made = {"token": token, "url": f"https://sandbox.iyzi.link/{token}", "imageUrl": ""}
            return 200, {"status": "success", "data": made}
        if asked.path == "/v2/reporting/payment/details":
            return self._report(asked)
        if asked.path == "/v2/payment/refund":
            return self._refund(asked.json)
        return 200, {"status": "success"}

    def _knows(self, asked: ReceivedRequest) -> bool:
        said = asked.headers.get("authorization", "").removeprefix("IYZWSv2 ")
        pairs = dict(
            part.split(":", 1) for part in base64.b64decode(said).decode().split("&") if part
        )
        signed = asked.headers["x-iyzi-rnd"] + asked.path + asked.raw.decode()
        fits = hmac.new(self.SECRET.encode(), signed.encode(), hashlib.sha256).hexdigest()
        return pairs.get("apiKey") == self.KEY and pairs.get("signature") == fits

    def _report(self, asked: ReceivedRequest) -> tuple[int, dict[str, Any]]:
        if self.mute:
            self.mute -= 1
            return 200, {"status": "success", "payments": []}
        found = [
            one
            for one in self.payments
            if str(one["paymentId"]) == asked.query.get("paymentId")
            or one["paymentConversationId"] == asked.query.get("paymentConversationId")
        ]
        return 200, {"status": "success", "payments": found}

    def _refund(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        for one in self.payments:
            if str(one["paymentId"]) == body["paymentId"]:
                item = one["itemTransactions"][0]
                item["refunds"].append({"refundPrice": float(body["price"])})
                return 200, {"status": "success", "paymentId": body["paymentId"]}
        return 200, {"status": "failure", "errorCode": "5115", "errorMessage": "yok"}

    def pays(self, token: str, **changes: Any) -> dict[str, Any]:
        link = self.links[token]
        payment = {
            "paymentId": 9000 + len(self.payments),
            "paymentStatus": 1,
            "fraudStatus": 1,
            "price": float(link["price"]),
            "paidPrice": float(link["price"]),
            "currency": link["currencyCode"],
            "paymentConversationId": link["conversationId"],
            "itemTransactions": [{"paymentTransactionId": 1, "refunds": []}],
            **changes,
        }
        self.payments.append(payment)
        return payment

    def notice(self, token: str, payment: dict[str, Any], status: str = "SUCCESS") -> bytes:
        return json.dumps(
            {
                "paymentConversationId": payment["paymentConversationId"],
                "merchantId": 375,
                "token": token,
                "status": status,
                "iyziReferenceCode": f"ref-{token}",
                "iyziEventType": "CHECKOUT_FORM_AUTH",
                "iyziEventTime": 1755198001941,
                "iyziPaymentId": payment["paymentId"],
            }
        ).encode()


def iyzico_signature(raw: bytes, secret: str) -> str:
    body = json.loads(raw)
    text = (
        f"{secret}{body['iyziEventType']}{body['iyziPaymentId']}{body['token']}"
        f"{body['paymentConversationId']}{body['status']}"
    )
    return hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()


def stripe_signature(raw: bytes, secret: str, at: int | None = None) -> str:
    stamp = int(time.time()) if at is None else at
    signed = hmac.new(secret.encode(), f"{stamp}.".encode() + raw, hashlib.sha256).hexdigest()
    return f"t={stamp},v1={signed}"


def _intent(session: dict[str, Any]) -> str | None:
    intent = session["payment_intent"]
    return intent["id"] if isinstance(intent, dict) else intent
