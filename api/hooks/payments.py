"""What payment providers post: verified on its raw bytes, kept, answered; believed later."""

from flask import Response, current_app, g, request
from werkzeug.exceptions import RequestEntityTooLarge

from api.hooks import hooks, refusal
from api.hooks.cloud import REFUSED
from api.hooks.plates import Plates
from core import lanes
from core.db import db, ring, tenant_scope
from core.lookups import digest
from core.settings import Settings
from messaging.hooks import LANE
from messaging.models import ReceivedHook
from restaurant import payment_accounts, signals
from restaurant.gateways import Desk, Forged, Unreadable
from restaurant.gateways.book import GATEWAYS
from restaurant.payment_accounts import LOOKUP, Doorplate

LARGEST_BODY = 512 * 1024

plates = Plates(LOOKUP, lambda _, account_id: payment_accounts.doorplate(account_id), digest)


@hooks.post("/<any(stripe, iyzico, simulated):provider>/<token>")
def payment(provider: str, token: str) -> Response:
    plate = plates.of(token)
    if plate is None or plate.provider != provider:
        return refusal(404, "not_found", "There is nothing at this address.")
    request.max_content_length = LARGEST_BODY
    try:
        raw = request.get_data(cache=False)
    except RequestEntityTooLarge:
        return refusal(413, "body_too_large", "The body is larger than 512 KiB.")
    g.tenant_id = plate.tenant_id
    signed = False
    try:
        signed = GATEWAYS[provider].verify(_desk(plate), dict(request.headers), raw).signed
    except Forged as error:
        REFUSED.labels(provider).inc()
        with tenant_scope(plate.tenant_id):
            signals.note_forgery(plate.id, raw, str(error))
        return refusal(401, "invalid_signature", "The signature does not fit the body.")
    except Unreadable:
        pass  # kept: a person sees it among what was not understood
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
        ring("jobs.hooks.drain")
    return Response('{"status":"ok"}', mimetype="application/json")


def _desk(plate: Doorplate) -> Desk:
    settings: Settings = current_app.extensions["comanda"]
    return Desk(plate.provider, plate.key, plate.secret, plate.hook_secret, "", settings.base_url)
