"""Schemas of templates."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from api.paging import PageQuery
from messaging.templates import draft_checks as limits
from messaging.templates import repository as template_repository
from messaging.templates.drafts import (
    BUTTON_TYPES,
    HEADER_TYPES,
    OTP_TYPES,
    AppSignature,
    ButtonDraft,
    HeaderDraft,
    TemplateDraft,
)


class TemplatesQuery(PageQuery):
    state: Literal[template_repository.TEMPLATE_STATES] | None = None  # type: ignore[valid-type]
    category: Literal[template_repository.CATEGORIES] | None = None  # type: ignore[valid-type]
    name: str | None = Field(None, max_length=100, description="A part of the name.")
    instance_id: int | None = Field(
        None, ge=1, le=2**31 - 1, description="Only templates that this line can send."
    )


class TemplatePath(BaseModel):
    template_id: str = Field(max_length=64)


class TemplateHeaderFacts(BaseModel):
    type: Literal[HEADER_TYPES] = Field(  # type: ignore[valid-type]
        description="What the header shows."
    )
    text: str = Field(
        "",
        description=f"For `text`: at most {limits.LONGEST_HEADER} characters and one placeholder.",
        examples=["Order {{1}}"],
    )
    example: str = Field("", description="A sample value for the placeholder in `text`.")
    media_id: str | None = Field(
        None,
        max_length=64,
        description="For `image`, `video` and `document`: a sample file, from `POST /media`."
        " Not needed again when the file stays the same.",
    )


class SupportedAppFacts(BaseModel):
    package_name: str = Field(
        description="The package name of the app.", examples=["com.example.app"]
    )
    signature_hash: str = Field(
        description="The 11 characters of the app's signature.", examples=["K8a/AINcGX7"]
    )


class TemplateButtonFacts(BaseModel):
    type: Literal[BUTTON_TYPES] = Field(  # type: ignore[valid-type]
        description="What the button does; `otp` only in authentication templates."
    )
    text: str = Field(
        "",
        description=f"At most {limits.LONGEST_BUTTON} characters. WhatsApp writes it on `copy_code`"
        " buttons, and on `otp` buttons if it is empty.",
    )
    url: str = Field(
        "",
        description="For `url`. It may end with the placeholder `{{1}}`.",
        examples=["https://example.com/orders/{{1}}"],
    )
    example: str = Field(
        "",
        description="For `url`: a sample value of its placeholder. For `copy_code`: a sample code,"
        f" at most {limits.LONGEST_CODE} characters.",
    )
    phone: str = Field("", description="For `phone`.", examples=["+902121112233"])
    otp_type: Literal[OTP_TYPES] = Field(  # type: ignore[valid-type]
        "copy_code", description="For `otp`: how the code reaches your app."
    )
    autofill_text: str = Field("", description="For `one_tap` and `zero_tap`.")
    apps: list[SupportedAppFacts] = Field(
        default_factory=list,
        description="For `one_tap` and `zero_tap`: the Android apps that may read the code.",
    )
    terms_accepted: bool = Field(
        False, description="For `zero_tap`: you accept WhatsApp's terms for zero-tap codes."
    )

    def to_draft(self) -> ButtonDraft:
        return ButtonDraft(
            type=self.type,
            text=self.text,
            url=self.url,
            example=self.example,
            phone=self.phone,
            otp_type=self.otp_type,
            autofill_text=self.autofill_text,
            apps=tuple(AppSignature(one.package_name, one.signature_hash) for one in self.apps),
            terms_accepted=self.terms_accepted,
        )


class TemplateContent(BaseModel):
    """What a new version of a template contains; parts that are left out are removed."""

    category: Literal[template_repository.CATEGORIES] | None = Field(  # type: ignore[valid-type]
        None, description="A new template needs one."
    )
    header: TemplateHeaderFacts | None = Field(
        None, description="Above the text; not in authentication templates."
    )
    body: str = Field(
        "",
        description=f"At most {limits.LONGEST_BODY} characters, with numbered placeholders"
        " (`{{1}}`) or named ones (`{{first_name}}`). Empty for authentication templates.",
        examples=["Hi {{1}}, your order {{2}} is ready. Enjoy!"],
    )
    examples: dict[str, str] | list[str] = Field(
        default_factory=dict,
        description="A sample value for each placeholder of the body: by name, or a list in the"
        " order of the numbers.",
        examples=[{"1": "Zeynep", "2": "M-0184"}],
    )
    footer: str = Field("", description=f"At most {limits.LONGEST_FOOTER} characters.")
    buttons: list[TemplateButtonFacts] = Field(
        default_factory=list, description=f"At most {limits.MOST_BUTTONS}."
    )
    add_security_recommendation: bool = Field(
        False, description="For authentication templates: add “do not share this code”."
    )
    code_expiration_minutes: int | None = Field(
        None, description="For authentication templates: 1 to 90; WhatsApp adds it as the footer."
    )

    def to_draft(self, name: str, language: str, category: str) -> TemplateDraft:
        given = self.examples
        if isinstance(given, list):
            given = {str(number): value for number, value in enumerate(given, 1)}
        header = self.header
        return TemplateDraft(
            name=name,
            language=language,
            category=self.category or category,
            body=self.body,
            examples=given,
            header=HeaderDraft(header.type, header.text, header.example) if header else None,
            footer=self.footer,
            buttons=tuple(one.to_draft() for one in self.buttons),
            security_recommendation=self.add_security_recommendation,
            code_expiration_minutes=self.code_expiration_minutes,
        )


class NewTemplate(TemplateContent):
    name: str = Field(
        max_length=512,
        description="Lowercase letters, digits and `_`. It cannot be changed later.",
        examples=["order_ready"],
    )
    language: str = Field(max_length=15, description="It cannot be changed later.", examples=["tr"])
    instance_id: int | None = Field(
        None,
        ge=1,
        le=2**31 - 1,
        description="The line whose business account gets the template; the default line if it is"
        " left out.",
    )


class TemplateToCheck(TemplateContent):
    name: str = Field(
        "draft",
        max_length=512,
        description="Checked if it is given.",
        examples=["order_ready"],
    )
    language: str = Field(max_length=15, description="The language of the text.", examples=["tr"])


class DuplicateTemplate(BaseModel):
    name: str | None = Field(
        None, max_length=512, description="Without it, a number is added to the name."
    )
    language: str | None = Field(None, max_length=15)


class TemplateShape(BaseModel):
    id: str
    name: str = Field(examples=["order_confirmation"])
    language: str = Field(examples=["tr"])
    category: str = Field(examples=["utility"])
    state: str = Field(
        examples=["approved"],
        description="The network's decision, such as `approved` or `rejected`.",
    )
    reason: str = Field(description="Why the network rejected or paused it; may be empty.")
    quality: str
    next_category: str = Field(
        description="The category that WhatsApp has announced for the next day; usually empty."
    )
    body: str = Field(description="The text with its placeholders.")
    preview: str = Field(description="The text with the author's sample values.")
    places: list[str] = Field(description="The placeholders that `parameters` fills, in order.")
    components: list[dict[str, Any]] = Field(description="In the network's own form.")
    instance_ids: list[int] = Field(description="The lines that can send it.")
    changed_at: str
    synced_at: str


class TemplateFinding(BaseModel):
    severity: Literal["error", "warning"] = Field(
        description="`error`: WhatsApp refuses such a template. `warning`: its reviewers may reject"
        " it or move it to another category."
    )
    field: str = Field(
        description="The field of the request, as in errors.", examples=["buttons.0.url"]
    )
    code: str = Field(description="A code that does not change.", examples=["url_shortener"])
    message: str = Field(
        description="What to change.",
        examples=["Tell people how to stop the messages, for example: Reply STOP to opt out."],
    )


FINDINGS = Field(description="What is known against its content, errors first; usually empty.")


class TemplateFindings(BaseModel):
    findings: list[TemplateFinding] = FINDINGS


class CheckedTemplate(TemplateShape):
    findings: list[TemplateFinding] = FINDINGS


class TemplatePage(BaseModel):
    data: list[TemplateShape]
    next: str | None = Field(description="The value for `?after=` if there are more results.")
