"""The simulated line that every account gets, so that test keys work at once."""

import secrets

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from core.db import current_tenant_id, db
from core.logs import logger
from core.monitoring import service_state
from core.security.signing import sign_token
from core.settings import Settings, SettingsError
from messaging.lines import repository as line_repository
from messaging.models import Line
from messaging.token_purposes import LINE, NO_EXPIRY, UNSIGNED
from tenants import accounts

log = logger(__name__)


def add_simulated_line(
    name: str, base_url: str, simulator_secret: str, *, test: bool, default: bool = False
) -> Line:
    """Add a cloud line whose network is the simulator.

    Its token contains where to send receipts and how to sign them, so that a restarted simulator
    has the line's data from its first message on.
    """
    line = line_repository.add_cloud_line(
        name,
        f"90555{secrets.randbelow(10**7):07d}",
        f"55{secrets.randbelow(10**13):013d}",
        "",
        secrets.token_hex(16),
        network="simulator",
        test=test,
        default=default,
    )
    line.token = sign_token(
        simulator_secret or UNSIGNED,
        LINE,
        {
            "phone_number_id": line.phone_number_id,
            "phone": line.phone,
            "app_secret": line.app_secret,
            "callback_url": f"{base_url}/hooks/cloud/{line.hook_token}",
            "tenant_id": line.tenant_id,
            "name": _shown_name(line),
        },
        NO_EXPIRY,
    )
    return line


def _shown_name(line: Line) -> str:
    """The chat's name on a simulated phone: the business name, as on a real phone."""
    business = accounts.account_name()
    return f"{business} · {line.name}" if line.test else business


def refuse_live_simulated_lines(settings: Settings) -> None:
    """Production does not start with a live line on the simulated network: its messages would
    reach nobody. Raises SettingsError.

    While the database is down nothing is known: the process starts, and such a message is refused.
    """
    if not settings.production:
        return
    try:
        count = int(service_state.measure_figure("lines_simulated"))
    except SQLAlchemyError as error:
        log.warning("live simulated lines not checked", error=type(error).__name__)
        return
    if count:
        raise SettingsError(
            f"Production refuses to start: {count} live line(s) use the simulated network, so their"
            " messages reach nobody. Disable them: flask --app wsgi lines disable-simulated"
        )


def disable_live_simulated_lines() -> list[str]:
    """Disable the tenant's live lines on the simulated network; returns their names."""
    query = select(Line).where(
        Line.tenant_id == current_tenant_id(),
        Line.network == "simulator",
        Line.test.is_(False),
        Line.enabled.is_(True),
        Line.removed_at.is_(None),
    )
    found = list(db.session.scalars(query))
    for line in found:
        line_repository.set_enabled(line.id, enabled=False)
    return [line.name for line in found]
