"""Schemas of uploaded files."""

from typing import Literal

from pydantic import BaseModel, Field


class MediaQuery(BaseModel):
    filename: str = Field(
        "file", max_length=200, description="The file's name as the recipient sees it."
    )
    type: Literal["sticker"] | None = Field(
        None, description="`sticker`: keep a WebP image as it is. Other types are detected."
    )


class MediaPath(BaseModel):
    media_id: str = Field(max_length=64)


class UploadedMediaShape(BaseModel):
    id: str = Field(
        examples=["med_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"], description="For `media_id` of any send."
    )
    type: str = Field(examples=["document"], description="The type that was detected.")
    mime_type: str = Field(examples=["application/pdf"])
    filename: str
    size: int = Field(examples=[48213], description="In bytes.")
    test: bool = Field(description="Uploaded with a test key, and only for its messages.")
    created_at: str
