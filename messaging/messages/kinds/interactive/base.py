"""What interactive messages share: header, body, footer, and their form on the network."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, model_validator

from core.values.field_checks import field_error, optional_text, required_text
from messaging.lines.drivers.base import Envelope
from messaging.messages.kinds.base import Choice, MessageKind
from messaging.messages.kinds.fields import FileReference, KindFields, ResolveFile

LONGEST_BODY, LONGEST_HEADER, LONGEST_FOOTER = 1024, 60, 60
LONGEST_LABEL, LONGEST_ID = 20, 256
HEADER_FILES = ("image", "video", "document")
FIELD = "interactive"
Content = Mapping[str, Any]


class Header(BaseModel):
    """A text or a file above the body."""

    text: Annotated[str | None, optional_text("text", LONGEST_HEADER)] = Field(
        None, description="60 characters at most.", examples=["Your order"]
    )
    image: FileReference | None = Field(None, description="An image instead of a text.")
    video: FileReference | None = Field(None, description="A video instead of a text.")
    document: FileReference | None = Field(None, description="A document instead of a text.")

    @model_validator(mode="after")
    def _one_part(self) -> "Header":
        given = [name for name in ("text", *HEADER_FILES) if getattr(self, name) is not None]
        if len(given) != 1:
            raise field_error(
                "invalid_header", "header has one of `text`, `image`, `video` and `document`"
            )
        return self

    def content(self, resolve_file: ResolveFile, place: str) -> dict[str, Any]:
        for kind in HEADER_FILES:
            if (file := getattr(self, kind)) is not None:
                return {kind: resolve_file(file, f"{place}.{kind}", kind)}
        return {"text": self.text}


def _header(given: Any) -> Any:
    return {"text": given} if isinstance(given, str) else given


def _web_address(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname or " " in url:
        raise field_error("invalid_url", "url must be an address with http:// or https://")
    return url


Body = Annotated[str, required_text("body", LONGEST_BODY)]
Footer = Annotated[str | None, optional_text("footer", LONGEST_FOOTER)]
HeaderText = Annotated[str | None, optional_text("header", LONGEST_HEADER)]
AnyHeader = Annotated[
    Header | None, BeforeValidator(_header, json_schema_input_type=Header | str | None)
]
Label = Annotated[str, required_text("text", LONGEST_LABEL)]
WebAddress = Annotated[str, AfterValidator(_web_address)]
BODY = Field(description="1024 characters at most.", examples=["Is 20:00 all right?"])
FOOTER = Field(None, description="60 characters at most.", examples=["Lokanta Mavi"])
HEADER = Field(None, description="A text, or an object with a text or a file.")
LABEL = Field(description="The label of the button, 20 characters at most.", examples=["Open"])


class Button(BaseModel):
    id: Annotated[str, required_text("id", LONGEST_ID)] = Field(
        description="Returned when the button is tapped. 256 characters at most.",
        examples=["confirm"],
    )
    title: Annotated[str, required_text("title", LONGEST_LABEL)] = Field(
        description="20 characters at most.", examples=["Confirm"]
    )


def unique(values: list[str], field: str, what: str) -> None:
    """Raise if two of them are the same, because a tap could not be told apart."""
    if len(set(values)) < len(values):
        raise field_error(f"repeated_{what}", f"two {field} have the same {what}", field)


class InteractiveFields(KindFields):
    """Its content is one object, so that the driver's own keys cannot clash with its fields."""

    def message_text(self) -> str:
        return str(getattr(self, "body", None) or "")

    def message_content(self, resolve_file: ResolveFile) -> dict[str, Any]:
        return {FIELD: self.parts(resolve_file)}

    def parts(self, resolve_file: ResolveFile) -> dict[str, Any]:
        made = self.model_dump(exclude_none=True)
        header = getattr(self, "header", None)
        if isinstance(header, Header):
            made["header"] = header.content(resolve_file, "header")
        return made


def header_part(header: Any) -> dict[str, Any]:
    """The network's form of a stored header."""
    if isinstance(header, str):
        return {"type": "text", "text": header}
    if "text" in header:
        return {"type": "text", "text": header["text"]}
    kind, file = next(iter(header.items()))
    part = {"link": file["url"]}
    if kind == "document" and file.get("filename"):
        part["filename"] = file["filename"]
    return {"type": kind, kind: part}


def interactive_kind(
    title: str,
    network_type: str,
    fields: type[InteractiveFields],
    action: Callable[[Content], dict[str, Any]],
    *,
    icon: str = "",
    plain_text: Callable[[Content], str] | None = None,
    choices: Callable[[Content], list[Choice]] | None = None,
) -> MessageKind:
    """A kind whose network form is an `interactive` object of this type with this action."""

    def cloud_part(envelope: Envelope) -> dict[str, Any]:
        content = envelope.content[FIELD]
        part: dict[str, Any] = {"type": network_type}
        if content.get("header"):
            part["header"] = header_part(content["header"])
        if content.get("body"):
            part["body"] = {"text": content["body"]}
        if content.get("footer"):
            part["footer"] = {"text": content["footer"]}
        part["action"] = action(content)
        return part

    return MessageKind(
        title,
        icon=icon,
        fields=fields,
        cloud_part=cloud_part,
        cloud_type="interactive",
        plain_text=None if plain_text is None else lambda content: plain_text(content[FIELD]),
        choices=None if choices is None else lambda content: choices(content[FIELD]),
        public_content=lambda content: dict(content[FIELD]),
        public_field=FIELD,
    )


def numbered_text(content: Content, choices: list[Choice]) -> str:
    """Header, body, the numbered choices and the footer, as one text."""
    rows = [
        f"{number}. {one.title}" + (f" – {one.description}" if one.description else "")
        for number, one in enumerate(choices, 1)
    ]
    return joined_text(content, "\n".join(rows))


def joined_text(content: Content, rows: str) -> str:
    header = content.get("header") or ""
    if not isinstance(header, str):
        header = header.get("text") or ""
    parts = [f"*{header}*" if header else "", content["body"], rows, content.get("footer") or ""]
    return "\n\n".join(part for part in parts if part)
