"""Payment providers behind one interface: they answer, they do not decide.

A signal says that something happened; only what a provider answers when asked is believed.
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

# A provider's address is the operator's own setting, and may be on this machine.
OPERATOR_POLICY = Policy(allow_loopback=True)


class GatewayError(Exception):
    """The provider did not do what was asked; the sentence is for people."""


class GatewayRefused(GatewayError):
    """It said no, and will say no again."""


class GatewayUnreachable(GatewayError):
    """No answer, or one that says "later". Whether it was done is not known."""


class UnreadableEvent(ValueError):
    """A signal that cannot be understood."""


class InvalidSignature(ValueError):
    """A signal whose signature is missing, wrong or too old."""


@dataclass(frozen=True)
class ProviderCredentials:
    """An account at a provider, with all that is needed to speak to it."""

    provider: str
    key: str
    secret: str
    hook_secret: str
    base_url: str
    hook_url: str
    owner: str = ""
    live: bool = False
    operator_secret: str = ""
    """What the simulated provider asks for."""
    policy: Policy = OPERATOR_POLICY
    timeout: float = 12.0


@dataclass(frozen=True)
class LinkRequest:
    """A link that is wanted. The same `key` twice makes one link.

    A provider refuses the same key with other parameters, so nothing here, and nothing an adapter
    makes of it, may depend on when the call is made.
    """

    key: str
    reference: str
    amount: Decimal
    currency: str
    description: str
    asked_at: datetime
    """When it was first wanted; the same in every repeated call."""
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
    """How a link stands, said by the provider itself. `state`: paid, open, failed, expired."""

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
    """`pending`: the provider took it on and will do it."""

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
    """The same refund asked for twice is done once."""
    status_poll_seconds: int
    """Seconds between our own questions about an open link."""

    def is_offered(self, settings: Settings) -> bool:
        """Whether tenants of this installation can add an account."""
        ...

    def base_url(self, settings: Settings, key: str) -> str: ...

    def operator_secret(self, settings: Settings) -> str: ...

    def new_hook_secret(self) -> str | None:
        """A signing secret for a new account, where the provider takes one from us."""
        ...

    def check(self, desk: ProviderCredentials) -> AccountCheck: ...

    def create_link(self, desk: ProviderCredentials, asking: LinkRequest) -> CreatedLink: ...

    def close(self, desk: ProviderCredentials, ref: str) -> None: ...

    def verify(
        self, desk: ProviderCredentials, headers: Mapping[str, str], raw: bytes
    ) -> GatewayEvent: ...

    def read(self, raw: bytes) -> GatewayEvent: ...

    def fetch(
        self, desk: ProviderCredentials, ref: str, reference: str, payment: str = ""
    ) -> LinkStatus: ...

    def refund(
        self,
        desk: ProviderCredentials,
        payment: str,
        amount: Decimal,
        currency: str,
        key: str,
        reason: str,
    ) -> RefundResult: ...
