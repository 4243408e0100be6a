"""The tenant's language model: its address, key and limits. Optional; rules work without it."""

from dataclasses import dataclass

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import invalid
from core.http import OutboundError, Policy, check_url
from core.values.text import one_line
from restaurant.models import LanguageModel
from tenants import audit

LONGEST_URL, LONGEST_KEY, LONGEST_NAME = 300, 400, 120
MIN_TIMEOUT, MAX_TIMEOUT = 2, 30
MAX_DAILY_REQUESTS = 100_000


@dataclass(frozen=True)
class ModelSettings:
    url: str
    key: str
    """Empty keeps the stored one."""
    model: str
    transcription_model: str = ""
    enabled: bool = True
    timeout_seconds: int = 8
    daily_requests: int = 500


@dataclass(frozen=True)
class ModelAccess:
    """What a call needs. The key is in plain text: never log it."""

    url: str
    key: str
    model: str
    transcription_model: str
    timeout_seconds: int


def get() -> LanguageModel | None:
    return db.session.get(LanguageModel, (current_tenant_id(),))


def is_active() -> bool:
    model = get()
    return model is not None and model.enabled


def transcribes() -> bool:
    model = get()
    return model is not None and model.enabled and bool(model.transcription_model)


def save(settings: ModelSettings, policy: Policy) -> LanguageModel:
    """Raises Invalid with the field that is wrong."""
    url = one_line(settings.url, LONGEST_URL).rstrip("/").removesuffix("/chat/completions")
    try:
        check_url(url, policy)
    except OutboundError:
        raise invalid(
            "url",
            "invalid_url",
            "Enter the address of the server, such as https://api.example.com/v1.",
        ) from None
    name = one_line(settings.model, LONGEST_NAME)
    if not name:
        raise invalid("model", "missing", "Enter the name of the model.")
    if not MIN_TIMEOUT <= settings.timeout_seconds <= MAX_TIMEOUT:
        raise invalid(
            "timeout_seconds", "out_of_range", "Enter a number from {low} to {high}.",
            low=MIN_TIMEOUT, high=MAX_TIMEOUT,
        )  # fmt: skip
    if not 1 <= settings.daily_requests <= MAX_DAILY_REQUESTS:
        raise invalid(
            "daily_requests", "out_of_range", "Enter a number from {low} to {high}.",
            low=1, high=MAX_DAILY_REQUESTS,
        )  # fmt: skip
    stored = get()
    key = settings.key.strip()[:LONGEST_KEY]
    if stored is None:
        stored = LanguageModel(tenant_id=current_tenant_id(), key=key)
        db.session.add(stored)
    elif key or stored.url != url:  # a key is never sent to another server than it was given for
        stored.key = key
    stored.url, stored.model = url, name
    stored.transcription_model = one_line(settings.transcription_model, LONGEST_NAME)
    stored.enabled = settings.enabled
    stored.timeout_seconds = settings.timeout_seconds
    stored.daily_requests = settings.daily_requests
    stored.changed_at = now()
    db.session.flush()
    audit.record("settings.model_set", name)
    return stored


def remove() -> None:
    stored = get()
    if stored is not None:
        db.session.delete(stored)
        audit.record("settings.model_removed", stored.model)


def take_from_budget() -> ModelAccess | None:
    """Count one request. None if the model is off or the requests of the day are used up."""
    stored = db.session.get(LanguageModel, (current_tenant_id(),), with_for_update=True)
    if stored is None or not stored.enabled:
        return None
    today = now().date()
    if stored.used_on != today:
        stored.used_on, stored.used = today, 0
    if stored.used >= stored.daily_requests:
        return None
    stored.used += 1
    return ModelAccess(
        stored.url, stored.key, stored.model, stored.transcription_model, stored.timeout_seconds
    )
