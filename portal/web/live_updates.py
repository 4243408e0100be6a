"""What a page needs for live updates: the stream's URL, a token, and the position to start at."""

from typing import Any

from flask import Blueprint, Flask, current_app, g, jsonify
from flask_login import current_user

from core.security.live_tokens import LIFETIME, make_live_token
from core.settings import Settings
from portal.web.auth import may, member_may

live_pages = Blueprint("live", __name__)

# The right that each topic needs; the topic is the first word of an update's kind.
TOPICS = {
    "messages": "messages.view",
    "conversations": "inbox.view",
    "approvals": "inbox.reply",
    "lines": "lines.view",
    "orders": "orders.view",
    "calls": "orders.view",
    "prints": "printing.view",
    "printers": "printing.view",
    "campaigns": "campaigns.view",
}


def allowed_topics() -> list[str]:
    return [topic for topic, right in TOPICS.items() if may(right)]


def live_connection() -> dict[str, str] | None:
    """For layout/app.html; None if the person may not receive any topic."""
    if getattr(current_user, "role", None) is None or not (topics := allowed_topics()):
        return None
    settings: Settings = current_app.extensions["comanda"]
    return {
        "url": settings.live_url or "/live",
        "ticket": make_live_token(settings.secret_key, g.tenant_id, current_user.id, topics),
        "after": g.get("live_cursor", ""),
    }


@live_pages.get("/news/ticket")
@member_may("home.view")
def ticket() -> Any:
    """A new token for an open page; empty if the person may no longer receive updates."""
    connection = live_connection() or {"ticket": ""}
    answer = jsonify(ticket=connection["ticket"], seconds=int(LIFETIME.total_seconds()))
    answer.headers["Cache-Control"] = "no-store"
    return answer


def setup_live_updates(app: Flask) -> None:
    app.register_blueprint(live_pages)
    app.add_template_global(live_connection)
