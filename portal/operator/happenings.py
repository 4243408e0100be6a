"""What else happened at the demo's restaurant: templates, a guest's photo, hooks that came."""

import json
from datetime import datetime, timedelta
from io import BytesIO

from flask import current_app
from sqlalchemy import null

from core.blobs import Blobs
from core.clock import frozen, now
from core.db import db, tenant_scope
from core.ids import new_id
from core.pictures import preview
from messaging import claiming, lines_book, media, sending, template_check, templates
from messaging.lines import Accepted, InboundMessage
from messaging.lines.cloud_templates import read_template
from messaging.media import Kept
from messaging.models import Line, ReceivedHook
from messaging.receiving import receive_message
from messaging.sending import Draft
from messaging.simulator.pictures import picture
from messaging.simulator.samples import TEMPLATES
from messaging.usage import Tally
from portal.operator.history import answered
from tenants.plans import known_facts

GUEST = ("905321110103", "Elif Şahin")
READY = {"name": "order_confirmation", "language": "tr", "parameters": ["Elif", "M-0184"]}


def tell_happenings(tenant_id: int) -> None:
    beginning = now()
    with frozen(beginning - timedelta(days=3)), tenant_scope(tenant_id):
        learn_templates(_line())
    _send_template(tenant_id, beginning - timedelta(hours=30))
    _send_photo(tenant_id, beginning - timedelta(hours=5))
    _receive_hooks(tenant_id, beginning)


def _line() -> Line:
    line = lines_book.default_line(test=False)
    if line is None:
        raise RuntimeError("the demo has no line")
    return line


def learn_templates(line: Line) -> None:
    found = [one for one in map(read_template, TEMPLATES) if one is not None]
    templates.store(templates.account_of(line), found)


def _send_template(tenant_id: int, at: datetime) -> None:
    """In one transaction, so that no worker of a running service finds it half-way."""
    with frozen(at), tenant_scope(tenant_id):
        line = _line()
        draft = Draft(kind="template", phone=GUEST[0], content=dict(READY), category="utility")
        ticket = sending.accept(template_check.checked(draft, line), line, known_facts())
        mine = [
            one for one in claiming.claim(100, 60.0, []) if one.envelope.message_id == ticket.id
        ]
        answered([(one, Accepted("wamid.demo-template")) for one in mine])


def _send_photo(tenant_id: int, at: datetime) -> None:
    """As if the job had fetched it already: the simulated network does not know it."""
    blobs: Blobs = current_app.extensions["blobs"]
    photo = picture()
    small, kind = preview(BytesIO(photo))
    key = f"media/{new_id('msg').lower()}"
    blobs.put(key, photo, "image/png")
    blobs.put(f"{key}.{kind.partition('/')[2]}", small, kind)
    with frozen(at), tenant_scope(tenant_id):
        tally = Tally()
        message = InboundMessage(
            network_id="wamid.demo-photo",
            sender_phone=GUEST[0],
            sender_network_id="",
            sender_name=GUEST[1],
            at=int(at.timestamp()),
            kind="image",
            text="Dünkü masamız, teşekkürler!",
            content={"id": "1", "mime_type": "image/png"},
        )
        message_id = receive_message(_line(), message, tally)
        tally.write()
        for one in media.claim(10, 60.0):
            if one.message_id == message_id:
                kept = Kept(key, "image/png", "", len(photo), f"{key}.{kind.partition('/')[2]}")
                media.settle(one, kept)


def _receive_hooks(tenant_id: int, beginning: datetime) -> None:
    """A few that were understood, and one that was not."""
    with tenant_scope(tenant_id):
        target = str(_line().id)
        for hours in (52, 30, 26, 5, 2):
            _hook(tenant_id, target, beginning - timedelta(hours=hours))
        late = {"object": "page", "messaging": [{"text": "Not for this line"}]}
        _hook(
            tenant_id,
            target,
            beginning - timedelta(hours=1),
            json.dumps(late).encode(),
            state="parked",
            tries=5,
            error="the body has no list named entry",
        )


def _hook(tenant_id: int, target: str, at: datetime, body: bytes = b"", **more: object) -> None:
    db.session.add(
        ReceivedHook(
            **{
                "tenant_id": tenant_id,
                "kind": "cloud",
                "target": target,
                "body": body,
                "state": "done",
                "due_at": null(),  # a plain None would be now
                "received_at": at,
                **more,
            }
        )
    )
