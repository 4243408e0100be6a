"""Schemas of lines and their pairing."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field, StrictInt, StringConstraints, model_validator

from core.values.field_checks import field_error
from messaging.lines.direct_send import DIRECT_SEND_STATES


class InstancePath(BaseModel):
    instance_id: int = Field(ge=1, le=2**31 - 1)


class RecipientLimitShape(BaseModel):
    per_day: int | None = Field(
        description="How many different people the business portfolio may write to outside the"
        " 24-hour window in 24 hours; null: as many as it wants.",
        examples=[2000],
    )
    used: int | None = Field(
        description="How many were counted in the last 24 hours, over all lines of the portfolio."
    )


class InstanceShape(BaseModel):
    id: int
    name: str
    kind: str = Field(description="cloud or linked", examples=["cloud"])
    network: str = Field(examples=["whatsapp"])
    phone: str = Field(description="The line's own number.")
    state: str = Field(
        examples=["connected"],
        description="The state of the connection. Only `connected` lines send.",
    )
    state_because: str
    state_at: str
    enabled: bool
    is_default: bool = Field(description="Used if a send has no `instance_id`.")
    test: bool = Field(description="The simulated line of test keys.")
    messages_per_second: float
    fallback_instance_id: int | None = Field(
        description="The line that takes over while this one is down."
    )
    created_at: str
    can: dict[str, Literal["yes", "as_text", "no"]] = Field(
        description="The message types of `POST /messages`: `yes`, `no`, or `as_text` for a type "
        "that the line sends as a text with numbered choices.",
        examples=[dict(text="yes", buttons="as_text", flow="no")],  # noqa: C408 - no table of kinds,
    )
    quality: str | None = Field(
        description="green, yellow or red; null if WhatsApp has not reported it.",
        examples=["green"],
    )
    recipient_limit: RecipientLimitShape | None = Field(
        description="null if WhatsApp has not reported a limit."
    )
    direct_send: Literal[DIRECT_SEND_STATES] = Field(  # type: ignore[valid-type]
        description="`on` or `off`; `not_enabled`, `blocked` or `limited` if WhatsApp refused it."
    )


class InstancePage(BaseModel):
    data: list[InstanceShape]
    next: None


LineName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)]
Secret = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
# An id that WhatsApp gave, as its pages show it.
NetworkId = Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"^[0-9]{5,32}$")]

NAME = Field(description="A name that only your team sees.", examples=["Front desk"])
PHONE = Field(
    description="For a cloud line: its number, digits only with country code.",
    examples=["905321112200"],
)
PHONE_NUMBER_ID = Field(
    description="For a cloud line: the phone number ID that WhatsApp Manager shows.",
    examples=["106540352242922"],
)
ACCOUNT_ID = Field(
    description="The WhatsApp Business account ID. With it, the account's templates are"
    " synchronized and its webhook subscription is checked.",
    examples=["102290129340398"],
)
TOKEN = Field(
    description="For a cloud line: a permanent access token of a system user. It is stored"
    " encrypted and never shown again.",
    examples=["EAAG…"],
)
APP_SECRET = Field(
    description="For a cloud line: the secret of the Meta app, which signs the webhooks. It is"
    " stored encrypted and never shown again.",
    examples=["0123456789abcdef0123456789abcdef"],
)
CLOUD_FIELDS = ("phone", "phone_number_id", "token", "app_secret")


class NewCloudInstance(BaseModel):
    name: Annotated[LineName, NAME]
    phone: Annotated[str, PHONE]
    phone_number_id: Annotated[NetworkId, PHONE_NUMBER_ID]
    account_id: Annotated[NetworkId | None, ACCOUNT_ID] = None
    token: Annotated[Secret, TOKEN]
    app_secret: Annotated[Secret, APP_SECRET]


class NewInstance(BaseModel):
    kind: Literal["linked", "cloud"] = Field(
        "linked",
        description="`linked`: a phone that you link with a QR code next. `cloud`: a number of the"
        " WhatsApp Business Platform; then `phone`, `phone_number_id`, `token` and `app_secret` are"
        " required.",
    )
    name: Annotated[LineName, NAME]
    phone: Annotated[str | None, PHONE] = None
    phone_number_id: Annotated[NetworkId | None, PHONE_NUMBER_ID] = None
    account_id: Annotated[NetworkId | None, ACCOUNT_ID] = None
    token: Annotated[Secret | None, TOKEN] = None
    app_secret: Annotated[Secret | None, APP_SECRET] = None

    @model_validator(mode="after")
    def _has_cloud_fields(self) -> Self:
        if self.kind == "cloud":
            for name in CLOUD_FIELDS:
                if getattr(self, name) is None:
                    raise field_error("missing_parameter", f"{name} is missing", field=name)
        return self

    def cloud(self) -> NewCloudInstance | None:
        if self.kind != "cloud":
            return None
        return NewCloudInstance.model_validate(self.model_dump(exclude={"kind"}))


class InstanceChange(BaseModel):
    name: Annotated[LineName | None, NAME] = None
    enabled: bool | None = Field(
        None, description="`false` turns the line off: its messages wait until it is on again."
    )
    account_id: Annotated[NetworkId | None, ACCOUNT_ID] = None
    token: Annotated[Secret | None, TOKEN] = None
    app_secret: Annotated[Secret | None, APP_SECRET] = None
    direct_send: Literal["on", "off"] | None = Field(
        None,
        description="Whether texts and buttons outside the 24-hour window are sent with WhatsApp's"
        " Direct Send, as utility messages. It applies to all lines of the business account.",
    )
    fallback_instance_id: Annotated[StrictInt, Field(ge=1, le=2**31 - 1)] | None = Field(
        None, description="null: no fallback; its messages wait."
    )


class LineProblemShape(BaseModel):
    code: str = Field(
        description="A stable code for programs.", examples=["webhook_not_subscribed"]
    )
    message: str = Field(
        description="What is wrong and what to do about it.",
        examples=["WhatsApp sends no events: subscribe the app to the account's webhooks."],
    )


class LineWebhookShape(BaseModel):
    callback_url: str = Field(
        description="Enter this as the callback URL of the app's WhatsApp webhook.",
        examples=["https://comanda.example/hooks/cloud/6xq…"],
    )
    verify_token: str = Field(description="Enter this as the verify token of the webhook.")


class CheckedInstance(InstanceShape):
    webhook: LineWebhookShape | None = Field(
        description="For a cloud line: what to enter in the app's webhook settings."
    )
    problems: list[LineProblemShape] = Field(
        description="What WhatsApp answered when the line was checked now; empty if all is well or"
        " nothing was checked."
    )


class PairingRequest(BaseModel):
    phone: str | None = Field(
        None,
        max_length=20,
        description="Ask for a code to type into this phone, instead of a QR code.",
        examples=["905321112233"],
    )


class PairingShape(BaseModel):
    instance_id: int
    state: str = Field(
        examples=["pairing"],
        description="unpaired, pairing, connected, disconnected, logged_out or restricted",
    )
    qr: str | None = Field(
        description="The content of the QR code. Draw it, or request `image/png`."
    )
    code: str | None = Field(description="The code to enter on the phone, if requested.")
    expires_at: str | None = Field(description="When the next code replaces this one.")
    phone: str = Field(description="The linked number, once there is one.")
    because: str
