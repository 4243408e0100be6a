"""Numbers that make things happen. docs/magic-numbers.md has this table for customers."""

from dataclasses import dataclass, field

PREFIX = "905550"  # a possible mobile number of Türkiye with any six digits after it
DIGITS = 6


@dataclass(frozen=True)
class Refusal:
    """An error of the API; `times` bounds how often one message meets it."""

    code: int
    status: int
    message: str
    times: int | None = None


@dataclass(frozen=True)
class Magic:
    says: str
    refusal: Refusal | None = None
    answer_lost: bool = False
    delayed: bool = False
    copies: int = 1
    states: tuple[str, ...] = ("sent", "delivered", "read")
    failure: Refusal | None = field(default=None)
    """What the receipt `failed` gives as its reason."""


ORDINARY = Magic("an ordinary phone")
UNDELIVERABLE = Refusal(131026, 400, "Message undeliverable")

NUMBERS: dict[str, Magic] = {
    "000001": Magic("undeliverable", Refusal(131026, 400, "Message undeliverable")),
    "000002": Magic("window closed", Refusal(131047, 400, "Re-engagement message")),
    "000003": Magic(
        "too fast for this recipient, once",
        Refusal(131056, 400, "(Business Account, Consumer Account) pair rate limit hit", times=1),
    ),
    "000004": Magic("opted out", Refusal(131050, 400, "User has stopped marketing messages")),
    "000005": Magic(
        "the line's token has expired", Refusal(190, 401, "Error validating access token: expired")
    ),
    "000006": Magic("the answer is lost after acceptance", answer_lost=True),
    "000007": Magic("receipts come late", delayed=True),
    "000008": Magic("every receipt comes twice", copies=2),
    "000009": Magic("receipts come in the wrong order", states=("read", "delivered", "sent")),
    "000010": Magic("the line is too fast, twice", Refusal(130429, 429, "Rate limit hit", times=2)),
    "000011": Magic("never delivered", states=("sent",)),
    "000012": Magic("fails after it was sent", states=("sent", "failed"), failure=UNDELIVERABLE),
}


def magic_of(phone: str) -> Magic:
    if phone.startswith(PREFIX) and len(phone) == len(PREFIX) + DIGITS:
        return NUMBERS.get(phone[-DIGITS:], ORDINARY)
    return ORDINARY
