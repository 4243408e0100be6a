"""A text with a button that opens a list of rows."""

from typing import Annotated, Any

from pydantic import BaseModel, Field, model_validator

from core.i18n.catalogs import N_
from core.values.field_checks import field_error, optional_text, required_text
from messaging.messages.kinds.base import Choice
from messaging.messages.kinds.interactive.base import (
    BODY,
    FOOTER,
    LONGEST_LABEL,
    Body,
    Content,
    Footer,
    HeaderText,
    InteractiveFields,
    interactive_kind,
    joined_text,
    unique,
)

MOST_ROWS, MOST_SECTIONS = 10, 10
LONGEST_TITLE, LONGEST_DESCRIPTION, LONGEST_ROW_ID = 24, 72, 200


class ListRow(BaseModel):
    id: Annotated[str, required_text("id", LONGEST_ROW_ID)] = Field(
        description="Returned when the row is chosen. 200 characters at most.", examples=["t-1900"]
    )
    title: Annotated[str, required_text("title", LONGEST_TITLE)] = Field(
        description="24 characters at most.", examples=["19:00"]
    )
    description: Annotated[str | None, optional_text("description", LONGEST_DESCRIPTION)] = Field(
        None, description="72 characters at most.", examples=["By the window"]
    )


class ListSection(BaseModel):
    title: Annotated[str | None, optional_text("title", LONGEST_TITLE)] = Field(
        None,
        description="24 characters at most. Required if there are several sections.",
        examples=["Evening"],
    )
    rows: list[ListRow] = Field(min_length=1, description="The rows of this section.")


class ListFields(InteractiveFields):
    body: Body = BODY
    header: HeaderText = Field(None, description="A text of 60 characters at most.")
    footer: Footer = FOOTER
    button: Annotated[str, required_text("button", LONGEST_LABEL)] = Field(
        description="The label of the button that opens the list. 20 characters at most.",
        examples=["Choose a time"],
    )
    sections: list[ListSection] = Field(
        min_length=1,
        max_length=MOST_SECTIONS,
        description="Up to 10 sections with 10 rows in all.",
    )

    @model_validator(mode="after")
    def _rows(self) -> "ListFields":
        rows = [row for section in self.sections for row in section.rows]
        if len(rows) > MOST_ROWS:
            raise field_error(
                "too_many_rows", f"a list has at most {MOST_ROWS} rows in all", "sections"
            )
        unique([row.id for row in rows], "sections", "id")
        if len(self.sections) > 1:
            for number, section in enumerate(self.sections):
                if section.title is None:
                    raise field_error(
                        "missing_title",
                        "each section needs a title if there are several",
                        f"sections.{number}.title",
                    )
        return self


def _action(content: Content) -> dict[str, Any]:
    return {"button": content["button"], "sections": content["sections"]}


def _choices(content: Content) -> list[Choice]:
    return [
        Choice(row["id"], row["title"], row.get("description") or "")
        for section in content["sections"]
        for row in section["rows"]
    ]


def _plain_text(content: Content) -> str:
    lines: list[str] = []
    number = 0
    for section in content["sections"]:
        if section.get("title"):
            lines.append(("\n" if lines else "") + f"*{section['title']}*")
        for row in section["rows"]:
            number += 1
            details = f" – {row['description']}" if row.get("description") else ""
            lines.append(f"{number}. {row['title']}{details}")
    return joined_text(content, "\n".join(lines))


LIST = interactive_kind(
    N_("List"), "list", ListFields, _action, plain_text=_plain_text, choices=_choices
)
