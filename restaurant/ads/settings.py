"""The tenant's dataset for Meta's Conversions API. Off by default."""

import re

from core import lookups
from core.clock import now
from core.db import current_tenant_id, db
from core.errors import invalid
from restaurant.models import AdConversionSettings
from tenants import audit

LOOKUP = "ad_conversions"
"""Finds the tenants that report purchases, so that the job need not visit the others."""
LONGEST_TOKEN = 1000
_DATASET = re.compile(r"[0-9]{5,20}", re.ASCII)


def get() -> AdConversionSettings | None:
    return db.session.get(AdConversionSettings, (current_tenant_id(),))


def is_active() -> bool:
    stored = get()
    return stored is not None and stored.enabled


def save(dataset_id: str, token: str, *, enabled: bool) -> AdConversionSettings:
    """An empty token keeps the stored one. Raises Invalid with the field that is wrong."""
    dataset_id, token = dataset_id.strip(), token.strip()
    if not _DATASET.fullmatch(dataset_id):
        raise invalid("dataset_id", "invalid_dataset", "Enter the dataset ID. It has only digits.")
    stored = get()
    if not token and (stored is None or stored.dataset_id != dataset_id):
        raise invalid("token", "missing", "Enter the access token of the dataset.")
    if len(token) > LONGEST_TOKEN or not token.isascii() or any(map(str.isspace, token)):
        raise invalid("token", "invalid_token", "This is not an access token.")
    if stored is None:
        stored = AdConversionSettings(
            tenant_id=current_tenant_id(),
            dataset_id=dataset_id,
            token=token,
            enabled=enabled,
            error="",
        )
        db.session.add(stored)
        lookups.add_lookup(LOOKUP, str(current_tenant_id()), dataset_id)
    elif token:
        stored.token = token
    stored.dataset_id, stored.enabled = dataset_id, enabled
    stored.error, stored.failed_at, stored.changed_at = "", None, now()
    audit.record("settings.ad_conversions_set", dataset_id)
    db.session.flush()
    return stored


def remove() -> None:
    """Delete the token and stop reporting."""
    stored = get()
    if stored is not None:
        db.session.delete(stored)
        lookups.remove_lookup(LOOKUP, str(current_tenant_id()))
        audit.record("settings.ad_conversions_removed", stored.dataset_id)
