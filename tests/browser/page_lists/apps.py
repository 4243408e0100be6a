"""Pages of connected apps, of approvals, and of kitchen codes, for the test of every page."""

from core.db import global_scope
from restaurant.models import Site
from restaurant.orders import queries as order_queries
from restaurant.orders.kitchen import code_urls, ticket_codes
from restaurant.sites import stations
from tenants.apps import clients, grants

APPS = {
    "approvals": "/approvals",
    "approvals-decided": "/approvals/decided",
    "approval-policy": "/approvals/policies/{app_key}",
    "connected-apps": "/connected-apps",
    "connected-app-revoke": "/connected-apps/{grant}/revoke",
    "oauth-consent": "/oauth/authorize?response_type=code&client_id={client}"
    "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256",
    "language-model": "/settings/language-model",
    "language-model-remove": "/settings/language-model/remove",
}
KITCHEN_CODES = {
    "orders-unhappy": "/orders/unhappy",
    "station-scanner": "/restaurants/{site}/stations/{station}/scanner",
    "station-connect": "/k/station/{scanner}",
    "ticket-code": "/k/{ticket}",
}


def app_ids() -> dict[str, object]:
    """The demo's connected app. In the scope of the tenant."""
    grant, _ = grants.list_connected()[0]
    return {"grant": grant.id, "app_key": grant.key_id}


def client_ids() -> dict[str, object]:
    """An app that asks for access."""
    with global_scope():
        client, _ = clients.register(
            {"client_name": "Table assistant", "redirect_uris": ["https://app.example.com/done"]}
        )
        return {"client": client.id}


def kitchen_code_ids(site: Site) -> dict[str, object]:
    """A ticket of an order that is being prepared, and the link of a scanner."""
    open_now = order_queries.open_orders(site.id)
    order = next(one for one in open_now if one.state == "preparing")
    station = stations.listed(site.id)[0]
    ticket = code_urls.ticket_url(order, "kitchen", order_queries.items_of(order.id))
    return {
        "station": station.code,
        "scanner": _token(ticket_codes.scanner_url(site, station)),
        "ticket": _token(ticket),
    }


def _token(url: str) -> str:
    return url.rpartition("/")[2]
