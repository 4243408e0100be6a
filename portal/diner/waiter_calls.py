"""A guest at a table calls the waiter or asks for the bill, and sees when staff respond."""

from flask import Response, request
from pydantic import BaseModel, Field, ValidationError

from core.db import tenant_scope
from core.errors import DomainError, Invalid
from core.ids import BadId
from core.rate_limits import Bucket, take_tokens
from core.values.text import BadText
from portal.diner.menu_cache import menu_cache
from portal.diner.order_status_views import BURST, RATE
from portal.diner.texts import diner_text
from portal.diner.views import chosen_language, diner, error_reply, json_response, read_body
from portal.web.auth import open_to_all
from restaurant.models import WaiterCall
from restaurant.orders import waiter_calls
from restaurant.sites import sites, tables


class CallIn(BaseModel):
    table: str = Field(max_length=40)
    k: str = Field(max_length=100)
    kind: str


@diner.post("/r/<slug>/call")
@open_to_all
def call(slug: str) -> Response:
    facts = menu_cache.of("slug", slug)
    if facts is None:
        return error_reply(404, "no_such_place", "en")
    language = chosen_language(facts)
    try:
        form = CallIn.model_validate_json(read_body())
        with tenant_scope(facts.tenant_id):
            site = sites.get(facts.site.id)
            table = tables.find_by_code(site.id, form.table, form.k)
            if table is None:
                raise Invalid("unknown_table", "This table does not exist here.")
            made = waiter_calls.create_call(site, table, form.k, form.kind)
            return json_response(_shown(made, language))
    except (ValidationError, DomainError, BadText):
        return error_reply(422, "failed", language)


@diner.get("/r/<slug>/calls/<call_id>")
@open_to_all
def call_status(slug: str, call_id: str) -> Response:
    """Whether staff have responded. Only the guest's phone has the id."""
    facts = menu_cache.of("slug", slug)
    if facts is None:
        return error_reply(404, "no_such_place", "en")
    language = chosen_language(facts)
    if not take_tokens([Bucket(f"call-status:{request.remote_addr}", RATE, BURST)]).allowed:
        return error_reply(429, "failed", language)
    with tenant_scope(facts.tenant_id):
        try:
            made = waiter_calls.find(facts.site.id, call_id)
        except BadId:
            made = None
        if made is None:
            return error_reply(404, "failed", language)
        return json_response(_shown(made, language))


def _shown(made: WaiterCall, language: str) -> dict[str, object]:
    answered = made.answered_at is not None
    word = "coming" if answered else "called"
    return {
        "call": made.id,
        "kind": made.kind,
        "answered": answered,
        "message": diner_text(language, f"{word}_{made.kind}"),
    }
