"""The template that takes over when the network pauses another one in the middle of a campaign.

Recipients who are still waiting get the stand-in. A message that the network refused because of the
pause has not reached anyone, so its recipient waits again, once, and gets the stand-in too. A
message whose outcome is unknown is never repeated.
"""

from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import text

from core.db import current_tenant_id, db
from core.ids import to_uuid
from messaging import reasons
from messaging.campaigns.experiments.variants import VariantMessage, messages_of
from messaging.models import Campaign, Line, Template
from messaging.templates import repository as template_repository

PAUSED_STATES = ("paused", "disabled")
REPLACED = "stand_in"
"""The reason of a recipient who waits again; see `REQUEUE`."""
REFUSED_BY_PAUSE = (reasons.TEMPLATE_PAUSED, reasons.TEMPLATE_OFF)

FIND_REFUSED = text("""
SELECT r.contact_id, m.content ->> 'name' AS name, m.content ->> 'language' AS language
  FROM campaign_recipients AS r
  JOIN messages AS m ON m.tenant_id = :tenant_id AND m.id = r.message_id
 WHERE r.tenant_id = :tenant_id AND r.campaign_id = :campaign_id AND r.state = 'handed'
   AND r.outcome = 'failed' AND r.cause = 'template_unusable' AND m.state = 'failed'
   AND split_part(m.error_text, ' ', 1) = ANY(:refused)
""")
REQUEUE = text("""
UPDATE campaign_recipients
   SET state = 'waiting', reason = :reason, message_id = NULL, handed_at = NULL, outcome = '',
       cause = '', due_at = :now
 WHERE tenant_id = :tenant_id AND campaign_id = :campaign_id AND state = 'handed'
   AND outcome = 'failed' AND contact_id = ANY(CAST(:ids AS uuid[]))
""")


def usable_messages(campaign: Campaign, line: Line | None) -> dict[str, VariantMessage]:
    """The messages by variant, with the stand-in in place of each paused template."""
    known = _known_templates(campaign, line)
    return {
        name: replace(one, template=_usable(campaign, one.template, known))
        for name, one in messages_of(campaign).items()
    }


def record_take_over(campaign: Campaign, used: dict[str, VariantMessage]) -> None:
    """Note which templates were replaced. It stays so, also if the pause ends."""
    for name, one in messages_of(campaign).items():
        key = template_key(one.template)
        if used[name].template != one.template and key not in campaign.replaced:
            campaign.replaced = [*campaign.replaced, key]


def requeue_refused(campaign: Campaign, line: Line | None, moment: datetime) -> int:
    """Let recipients whose message was refused because of the pause wait for the stand-in."""
    if not any(one.template for one in messages_of(campaign).values()) or line is None:
        return 0
    params = {
        "tenant_id": current_tenant_id(),
        "campaign_id": str(to_uuid("cmp", campaign.id)),
    }
    rows = db.session.execute(FIND_REFUSED, {**params, "refused": list(REFUSED_BY_PAUSE)}).all()
    if not rows:
        return 0
    known = _known_templates(campaign, line)
    own = {template_key(one.template): one.template for one in messages_of(campaign).values()}
    found = []
    for row in rows:
        key = f"{row.name}/{row.language}"
        if key in own and _stand_in_of(campaign, own[key], known):
            found.append(str(row.contact_id))
            if key not in campaign.replaced:
                campaign.replaced = [*campaign.replaced, key]
    if found:
        db.session.execute(REQUEUE, {**params, "ids": found, "now": moment, "reason": REPLACED})
    return len(found)


def template_key(template: dict[str, Any]) -> str:
    return f"{template['name']}/{template['language']}" if template else ""


def _usable(
    campaign: Campaign, template: dict[str, Any], known: dict[str, Template]
) -> dict[str, Any]:
    if not template:
        return template
    key = template_key(template)
    row = known.get(key)
    if key not in campaign.replaced and (row is None or row.state not in PAUSED_STATES):
        return template
    return _stand_in_of(campaign, template, known) or template


def _stand_in_of(
    campaign: Campaign, template: dict[str, Any], known: dict[str, Template]
) -> dict[str, Any]:
    """The campaign's own stand-in, or the template's with the same values; empty without one."""
    if campaign.stand_in:
        return dict(campaign.stand_in)
    row = known.get(template_key(template))
    if row is None or not row.stand_in:
        return {}
    other = known.get(f"{row.stand_in}/{template['language']}")
    usable = other is not None and other.state not in PAUSED_STATES
    return {**template, "name": row.stand_in} if usable else {}


def _known_templates(campaign: Campaign, line: Line | None) -> dict[str, Template]:
    names = {one.template["name"] for one in messages_of(campaign).values() if one.template}
    if not names or line is None:
        return {}
    found = template_repository.templates_named(line, *names)
    others = {one.stand_in for one in found if one.stand_in} - names
    if others:
        found = [*found, *template_repository.templates_named(line, *others)]
    return {f"{one.name}/{one.language}": one for one in found}
