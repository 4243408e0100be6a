"""Data: how long it is kept, all of it as a file, and closing the account."""

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

from core.blobs import NoSuchBlob
from core.clock import now
from core.db import tenant_scope
from core.errors import DomainError, invalid
from core.settings import Settings
from messaging import sending
from portal import letters
from portal.account_forms import ClosingForm, KeepingForm
from portal.forms import refusals_on, said
from portal.visitors import may, member_may
from portal.words import in_words
from tenants import accounts, audit, closing, exporting, keeping, signin, team
from tenants.keeping import Days
from tenants.passwords import password_fits

data_pages = Blueprint("data", __name__)
CHUNK = 64 * 1024


@data_pages.get("/settings/data")
@member_may("settings.view")
def index() -> Any:
    return _page(None)


@data_pages.post("/settings/data/keeping")
@member_may("settings.manage")
def keep() -> Any:
    form = KeepingForm()
    if form.validate_on_submit():
        with refusals_on(form):
            with tenant_scope(g.tenant_id):
                keeping.choose(Days(**{kind: form[kind].data for kind in keeping.KINDS}))
            flash(gettext("Saved. The next night does it."), "success")
            return redirect(url_for("data.index"))
    return _page(form)


@data_pages.post("/settings/data/export")
@member_may("account.export")
def export() -> Any:
    try:
        with tenant_scope(g.tenant_id):
            exporting.ask()
        flash(gettext("The file is being made. You can leave this page."), "success")
    except DomainError as error:
        flash(in_words(error), "error")
    return redirect(url_for("data.index", _anchor="export"))


@data_pages.get("/settings/data/exports/<export_id>")
@member_may("account.export")
def download(export_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        one = exporting.get(export_id)
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
    """The part of the page that moves."""
    with tenant_scope(g.tenant_id):
        exports = exporting.listed()
    return render_template("data/exports.html", exports=exports)


@data_pages.route("/settings/close", methods=["GET", "POST"])
@member_may("account.close")
def close() -> Any:
    """Asks for the name of the business and the person's password, then closes."""
    form = ClosingForm()
    if form.validate_on_submit():
        with refusals_on(form):
            signin.throttle("close", f"account {current_user.person.id}")
            if not password_fits(said(form.password), current_user.person.password_hash):
                raise invalid("password", "wrong_password", "That is not your password.")
            with tenant_scope(g.tenant_id):
                erase_at = closing.close(said(form.name))
                name = accounts.get(g.tenant_id).name
                for member in team.members():
                    if member.role == "owner":
                        letters.account_closed(member.email, member.name, name, erase_at)
            flash(
                gettext(
                    "The account is closed. Everything is erased on %(day)s; until then it can be"
                    " opened again.",
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
            closing.reopen()
            sending.look_again()
        flash(gettext("Welcome back. Everything is as it was."), "success")
    except DomainError as error:
        flash(in_words(error), "error")
    return redirect(url_for("data.index"))


def _page(form: KeepingForm | None) -> str:
    settings: Settings = current_app.extensions["comanda"]
    with tenant_scope(g.tenant_id):
        own, tenant = accounts.account(), accounts.get(g.tenant_id)
        days = keeping.chosen()
        exports = exporting.listed() if may("account.export") else []
    if form is None and may("settings.manage"):
        form = KeepingForm(formdata=None, obj=own)
    return render_template(
        "data/index.html",
        form=form,
        days=days,
        tenant=tenant,
        exports=exports,
        call_days=settings.request_log_days,
        hook_days=settings.hook_days,
    )
