"""Views for partners: which tenant they work on, and one effect for each Idempotency-Key."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from flask import Response, current_app, g

from api.idempotency import JsonAnswer, fingerprint, idempotency_key
from core.db import global_scope, tenant_scope
from tenants.partners import partners, requests
from tenants.partners.keys import PartnerCaller
from tenants.partners.requests import StoredAnswer

View = TypeVar("View", bound=Callable[..., Any])


def for_partners(view: View) -> View:
    """Mark a view that takes a partner's key instead of a tenant's."""
    view.for_partners = True  # type: ignore[attr-defined]
    view.key_scope = "partner"  # type: ignore[attr-defined]
    return view


def partner() -> PartnerCaller:
    caller: PartnerCaller = g.partner
    return caller


def choose_tenant(tenant_id: int) -> None:
    """The views of a tenant's parts work on this one. Raises NotFound for others' tenants."""
    with global_scope():
        partners.own_tenant(partner(), tenant_id)
    g.tenant_id = tenant_id


def run_once(act: Callable[[], JsonAnswer], tenant_id: int) -> Response:
    """Run `act` in the transaction of this tenant, once for each Idempotency-Key."""
    key = idempotency_key(test=False)
    with tenant_scope(tenant_id):
        stored = requests.begin(partner().partner_id, key, fingerprint()) if key else None
        if stored is not None:
            return _replay(stored)
        answer: Response = current_app.make_response(act())
        if key:
            done = StoredAnswer(answer.status_code, answer.get_data(as_text=True))
            requests.finish(partner().partner_id, key, done)
        return answer


def earlier_answer() -> Response | None:
    """The answer to the first request with this key, before anything else is done."""
    key = idempotency_key(test=False)
    if key is None:
        return None
    with global_scope():
        stored = requests.find(partner().partner_id, key, fingerprint())
    return None if stored is None else _replay(stored)


def _replay(stored: StoredAnswer) -> Response:
    answer = Response(stored.body, stored.status, mimetype="application/json")
    answer.headers["Idempotent-Replayed"] = "true"
    return answer


def in_own_tenant(view: View) -> View:
    """Check that the tenant in the path is the partner's, before the view runs."""

    @wraps(view)
    def checked(*args: Any, **values: Any) -> Any:
        choose_tenant(values["path"].tenant_id)
        return view(*args, **values)

    return for_partners(checked)  # type: ignore[return-value]
