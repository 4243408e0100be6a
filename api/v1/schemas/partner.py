"""Request and response models of the partner API."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from api.paging import PageQuery
from api.v1.schemas.me import PlanShape
from api.v1.schemas.messaging.instances import InstanceShape
from api.v1.schemas.webhooks import EndpointAddress, EndpointShape
from tenants.people import LOCALES
from tenants.rights import SCOPES

EXAMPLE_TENANT = 381204957710345
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)]
Reference = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=64)]
PLAN = "The code of a plan that you may choose; `GET /partner` lists them."
REFERENCE = "Your own id of the tenant. Each of your tenants has a different one."


class PartnerShape(BaseModel):
    id: str = Field(examples=["ptn_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"])
    name: str = Field(description="The partner's name.", examples=["Mavi POS"])
    plans: list[PlanShape] = Field(description="The plans that you may choose for your tenants.")
    most_tenants: int = Field(description="How many tenants you may have.", examples=[20000])


class TenantPath(BaseModel):
    tenant_id: int = Field(ge=1, lt=2**63, description="The tenant's id.")


class TenantKeyPath(TenantPath):
    key_id: str = Field(description="The key's id.")


class TenantInstancePath(TenantPath):
    instance_id: int = Field(ge=1, le=2**31 - 1, description="The line's id.")


class TenantEndpointPath(TenantPath):
    endpoint_id: str = Field(description="The endpoint's id.")


class NewTenant(BaseModel):
    name: Name = Field(description="The name of the business.", examples=["Lokanta Mavi"])
    plan: str = Field("trial", max_length=40, description=PLAN, examples=["starter"])
    reference: Reference | None = Field(None, description=REFERENCE, examples=["customer-184"])
    locale: Literal[LOCALES] = Field(  # type: ignore[valid-type]
        "en", description="The language of the account's pages and e-mails.", examples=["tr"]
    )
    time_zone: str = Field(
        "UTC", max_length=64, description="An IANA time zone.", examples=["Europe/Istanbul"]
    )
    owner_email: str | None = Field(
        None,
        max_length=254,
        description="Invites this person as the owner. The response has the invitation's link, for"
        " you to pass on; no e-mail is sent.",
        examples=["zeynep@example.com"],
    )


class ManagedTenant(BaseModel):
    id: int = Field(examples=[EXAMPLE_TENANT])
    name: str = Field(examples=["Lokanta Mavi"])
    reference: str | None = Field(description=REFERENCE, examples=["customer-184"])
    state: str = Field(examples=["active"], description="`active`, `suspended` or `closed`.")
    plan: str = Field(description="The code of the tenant's plan.", examples=["starter"])
    created_at: str
    suspended_at: str | None = Field(description="null: not suspended.", examples=[None])
    suspended_because: str | None = Field(description="The reason that was given.", examples=[None])


class CreatedTenant(ManagedTenant):
    owner_invitation_url: str | None = Field(
        description="The owner opens it within 7 days, chooses a password and has the account.",
        examples=["https://comanda.example/invitations/6xq…"],
    )


class ManagedTenantPage(BaseModel):
    data: list[ManagedTenant]
    next: str | None


class TenantQuery(PageQuery):
    reference: str | None = Field(None, max_length=64, description=REFERENCE)


class SuspendRequest(BaseModel):
    reason: str = Field(
        "", max_length=300, description="Shown to the tenant.", examples=["Contract ended"]
    )


class PlanChoice(BaseModel):
    plan: str = Field(max_length=40, description=PLAN, examples=["growth"])


class NewTenantKey(BaseModel):
    name: Name = Field(description="A name that the tenant sees.", examples=["POS integration"])
    mode: Literal["live", "test"] = Field("live", description="live or test")
    scopes: list[Literal[SCOPES]] = Field(  # type: ignore[valid-type]
        min_length=1, description="What the key may do.", examples=[["messages:send", "orders"]]
    )


class TenantKeyShape(BaseModel):
    id: str = Field(examples=["key_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"])
    name: str = Field(description="The key's name.")
    mode: str = Field(description="live or test")
    prefix: str = Field(description="The first characters of the key.", examples=["ck_live_3fQ2"])
    scopes: list[str]
    state: str = Field(description="`active`, `expired` or `revoked`.", examples=["active"])
    created_at: str
    last_used_at: str | None = Field(description="null: never used.")


class TenantKeyWithSecret(TenantKeyShape):
    api_key: str = Field(
        description="The key. It is only in this response.", examples=["ck_live_…"]
    )


class TenantKeyList(BaseModel):
    data: list[TenantKeyShape]
    next: None


class TenantInstanceList(BaseModel):
    data: list[InstanceShape]
    next: None


class NewTenantEndpoint(EndpointAddress):
    description: str | None = Field(
        None, max_length=200, description="A note for the tenant's team.", examples=["Our POS"]
    )
    test: bool = Field(False, description="Gets the events of test mode only.")


class TenantEndpointList(BaseModel):
    data: list[EndpointShape]
    next: None


class MonthQuery(PageQuery):
    month: str | None = Field(
        None,
        pattern=r"^[0-9]{4}-(0[1-9]|1[0-2])$",
        description="A calendar month in UTC; by default the current one.",
    )


class MonthUsage(BaseModel):
    tenant_id: int = Field(description="The tenant's id.", examples=[EXAMPLE_TENANT])
    reference: str | None = Field(description=REFERENCE, examples=["customer-184"])
    plan: str = Field(description="The code of the tenant's present plan.", examples=["starter"])
    messages: int = Field(description="Live messages sent in the month.", examples=[1840])
    spend_usd: float = Field(description="Their cost in US dollars.", examples=[6.256])


class UsagePage(BaseModel):
    month: str = Field(description="The calendar month.", examples=["2026-03"])
    data: list[MonthUsage]
    next: str | None


class TenantMonths(BaseModel):
    data: list["TenantMonth"]
    next: None


class TenantMonth(BaseModel):
    month: str = Field(description="The calendar month.", examples=["2026-03"])
    messages: int = Field(description="Live messages sent in the month.", examples=[1840])
    spend_usd: float = Field(description="Their cost in US dollars.", examples=[6.256])
