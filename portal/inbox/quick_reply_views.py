"""Quick replies: answers that a team gives often."""

from collections.abc import Mapping
from typing import Any

from flask import flash, g, redirect, render_template, url_for
from flask_babel import gettext
from flask_babel import lazy_gettext as _
from wtforms import SelectField, StringField, TextAreaField
from wtforms.validators import Length

from core.db import tenant_scope
from messaging.inbox import quick_replies
from messaging.inbox.composed import ComposedCard, read_json
from portal.inbox import inbox
from portal.web.auth import member_may
from portal.web.confirm import confirm_then, in_tenant
from portal.web.forms import Form, domain_errors_on, field_text, required


class QuickReplyForm(Form):
    shortcut = StringField(
        _("Shortcut"), [required(), Length(max=33)], description=_("Type it after / in a reply.")
    )
    text = TextAreaField(_("Text"), [required(), Length(max=4096)])
    kind = SelectField(
        _("Below the text"),
        choices=[("", _("Nothing")), ("buttons", _("Buttons")), ("list", _("List"))],
        default="",
    )
    button_1 = StringField(_("Button %(number)s", number=1), [Length(max=20)])
    button_2 = StringField(_("Button %(number)s", number=2), [Length(max=20)])
    button_3 = StringField(_("Button %(number)s", number=3), [Length(max=20)])
    list_button = StringField(_("Button that opens the list"), [Length(max=20)])
    rows = TextAreaField(_("Choices"), [Length(max=1200)])

    def fill(self, content: Mapping[str, Any]) -> None:
        """Show the buttons or the list of a stored quick reply."""
        card = read_json(content)
        if card is None:
            return
        self.kind.data = card.kind
        for field, title in zip(self._button_fields(), card.buttons, strict=False):
            field.data = title
        self.list_button.data, self.rows.data = card.list_button, "\n".join(card.rows)

    def card(self) -> ComposedCard | None:
        if not self.kind.data:
            return None
        return ComposedCard(
            kind=self.kind.data,
            buttons=tuple(title for field in self._button_fields() if (title := field.data)),
            list_button=self.list_button.data or "",
            rows=tuple((self.rows.data or "").splitlines()),
        )

    def _button_fields(self) -> tuple[StringField, ...]:
        return self.button_1, self.button_2, self.button_3


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
