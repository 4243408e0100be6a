"""Checks of request fields for Pydantic models: errors with a code of their own, and texts."""

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

from core.values.text import BadText, is_visible, normalize_text, utf16_length


def field_error(code: str, sentence: str, field: str = "") -> PydanticCustomError:
    """A validation error with its own code; `field` is for errors of the whole model."""
    return PydanticCustomError(
        code, "{sentence}", {"sentence": sentence, "ours": True, "field": field}
    )


def checked_text(text: str, field: str, most: int) -> str:
    """Return the text in NFC and trimmed. Raises if it is empty or too long for the network."""
    try:
        cleaned = normalize_text(text)
    except BadText as error:
        raise field_error(f"invalid_{field}", str(error)) from None
    if not is_visible(cleaned):
        raise field_error(f"empty_{field}", f"{field} must not be empty")
    if utf16_length(cleaned) > most:
        raise field_error(f"long_{field}", f"{field} has more than {most} characters")
    return cleaned


def required_text(field: str, most: int) -> AfterValidator:
    return AfterValidator(lambda text: checked_text(text, field, most))


def optional_text(field: str, most: int) -> AfterValidator:
    """A blank text becomes None."""
    return AfterValidator(
        lambda text: checked_text(text, field, most) if text and text.strip() else None
    )
