"""More data for the demo restaurant: templates, a guest's photo, received hooks."""

import json
from datetime import datetime, timedelta
from io import BytesIO

from flask import current_app
from sqlalchemy import null

from core.clock import frozen, now
from core.db import db, tenant_scope
from core.ids import new_id
from core.storage.blobs import Blobs
from core.storage.images import make_preview
from deploy.demo.messaging.conversations import settle_after_a_second
from messaging.costs.usage import UsageTally
from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import InboundMessage, SendAccepted
from messaging.lines.drivers.cloud.templates.listing import read_template
from messaging.messages import accept as message_accept
from messaging.messages import claim as message_claim
from messaging.messages.accept import MessageDraft
from messaging.messages.media import files as media_files
from messaging.messages.media.files import StoredMedia
from messaging.messages.receive import receive_message
from messaging.models import Line
from messaging.simulator.sample_photo import sample_png
from messaging.simulator.sample_templates import TEMPLATES
from messaging.templates import repository as template_repository
from tenants.plans.catalog import current_tenant_facts
from webhooks.inbound.models import ReceivedHook

GUEST = ("905321110103", "Elif Şahin")
READY = {"name": "order_confirmation", "language": "tr", "parameters": ["Elif", "M-0184"]}


def add_templates_and_hooks(tenant_id: int) -> None:
    beginning = now()
    with frozen(beginning - timedelta(days=3)), tenant_scope(tenant_id):
        add_templates(_line())
    _send_template(tenant_id, beginning - timedelta(hours=30))
    _send_photo(tenant_id, beginning - timedelta(hours=5))
    _receive_hooks(tenant_id, beginning)


def _line() -> Line:
    line = line_repository.default_line(test=False)
    if line is None:
        raise RuntimeError("the demo has no line")
    return line


def add_templates(line: Line) -> None:
    found = [one for one in map(read_template, TEMPLATES) if one is not None]
    template_repository.store_templates(template_repository.template_account(line), found)
    line.quality, line.recipient_limit = "green", "unlimited"


def _send_template(tenant_id: int, at: datetime) -> None:
    """Runs in one transaction, so that no worker of a running service processes a part of it."""
    with frozen(at), tenant_scope(tenant_id):
        line = _line()
        draft = MessageDraft(
            kind="template", phone=GUEST[0], content=dict(READY), category="utility"
        )
        accepted = message_accept.accept_message(
            message_accept.check_template_draft(draft, line), line, current_tenant_facts()
        )
        approved = [
            one
            for one in message_claim.claim_messages(100, 60.0, [])
            if one.envelope.message_id == accepted.id
        ]
        settle_after_a_second([(one, SendAccepted("wamid.demo-template")) for one in approved])


def _send_photo(tenant_id: int, at: datetime) -> None:
    """As if the job had already fetched it: the simulated network does not have the photo."""
    blobs: Blobs = current_app.extensions["blobs"]
    photo = sample_png()
    small, kind = make_preview(BytesIO(photo))
    key = f"media/{new_id('msg').lower()}"
    blobs.put(key, photo, "image/png")
    blobs.put(f"{key}.{kind.partition('/')[2]}", small, kind)
    with frozen(at), tenant_scope(tenant_id):
        tally = UsageTally()
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
        for one in media_files.claim_downloads(10, 60.0):
            if one.message_id == message_id:
                stored = StoredMedia(
                    key, "image/png", "", len(photo), f"{key}.{kind.partition('/')[2]}"
                )
                media_files.settle_download(one, stored)


def _receive_hooks(tenant_id: int, beginning: datetime) -> None:
    """A few hooks that could be parsed, and one that could not."""
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
                "due_at": null(),  # None would mean the column's default, now
                "received_at": at,
                **more,
            }
        )
    )
