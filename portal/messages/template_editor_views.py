"""Write templates: a form with a preview beside it, and deleting."""

from dataclasses import replace
from typing import Any

from flask import Blueprint, current_app, flash, g, redirect, render_template, request, url_for
from flask_babel import get_locale, gettext

from core.db import tenant_scope
from messaging.lines import repository as line_repository
from messaging.models import Line, Template
from messaging.templates import authoring, stand_ins
from messaging.templates import draft_checks as limits
from messaging.templates import repository as template_repository
from messaging.templates.authoring import StoredHeaderFile, TemplatePlan
from messaging.templates.components import filled_preview, placeholders
from messaging.templates.drafts import AUTHENTICATION, TemplateDraft, build_components
from messaging.templates.languages import LANGUAGES
from messaging.templates.library import library_draft
from messaging.templates.lint import lint
from portal.messages.template_editor_form import (
    TemplateEditorForm,
    app_lines,
    button_rows,
    kept_file_token,
    language_choices,
    picture_url,
    submitted_draft,
    submitted_file,
)
from portal.messages.template_studio_views import finding_json
from portal.web.auth import member_may
from portal.web.confirm import confirm_then
from portal.web.forms import domain_errors_on, text_in_url

template_editor = Blueprint("template_editor", __name__)
EMPTY = TemplateDraft("", "", "utility")


@template_editor.route("/templates/new", methods=["GET", "POST"])
@member_may("lines.manage")
def new() -> Any:
    """A new template; `?from=` begins with the content of another one, `?library=` with a ready
    text. With `?language=`, it is the same template in another language.
    """
    with tenant_scope(g.tenant_id):
        lines = _template_lines()
        source = _source(lines)
    form, draft, file = TemplateEditorForm(), _begin_with(source), None
    if source is not None:
        file = authoring.header_file_of(source)
    if form.validate_on_submit():
        draft = submitted_draft()
        with domain_errors_on(form):
            file = submitted_file() or file
            line = authoring.line_for_templates(_chosen_line(lines), lines)
            with tenant_scope(g.tenant_id):
                plan = authoring.plan_new(draft, line, file)
            return _submitted(plan, gettext("Submitted. WhatsApp now reviews the template."))
    return _page(form, draft, file, lines=lines, source=source)


@template_editor.route("/templates/<template_id>/edit", methods=["GET", "POST"])
@member_may("lines.manage")
def edit(template_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        lines = _template_lines()
        known = template_repository.get(template_id)
    form, draft = TemplateEditorForm(), authoring.draft_to_change(known)
    file = authoring.header_file_of(known)
    if form.validate_on_submit():
        draft = submitted_draft(known.name, known.language)
        with domain_errors_on(form):
            file = submitted_file() or file
            with tenant_scope(g.tenant_id):
                plan = authoring.plan_edit(template_repository.get(template_id), draft, lines, file)
            return _submitted(plan, gettext("Saved. WhatsApp reviews the template again."))
    return _page(form, draft, file, known=known)


@template_editor.route("/templates/<template_id>/delete", methods=["GET", "POST"])
@member_may("lines.manage")
def delete(template_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = template_repository.get(template_id)
        name = known.name

    def act() -> None:
        with tenant_scope(g.tenant_id):
            plan = authoring.plan_deletion(template_repository.get(template_id), _template_lines())
        authoring.delete_on_network(current_app.extensions["comanda"], plan)
        with tenant_scope(g.tenant_id):
            authoring.forget_template(plan)

    return confirm_then(
        act,
        title=gettext("Delete “%(name)s”?", name=name),
        text=delete_warning(),
        yes=gettext("Delete template"),
        back_url=url_for("templates.template", template_id=template_id),
        done=gettext("“%(name)s” was deleted.", name=name),
        done_url=url_for("templates.index"),
    )


def delete_warning() -> str:
    return str(
        gettext(
            "Campaigns and programs can no longer send it. WhatsApp does not allow the same name "
            "again for 30 days."
        )
    )


def _submitted(plan: TemplatePlan, done: str) -> Any:
    settings, blobs = current_app.extensions["comanda"], current_app.extensions["blobs"]
    answer = authoring.submit(settings, blobs, plan)
    stored = authoring.with_own_file(blobs, plan, g.tenant_id)
    with tenant_scope(g.tenant_id):
        template_id = authoring.store_submitted(stored, answer).id
    if plan.file is not None and stored.file != plan.file and "/sent/" in plan.file.key:
        blobs.delete(plan.file.key)  # the upload of this form; the template has its own copy
    flash(done, "success")
    return redirect(url_for("templates.template", template_id=template_id))


def _page(
    form: TemplateEditorForm,
    draft: TemplateDraft,
    file: StoredHeaderFile | None,
    *,
    known: Template | None = None,
    source: Template | None = None,
    lines: list[Line] | None = None,
) -> str:
    shown = draft
    if draft.category == AUTHENTICATION and not draft.buttons:
        shown = replace(draft, category="utility")
    components = build_components(shown, "")
    accounts = {template_repository.template_account(one): one for one in lines or ()}
    one_of = known or (source if source is not None and source.name == draft.name else None)
    return render_template(
        "templates/edit.html",
        form=form,
        draft=draft,
        known=known,
        source=source,
        lines=list(accounts.values()),
        chosen_line=request.form.get("line", ""),
        languages=language_choices(),
        categories=template_repository.CATEGORIES,
        rows=button_rows(draft),
        otp=draft.buttons[0] if draft.category == AUTHENTICATION and draft.buttons else None,
        apps=app_lines(draft) if draft.category == AUTHENTICATION else "",
        names=placeholders(draft.body),
        bubble=filled_preview(components, draft.examples),
        file=file,
        kept_file=kept_file_token(file) if file is not None and request.form else "",
        picture=picture_url(file),
        limits=limits,
        tabs=_tabs(one_of),
        tab_source=one_of,
        findings=[finding_json(one) for one in lint(draft)] if draft.body else [],
    )


def _tabs(one_of: Template | None) -> list[Template]:
    """The languages of the template that is edited or translated."""
    if one_of is None:
        return []
    with tenant_scope(g.tenant_id):
        return stand_ins.languages_of(one_of.account_id, one_of.name)


def _template_lines() -> list[Line]:
    return [
        line for line in line_repository.list_lines() if template_repository.template_account(line)
    ]


def _source(lines: list[Line]) -> Template | None:
    template_id = text_in_url("from", 64)
    if not template_id:
        return None
    found = template_repository.get(template_id)
    return found if template_repository.lines_of(found, lines) else None


def _begin_with(source: Template | None) -> TemplateDraft:
    language = text_in_url("language", 20)
    if source is None:
        ready = library_draft(text_in_url("library", 60), language)
        return ready or replace(EMPTY, language=_own_language())
    draft = authoring.draft_to_change(source)
    if language in LANGUAGES and language != draft.language:
        ready = library_draft(draft.name, language)
        return ready or replace(draft, language=language)
    return replace(draft, name=authoring.copy_name(draft.name, {draft.name}))


def _own_language() -> str:
    code = str(get_locale() or "en").split("_")[0]
    return code if code in LANGUAGES else "en"


def _chosen_line(lines: list[Line]) -> int | None:
    given = request.form.get("line", "")
    return next((line.id for line in lines if str(line.id) == given), None)
