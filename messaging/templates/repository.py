"""A tenant's templates: a synced copy of the network's list."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, Text, any_, bindparam, delete, or_, select, text, update
from sqlalchemy.dialects.postgresql import ARRAY, insert

from core.clock import now
from core.db import THIS_TENANT, current_tenant_id, db, notify_workers, read_rows
from core.errors import NotFound
from core.ids import from_uuid, new_id
from core.queue import lanes
from core.storage.pending_deletions import delete_later
from messaging.lines.drivers.cloud.templates.listing import NetworkTemplate, reason_of
from messaging.lines.drivers.registry import DRIVERS
from messaging.models import Line, Template

LANE = "templates"
JUST_SUBMITTED = timedelta(minutes=2)
TEMPLATE_STATES = (
    *("approved", "pending", "in_appeal", "rejected", "paused", "disabled"),
    *("limit_exceeded", "pending_deletion", "archived"),
)
CATEGORIES = ("marketing", "utility", "authentication")

LATEST_MESSAGES = text("""
SELECT id, phone, state, created_at FROM messages
 WHERE tenant_id = :tenant_id AND kind = 'template' AND content ->> 'name' = :name
   AND content ->> 'language' = :language
 ORDER BY id DESC LIMIT :most
""")


@dataclass(frozen=True)
class TemplateFilters:
    """Filters of a list of templates."""

    state: str | None = None
    category: str | None = None
    name: str | None = None
    accounts: frozenset[str] | None = None


@dataclass(frozen=True)
class TemplateUse:
    id: str
    phone: str
    state: str
    at: Any


def template_account(line: Line) -> str:
    """Return the account whose templates the line uses. A simulated line has its own account."""
    if not DRIVERS[line.kind].has_templates:
        return ""
    made_up = f"9{line.phone_number_id}" if line.network == "simulator" else ""
    return line.account_id or made_up


def request_sync() -> None:
    """Wake a worker to sync the templates, because the network's list may have changed."""
    lanes.mark_due(LANE, current_tenant_id(), now())
    notify_workers("jobs.lines.template_sync.drain")


def store_templates(account_id: str, found: list[NetworkTemplate]) -> int:
    """Store the network's whole list and delete what is not in it. Returns how many changed."""
    moment, tenant_id = now(), current_tenant_id()
    known = {
        (one.name, one.language): one
        for one in list_templates(TemplateFilters(accounts=_in_account(account_id)))
    }
    changed = 0
    for one in found:
        before = known.pop((one.name, one.language), None)
        if before is not None and _unchanged(before, one):
            continue
        changed += 1
        values = {
            "network_id": one.network_id,
            "category": one.category,
            "state": one.state,
            "reason": one.reason,
            "quality": one.quality,
            "parameter_format": one.parameter_format,
            "components": one.components,
            "changed_at": moment,
            "synced_at": moment,
        }
        if before is not None and before.category != one.category:
            values["next_category"] = ""  # the announced change has happened
        made = insert(Template).values(
            tenant_id=tenant_id,
            id=new_id("tpl"),
            account_id=account_id,
            name=one.name,
            language=one.language,
            **values,
        )
        db.session.execute(
            made.on_conflict_do_update(
                index_elements=["tenant_id", "account_id", "name", "language"],
                set_={name: made.excluded[name] for name in values},
            )
        )
    own_templates = (Template.tenant_id == tenant_id, Template.account_id == account_id)
    known = {key: one for key, one in known.items() if not _is_just_submitted(one, moment)}
    if known:
        removed_ids = [one.id for one in known.values()]
        delete_later(one.header_file.get("key") for one in known.values())
        db.session.execute(delete(Template).where(*own_templates, Template.id.in_(removed_ids)))
    db.session.execute(update(Template).where(*own_templates).values(synced_at=moment))
    _record_sync(account_id, {"templates_at": moment, "templates_error": ""})
    return changed + len(known)


def record_sync_failure(account_id: str, reason: str) -> None:
    """Record why a sync failed. The stored templates stay; pages show why they may be outdated."""
    _record_sync(account_id, {"templates_error": reason})


def apply_template_update(line: Line, detail: dict[str, Any]) -> bool:
    """Apply a webhook update to one template. Returns False if a full sync is needed."""
    account_id = str(detail.get("account_id") or "") or template_account(line)
    name = str(detail.get("message_template_name") or "")
    language = str(detail.get("message_template_language") or "")
    change: dict[str, Any] = {}
    if detail.get("field") == "message_template_status_update":
        change["state"] = _state_of(str(detail.get("event") or ""))
        change["reason"] = _reason(detail)
    elif detail.get("field") == "message_template_quality_update":
        change["quality"] = str(detail.get("new_quality_score") or "").lower()[:20]
    elif detail.get("field") == "template_category_update":
        change |= _category_change(detail)
    if not change or not name or not all(change.get(key, "-") for key in ("state", "category")):
        return False
    done = db.session.execute(
        update(Template)
        .where(
            Template.tenant_id == current_tenant_id(),
            Template.account_id.in_([account_id, template_account(line)]),
            Template.name == name,
            Template.language == language,
        )
        .values(**change, changed_at=now())
        .returning(Template.id)
    )
    return done.first() is not None


def _category_change(detail: dict[str, Any]) -> dict[str, str]:
    """A category changes at once, or is announced a day ahead with only `correct_category`."""
    category = str(detail.get("new_category") or "").lower()[:40]
    announced = str(detail.get("correct_category") or "").lower()[:40]
    if category and detail.get("previous_category"):
        return {"category": category, "next_category": ""}
    if announced:
        return {"next_category": "" if announced == category else announced}
    return {"category": category, "next_category": ""} if category else {}


def list_templates(
    filters: TemplateFilters, after: str | None = None, limit: int = 10_000
) -> list[Template]:
    """List by name and id; `after` is the id of the last one shown."""
    query = select(Template).where(Template.tenant_id == current_tenant_id())
    if filters.state:
        query = query.where(Template.state == filters.state)
    if filters.category:
        query = query.where(Template.category == filters.category)
    if filters.name:
        query = query.where(Template.name.icontains(filters.name, autoescape=True))
    if filters.accounts is not None:
        query = query.where(Template.account_id.in_(filters.accounts))
    if after:
        last = get(after)
        query = query.where(
            or_(
                Template.name > last.name,
                (Template.name == last.name) & (Template.id > last.id),
            )
        )
    query = query.order_by(Template.name, Template.id)
    return list(db.session.scalars(query.limit(limit)))


STOPPED = (
    select(Template.id, Template.name)
    .where(
        Template.tenant_id == THIS_TENANT,
        Template.state.in_(("paused", "disabled")),
        Template.account_id == any_(bindparam("accounts", type_=ARRAY(Text))),
    )
    .order_by(Template.state.desc(), Template.name, Template.id)
    .limit(bindparam("most"))
)


def stopped_templates(accounts: frozenset[str], most: int) -> Sequence[Any]:
    """Ids and names of templates that WhatsApp paused or disabled: paused ones first, each group
    by name.
    """
    return read_rows(STOPPED, {"accounts": list(accounts), "most": most})


def get(template_id: str) -> Template:
    found = db.session.get(Template, (current_tenant_id(), template_id))
    if found is None:
        raise NotFound()
    return found


def latest_uses(known: Template, most: int = 5) -> list[TemplateUse]:
    rows = db.session.execute(
        LATEST_MESSAGES,
        {
            "tenant_id": current_tenant_id(),
            "name": known.name,
            "language": known.language,
            "most": most,
        },
    )
    return [
        TemplateUse(from_uuid("msg", row.id), row.phone, row.state, row.created_at) for row in rows
    ]


def named_query(account_id: str, name: str, language: str) -> Select[Template]:
    return select(Template).where(
        Template.tenant_id == current_tenant_id(),
        Template.account_id == account_id,
        Template.name == name,
        Template.language == language,
    )


NAMED = (
    select(Template)
    .where(
        Template.tenant_id == THIS_TENANT,
        Template.account_id == bindparam("account_id"),
        Template.name == any_(bindparam("names", type_=ARRAY(Text))),
    )
    .execution_options(plan_once=True)
)


def templates_named(line: Line, *names: str) -> list[Template]:
    """Return the templates in all languages, in the line's account."""
    wanted = {"account_id": template_account(line), "names": list(names)}
    return list(db.session.scalars(NAMED, wanted))


def main_lines(lines: list[Line]) -> list[Line]:
    """Return the lines to use by default: the live lines, else the test line."""
    return [line for line in lines if not line.test] or lines


def lines_of(known: Template, lines: list[Line]) -> list[Line]:
    return [line for line in lines if template_account(line) == known.account_id]


def _in_account(account_id: str) -> frozenset[str]:
    return frozenset({account_id})


def _is_just_submitted(one: Template, moment: datetime) -> bool:
    """The list may have been fetched before this template was created here."""
    return one.state == "pending" and one.changed_at > moment - JUST_SUBMITTED


def _unchanged(before: Template, one: NetworkTemplate) -> bool:
    names = (
        *("network_id", "category", "state", "reason", "quality"),
        *("parameter_format", "components"),
    )
    return all(getattr(before, name) == getattr(one, name) for name in names)


def _state_of(event: str) -> str:
    state = event.lower()[:40]
    return {"flagged": "", "reinstated": "approved", "unpaused": "approved"}.get(state, state)


def _reason(detail: dict[str, Any]) -> str:
    other = detail.get("other_info")
    description = other.get("description") if isinstance(other, dict) else None
    return reason_of(description or detail.get("reason"))


def _record_sync(account_id: str, values: dict[str, Any]) -> None:
    """Write these values to every line of the account."""
    own_lines = [
        line.id
        for line in db.session.scalars(
            select(Line).where(Line.tenant_id == current_tenant_id(), Line.removed_at.is_(None))
        )
        if template_account(line) == account_id
    ]
    db.session.execute(
        update(Line)
        .where(Line.tenant_id == current_tenant_id(), Line.id.in_(own_lines))
        .values(**values)
    )
