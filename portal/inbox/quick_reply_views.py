"""Quick replies: answers that a team gives often."""

from typing import Any

from flask import flash, g, redirect, render_template, url_for
from flask_babel import gettext
from flask_babel import lazy_gettext as _
from wtforms import StringField, TextAreaField
from wtforms.validators import Length

from core.db import tenant_scope
from messaging.inbox import quick_replies
from portal.inbox import inbox
from portal.inbox.card_fields import CardFields
from portal.web.auth import member_may
from portal.web.confirm import confirm_then, in_tenant
from portal.web.forms import domain_errors_on, field_text, required


class QuickReplyForm(CardFields):
    shortcut = StringField(
        _("Shortcut"), [required(), Length(max=33)], description=_("Type it after / in a reply.")
    )
    text = TextAreaField(_("Text"), [required(), Length(max=4096)])


@inbox.route("/inbox/quick-replies", methods=["GET", "POST"])
@member_may("inbox.reply")
def quick_replies_page() -> Any:
    form = QuickReplyForm()
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                quick_replies.save(
                    field_text(form.shortcut), field_text(form.text), card=form.card()
                )
            flash(gettext("Saved."), "success")
            return redirect(url_for("inbox.quick_replies_page"))
    with tenant_scope(g.tenant_id):
        known = quick_replies.list_quick_replies()
    return render_template("inbox/quick_replies.html", form=form, replies=known)


@inbox.route("/inbox/quick-replies/<reply_id>", methods=["GET", "POST"])
@member_may("inbox.reply")
def quick_reply(reply_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = quick_replies.get(reply_id)
    form = QuickReplyForm(obj=known)
    if not form.is_submitted():
        form.fill(known.content)
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                quick_replies.save(
                    field_text(form.shortcut), field_text(form.text), reply_id, card=form.card()
                )
            flash(gettext("Saved."), "success")
            return redirect(url_for("inbox.quick_replies_page"))
    return render_template("inbox/quick_reply.html", form=form, reply=known)


@inbox.route("/inbox/quick-replies/<reply_id>/remove", methods=["GET", "POST"])
@member_may("inbox.reply")
def remove_quick_reply(reply_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = quick_replies.get(reply_id)
    return confirm_then(
        in_tenant(quick_replies.remove, reply_id),
        title=gettext("Delete this quick reply?"),
        text=gettext(
            "Your team will no longer be able to use /%(shortcut)s.", shortcut=known.shortcut
        ),
        yes=gettext("Delete"),
        back_url=url_for("inbox.quick_replies_page"),
        done=gettext("Quick reply deleted."),
    )
