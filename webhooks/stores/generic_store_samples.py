"""The code samples on the setup page of a store that sends its own requests."""

CURL = r"""curl ADDRESS \
  -H "Authorization: Bearer WEBHOOK_SECRET" \
  -H "Content-Type: application/json" \
  -d '{
    "id": "evt-1001",
    "event": "order.created",
    "customer": {"first_name": "Ayşe", "phone": "0532 111 22 33", "country": "TR"},
    "order": {"id": "1001", "number": "#1001", "total": "349.90", "currency": "TRY"}
  }'"""

PYTHON = """import base64, hashlib, hmac, json, time
from urllib.request import Request, urlopen

secret = "WEBHOOK_SECRET"
event = {"id": "evt-1001", "event": "order.created",
         "customer": {"first_name": "Ayşe", "phone": "0532 111 22 33", "country": "TR"},
         "order": {"id": "1001", "number": "#1001", "total": "349.90", "currency": "TRY"}}

body, now = json.dumps(event).encode(), str(int(time.time()))
signed = f"{event['id']}.{now}.".encode() + body
key = base64.b64decode(secret.removeprefix("whsec_"))
signature = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()

urlopen(Request("ADDRESS", data=body, headers={
    "Content-Type": "application/json", "webhook-id": event["id"],
    "webhook-timestamp": now, "webhook-signature": f"v1,{signature}"}))"""

PHP = """<?php
$secret = "WEBHOOK_SECRET";
$body = json_encode([
    "id" => "evt-1001", "event" => "order.created",
    "customer" => ["first_name" => "Ayşe", "phone" => "0532 111 22 33", "country" => "TR"],
    "order" => ["id" => "1001", "number" => "#1001", "total" => "349.90", "currency" => "TRY"],
]);
$now = (string) time();
$key = base64_decode(substr($secret, 6));
$signature = base64_encode(hash_hmac("sha256", "evt-1001.$now.$body", $key, true));

$call = curl_init("ADDRESS");
curl_setopt_array($call, [
    CURLOPT_POSTFIELDS => $body,
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => ["Content-Type: application/json", "webhook-id: evt-1001",
        "webhook-timestamp: $now", "webhook-signature: v1,$signature"],
]);
echo curl_exec($call);"""


def code_samples(url: str, secret: str) -> list[tuple[str, str]]:
    """(language, code) with the address and the secret in place."""
    languages = (("curl", CURL), ("Python", PYTHON), ("PHP", PHP))
    return [
        (name, code.replace("ADDRESS", url).replace("WEBHOOK_SECRET", secret))
        for name, code in languages
    ]
