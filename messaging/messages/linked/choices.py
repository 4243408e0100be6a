"""Answers to numbered choices: a linked phone sends buttons and lists as a text.

The guest types "2", "2." or the title. The answer becomes the same message as a tapped button of a
cloud line.
"""

import re
from dataclasses import replace
from datetime import timedelta

from sqlalchemy import text

from core.clock import now
from core.db import current_tenant_id, db
from core.sql.partitions import id_at
from core.values.network_address import address_variants
from core.values.text import strip_accents
from messaging.lines.drivers.base import InboundMessage
from messaging.messages.kinds.base import Choice
from messaging.messages.kinds.registry import MESSAGE_KINDS, is_written
from messaging.models import Line

ANSWERED_WITHIN = timedelta(days=1)
CHOICE_KIND = "button"
_NUMBER = re.compile(r"(\d{1,2})[.)]?")
# The newest message with choices that this person got. A later text without choices does not end
# it, because staff and automations write in between.
FIND_CHOICES = text("""
SELECT kind, content, network_id FROM messages
 WHERE tenant_id = :tenant_id AND phone = ANY(:phones) AND id > CAST(:since AS uuid)
   AND line_id = :line_id AND direction = 'out' AND kind = ANY(:kinds)
   AND state IN ('sent', 'delivered', 'read') AND content <> '{}'
 ORDER BY id DESC LIMIT 1
""")


def as_choice(line: Line, message: InboundMessage) -> InboundMessage:
    """Return the message as the choice that it names, or unchanged."""
    if not is_written(message.kind) or not 0 < len(message.text) <= 100:
        return message
    phone = message.sender_phone or message.sender_network_id
    found = db.session.execute(
        FIND_CHOICES,
        {
            "tenant_id": current_tenant_id(),
            "phones": sorted(address_variants(phone)),
            "since": id_at(now() - ANSWERED_WITHIN),
            "line_id": line.id,
            "kinds": [code for code, kind in MESSAGE_KINDS.items() if kind.choices],
        },
    ).first()
    choices_of = MESSAGE_KINDS[found.kind].choices if found is not None else None
    if found is None or choices_of is None:
        return message
    chosen = find_choice(message.text, choices_of(found.content))
    if chosen is None:
        return message
    content = {**message.content, "id": chosen.id, "title": chosen.title}
    if chosen.description:
        content["description"] = chosen.description
    if found.network_id:
        content.setdefault("reply_to", found.network_id)
    return replace(message, kind=CHOICE_KIND, text=chosen.title, content=content)


def find_choice(typed: str, choices: list[Choice]) -> Choice | None:
    """Find the choice by its number or its title. A repeated title is not a choice."""
    number = _NUMBER.fullmatch(typed.strip())
    if number is not None:
        place = int(number[1])
        return choices[place - 1] if 1 <= place <= len(choices) else None
    wanted = _folded(typed)
    matching = [one for one in choices if _folded(one.title) == wanted]
    return matching[0] if len(matching) == 1 else None


def _folded(title: str) -> str:
    return " ".join(strip_accents(title).split()).strip(".! ")
