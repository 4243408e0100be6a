"""A template that the network has approved; only cloud lines send it."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field

from core.i18n.catalogs import N_
from core.values.field_checks import checked_text, field_error, required_text
from messaging.lines.drivers.cloud.templates.payload import template_payload
from messaging.messages.kinds.base import MessageKind
from messaging.messages.kinds.fields import KindFields, ResolveFile
from messaging.messages.kinds.template_buttons import with_checked_buttons

Values = list[Annotated[str, Field(max_length=1024)]] | dict[str, Any]


def _parameters(given: Values) -> Values:
    if isinstance(given, list):
        given = [checked_text(one, "parameters", 1024) for one in given]
    given = with_checked_buttons(given)
    try:
        template_payload({"name": "", "language": "", "parameters": given})
    except (KeyError, TypeError, ValueError, AttributeError):
        raise field_error(
            "invalid_parameters", "The parameters have a form that no template takes."
        ) from None
    return given


class TemplateFields(KindFields):
    name: Annotated[str, required_text("name", 512)] = Field(
        examples=["order_confirmation"], description="The template's name on the network."
    )
    language: Annotated[str, required_text("language", 15)] = Field(
        examples=["tr"], description="The language of the template, such as `tr` or `en_US`."
    )
    parameters: Annotated[Values, AfterValidator(_parameters)] = Field(
        default_factory=list,
        max_length=50,
        description="The body's values in order; or an object: the names of a template with named"
        ' places, or {"header": …, "body": […], "buttons": […]}. A button is null, the end of its'
        " URL, or an object with `type`: `quick_reply` (`payload` or `text`), `copy_code` (`code`),"
        " `catalog` (`product_id`) or `flow` (`token`, `data`).",
        examples=[["Zeynep", "M-0184"]],
    )

    def message_content(self, _resolve_file: ResolveFile) -> dict[str, Any]:
        return self.as_content()

    def as_content(self) -> dict[str, Any]:
        return {"name": self.name, "language": self.language, "parameters": self.parameters}


TEMPLATE = MessageKind(
    N_("Template"),
    icon="ticket",
    fields=TemplateFields,
    category="utility",
    has_fallback=False,
    cloud_part=lambda envelope: template_payload(envelope.content),
)
