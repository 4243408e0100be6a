"""Hooks of payment providers. What they report is checked with the provider by a job."""

from flask import Response, current_app
from werkzeug.datastructures import Headers

from api.hooks import hooks
from api.hooks.address_cache import HookAddressCache
from api.hooks.receive import KIB, HookRefused, HookSource, HookToStore, receive_hook
from core.db import tenant_scope
from core.lookups import secret_digest
from core.settings import Settings
from restaurant.payments import accounts as payment_accounts
from restaurant.payments import provider_events
from restaurant.payments.accounts import LOOKUP, HookAddress
from restaurant.payments.gateways.base import InvalidSignature, ProviderCredentials, UnreadableEvent
from restaurant.payments.gateways.registry import GATEWAYS

account_addresses = HookAddressCache(
    LOOKUP, lambda _, account_id: payment_accounts.hook_address(account_id), secret_digest
)


def _verify(account: HookAddress, headers: Headers, raw: bytes) -> HookToStore:
    signed = False
    try:
        event = GATEWAYS[account.kind].verify(_credentials(account), dict(headers), raw)
        signed = event.signed
    except InvalidSignature as error:
        with tenant_scope(account.tenant_id):
            provider_events.record_forged_event(account.id, raw, str(error))
        raise HookRefused() from error
    except UnreadableEvent:
        pass  # stored all the same: the portal lists events that were not understood
    return HookToStore({"signed": "yes" if signed else "no"})


def _credentials(account: HookAddress) -> ProviderCredentials:
    settings: Settings = current_app.extensions["comanda"]
    return ProviderCredentials(
        account.kind, account.key, account.secret, account.hook_secret, "", settings.base_url
    )


PAYMENTS = HookSource(account_addresses, 512 * KIB, _verify)


@hooks.post(f"/<any({', '.join(GATEWAYS)}):provider>/<token>")
def payment(provider: str, token: str) -> Response:
    return receive_hook(PAYMENTS, provider, token)
