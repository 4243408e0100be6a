"""Read the template editor's fields, and fill them from a draft."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from babel import Locale
from flask import current_app, g, request
from flask_babel import get_locale

from core.errors import DomainError
from core.security.signing import BadToken, read_token, sign_token
from messaging.messages.media.uploads import LINK_FOR_PAGE, page_path
from messaging.templates.authoring import StoredHeaderFile
from messaging.templates.components import placeholders
from messaging.templates.draft_checks import MOST_APPS, MOST_BUTTONS
from messaging.templates.drafts import (
    AUTHENTICATION,
    AppSignature,
    ButtonDraft,
    HeaderDraft,
    TemplateDraft,
)
from messaging.templates.languages import LANGUAGES
from portal.inbox.uploads import store_upload
from portal.web.forms import Form, submitted_text
from portal.web.i18n import error_message

LANGUAGE_ALIASES = {"prs": "fa_AF"}  # the network's code for Dari is not the usual one
KEPT_FILE_PURPOSE = "template header file"
BUTTON_FIELDS = ("type", "text", "url", "example", "phone")
_ROW = re.compile(r"b(\d{1,2})-type")
_SHOWN_FIELDS = (
    *("name", "language", "category", "header.text", "header.example", "body", "footer"),
    *("buttons", "code_expiration_minutes"),
)


class TemplateEditorForm(Form):
    """The CSRF token, and errors by the names that the domain uses for fields."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.faults: dict[str, str] = {}

    def refuse(self, error: DomainError) -> None:
        sentence = error_message(error)
        named = [place_of(fault.field) for fault in error.faults]
        for place in named:
            self.faults[place] = sentence
        if not named:
            self.form_errors.append(sentence)


def place_of(field: str) -> str:
    """Where the page shows the error of a field: rows show those of all their fields."""
    if field.startswith("examples"):
        return "examples"
    if field.startswith("header") and field not in _SHOWN_FIELDS:
        return "header"
    if field.startswith("buttons."):
        return ".".join(field.split(".")[:2])
    return field if field in _SHOWN_FIELDS else "name"


def submitted_draft(known_name: str = "", known_language: str = "") -> TemplateDraft:
    """The submitted template. Name and language of a template that is edited cannot change."""
    category = submitted_text("category", 20)
    name = known_name or submitted_text("name", 600).strip()
    language = known_language or submitted_text("language", 20)
    if category == AUTHENTICATION:
        return _submitted_authentication(name, language)
    body = _text("body", 4000)
    return TemplateDraft(
        name=name,
        language=language,
        category=category,
        body=body,
        examples={one: submitted_text(f"example-{one}", 400) for one in placeholders(body)},
        header=_submitted_header(),
        footer=submitted_text("footer", 400).strip(),
        buttons=tuple(_submitted_buttons()),
    )


def _submitted_header() -> HeaderDraft | None:
    kind = submitted_text("header_type", 20)
    if not kind:
        return None
    if kind != "text":
        return HeaderDraft(kind)
    return HeaderDraft(
        kind, submitted_text("header_text", 400).strip(), submitted_text("header_example", 400)
    )


def _submitted_buttons() -> Iterator[ButtonDraft]:
    rows = sorted({int(found[1]) for name in request.form if (found := _ROW.fullmatch(name))})
    for row in rows[: MOST_BUTTONS + 5]:
        given = {name: submitted_text(f"b{row}-{name}", 2100).strip() for name in BUTTON_FIELDS}
        kind = given["type"]
        if kind == "copy_code" and (given["example"] or given["text"]):
            yield ButtonDraft(kind, example=given["example"])
        elif kind == "url" and (given["text"] or given["url"]):
            yield ButtonDraft(kind, given["text"], given["url"], given["example"])
        elif kind == "phone" and (given["text"] or given["phone"]):
            yield ButtonDraft(kind, given["text"], phone=re.sub(r"[ ()-]", "", given["phone"]))
        elif kind == "quick_reply" and given["text"]:
            yield ButtonDraft(kind, given["text"])


def _submitted_authentication(name: str, language: str) -> TemplateDraft:
    minutes = submitted_text("code_expiration_minutes", 5)
    apps = [line.split() for line in _text("apps", 4000).splitlines() if line.strip()]
    button = ButtonDraft(
        type="otp",
        text=submitted_text("otp_text", 100).strip(),
        otp_type=submitted_text("otp_type", 20) or "copy_code",
        apps=tuple(AppSignature(one[0], one[1] if len(one) > 1 else "") for one in apps[:50]),
        terms_accepted=submitted_text("terms_accepted", 5) == "yes",
    )
    return TemplateDraft(
        name=name,
        language=language,
        category=AUTHENTICATION,
        buttons=(button,),
        security_recommendation=submitted_text("security_recommendation", 5) == "yes",
        code_expiration_minutes=int(minutes) if minutes.isdecimal() else None,
    )


def _text(name: str, limit: int) -> str:
    return submitted_text(name, limit).replace("\r\n", "\n").strip()


def submitted_file() -> StoredHeaderFile | None:
    """The new upload, or the file of the last attempt to save this form."""
    if (file := store_upload(request.files.get("header_file"))) is not None:
        return StoredHeaderFile(file.key, file.mime_type, file.filename)
    try:
        key, mime_type, filename, tenant_id = read_token(
            _secret(), KEPT_FILE_PURPOSE, request.form.get("kept_file", "")
        )
    except (BadToken, TypeError, ValueError):
        return None
    if tenant_id != g.tenant_id:
        return None
    return StoredHeaderFile(key, mime_type, filename)


def kept_file_token(file: StoredHeaderFile) -> str:
    facts = [file.key, file.mime_type, file.filename, g.tenant_id]
    return sign_token(_secret(), KEPT_FILE_PURPOSE, facts, LINK_FOR_PAGE)


def picture_url(file: StoredHeaderFile | None) -> str:
    if file is None or not file.mime_type.startswith("image/"):
        return ""
    return page_path(file.key, file.mime_type, file.filename, _secret())


def language_choices() -> list[tuple[str, str]]:
    """The network's languages by name, with their codes."""
    return _language_choices(str(get_locale() or "en"))


@cache
def _language_choices(reader: str) -> list[tuple[str, str]]:
    names = Locale.parse(reader)
    found = []
    for code in LANGUAGES:
        language, _, country = code.partition("_")
        name = names.languages.get(LANGUAGE_ALIASES.get(language, language), language)
        place = names.territories.get(country, country)
        found.append((code, f"{name} – {place} ({code})" if country else f"{name} ({code})"))
    return sorted(found, key=lambda one: one[1].casefold())


def button_rows(draft: TemplateDraft) -> list[ButtonDraft]:
    """The buttons, and an empty row to fill in without scripts."""
    if draft.category == AUTHENTICATION:
        return [ButtonDraft("quick_reply")]
    room = len(draft.buttons) < MOST_BUTTONS
    return [*draft.buttons, *([ButtonDraft("quick_reply")] if room else [])]


def app_lines(draft: TemplateDraft) -> str:
    apps = draft.buttons[0].apps if draft.buttons else ()
    return "\n".join(f"{one.package_name} {one.signature_hash}" for one in apps[:MOST_APPS])


def _secret() -> Any:
    return current_app.extensions["comanda"].secret_key
