"""Settings from the environment. One message names everything that is missing or wrong."""

import os
import re
from decimal import Decimal
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from core import chaos
from core.security.encryption import Keyring

PLACEHOLDER = "replace-me"  # the value in deploy/env.example
SERVICE_FILE = "service.env"


class SettingsError(RuntimeError):
    """The environment is not sufficient to start the service."""


_TILES = re.compile(r"https?://[A-Za-z0-9.:\[\]-]+/[^\s{};,'\"]*\{z\}/\{x\}/\{y\}[^\s{};,'\"]*")


class Settings(BaseSettings):
    model_config = SettingsConfigDict(case_sensitive=False, extra="ignore")

    app_env: Literal["development", "production", "test"] = "production"
    data_dir: Path = Path(".data")
    port: int = Field(8000, ge=1, le=65535)
    base_url: str = ""
    database_url: str
    migration_database_url: str = ""
    database_pool: int = Field(10, ge=1, le=500)
    database_prepare: bool = True
    database_pooler: bool = False
    redis_url: str
    secret_key: str = Field(min_length=16)
    encryption_keys: str = Field(min_length=1)
    mail_url: str = "smtp://localhost:25"
    mail_starttls: Literal["required", "offered"] = "required"
    mail_from: str = "Comanda <no-reply@localhost>"
    support_email: str = ""
    """Address that businesses write to, for example when their account is suspended."""
    metrics_token: str = ""
    vapid_private_key: str = ""
    """Signs push notifications; empty: members cannot turn them on."""
    allow_loopback: bool = False
    outbound_ports: str = "80,443"
    blob_url: str = ""
    log_format: Literal["console", "json"] = "json"
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    trusted_proxies: int = Field(0, ge=0, le=5)
    cloud_base_url: str = "https://graph.facebook.com"
    cloud_version: str = "v23.0"
    live_url: str = ""
    live_host: str = "127.0.0.1"
    simulator_url: str = ""
    simulator_secret: str = ""
    menu_domain: str = ""
    map_tile_url: str = ""
    map_attribution: str = "© OpenStreetMap contributors"
    print_agent_dir: str = ""
    stripe_base_url: str = "https://api.stripe.com"
    iyzico_base_url: str = "https://api.iyzipay.com"
    iyzico_sandbox_url: str = "https://sandbox-api.iyzipay.com"
    billing_provider: Literal["", "stripe", "iyzico", "simulated"] = ""
    billing_key: str = ""
    billing_secret: str = ""
    plan_grace_days: int = Field(7, ge=1, le=90)
    invoice_issuer: str = "Comanda"
    invoice_tax_name: str = "VAT"
    invoice_tax_percent: Decimal = Field(Decimal(0), ge=0, le=50)
    linked_network: Literal["whatsapp", "simulator"] = "whatsapp"
    linked_store_url: str = ""
    linked_lines: int = Field(100, ge=1, le=5000)
    linked_lease_seconds: float = Field(15.0, ge=2, le=300)
    hook_body_days: int = Field(3, ge=0, le=365)
    hook_days: int = Field(30, ge=1, le=365)
    linger_seconds: float = Field(1.0, ge=0, le=10)
    lease_seconds: float = Field(60.0, ge=2, le=600)
    event_days: int = Field(30, ge=1, le=400)
    web_processes: int = Field(1, ge=1, le=256)
    waiting_sends: int = Field(20, ge=1, le=10_000)
    waiting_readers: int = Field(12, ge=1, le=10_000)
    """Long polls of the event feed that hold a thread of a web process."""
    direct_sends: int = Field(64, ge=0, le=10_000)
    """Sends that a web process has in flight itself; 0 leaves all of them to workers."""
    request_log_days: int = Field(7, ge=0, le=90)
    debug: bool = False
    fault: str = ""

    @field_validator("database_url", "migration_database_url", "linked_store_url")
    @classmethod
    def name_the_driver(cls, url: str) -> str:
        for scheme in ("postgres://", "postgresql://"):
            if url.startswith(scheme):
                return "postgresql+psycopg2://" + url.removeprefix(scheme)
        if url and not url.startswith("postgresql+psycopg2://"):
            raise ValueError("must start with postgresql://")
        return url

    @field_validator("outbound_ports")
    @classmethod
    def ports_are_numbers(cls, ports: str) -> str:
        if not all(p.strip().isdigit() and 0 < int(p) < 65536 for p in ports.split(",")):
            raise ValueError("must be port numbers separated by commas, such as 80,443")
        return ports

    @field_validator("fault")
    @classmethod
    def fault_is_a_step(cls, fault: str) -> str:
        chaos.parse_fault(fault)
        return fault

    @field_validator("encryption_keys")
    @classmethod
    def keys_can_be_used(cls, keys: str) -> str:
        Keyring.parse(keys)
        return keys

    @model_validator(mode="after")
    def fill_defaults(self) -> "Settings":
        self.base_url = (self.base_url or f"http://127.0.0.1:{self.port}").rstrip("/")
        self.blob_url = self.blob_url or (self.data_dir.resolve() / "blobs").as_uri()
        # A prepared statement belongs to one connection of the server.
        self.database_prepare = self.database_prepare and not self.database_pooler
        return self

    @model_validator(mode="after")
    def a_provider_has_a_key(self) -> "Settings":
        if self.billing_provider and not self.billing_key:
            raise ValueError("BILLING_PROVIDER needs BILLING_KEY")
        return self

    @field_validator("live_url")
    @classmethod
    def live_url_is_an_origin(cls, url: str) -> str:
        if url and not re.fullmatch(r"https?://[A-Za-z0-9.:\[\]-]+/?", url):
            raise ValueError("must be an origin such as https://live.example.com, or empty")
        return url.rstrip("/")

    @field_validator("map_tile_url")
    @classmethod
    def tiles_are_numbered(cls, url: str) -> str:
        if url and not _TILES.fullmatch(url):
            raise ValueError("must be like https://tiles.example.com/{z}/{x}/{y}.png, or empty")
        return url

    @property
    def map_tile_origin(self) -> str:
        """The origin from which pages may load map images, besides the service itself."""
        parts = urlsplit(self.map_tile_url)
        return f"{parts.scheme}://{parts.netloc}" if self.map_tile_url else ""

    @property
    def production(self) -> bool:
        return self.app_env == "production"

    @property
    def lane_lease_seconds(self) -> float:
        """Half the message lease, so that a lane is taken over before its messages are. The worker
        renews the lane's lease with every batch.
        """
        return self.lease_seconds / 2

    @property
    def ports_allowed(self) -> frozenset[int]:
        return frozenset(int(port) for port in self.outbound_ports.split(","))

    @property
    def mailbox(self) -> bool:
        """In development, e-mails are shown on a page instead of being sent."""
        return self.mail_url.startswith("mailbox:")

    @property
    def mail_may_be_plain(self) -> bool:
        """True if the settings allow it, or if the e-mail server runs on this machine."""
        host = urlsplit(self.mail_url).hostname or "localhost"
        return self.mail_starttls == "offered" or host in ("localhost", "127.0.0.1", "::1")

    @property
    def https(self) -> bool:
        return self.base_url.startswith("https://")


def load_settings(**overrides: object) -> Settings:
    """Read the environment, or the file that a running local service left in DATA_DIR. Raises
    SettingsError.
    """
    service = Path(os.environ.get("DATA_DIR", ".data")) / SERVICE_FILE
    running_locally = "DATABASE_URL" not in os.environ and service.is_file()
    try:
        settings = Settings(_env_file=service if running_locally else None, **overrides)  # type: ignore[arg-type]
    except ValidationError as error:
        raise SettingsError(_sentence(error)) from None
    refuse_unsafe_production(settings)
    return settings


def refuse_unsafe_production(settings: Settings) -> None:
    if not settings.production:
        return
    faults = []
    if settings.secret_key.startswith(PLACEHOLDER) or len(set(settings.secret_key)) < 8:
        faults.append("SECRET_KEY is a default or too simple; set a random one of 32 or more signs")
    if settings.debug:
        faults.append("DEBUG must be off")
    if settings.fault:
        faults.append("FAULT kills processes on purpose; unset it")
    if settings.allow_loopback:
        faults.append("ALLOW_LOOPBACK opens our own network to customers; unset it")
    if settings.linked_network == "simulator":
        faults.append("LINKED_NETWORK=simulator links phones that do not exist; unset it")
    if settings.billing_provider == "simulated":
        faults.append("BILLING_PROVIDER=simulated takes no money; unset it")
    if settings.mailbox:
        faults.append("MAIL_URL=mailbox: is for development; set smtp://user:password@host:587")
    if faults:
        raise SettingsError("Production refuses to start: " + "; ".join(faults) + ".")


def _sentence(error: ValidationError) -> str:
    missing, wrong = [], []
    for fault in error.errors():
        name = str(fault["loc"][0]).upper() if fault["loc"] else "environment"
        if fault["type"] == "missing":
            missing.append(name)
        else:
            wrong.append(f"{name} {fault['msg'].removeprefix('Value error, ')}")
    parts = []
    if missing:
        parts.append("missing in the environment: " + ", ".join(missing))
    if wrong:
        parts.append("wrong in the environment: " + "; ".join(wrong))
    return (
        "Comanda cannot start; "
        + "; ".join(parts)
        + ". See deploy/env.example, or type `make run` for a local service."
    )
