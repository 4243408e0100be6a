"""Schemas of printers, print agents and print jobs."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from api.paging import PageQuery
from printing import choices as printing_choices


class PrinterPath(BaseModel):
    printer_id: str = Field(max_length=40)


class AgentPath(BaseModel):
    agent_id: str = Field(max_length=40)


class JobPath(BaseModel):
    print_job_id: str = Field(max_length=40)


class PrinterFields(BaseModel):
    """Only given fields are changed."""

    name: str | None = Field(None, max_length=80, examples=["Kitchen"])
    agent_id: str | None = Field(None, max_length=40)
    output: dict[str, Any] | None = Field(
        None,
        description="Where the agent finds it: network, usb, serial, file or demo.",
        examples=[{"kind": "network", "host": "192.168.1.50", "port": 9100}],
    )
    language: str | None = Field(
        None,
        max_length=20,
        examples=["escpos"],
        description="The printer's command language, such as `escpos` or `starprnt`.",
    )
    profile: str | None = Field(None, max_length=40, examples=["epson-tm"])
    width_mm: int | None = Field(None, ge=58, le=80, examples=[80])
    code_page: str | None = Field(None, max_length=40, examples=["13:cp857"])
    checks: bool | None = None
    stations: list[str] | None = Field(
        None, max_length=20, examples=[["kitchen"]], description="Stations whose tickets it prints."
    )
    bills: bool | None = None
    copies: int | None = Field(None, ge=1, le=3)
    fallback_id: str | None = Field(None, max_length=40)
    fallback_seconds: int | None = Field(None, ge=5, le=600)
    enabled: bool | None = None

    def filled_values(self) -> dict[str, Any]:
        return self.model_dump(exclude_unset=True)


class NewPrinter(PrinterFields):
    site_id: str = Field(max_length=40)
    name: str = Field(max_length=80, examples=["Kitchen"])
    way: str = Field(
        max_length=20, examples=["agent"], description="agent, cloudprnt or server_direct"
    )


class PrinterShape(BaseModel):
    id: str
    site_id: str
    name: str
    way: str
    agent_id: str | None
    output: dict[str, Any]
    language: str = Field(
        description="The printer's command language, such as `escpos` or `starprnt`."
    )
    profile: str
    width_mm: int
    code_page: str | None
    checks: bool
    stations: list[str] = Field(description="Stations whose tickets it prints.")
    bills: bool
    copies: int
    fallback_id: str | None
    fallback_seconds: int
    enabled: bool
    state: str = Field(
        examples=["ready"],
        description="What the printer last reported, such as `ready` or `paper_out`.",
    )
    detail: str
    state_since: str
    seen_at: str | None
    url: str = Field(description="The address that a polling printer requests. Keep it secret.")


class PrinterPage(BaseModel):
    data: list[PrinterShape]
    next: None


class PrinterQuery(BaseModel):
    site_id: str | None = Field(None, max_length=40)


class AgentShape(BaseModel):
    id: str
    site_id: str
    name: str
    version: str
    online: bool
    seen_at: str | None
    paired_at: str
    found: list[dict[str, Any]] = Field(description="Printers found on its network.")


class AgentPage(BaseModel):
    data: list[AgentShape]
    next: None


class AgentFields(BaseModel):
    name: str = Field(max_length=80)


class NewCode(BaseModel):
    site_id: str = Field(max_length=40)


class CodeShape(BaseModel):
    code: str = Field(examples=["7KQ2-M9XD"], description="Typed at the site, good once.")
    expires_at: str


class JobShape(BaseModel):
    id: str
    site_id: str
    printer_id: str
    kind: str = Field(
        examples=["order"],
        description="What is on the ticket, such as `order`, `addition`, `void` or `bill`.",
    )
    title: str
    order_id: str = Field(description="The order's number; empty if it did not come from an order.")
    station: str
    copy_number: int
    state: str = Field(
        examples=["printed"],
        description="`queued`, `claimed`, `printed`, `failed` or `unconfirmed`.",
    )
    detail: str
    reprint_of: str | None
    fallback_of: str | None
    queued_at: str
    settled_at: str | None
    evidence: list[dict[str, Any]]


class JobPage(BaseModel):
    data: list[JobShape]
    next: str | None


class JobQuery(PageQuery):
    printer_id: str | None = Field(None, max_length=40)
    state: Literal[printing_choices.JOB_STATES] | None = None  # type: ignore[valid-type]


class Made(BaseModel):
    id: str = Field(description="The print job that was queued.")
