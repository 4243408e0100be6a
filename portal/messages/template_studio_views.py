"""Beside the template editor: live findings, ready texts, and the stand-in of a template."""

from typing import Any

from flask import Blueprint, flash, g, jsonify, redirect, render_template, url_for
from flask_babel import get_locale, gettext

from core.db import tenant_scope
from messaging.templates import repository as template_repository
from messaging.templates import stand_ins
from messaging.templates.library import ENTRIES, LIBRARY_LANGUAGES, library_draft
from messaging.templates.lint import LintFinding, lint
from portal.messages.template_editor_form import language_choices, place_of, submitted_draft
from portal.web.auth import member_may
from portal.web.forms import submitted_text, text_in_url

template_studio = Blueprint("template_studio", __name__)


@template_studio.post("/templates/check")
@member_may("lines.manage")
def check() -> Any:
    """The findings of the linter for the form as it is, for the editor's script."""
    return jsonify({"findings": [finding_json(one) for one in lint(submitted_draft())]})


def finding_json(one: LintFinding) -> dict[str, str]:
    return {
        "severity": one.severity,
        "field": one.field,
        "place": place_of(one.field),
        "message": _sentence(one),
    }


def _sentence(one: LintFinding) -> str:
    """In the reader's language."""
    sentence = str(gettext(one.sentence))
    return sentence.format(**one.values) if one.values else sentence


@template_studio.get("/templates/library")
@member_may("lines.manage")
def library() -> Any:
    """Ready texts; one tap opens the editor with the text."""
    requested = text_in_url("language", 10)
    language = requested if requested in LIBRARY_LANGUAGES else _own_language()
    names = dict(language_choices())
    return render_template(
        "templates/library.html",
        texts=[(one, library_draft(one.name, language)) for one in ENTRIES],
        language=language,
        languages=[(code, names.get(code, code)) for code in LIBRARY_LANGUAGES],
    )


@template_studio.post("/templates/<template_id>/stand-in")
@member_may("lines.manage")
def stand_in(template_id: str) -> Any:
    """Choose the template that campaigns send when WhatsApp pauses this one."""
    with tenant_scope(g.tenant_id):
        known = template_repository.get(template_id)
        stand_ins.choose_stand_in(known, submitted_text("stand_in", 600))
    flash(gettext("Saved."), "success")
    return redirect(url_for("templates.template", template_id=template_id))


def _own_language() -> str:
    code = str(get_locale() or "en").split("_")[0]
    return {"pt": "pt_BR"}.get(code, code if code in LIBRARY_LANGUAGES else "en")
