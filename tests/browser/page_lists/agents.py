"""The pages of connected agents and their approvals, and the demo data in their URLs."""

import base64
import hashlib
from urllib.parse import urlencode

from tenants.apps import clients, grants
from tenants.partners import partners

BACK = "https://agent.example/callback"
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(b"v" * 64).digest()).rstrip(b"=").decode()
AGENTS = {
    "approvals": "/approvals",
    "approvals-decided": "/approvals/decided",
    "approval-policy": "/approvals/policies/{agent_key}",
    "connected-apps": "/connected-apps",
    "connected-app-revoke": "/connected-apps/{grant}/revoke",
    "app-consent": "/oauth/authorize?{consent}",
    "app-unknown": "/oauth/authorize?client_id=app_unknown",
    "language-model": "/settings/language-model",
    "language-model-remove": "/settings/language-model/remove",
}


def agent_ids() -> dict[str, object]:
    """The demo's agent. Call it in the tenant's scope."""
    grant, _ = grants.list_connected()[0]
    return {"agent_key": grant.key_id, "grant": grant.id}


def consent_ids() -> dict[str, object]:
    """An app that asks for access, and the demo's partner. Call it in the global scope."""
    client, _ = clients.register(
        {
            "client_name": "Table agent",
            "redirect_uris": [BACK],
            "token_endpoint_auth_method": "none",
        }
    )
    asked = {
        "response_type": "code",
        "client_id": client.id,
        "redirect_uri": BACK,
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
        "scope": "messages:read messages:send",
    }
    return {"consent": urlencode(asked), "partner": partners.list_partners()[0].id}
