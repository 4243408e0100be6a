"""Schemas of the account and of the key that a request uses."""

from pydantic import BaseModel, Field


class TenantShape(BaseModel):
    id: int = Field(examples=[381204957710345])
    name: str = Field(examples=["Lokanta Mavi"])
    state: str = Field(examples=["active"], description="`active`, `suspended` or `closed`.")


class PlanShape(BaseModel):
    code: str = Field(examples=["starter"], description="The plan's code, such as `starter`.")
    name: str


class LimitsShape(BaseModel):
    requests_per_second: int
    burst: int
    monthly_messages: int | None = Field(description="null: no monthly limit.")
    spend_cap_usd: float | None
    trial_ends_at: str | None = Field(description="null until the first live message.")
    trial_messages_left: int | None


class UsageShape(BaseModel):
    messages_this_month: int
    spend_usd_this_month: float


class KeyShape(BaseModel):
    id: str
    name: str
    mode: str = Field(description="live or test")
    scopes: list[str]
    instance_ids: list[int] | None = Field(description="null: every line.")
    expires_at: str | None


class Me(BaseModel):
    tenant: TenantShape
    plan: PlanShape
    limits: LimitsShape
    usage: UsageShape
    key: KeyShape
