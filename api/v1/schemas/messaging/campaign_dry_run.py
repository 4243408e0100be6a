"""Response models of a campaign's dry run."""

from typing import Any

from pydantic import BaseModel, Field

from core.values.money import json_number, usd
from messaging.campaigns.dry_run import DryRunResult
from messaging.campaigns.personalize import MessagePreview
from messaging.templates.components import TemplatePreview


class ButtonShape(BaseModel):
    text: str = Field(description="The button's label.")
    url: str = Field(description="The button's URL, filled in; empty if it has none.")


class PreviewShape(BaseModel):
    name: str
    phone: str
    message: str = Field(description="The text as this recipient would get it.")
    header: str = Field(description="The header of a template, filled; empty when it has none.")
    header_media: str = Field(
        description="image, video, document or location above the text, or empty."
    )
    footer: str
    buttons: list[ButtonShape]
    choices: list[str] = Field(description="The rows of a list, which its button opens.")


class DryRun(BaseModel):
    people: int
    recipients: int
    holdout: int = Field(description="About how many will get no message, to compare with.")
    left_out: dict[str, int] = Field(examples=[{"opted_out": 12, "recent": 3}])
    cost_usd: float
    seconds: int = Field(description="Estimated sending time in seconds, without quiet hours.")
    days: int = Field(
        description="On how many days it is sent: WhatsApp limits how many new people an account"
        " may write to in 24 hours, and a campaign leaves a tenth of them to other messages.",
        examples=[1],
    )
    recipient_limit: int | None = Field(
        description="How many new people the account may write to in 24 hours; null: no limit."
    )
    asleep: int = Field(description="Recipients in quiet hours at the start time.")
    previews: list[PreviewShape] = Field(
        description="The message as three of the contacts would get it."
    )
    warnings: list[str]
    problem: str | None = Field(description="What must be fixed before it can start.")


def outlook_json(result: DryRunResult) -> dict[str, Any]:
    return {
        "people": result.people,
        "recipients": result.recipients,
        "holdout": result.holdout,
        "left_out": result.left_out,
        "cost_usd": json_number(usd(result.cost_usd)),
        "seconds": result.seconds,
        "days": result.days,
        "recipient_limit": result.recipient_limit,
        "asleep": result.asleep,
        "previews": [_preview_json(one) for one in result.previews],
        "warnings": result.warnings,
        "problem": result.problem.message if result.problem else None,
    }


def _preview_json(one: MessagePreview) -> dict[str, Any]:
    shown = one.shown or TemplatePreview()
    pairs = zip(shown.buttons, shown.links, strict=True)
    return {
        "name": one.name,
        "phone": one.phone,
        "message": one.text,
        "header": shown.header,
        "header_media": shown.header_media,
        "footer": shown.footer,
        "buttons": [{"text": text, "url": url} for text, url in pairs],
        "choices": list(one.choices),
    }
