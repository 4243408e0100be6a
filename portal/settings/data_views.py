"""Data: retention, export, and closing the account."""

from typing import Any

from flask import (
    Blueprint,
    Response,
    abort,
    current_app,
    flash,
    g,
    redirect,
    render_template,
    url_for,
)
from flask_babel import format_date, gettext
from flask_login import current_user

from core.clock import now
from core.db import tenant_scope
from core.errors import DomainError, invalid
from core.settings import Settings
from core.storage.blobs import NoSuchBlob
from messaging.lines import send_lane
from portal.auth import emails
from portal.settings.forms import CloseAccountForm, RetentionForm
from portal.web.auth import may, member_may
from portal.web.forms import domain_errors_on, field_text
from portal.web.i18n import error_message
from tenants import accounts, audit, signin, team
from tenants.data import account_closure
from tenants.data import export as data_export
from tenants.data import retention as retention_settings
from tenants.data.retention import RetentionDays
from tenants.passwords import password_matches

data_pages = Blueprint("data", __name__)
CHUNK = 64 * 1024


@data_pages.get("/settings/data")
@member_may("settings.view")
def index() -> Any:
    return _page(None)


@data_pages.post("/settings/data/keeping")
@member_may("settings.manage")
def keep() -> Any:
    form = RetentionForm()
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                retention_settings.set_days(
                    RetentionDays(
                        **{kind: form[kind].data for kind in retention_settings.RETENTION_FIELDS}
                    )
                )
            flash(gettext("Saved. The change takes effect tonight."), "success")
            return redirect(url_for("data.index"))
    return _page(form)


@data_pages.post("/settings/data/export")
@member_may("account.export")
def export() -> Any:
    try:
        with tenant_scope(g.tenant_id):
            data_export.request_export()
        flash(gettext("Export started. You can leave this page."), "success")
    except DomainError as error:
        flash(error_message(error), "error")
    return redirect(url_for("data.index", _anchor="export"))


@data_pages.get("/settings/data/exports/<export_id>")
@member_may("account.export")
def download(export_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        one = data_export.get(export_id)
        name = accounts.get(g.tenant_id).name
        if one.state != "ready" or not one.blob_key or one.expires_at is None:
            abort(404)
        if one.expires_at <= now():
            abort(404)
        audit.record("account.export_fetched", name)
        key = one.blob_key
    try:
        source = current_app.extensions["blobs"].open(key)
    except NoSuchBlob:
        abort(404)

    def parts() -> Any:
        with source:
            while part := source.read(CHUNK):
                yield part

    answer = Response(parts(), mimetype="application/zip")
    made = f"comanda-{g.tenant_id}-{one.asked_at:%Y-%m-%d}.zip"
    answer.headers["Content-Disposition"] = f'attachment; filename="{made}"'
    answer.headers["Cache-Control"] = "private, no-store"
    return answer


@data_pages.get("/settings/data/progress")
@member_may("account.export")
def progress() -> Any:
    """The part of the page that changes during an export."""
    with tenant_scope(g.tenant_id):
        exports = data_export.list_exports()
    return render_template("data/exports.html", exports=exports)


@data_pages.route("/settings/close", methods=["GET", "POST"])
@member_may("account.close")
def close() -> Any:
    """Ask for the business name and the person's password, then close the account."""
    form = CloseAccountForm()
    if form.validate_on_submit():
        with domain_errors_on(form):
            signin.throttle("close", f"account {current_user.person.id}")
            if not password_matches(field_text(form.password), current_user.person.password_hash):
                raise invalid("password", "wrong_password", "The password is incorrect.")
            with tenant_scope(g.tenant_id):
                erase_at = account_closure.close(field_text(form.name))
                name = accounts.get(g.tenant_id).name
                for member in team.members():
                    if member.role == "owner":
                        emails.send_account_closed(member.email, member.name, name, erase_at)
            flash(
                gettext(
                    "Account closed. All data will be permanently deleted on "
                    "%(day)s. Until then, you can reopen the account.",
                    day=format_date(erase_at, "d MMMM yyyy"),
                ),
                "success",
            )
            return redirect(url_for("data.index", _anchor="closing"))
    with tenant_scope(g.tenant_id):
        tenant = accounts.get(g.tenant_id)
    return render_template("data/close.html", form=form, tenant=tenant)


@data_pages.post("/settings/reopen")
@member_may("account.close")
def reopen() -> Any:
    try:
        with tenant_scope(g.tenant_id):
            account_closure.reopen()
            send_lane.wake_waiting_messages()
        flash(gettext("Welcome back. Your account is open again with all its data."), "success")
    except DomainError as error:
        flash(error_message(error), "error")
    return redirect(url_for("data.index"))


def _page(form: RetentionForm | None) -> str:
    settings: Settings = current_app.extensions["comanda"]
    with tenant_scope(g.tenant_id):
        own, tenant = accounts.account(), accounts.get(g.tenant_id)
        days = retention_settings.get_days()
        exports = data_export.list_exports() if may("account.export") else []
    if form is None and may("settings.manage"):
        form = RetentionForm(formdata=None, obj=own)
    return render_template(
        "data/index.html",
        form=form,
        days=days,
        tenant=tenant,
        exports=exports,
        call_days=settings.request_log_days,
        hook_days=settings.hook_days,
    )
