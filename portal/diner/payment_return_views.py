"""The page that payers return to from the card page: shows the link's state only."""

from flask import Response, current_app, make_response, render_template

from core.db import tenant_scope
from core.errors import NotFound
from core.ids import BadId
from core.security.signing import BadToken
from core.settings import Settings
from core.values.money import format_money
from portal.diner import menu_content
from portal.diner.texts import diner_languages, diner_text, page_functions
from portal.diner.views import POLICY, diner, not_found_page
from portal.web.auth import open_to_all
from restaurant.models import PaymentLink
from restaurant.payments import link_queries, payment_events
from restaurant.payments import worker_steps as payment_worker_steps
from restaurant.sites import sites
from restaurant.tabs import addresses as tab_addresses
from restaurant.tabs import sessions as tab_sessions

STATES_SHOWN = {"paid": "paid", "open": "open", "failed": "open", "making": "open"}


@diner.get("/pay/<token>")
@open_to_all
def paid(token: str) -> Response:
    settings: Settings = current_app.extensions["comanda"]
    try:
        tenant_id, link_id = payment_worker_steps.read_return_token(settings, token)
        with tenant_scope(tenant_id):
            link = link_queries.get(link_id)
            site = sites.get_including_closed(link.site_id)
            bill_url = _bill_url(link)
    except (BadToken, BadId, NotFound, ValueError, TypeError):
        return not_found_page("pay_back", "pay_over_text")
    language = link.language if link.language in diner_languages() else "en"
    page = render_template(
        "diner/payment_return.html",
        site=site,
        state=STATES_SHOWN.get(link.state, "over"),
        url=link.url if link.state in ("open", "failed") else "",
        bill_url=bill_url,
        **page_functions(language),
        pay_now=diner_text(
            language, "pay_now", amount=format_money(link.amount, link.currency, language)
        ),
        language=language,
        direction=menu_content.direction(language),
    )
    answer = make_response(page)
    answer.headers["Content-Security-Policy"] = POLICY
    answer.headers["Cache-Control"] = "no-store"
    answer.headers["Referrer-Policy"] = "no-referrer"
    return answer


def _bill_url(link: PaymentLink) -> str:
    """The bill of the table, for a guest who paid a share of it; empty for other payments."""
    share = payment_events.share_of_link(link.id) if link.source == "tab" else None
    if share is None:
        return ""
    tab = tab_sessions.get(share.tab_id)
    return tab_addresses.bill_url(tab, share.guest_id or "")
