"""Where a payer comes back to from the card page: how the link stands, and nothing else."""

from flask import Response, current_app, make_response, render_template

from core.db import tenant_scope
from core.errors import NotFound
from core.ids import BadId
from core.money import format_money
from core.settings import Settings
from core.signing import BadToken
from portal.diner import shaping
from portal.diner.pages import BOOK, POLICY, diner, nobody
from portal.visitors import open_to_all
from restaurant import payment_links, payment_work, sites

SHOWN = {"paid": "paid", "open": "open", "failed": "open", "making": "open"}


@diner.get("/pay/<token>")
@open_to_all
def paid(token: str) -> Response:
    settings: Settings = current_app.extensions["comanda"]
    try:
        tenant_id, link_id = payment_work.read_return(settings, token)
        with tenant_scope(tenant_id):
            link = payment_links.get(link_id)
            site = sites.known(link.site_id)
    except (BadToken, BadId, NotFound, ValueError, TypeError):
        return nobody("pay_back", "pay_over_text")
    language = link.language if link.language in BOOK.spoken else "en"
    page = render_template(
        "diner/paying.html",
        site=site,
        state=SHOWN.get(link.state, "over"),
        url=link.url if link.state in ("open", "failed") else "",
        words=BOOK.words(language),
        pay_now=BOOK.say(
            language, "pay_now", amount=format_money(link.amount, link.currency, language)
        ),
        language=language,
        direction=shaping.direction(language),
    )
    answer = make_response(page)
    answer.headers["Content-Security-Policy"] = POLICY
    answer.headers["Cache-Control"] = "no-store"
    answer.headers["Referrer-Policy"] = "no-referrer"
    return answer
