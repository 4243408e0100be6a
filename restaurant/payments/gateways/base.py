"""The interface of payment providers. Gateways report; they do not decide.

An event only announces a change. The status that a provider returns on request is the proof.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Literal, Protocol

from core.adapters import SetupStep
from core.http import Policy
from core.settings import Settings

# The provider's URL is an operator setting and may be on this machine.
OPERATOR_POLICY = Policy(allow_loopback=True)


class GatewayError(Exception):
    """The provider did not do what was requested. The message is a stored reason of
    restaurant/payments/reasons.py.
    """


class GatewayRefused(GatewayError):
    """The provider refused the request; a repeated call would fail too."""


class GatewayUnreachable(GatewayError):
    """No answer, or a request to retry later. It is unknown whether the call took effect."""


class UnreadableEvent(ValueError):
    """An event that cannot be parsed. The message is a stored reason of
    webhooks/inbound/reasons.py.
    """


class InvalidSignature(ValueError):
    """The signature of an event is missing, wrong or too old. The message is a stored reason of
    restaurant/payments/reasons.py.
    """


@dataclass(frozen=True)
class ProviderCredentials:
    """The credentials and addresses of an account at a provider."""

    provider: str
    key: str
    secret: str
    hook_secret: str
    base_url: str
    hook_url: str
    owner: str = ""
    live: bool = False
    operator_secret: str = ""
    """The credential of the simulated provider."""
    policy: Policy = OPERATOR_POLICY
    timeout: float = 12.0


@dataclass(frozen=True)
class LinkRequest:
    """The parameters of a link. Repeated calls with the same `key` create one link.

    A provider refuses the same key with other parameters, so nothing here, and nothing that an
    adapter derives from it, may depend on the time of the call.
    """

    key: str
    reference: str
    amount: Decimal
    currency: str
    description: str
    asked_at: datetime
    """When the link was first requested; the same in repeated calls."""
    expires_at: datetime
    return_url: str
    language: str
    shop: str = ""


@dataclass(frozen=True)
class CreatedLink:
    url: str
    ref: str


@dataclass(frozen=True)
class GatewayEvent:
    """`kind`: paid, failed, expired, refunded or other."""

    key: str
    kind: str
    event: str
    session: str = ""
    payment: str = ""
    reference: str = ""
    amount: Decimal | None = None
    currency: str = ""
    owner: str = ""
    live: bool | None = None
    signed: bool = False


@dataclass(frozen=True)
class LinkStatus:
    """A link's status as the provider returns it. `state`: paid, open, failed or expired."""

    state: str
    reference: str = ""
    payment: str = ""
    amount: Decimal | None = None
    currency: str = ""
    refunded: Decimal = Decimal(0)
    owner: str = ""
    live: bool | None = None
    paid_at: datetime | None = None


@dataclass(frozen=True)
class AccountCheck:
    owner: str
    name: str
    live: bool


@dataclass(frozen=True)
class RefundResult:
    """`pending`: the provider accepted the refund and will make it later."""

    ref: str
    pending: bool = False


@dataclass(frozen=True)
class KeyField:
    """A key that the tenant copies from the provider; the texts are shown on the form."""

    name: Literal["key", "secret", "hook_secret"]
    label: str
    hint: str = ""
    missing: str = ""
    """The error when it is left blank. Without one, the key may be added later."""
    pattern: re.Pattern[str] | None = None
    pattern_error: str = ""


class Gateway(Protocol):
    """What an adapter module defines. The registry lists the adapters by their code."""

    title: str
    summary: str
    suggested_name: str
    """The initial name of a new account."""
    key_fields: tuple[KeyField, ...]
    setup_steps: tuple[SetupStep, ...]
    needs_hook_secret: bool
    """Without the signing secret, no event can be verified and no payment is taken."""
    play_money: bool
    """No money is real: real orders and test orders can both be paid with it."""
    once: bool
    """A repeated refund request is executed once."""
    status_poll_seconds: int
    """Seconds between status requests for an open link."""

    def is_offered(self, settings: Settings) -> bool:
        """Whether tenants of this installation can add an account."""
        ...

    def base_url(self, settings: Settings, key: str) -> str: ...

    def operator_secret(self, settings: Settings) -> str: ...

    def new_hook_secret(self) -> str | None:
        """A signing secret for a new account, where the provider takes one from us."""
        ...

    def check(self, credentials: ProviderCredentials) -> AccountCheck: ...

    def create_link(
        self, credentials: ProviderCredentials, request: LinkRequest
    ) -> CreatedLink: ...

    def close(self, credentials: ProviderCredentials, ref: str) -> None: ...

    def verify(
        self, credentials: ProviderCredentials, headers: Mapping[str, str], raw: bytes
    ) -> GatewayEvent: ...

    def read(self, raw: bytes) -> GatewayEvent: ...

    def fetch(
        self, credentials: ProviderCredentials, ref: str, reference: str, payment: str = ""
    ) -> LinkStatus: ...

    def refund(
        self,
        credentials: ProviderCredentials,
        payment: str,
        amount: Decimal,
        currency: str,
        key: str,
        reason: str,
    ) -> RefundResult: ...
