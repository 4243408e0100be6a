"""Magic numbers that trigger a behaviour. docs/magic-numbers.md has this table for customers."""

from dataclasses import dataclass, field

from core.i18n.catalogs import N_

PREFIX = "905550"  # a possible mobile number in Türkiye with any six digits after it
DIGITS = 6


@dataclass(frozen=True)
class Refusal:
    """An error of the API; `times` is how often one message gets it."""

    code: int
    status: int
    message: str
    times: int | None = None
    details: str = ""


@dataclass(frozen=True)
class MagicNumber:
    says: str
    refusal: Refusal | None = None
    answer_lost: bool = False
    delayed: bool = False
    copies: int = 1
    states: tuple[str, ...] = ("sent", "delivered", "read")
    failure: Refusal | None = field(default=None)
    """The reason in the `failed` receipt."""


ORDINARY_PHONE = MagicNumber("an ordinary phone")
UNDELIVERABLE = Refusal(131026, 400, "Message undeliverable")
WINDOW_CLOSED = Refusal(131047, 400, "Re-engagement message")

MAGIC_NUMBERS: dict[str, MagicNumber] = {
    "000001": MagicNumber(N_("undeliverable"), Refusal(131026, 400, "Message undeliverable")),
    "000002": MagicNumber(N_("24-hour window closed"), WINDOW_CLOSED),
    "000003": MagicNumber(
        N_("rate limit for this recipient reached, once"),
        Refusal(131056, 400, "(Business Account, Consumer Account) pair rate limit hit", times=1),
    ),
    "000004": MagicNumber(
        N_("opted out"), Refusal(131050, 400, "User has stopped marketing messages")
    ),
    "000005": MagicNumber(
        N_("the line's access token has expired"),
        Refusal(190, 401, "Error validating access token: expired"),
    ),
    "000006": MagicNumber(N_("accepted, but the response is lost"), answer_lost=True),
    "000007": MagicNumber(N_("receipts arrive late"), delayed=True),
    "000008": MagicNumber(N_("every receipt arrives twice"), copies=2),
    "000009": MagicNumber(
        N_("receipts arrive in the wrong order"), states=("read", "delivered", "sent")
    ),
    "000010": MagicNumber(
        N_("rate limit of the line reached, twice"), Refusal(130429, 429, "Rate limit hit", times=2)
    ),
    "000011": MagicNumber(N_("never delivered"), states=("sent",)),
    "000012": MagicNumber(
        N_("fails after it is sent"), states=("sent", "failed"), failure=UNDELIVERABLE
    ),
    "000013": MagicNumber(
        N_("accepted, then rejected because the 24-hour window is closed"),
        states=("sent", "failed"),
        failure=WINDOW_CLOSED,
    ),
}


def magic_number_of(phone: str, kind: str = "text") -> MagicNumber:
    """Return the behaviour of a number. A closed window does not apply to templates."""
    if not phone.startswith(PREFIX) or len(phone) != len(PREFIX) + DIGITS:
        return ORDINARY_PHONE
    magic = MAGIC_NUMBERS.get(phone[-DIGITS:], ORDINARY_PHONE)
    closed = WINDOW_CLOSED in (magic.refusal, magic.failure)
    return ORDINARY_PHONE if closed and kind == "template" else magic
