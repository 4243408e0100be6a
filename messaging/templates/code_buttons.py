"""Authentication templates whose button handles a one-time code.

The network sends them to phone numbers only (error 131062 for a business-scoped user id).
"""

from typing import Any

from core.errors import invalid
from core.values.network_address import is_phone
from messaging.models import Line
from messaging.templates import repository as template_repository

CODE_BUTTONS = frozenset({"OTP", "COPY_CODE", "ONE_TAP", "ZERO_TAP"})
AUTHENTICATION = "authentication"


def check_recipient(
    line: Line, content: dict[str, Any], category: str | None, address: str, field: str = ""
) -> None:
    """Raise Invalid if the network would not send this template to the address.

    `field` is where the template is in the request.
    """
    if category != AUTHENTICATION or is_phone(address):
        return
    known = next(
        (
            one
            for one in template_repository.templates_named(line, content["name"])
            if one.language == content["language"]
        ),
        None,
    )
    if known is None or not _has_code_button(known.components):
        return
    raise invalid(
        f"{field}.name" if field else "name",
        "needs_phone",
        "The template {name} contains a one-time code. WhatsApp sends it only to a phone number, "
        "and this contact has none.",
        name=content["name"],
    )


def _has_code_button(components: list[dict[str, Any]]) -> bool:
    return any(
        str(button.get("type") or "").upper() in CODE_BUTTONS
        for part in components
        if str(part.get("type") or "").upper() == "BUTTONS"
        for button in part.get("buttons") or ()
    )
