"""A guest at a table calls the waiter or asks for the bill, and sees when somebody is coming."""

from flask import Response, request
from pydantic import BaseModel, Field, ValidationError

from core.buckets import Bucket, take
from core.db import tenant_scope
from core.errors import DomainError, Invalid
from core.ids import BadId
from core.texts import BadText
from portal.diner.facts import remembered
from portal.diner.order_status import BURST, RATE
from portal.diner.pages import BOOK, asked_language, diner, json_answer, raw_body, refused
from portal.visitors import open_to_all
from restaurant import calls, sites, tables
from restaurant.models import TableCall


class CallIn(BaseModel):
    table: str = Field(max_length=40)
    k: str = Field(max_length=100)
    kind: str


@diner.post("/r/<slug>/call")
@open_to_all
def call(slug: str) -> Response:
    facts = remembered.of("slug", slug)
    if facts is None:
        return refused(404, "no_such_place", "en")
    language = asked_language(facts)
    try:
        asked = CallIn.model_validate_json(raw_body())
        with tenant_scope(facts.tenant_id):
            site = sites.get(facts.site.id)
            table = tables.coded(site.id, asked.table, asked.k)
            if table is None:
                raise Invalid("unknown_table", "There is no such table here.")
            made = calls.call(site, table, asked.k, asked.kind)
            return json_answer(_shown(made, language))
    except (ValidationError, DomainError, BadText):
        return refused(422, "failed", language)


@diner.get("/r/<slug>/calls/<call_id>")
@open_to_all
def call_status(slug: str, call_id: str) -> Response:
    """Whether a member of staff has answered. Only the guest's phone has the id."""
    facts = remembered.of("slug", slug)
    if facts is None:
        return refused(404, "no_such_place", "en")
    language = asked_language(facts)
    if not take([Bucket(f"call-status:{request.remote_addr}", RATE, BURST)]).allowed:
        return refused(429, "failed", language)
    with tenant_scope(facts.tenant_id):
        try:
            made = calls.find(facts.site.id, call_id)
        except BadId:
            made = None
        if made is None:
            return refused(404, "failed", language)
        return json_answer(_shown(made, language))


def _shown(made: TableCall, language: str) -> dict[str, object]:
    answered = made.answered_at is not None
    word = "coming" if answered else "called"
    return {
        "call": made.id,
        "kind": made.kind,
        "answered": answered,
        "said": BOOK.say(language, f"{word}_{made.kind}"),
    }
