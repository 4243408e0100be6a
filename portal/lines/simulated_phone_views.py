"""Links to the simulated phones, for members of the tenant that owns them.

A guest who sends an order to a restaurant in test mode sees a notice instead and does not have to
sign in.
"""

from urllib.parse import urlencode

from flask import Blueprint, abort, current_app, redirect, request, url_for
from flask_babel import get_locale
from flask_login import current_user
from werkzeug.wrappers import Response

from core.db import tenant_scope
from core.settings import Settings
from messaging.lines import repository as line_repository
from messaging.simulator.phones.access_links import phones_link
from portal.diner.views import not_found_page
from portal.web.auth import member_may, open_to_all

phones = Blueprint("phones", __name__)


@phones.get("/phones/order/<int:line_id>")
@open_to_all
def order(line_id: int) -> Response:
    """Opened from a menu whose line is simulated; no real phone can send that order."""
    if current_user.is_authenticated:
        return redirect(url_for("phones.write", line_id=line_id, text=request.args.get("text", "")))
    return not_found_page("test_mode", "test_mode_text", status=200)


@phones.get("/phones/write/<int:line_id>")
@member_may("messages.view")
def write(line_id: int) -> Response:
    """Open a simulated phone with a text typed in, ready to send to a line."""
    settings: Settings = current_app.extensions["comanda"]
    if not settings.simulator_url:
        abort(404)
    with tenant_scope(current_user.tenant.id):
        line = line_repository.get(line_id)
    if line.network != "simulator":
        abort(404)
    link = phones_link(
        settings.simulator_url,
        settings.simulator_secret,
        current_user.tenant.id,
        str(get_locale()),
    )
    typed = {"to": line.phone_number_id or str(line.id), "text": request.args.get("text", "")}
    return redirect(f"{link}{'&' if '?' in link else '?'}{urlencode(typed)}")
