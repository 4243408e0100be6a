"""The stand-in of a template: campaigns send it when the network pauses the template."""

from sqlalchemy import select

from core.db import current_tenant_id, db
from core.errors import invalid
from messaging.models import Template
from messaging.templates.components import required_parameters
from tenants import audit


def possible_stand_ins(known: Template) -> list[Template]:
    """Approved templates of the same account and language that take the same values."""
    found = db.session.scalars(
        select(Template)
        .where(
            Template.tenant_id == current_tenant_id(),
            Template.account_id == known.account_id,
            Template.language == known.language,
            Template.id != known.id,
            Template.state == "approved",
        )
        .order_by(Template.name)
    )
    needs = required_parameters(known.components)
    return [
        one
        for one in found
        if one.parameter_format == known.parameter_format
        and required_parameters(one.components) == needs
    ]


def choose_stand_in(known: Template, name: str) -> None:
    """Empty: none. Raises Invalid for a template that does not take the same values."""
    if name and name not in {one.name for one in possible_stand_ins(known)}:
        raise invalid(
            "stand_in",
            "unsuitable_stand_in",
            "Choose an approved template in the same language with the same placeholders.",
        )
    if known.stand_in != name:
        before = audit.snapshot(known)
        known.stand_in = name
        audit.record_change("templates.changed", known.name, before, known, language=known.language)


def languages_of(account_id: str, name: str) -> list[Template]:
    """The template in all its languages, for the tabs of the editor."""
    return list(
        db.session.scalars(
            select(Template)
            .where(
                Template.tenant_id == current_tenant_id(),
                Template.account_id == account_id,
                Template.name == name,
            )
            .order_by(Template.language)
        )
    )
