"""Hooks of payment providers: verify the raw bytes, store them, respond; a job confirms them."""

from flask import Response, current_app, g, request
from werkzeug.exceptions import RequestEntityTooLarge

from api.hooks import error_reply, hooks
from api.hooks.address_cache import HookAddressCache
from api.hooks.cloud import HOOKS_REFUSED
from core.db import db, notify_workers, tenant_scope
from core.lookups import secret_digest
from core.queue import lanes
from core.settings import Settings
from restaurant.payments import accounts as payment_accounts
from restaurant.payments import provider_events
from restaurant.payments.accounts import LOOKUP, HookAddress
from restaurant.payments.gateways.base import InvalidSignature, ProviderCredentials, UnreadableEvent
from restaurant.payments.gateways.registry import GATEWAYS
from webhooks.inbound.hook_queue import LANE
from webhooks.inbound.models import ReceivedHook

LARGEST_BODY = 512 * 1024

account_addresses = HookAddressCache(
    LOOKUP, lambda _, account_id: payment_accounts.hook_address(account_id), secret_digest
)


@hooks.post(f"/<any({', '.join(GATEWAYS)}):provider>/<token>")
def payment(provider: str, token: str) -> Response:
    plate = account_addresses.of(token)
    if plate is None or plate.provider != provider:
        return error_reply(404, "not_found", "There is nothing at this address.")
    request.max_content_length = LARGEST_BODY
    try:
        raw = request.get_data(cache=False)
    except RequestEntityTooLarge:
        return error_reply(413, "body_too_large", "The body is larger than 512 KiB.")
    g.tenant_id = plate.tenant_id
    signed = False
    try:
        signed = GATEWAYS[provider].verify(_credentials(plate), dict(request.headers), raw).signed
    except InvalidSignature as error:
        HOOKS_REFUSED.labels(provider).inc()
        with tenant_scope(plate.tenant_id):
            provider_events.record_forged_event(plate.id, raw, str(error))
        return error_reply(401, "invalid_signature", "The signature does not fit the body.")
    except UnreadableEvent:
        pass  # stored: it is listed as unreadable
    with tenant_scope(plate.tenant_id):
        db.session.add(
            ReceivedHook(
                tenant_id=plate.tenant_id,
                kind=provider,
                target=plate.id,
                body=raw,
                facts={"signed": "yes" if signed else "no"},
            )
        )
        lanes.mark_due(LANE, plate.tenant_id)
        notify_workers("jobs.inbound.hooks.drain")
    return Response('{"status":"ok"}', mimetype="application/json")


def _credentials(plate: HookAddress) -> ProviderCredentials:
    settings: Settings = current_app.extensions["comanda"]
    return ProviderCredentials(
        plate.provider, plate.key, plate.secret, plate.hook_secret, "", settings.base_url
    )
