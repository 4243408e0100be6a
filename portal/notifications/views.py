"""Turn notifications on and off on this device; the service worker and the manifest."""

from typing import Any

from flask import (
    Blueprint,
    current_app,
    flash,
    g,
    jsonify,
    redirect,
    render_template,
    request,
    url_for,
)
from flask_babel import gettext
from flask_login import current_user

from core.db import tenant_scope
from core.errors import DomainError
from core.http import Policy
from core.security.web_push import BrowserKeys, public_key_of
from core.settings import Settings
from portal.web.auth import may, member_may, open_to_all
from portal.web.forms import submitted_text
from portal.web.i18n import error_message
from tenants.push import notifications, subscriptions
from tenants.push.subscriptions import TOPICS

notification_pages = Blueprint("notifications", __name__)

WORKER_SECONDS = 3600


@notification_pages.get("/notifications")
@member_may("home.view")
def index() -> Any:
    settings: Settings = current_app.extensions["comanda"]
    with tenant_scope(g.tenant_id):
        devices = subscriptions.list_of(current_user.id)
    key = settings.vapid_private_key
    return render_template(
        "notifications/index.html",
        devices=devices,
        public_key=public_key_of(key) if key else "",
        topics=[topic for topic, right in TOPICS.items() if may(right)],
    )


@notification_pages.post("/notifications")
@member_may("home.view")
def subscribe() -> Any:
    """A script sends the browser's subscription; nothing is asked before the button is pressed."""
    settings: Settings = current_app.extensions["comanda"]
    allowed = [topic for topic, right in TOPICS.items() if may(right)]
    try:
        with tenant_scope(g.tenant_id):
            made = subscriptions.subscribe(
                current_user.id,
                submitted_text("endpoint", 1000),
                BrowserKeys(submitted_text("p256dh", 200), submitted_text("auth", 100)),
                topics=[one for one in request.form.getlist("topics")[:20] if one in allowed],
                shows_text=request.form.get("shows_text") == "yes",
                device=str(request.user_agent)[:120],
                policy=Policy(settings.ports_allowed, settings.allow_loopback),
            )
            device_id = made.id
    except DomainError as error:
        return jsonify(error=error_message(error)), error.status
    return jsonify(id=device_id)


@notification_pages.post("/notifications/test")
@member_may("home.view")
def send_test() -> Any:
    with tenant_scope(g.tenant_id):
        sent = notifications.announce_test(current_user.id)
    if sent:
        flash(gettext("A test notification is on its way to your devices."), "success")
    else:
        flash(gettext("Turn on notifications on a device first."), "warning")
    return redirect(url_for("notifications.index"))


@notification_pages.post("/notifications/<device_id>/remove")
@member_may("home.view")
def remove(device_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        subscriptions.remove(current_user.id, device_id)
    flash(gettext("Notifications are turned off on this device."), "success")
    return redirect(url_for("notifications.index"))


@notification_pages.get("/service-worker.js")
@open_to_all
def service_worker() -> Any:
    """At the root, because a worker serves only pages below its own address."""
    answer = current_app.send_static_file("js/service-worker.js")
    answer.headers["Cache-Control"] = f"max-age={WORKER_SECONDS}"
    return answer


@notification_pages.get("/manifest.webmanifest")
@open_to_all
def manifest() -> Any:
    """Lets phones and computers install the portal as an app."""
    answer = jsonify(
        name="Comanda",
        short_name="Comanda",
        id="/",
        start_url="/inbox",
        scope="/",
        display="standalone",
        background_color="#f6f8f5",
        theme_color="#1f6f54",
        icons=[
            {
                "src": url_for("static", filename=f"app-icon-{size}.png"),
                "sizes": f"{size}x{size}",
                "type": "image/png",
                "purpose": "any maskable",
            }
            for size in (192, 512)
        ],
    )
    answer.mimetype = "application/manifest+json"
    answer.headers["Cache-Control"] = "max-age=86400"
    return answer
