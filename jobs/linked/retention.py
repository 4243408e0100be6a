"""Daily, by a host: delete old rows that the library for linked phones never deletes.

Only hosts have the role of their database, so no worker can do this.
"""

from datetime import timedelta

from sqlalchemy.exc import NoResultFound

from core.clock import now
from core.db import tenant_scope
from core.logs import logger
from core.security.encryption import KeyringError
from messaging.lines.drivers.linked.device_store import DeviceStore
from tenants.data import retention as retention_settings

log = logger(__name__)

# An encrypted edit or vote needs the secret of its message; the network keeps both for two weeks.
RETENTION = timedelta(days=30)


def forget(store: DeviceStore) -> int:
    """Delete rows older than 30 days, or older than the tenant keeps its messages if that is less.
    Returns how many were deleted.
    """
    longest = now() - RETENTION
    deleted = store.forget_old(longest)
    for tenant_id, line_id in store.all():
        try:
            with tenant_scope(tenant_id):
                before = retention_settings.get_days().before("message_days")
            if before is None or before <= longest:
                continue
            if device := store.find(tenant_id, line_id):
                deleted += store.forget_old(before, device)
        except (KeyringError, NoResultFound) as error:
            log.warning("linked keys not cleaned", line=line_id, error=type(error).__name__)
    log.info("linked keys cleaned", rows=deleted)
    return deleted
