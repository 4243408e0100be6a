"""How the simulated network behaves."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Milliseconds = Annotated[int, Field(ge=0, le=600_000)]
Rate = Annotated[float, Field(ge=0, le=1)]


class NetworkBehaviour(BaseModel):
    """How the network behaves now; `POST /_sim/settings` changes it."""

    model_config = ConfigDict(extra="forbid")

    delay_ms: Milliseconds = 0
    """Before each response to a send."""
    receipts: bool = True
    auto_read: bool = True
    """Phones read delivered messages automatically."""
    sent_ms: Milliseconds = 30
    delivered_ms: Milliseconds = 250
    read_ms: Milliseconds = 900
    late_ms: Milliseconds = 5_000
    """Added for the magic number whose receipts come late."""
    drop_before: Rate = 0.0
    """The share of sends whose connection breaks before they are accepted, …"""
    drop_after: Rate = 0.0
    """… after they are accepted, …"""
    fail_rate: Rate = 0.0
    """… or that get an error of the network (131000)."""
    qr_first_ms: Milliseconds = 60_000
    """How long the first code of a pairing is valid, …"""
    qr_next_ms: Milliseconds = 20_000
    """… each of the next ones, …"""
    qr_codes: Annotated[int, Field(ge=1, le=100)] = 6
    """… and how many there are."""
    review_ms: Milliseconds = 4_000
    """Until a new or changed template is approved or rejected."""
    hook_batch: Annotated[int, Field(ge=1, le=1000)] = 1
    """Receipts per webhook at most; the real network batches them under load."""
    window: Literal["known", "strict", "off"] = "known"
    """The 24-hour window: with `known`, a person who has not written since the start counts as if
    they had written then; with `strict`, the window of such a person is closed."""
    pair_burst: Annotated[int, Field(ge=0, le=10_000)] = 0
    """How many messages a person gets from a line at once before it has to wait 6 s for each."""
    line_per_second: Annotated[int, Field(ge=0, le=100_000)] = 0
    """Messages of a line per second. 0: no limit."""
    parent_ids: bool = False
    """Webhooks also carry the ids of businesses with several portfolios."""
    direct_send: Literal["off", "on", "blocked", "limited"] = "on"
    """Whether accounts may send utility messages without a template while the window is closed."""


PAIR_BURST, LINE_PER_SECOND = 45, 80
"""The limits of the real network."""
