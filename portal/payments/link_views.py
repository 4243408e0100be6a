"""Payment links: list, show, create, renew, cancel, and the QR code."""

from typing import Any

from flask import Response, flash, g, redirect, render_template, url_for
from flask_babel import gettext
from markupsafe import Markup

from core.db import db, tenant_scope
from core.errors import DomainError, NotFound
from core.ids import BadId, to_uuid
from core.values import qr_codes
from portal.payments import payments_pages
from portal.payments.forms import LinkForm
from portal.web.auth import member_may, next_path
from portal.web.confirm import confirm_then
from portal.web.forms import domain_errors_on, field_text, text_in_url
from portal.web.i18n import error_message
from portal.web.paging import PAGE, cursor_in_url, page_of
from restaurant.models import Order
from restaurant.orders import queries as order_queries
from restaurant.payments import accounts as payment_accounts
from restaurant.payments import link_queries, payments, provider_events, refunds
from restaurant.payments import links as payment_links
from restaurant.payments.link_queries import LinkFilters
from restaurant.payments.links import STATES
from restaurant.sites import sites

LINK = "/links/<link_id>"


@payments_pages.get("")
@member_may("payments.view")
def index() -> Any:
    given: dict[str, Any] = _filters_in_url()
    with tenant_scope(g.tenant_id):
        filters = _filters(given)
        found = link_queries.listed(filters, cursor_in_url(), PAGE + 1) if filters else []
        page = page_of(found, "payments.index", given, PAGE)
        facts = {
            "sites": {site.id: site for site in sites.list_including_closed()},
            "numbers": order_numbers([link.order_id for link in page.rows]),
            "accounts": payment_accounts.listed(),
            "reviews": payments.in_review(),
        }
    return render_template(
        "payments/index.html", links=page.rows, filters=given, states=STATES, **facts, **page.urls
    )


@payments_pages.route("/links/new", methods=["GET", "POST"])
@member_may("payments.manage")
def new() -> Any:
    with tenant_scope(g.tenant_id):
        able = [one for one in sites.listed() if payment_accounts.for_site(one.id) is not None]
    form = LinkForm()
    form.offer(able)
    if able and form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                made = payment_links.create_standalone(
                    sites.get(form.site_id.data),
                    field_text(form.amount).replace(",", "."),
                    field_text(form.description),
                    source="staff",
                    phone=field_text(form.phone),
                    name=field_text(form.name),
                    notify=bool(form.tell.data),
                )
            flash(gettext("Creating the payment link."), "success")
            return redirect(url_for("payments.link", link_id=made.id))
    return render_template("payments/new.html", form=form, able=able)


@payments_pages.get(LINK)
@member_may("payments.view")
def link(link_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = link_queries.get(link_id)
        order = db.session.get(Order, (g.tenant_id, known.order_id)) if known.order_id else None
        money = payments.of_link(known.id)
        facts = {
            "site": sites.get_including_closed(known.site_id),
            "account": payment_accounts.get_including_removed(known.account_id),
            "order": order,
            "payments": money,
            "refunds": refunds.of_payments([one.id for one in money]),
            "left": {one.id: refunds.refundable_amount(one) for one in money},
            "signals": provider_events.of_link(known.id),
            "renewable": known.state in payment_links.RENEWABLE
            and (order is None or order.state == "awaiting_payment")
            and not (order is None and known.cart_id),
        }
    shown = known.url if known.state in ("open", "failed") else ""
    return render_template(
        "payments/link.html", link=known, qr=_qr_svg(shown) if shown else "", **facts
    )


@payments_pages.get(f"{LINK}/qr.svg")
@member_may("payments.view")
def qr(link_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = link_queries.get(link_id)
    if not known.url:
        raise NotFound()
    answer = Response(_qr_svg(known.url), mimetype="image/svg+xml")
    answer.headers["Content-Disposition"] = f'attachment; filename="{known.reference}.svg"'
    return answer


@payments_pages.route(f"{LINK}/cancel", methods=["GET", "POST"])
@member_may("payments.manage")
def cancel(link_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = link_queries.get(link_id)

    def act() -> None:
        with tenant_scope(g.tenant_id):
            payment_links.cancel(link_queries.get(link_id))

    return confirm_then(
        act,
        title=gettext("Cancel this link?"),
        text=gettext(
            "Nobody can pay with this link anymore. If it belongs to an "
            "order, the order keeps waiting for payment."
        ),
        yes=gettext("Cancel link"),
        back_url=url_for("payments.link", link_id=known.id),
        done=gettext("Payment link cancelled."),
    )


@payments_pages.post(f"{LINK}/renew")
@member_may("payments.manage")
def renew(link_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = link_queries.get(link_id)
    back = next_path(url_for("payments.link", link_id=known.id))
    try:
        with tenant_scope(g.tenant_id):
            payment_links.renew(link_queries.get(link_id))
    except DomainError as error:
        flash(error_message(error), "error")
        return redirect(back)
    flash(
        gettext("Creating a new payment link. The customer will receive it in the chat."), "success"
    )
    return redirect(back)


def order_numbers(order_ids: list[str | None]) -> dict[str, str]:
    """Map order ids to order numbers."""
    ids = sorted({one for one in order_ids if one})
    return {one: order_queries.get(one).number for one in ids}


def _qr_svg(url: str) -> Markup:
    return Markup(qr_codes.svg(url, border=2))  # noqa: S704 - holds numbers alone


def _filters_in_url() -> dict[str, str]:
    given = {name: text_in_url(name, 60) for name in ("q", "state", "site")}
    if given["state"] not in STATES:
        given["state"] = ""
    try:
        to_uuid("sit", given["site"])
    except BadId:
        given["site"] = ""
    return {name: value for name, value in given.items() if value}


def _filters(given: dict[str, Any]) -> LinkFilters | None:
    """The filters for the query; None if the search matches no order."""
    words = given.get("q", "").upper()
    order_id = reference = None
    if "-" in words and len(words.replace("-", "")) > 8:
        try:
            order_id = order_queries.get(words).id
        except NotFound:
            return None
    elif words:
        reference = words.lstrip("#").replace("-", "")
    return LinkFilters(given.get("state"), given.get("site"), order_id, reference)
