"""Bodies as the network posts them, and what is read from one."""

import json

from messaging.lines.drivers.cloud import driver as cloud_driver

PERSON = {"profile": {"name": "Ada"}, "wa_id": "905321112233", "user_id": "TR.1"}


def body(*changes, account="900"):
    entry = {"id": account, "changes": list(changes)}
    return json.dumps({"object": "whatsapp_business_account", "entry": [entry]}).encode()


def change(line="111", field="messages", **value):
    metadata = {"display_phone_number": "15550001111", "phone_number_id": line}
    return {
        "field": field,
        "value": {"messaging_product": "whatsapp", "metadata": metadata, **value},
    }


def message(kind="text", part=None, **more):
    part = {"body": "hi"} if part is None and kind == "text" else part
    return {
        "from": "905321112233",
        "id": "wamid.A",
        "timestamp": "1700000000",
        "type": kind,
        **({kind: part} if part is not None else {}),
        **more,
    }


def read(one, contacts=(PERSON,)):
    [parsed] = cloud_driver.parse_webhook(body(change(contacts=list(contacts), messages=[one])))
    return parsed.messages[0] if parsed.messages else None


def receipt(**status):
    given = {"id": "wamid.A", "status": "sent", "timestamp": "1700000000", **status}
    [parsed] = cloud_driver.parse_webhook(body(change(statuses=[given])))
    return parsed.receipts[0] if parsed.receipts else None


def line_update(field, **value):
    [parsed] = cloud_driver.parse_webhook(body({"field": field, "value": value}))
    [one] = parsed.updates
    return one
