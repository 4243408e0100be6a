"""Write templates: create, edit and delete them on the network, and keep the copy here.

Three steps, as for every call to another service. The caller opens a transaction for the first
(`plan_…`) and the last (`store_…`, `forget_template`) step, but none for the call between
(`submit`, `delete_on_network`).
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Conflict, invalid
from core.http import Policy
from core.http.async_client import Client
from core.ids import new_id
from core.logs import logger
from core.settings import Settings
from core.storage.blobs import Blobs, NoSuchBlob
from core.storage.pending_deletions import delete_later
from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import LineFacts
from messaging.lines.drivers.cloud.driver import base_url
from messaging.lines.drivers.cloud.templates.calls import (
    HeaderFile,
    SubmittedTemplate,
    TemplateApi,
    TemplateRefusal,
)
from messaging.models import Line, Template
from messaging.templates import repository as template_repository
from messaging.templates.draft_checks import check_draft
from messaging.templates.drafts import (
    AUTHENTICATION,
    MEDIA_HEADERS,
    TemplateDraft,
    draft_of,
    is_draftable,
    network_payload,
)
from messaging.templates.refusals import refusal_error
from tenants import audit

EDITABLE_STATES = ("approved", "rejected", "paused")
_HEADER_MIME_TYPES = {
    "image": ("image/jpeg", "image/png"),
    "video": ("video/mp4",),
    "document": ("application/pdf",),
}
Answer = TypeVar("Answer")
log = logger(__name__)


@dataclass(frozen=True)
class StoredHeaderFile:
    """The sample file of a header, in our blob storage. It is needed again for every edit."""

    key: str
    mime_type: str
    filename: str

    def as_json(self) -> dict[str, str]:
        return {"key": self.key, "mime_type": self.mime_type, "filename": self.filename}


@dataclass(frozen=True)
class TemplatePlan:
    """A checked draft with the access that its call needs."""

    draft: TemplateDraft
    account_id: str
    network: str
    facts: LineFacts
    file: StoredHeaderFile | None = None
    template_id: str = ""
    """Of the template that is edited; empty for a new one."""
    network_id: str = ""


def header_file_of(known: Template) -> StoredHeaderFile | None:
    return StoredHeaderFile(**known.header_file) if known.header_file else None


def draft_of_template(known: Template) -> TemplateDraft:
    return draft_of(known.name, known.language, known.category, known.components)


def draft_to_change(known: Template) -> TemplateDraft:
    """The draft to edit or duplicate. Raises Conflict if parts of the template would be lost."""
    if not is_draftable(known.components):
        raise Conflict(
            "unsupported_template",
            "This template has parts that can only be changed in WhatsApp Manager, such as a "
            "button that opens a Flow or a catalog.",
        )
    return draft_of_template(known)


def line_for_templates(line_id: int | None, lines: list[Line]) -> Line:
    """Return the line whose account gets a new template: the given one, else the default."""
    usable = [line for line in lines if template_repository.template_account(line)]
    if line_id is not None:
        usable = [line for line in usable if line.id == line_id]
    live = [line for line in usable if not line.test] or usable
    found = next((line for line in live if line.is_default), live[0] if live else None)
    if found is None:
        raise invalid(
            "instance_id",
            "no_cloud_line",
            "Templates need a WhatsApp Cloud API line with a business account ID.",
        )
    return found


def plan_new(draft: TemplateDraft, line: Line, file: StoredHeaderFile | None) -> TemplatePlan:
    check_draft(draft)
    _check_file(draft, file)
    account_id = template_repository.template_account(line)
    same_name = template_repository.templates_named(line, draft.name)
    if any(one.language == draft.language for one in same_name):
        raise invalid(
            "name",
            "template_exists",
            "There is already a template with this name in this language. Use another name.",
        )
    facts = line_repository.line_facts(line)
    return TemplatePlan(draft, account_id, line.network, facts, file)


def plan_edit(
    known: Template, draft: TemplateDraft, lines: list[Line], file: StoredHeaderFile | None
) -> TemplatePlan:
    """Name and language stay. The network does not change the category of an approved template."""
    if known.state not in EDITABLE_STATES:
        raise Conflict(
            "template_in_review",
            "WhatsApp accepts changes only to approved, rejected and paused templates.",
        )
    if (draft.name, draft.language) != (known.name, known.language):
        raise invalid(
            "name" if draft.name != known.name else "language",
            "not_changeable",
            "Name and language cannot be changed. Duplicate the template instead.",
        )
    if known.state == "approved" and draft.category != known.category:
        raise invalid(
            "category",
            "not_changeable",
            "The category of an approved template cannot be changed. Duplicate the template "
            "instead.",
        )
    file = file or header_file_of(known)
    check_draft(draft)
    _check_file(draft, file)
    line = _line_of(known, lines)
    return TemplatePlan(
        draft,
        known.account_id,
        line.network,
        line_repository.line_facts(line),
        file,
        known.id,
        known.network_id,
    )


def plan_deletion(known: Template, lines: list[Line]) -> TemplatePlan:
    line = _line_of(known, lines)
    return TemplatePlan(
        draft_of_template(known),
        known.account_id,
        line.network,
        line_repository.line_facts(line),
        header_file_of(known),
        known.id,
        known.network_id,
    )


def submit(settings: Settings, blobs: Blobs, plan: TemplatePlan) -> SubmittedTemplate:
    """Create or edit the template on the network. Raises a DomainError that explains a refusal."""
    file = _read_file(blobs, plan)

    async def call(api: TemplateApi) -> SubmittedTemplate | TemplateRefusal:
        handle = await api.upload(file) if file is not None else ""
        if isinstance(handle, TemplateRefusal):
            return handle
        payload = network_payload(plan.draft, handle)
        if not plan.network_id:
            return await api.create(plan.account_id, payload)
        changed = {name: payload[name] for name in ("category", "components", "parameter_format")}
        return await api.edit(plan.network_id, changed)

    answer = _ask_network(settings, plan, call)
    if isinstance(answer, TemplateRefusal):
        log.info("template refused", code=answer.code, subcode=answer.subcode)
        raise refusal_error(answer)
    return answer


def delete_on_network(settings: Settings, plan: TemplatePlan) -> None:
    refusal = _ask_network(
        settings,
        plan,
        lambda api: api.delete(plan.account_id, plan.draft.name, plan.network_id),
    )
    # A template that the network no longer has is what the caller asked for.
    if refusal is not None and refusal.subcode != 2593002:
        raise refusal_error(refusal)


def store_submitted(plan: TemplatePlan, answer: SubmittedTemplate) -> Template:
    """Store the template as the network has it now; its review is reported by webhook."""
    draft, moment = plan.draft, now()
    known = _find_known(plan)
    if known is None:
        known = Template(
            tenant_id=current_tenant_id(),
            id=new_id("tpl"),
            account_id=plan.account_id,
            name=draft.name,
            language=draft.language,
        )
        db.session.add(known)
    payload = network_payload(draft)
    replaced = header_file_of(known) if known.header_file else None
    known.network_id = answer.network_id or plan.network_id
    known.category = answer.category or draft.category
    known.state = answer.state
    known.reason = ""
    known.parameter_format = payload["parameter_format"].lower()
    known.components = payload["components"]
    known.header_file = plan.file.as_json() if plan.file is not None else {}
    known.changed_at = known.synced_at = moment
    if replaced is not None and replaced != plan.file:
        delete_later([replaced.key])
    event = "templates.changed" if plan.template_id else "templates.created"
    audit.record(event, draft.name, language=draft.language)
    if draft.category == AUTHENTICATION:
        template_repository.request_sync()  # only the network knows the text of its codes
    db.session.flush()
    return known


def forget_template(plan: TemplatePlan) -> None:
    """Delete our copy after the network deleted the template."""
    known = _find_known(plan)
    if known is not None:
        delete_later([plan.file.key if plan.file else None])
        db.session.delete(known)
    audit.record("templates.deleted", plan.draft.name, language=plan.draft.language)


def copy_name(name: str, taken: set[str]) -> str:
    """A free name for a duplicate: order_update, order_update_2, order_update_3, …"""
    for number in range(2, 1000):
        candidate = f"{name[:500]}_{number}"
        if candidate not in taken:
            return candidate
    return name


def _find_known(plan: TemplatePlan) -> Template | None:
    if plan.template_id:
        return db.session.get(Template, (current_tenant_id(), plan.template_id))
    return db.session.scalars(
        template_repository.named_query(plan.account_id, plan.draft.name, plan.draft.language)
    ).first()


def _line_of(known: Template, lines: list[Line]) -> Line:
    own = template_repository.lines_of(known, lines)
    own.sort(key=lambda line: line.state != "connected")
    if not own:
        raise Conflict(
            "line_removed",
            "The line of this template was removed. Add it again to change the template.",
        )
    return own[0]


def _check_file(draft: TemplateDraft, file: StoredHeaderFile | None) -> None:
    if draft.header is None or draft.header.type not in MEDIA_HEADERS:
        return
    if file is None:
        raise invalid(
            "header.media_id", "file_needed", "Upload a sample file for the header of the template."
        )
    if file.mime_type not in _HEADER_MIME_TYPES[draft.header.type]:
        raise invalid(
            "header.media_id",
            "wrong_media_type",
            "A header can show a JPEG or PNG image, an MP4 video or a PDF document. The type of "
            "the file must match the header.",
        )


def _read_file(blobs: Blobs, plan: TemplatePlan) -> HeaderFile | None:
    header = plan.draft.header
    if plan.file is None or header is None or header.type not in MEDIA_HEADERS:
        return None
    try:
        with blobs.open(plan.file.key) as stored:
            return HeaderFile(stored.read(), plan.file.mime_type, plan.file.filename)
    except NoSuchBlob:
        raise invalid(
            "header.media_id", "file_needed", "Upload a sample file for the header of the template."
        ) from None


def _ask_network(
    settings: Settings, plan: TemplatePlan, call: Callable[[TemplateApi], Awaitable[Answer]]
) -> Answer:
    async def ask() -> Answer:
        # The network's base URL is a setting of the operator and may be on this machine.
        async with Client(Policy(allow_loopback=True)) as client:
            base = base_url(settings, plan.network)
            return await call(TemplateApi(client, base, settings.cloud_version, plan.facts))

    return asyncio.run(ask())


def with_own_file(blobs: Blobs, plan: TemplatePlan, tenant_id: int) -> TemplatePlan:
    """Copy the header's file, unless the template that is edited already owns it.

    Uploads follow the retention setting, and two templates never share a file.
    """
    folder = f"{tenant_id}/templates/"
    file = plan.file
    if file is None or (plan.template_id and file.key.startswith(folder)):
        return plan
    own = replace(file, key=f"{folder}{new_id('file').lower()}")
    with blobs.open(file.key) as uploaded:
        blobs.put(own.key, uploaded, file.mime_type)
    return replace(plan, file=own)
