"""The fields that programs give to send a message: base classes, and parts that kinds share."""

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, Field, model_validator

from core.values.field_checks import field_error


class FileReference(BaseModel):
    """A file: uploaded before with `POST /media`, or at a public address."""

    media_id: str | None = Field(
        None,
        max_length=40,
        description="The id of a file that you uploaded.",
        examples=["med_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"],
    )
    url: str | None = Field(
        None,
        max_length=2048,
        description="The public URL of the file, instead of `media_id`.",
        examples=["https://example.com/menu.pdf"],
    )

    @model_validator(mode="after")
    def _one_source(self) -> "FileReference":
        if (self.media_id is None) == (self.url is None):
            raise field_error("invalid_file", "give `media_id` or `url`, one of the two", "url")
        return self


ResolveFile = Callable[[FileReference, str, str], dict[str, Any]]
"""(reference, path of its field, code of its kind) → url, filename and type of the file.
Raises Invalid for a file that cannot be used."""


class KindFields(BaseModel):
    """Checked when the request is read. A wrong field is a validation error with its name."""

    def message_text(self) -> str:
        """The text in the inbox, in lists and in the search."""
        return ""

    def message_content(self, _resolve_file: ResolveFile) -> dict[str, Any]:
        """What the line's driver needs beside the text."""
        return {}
