"""The development mailbox: e-mails that would have been sent. Not available in production."""

from typing import Any

from flask import Blueprint, render_template, request, url_for

from core import mail
from core.db import global_scope
from core.errors import NotFound
from portal.web.auth import open_to_all

mailbox = Blueprint("mailbox", __name__)

PAGE = 50


@mailbox.get("/mailbox")
@open_to_all
def index() -> Any:
    after = request.args.get("after")
    with global_scope():
        mails = mail.recent_emails(after, PAGE + 1)
    shown = mails[:PAGE]
    return render_template(
        "mailbox/index.html",
        mails=shown,
        next_url=url_for("mailbox.index", after=shown[-1].id) if len(mails) > PAGE else None,
        previous_url=url_for("mailbox.index") if after else None,
    )


@mailbox.get("/mailbox/<mail_id>")
@open_to_all
def show(mail_id: str) -> Any:
    with global_scope():
        message = mail.get(mail_id)
    if message is None:
        raise NotFound()
    return render_template("mailbox/show.html", mail=message)
