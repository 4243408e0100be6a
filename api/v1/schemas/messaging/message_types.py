"""The request of `POST /messages`: the fields of each message type, with the options of sends."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Union, cast

from pydantic import BaseModel, ConfigDict, Field, RootModel, create_model, model_validator

from api.v1.schemas.messaging.messages import CommonOptions, Phone
from core.values.field_checks import field_error
from messaging.messages.kinds.base import MessageKind
from messaging.messages.kinds.fields import KindFields
from messaging.messages.kinds.registry import MESSAGE_KINDS
from messaging.messages.kinds.template import TemplateFields


class Recipient(BaseModel):
    """Who gets the message: one of the three."""

    phone: Phone | None = Field(
        None, description="Country code first, digits only.", examples=["905321112233"]
    )
    contact_id: str | None = Field(
        None, max_length=64, description="A contact, also one without a phone number."
    )
    conversation_id: str | None = Field(
        None, max_length=64, description="A conversation; its line sends unless you name another."
    )

    @model_validator(mode="after")
    def _one_way(self) -> "Recipient":
        given = [name for name in Recipient.model_fields if getattr(self, name) is not None]
        if len(given) != 1:
            raise field_error(
                "invalid_recipient", "to has one of `phone`, `contact_id` and `conversation_id`"
            )
        return self


class AnyMessageOptions(CommonOptions):
    reply_to: str | None = Field(
        None,
        min_length=1,
        max_length=200,
        description="The message that this one answers, by the network's id or by ours.",
    )


class FallbackOptions(AnyMessageOptions):
    fallback_template: TemplateFields | None = Field(
        None, description="Sent instead when the 24-hour window of a cloud line is closed."
    )


class WithRecipient(BaseModel):
    to: Recipient = Field(description="Who gets the message.")


class AnyMessage(FallbackOptions):
    """What the models of all types have in common. Some have no fallback template."""

    type: str


class AddressedMessage(AnyMessage, WithRecipient):
    """The same with its recipient."""


def _request_model(code: str, kind: MessageKind, suffix: str, *more: type) -> type[AnyMessage]:
    name = "".join(word.capitalize() for word in code.split("_"))
    options = FallbackOptions if kind.has_fallback else AnyMessageOptions
    bases: Any = (kind.fields, *more, options)
    about = Field(examples=[code], description="The type of the message.")
    own: dict[str, Any] = {"type": (Literal[code], about)}
    model = create_model(f"{name}{suffix}", __base__=bases, __module__=__name__, **own)
    return cast("type[AnyMessage]", model)


REQUEST_MODELS = {
    code: _request_model(code, kind, "Message", WithRecipient)
    for code, kind in MESSAGE_KINDS.items()
    if kind.fields
}
# For routes whose path names the recipient.
ROUTED_MODELS = {
    code: _request_model(code, kind, "RoutedMessage")
    for code, kind in MESSAGE_KINDS.items()
    if kind.fields
}


class MessageType(BaseModel):
    """The first check of a request, which decides on the fields that it can have."""

    type: Literal[tuple(REQUEST_MODELS)]  # type: ignore[valid-type]


_OneOfThem: Any = Annotated[
    Union[tuple(REQUEST_MODELS.values())],  # noqa: UP007 - made from a list
    Field(discriminator="type"),
]
_OneOfRouted: Any = Annotated[
    Union[tuple(ROUTED_MODELS.values())],  # noqa: UP007 - made from a list
    Field(discriminator="type"),
]


class _ByType:
    """A request whose model depends on its `type`.

    The type is checked first, so that errors name the fields of this type only.
    """

    models: ClassVar[Mapping[str, type[AnyMessage]]]

    @classmethod
    def model_for(cls, value: dict[str, Any]) -> type[BaseModel]:
        kind = value.get("type")
        return cls.models.get(kind, MessageType) if isinstance(kind, str) else MessageType

    @classmethod
    def model_validate(cls, obj: Any, **_more: Any) -> Any:
        chosen = MessageType.model_validate(obj).type
        return cls.model_construct(root=cls.models[chosen].model_validate(obj))  # type: ignore[attr-defined]


class MessageRequest(_ByType, RootModel[_OneOfThem]):
    """One message of any type. The other fields depend on `type`."""

    model_config = ConfigDict(defer_build=True)
    models: ClassVar = REQUEST_MODELS


class RoutedMessageRequest(_ByType, RootModel[_OneOfRouted]):
    """One message of any type to the contact or conversation in the path."""

    model_config = ConfigDict(defer_build=True)
    models: ClassVar = ROUTED_MODELS


def fields_of(request: AnyMessage) -> KindFields:
    """Return the fields of the message type, without the options of sends."""
    model = MESSAGE_KINDS[request.type].fields
    if model is None:
        raise ValueError(f"programs do not send {request.type}")
    return model.model_construct(**{name: getattr(request, name) for name in model.model_fields})


class MessagePreview(BaseModel):
    """What a send with the same body would do. Nothing is stored or sent."""

    type: str = Field(examples=["buttons"], description="The type of the message.")
    text: str = Field(description="The text, as the inbox and a line without buttons show it.")
    phone: str
    instance_id: int = Field(description="The line that would send it.")
    line_kind: str = Field(examples=["cloud"], description="cloud or linked")
    sent_as: Literal["yes", "as_text"] = Field(
        examples=["yes"], description="`as_text`: this line sends the text instead."
    )
    category: str = Field(examples=["service"], description="The price category.")
    cost_usd: float = Field(examples=[0.0034], description="The quoted price.")
    test: bool
    body: dict[str, Any] | None = Field(
        description="The request to the WhatsApp Cloud API; null for other lines."
    )
    warnings: list[str] = Field(default_factory=list)
