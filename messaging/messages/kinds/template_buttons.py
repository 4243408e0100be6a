"""Checks of the values that programs give for the buttons of a template."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, ValidationError, model_validator

from core.values.field_checks import field_error, required_text
from messaging.lines.drivers.cloud.templates.payload import is_by_section
from messaging.messages.kinds.interactive.products import ProductId

LONGEST_VALUE, LONGEST_TOKEN = 256, 200


def _as_text(value: Any) -> Any:
    """The network's samples also give true and false."""
    return str(value).lower() if isinstance(value, bool) else value


class _ButtonValue(BaseModel):
    type: str


class QuickReplyValue(_ButtonValue):
    payload: Annotated[str | None, Field(max_length=LONGEST_VALUE)] = None
    text: Annotated[
        str | None, BeforeValidator(_as_text), Field(min_length=1, max_length=LONGEST_VALUE)
    ] = None

    @model_validator(mode="after")
    def _some_value(self) -> "QuickReplyValue":
        if self.payload is None and self.text is None:
            raise field_error("invalid_button", "give `payload` or `text`", "payload")
        return self


class CatalogValue(_ButtonValue):
    product_id: ProductId


class FlowValue(_ButtonValue):
    token: Annotated[str | None, required_text("token", LONGEST_TOKEN)] = None
    data: dict[str, Any] | None = None


BUTTON_MODELS: dict[str, type[_ButtonValue]] = {
    "quick_reply": QuickReplyValue,
    "catalog": CatalogValue,
    "flow": FlowValue,
}


def with_checked_buttons(parameters: Any) -> Any:
    """Return the parameters as they are stored. Raises an error that names the button's field."""
    if not is_by_section(parameters) or not isinstance(parameters.get("buttons"), list):
        return parameters
    buttons = [_checked(at, one) for at, one in enumerate(parameters["buttons"])]
    return {**parameters, "buttons": buttons}


def _checked(at: int, button: Any) -> Any:
    kind = button.get("type") if isinstance(button, dict) else None
    model = BUTTON_MODELS.get(kind) if isinstance(kind, str) else None
    if model is None:
        return button
    try:
        return model.model_validate(button).model_dump(exclude_none=True)
    except ValidationError as error:
        raise _field_error(f"buttons.{at}", error) from None


def _field_error(place: str, error: ValidationError) -> Exception:
    first = error.errors(include_url=False, include_input=False)[0]
    context: dict[str, Any] = first.get("ctx") or {}
    path = [place, *(str(part) for part in first["loc"]), context.get("field") or ""]
    field = ".".join(part for part in path if part)
    if context.get("ours"):
        return field_error(first["type"], str(context["sentence"]), field)
    return field_error("invalid_button", f"{field}: {first['msg']}", field)
