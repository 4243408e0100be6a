"""Loyalty members: balances, ledger, and corrections with a reason."""

from typing import Any

from flask import flash, g, redirect, render_template, request, url_for
from flask_babel import gettext

from core.db import tenant_scope
from core.errors import DomainError, Invalid, NotFound
from messaging.contacts import cards as contact_cards
from messaging.contacts import search as contact_search
from portal.loyalty import loyalty_pages
from portal.loyalty.forms import CorrectForm
from portal.loyalty.programme_views import chosen_site
from portal.web.auth import may, member_may
from portal.web.forms import domain_errors_on, field_text, text_in_url
from portal.web.i18n import error_message
from portal.web.paging import PAGE, cursor_in_url, page_of
from restaurant.loyalty import coupon_codes, coupons, ledger, programmes, rewards
from restaurant.sites import sites
from tenants import accounts, audit

MOST_FOUND = 200


@loyalty_pages.get("/members")
@member_may("loyalty.view")
def member_list() -> Any:
    site = chosen_site()
    if site is None:
        return render_template("loyalty/no_restaurant.html")
    params = {"site": site.id}
    if typed := text_in_url("q", 80):
        params["q"] = typed
    with tenant_scope(g.tenant_id):
        known, only = sites.listed(), None
        if typed:
            found = contact_search.search_contacts(
                contact_search.ContactFilters(search=typed),
                limit=MOST_FOUND,
                country=accounts.account().country,
            )
            only = [one.id for one in found]
        rows = ledger.members(site.id, cursor_in_url(), PAGE + 1, only)
        page = page_of(rows, "loyalty.member_list", params, PAGE, cursor=lambda one: one.contact_id)
        people = contact_cards.existing_cards([one.contact_id for one in page.rows])
        programme = programmes.of_site(site.id)
    return render_template(
        "loyalty/members.html",
        site=site,
        sites=known,
        members=page.rows,
        people=people,
        programme=programme,
        filters=params,
        **page.urls,
    )


@loyalty_pages.get("/members/<contact_id>")
@member_may("loyalty.view")
def member(contact_id: str) -> Any:
    return _member(contact_id, None)


@loyalty_pages.post("/members/<contact_id>")
@member_may("loyalty.manage")
def correct(contact_id: str) -> Any:
    form = CorrectForm()
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                site = sites.get(request.form.get("site", "")[:40])
                card = contact_cards.get(contact_id)
                ledger.correct_balance(
                    site, card.id, form.amount.data or 0, field_text(form.because)
                )
            flash(gettext("Balance corrected."), "success")
            return redirect(url_for("loyalty.member", contact_id=contact_id))
    return _member(contact_id, form)


@loyalty_pages.post("/members/<contact_id>/exchange")
@member_may("loyalty.manage")
def exchange(contact_id: str) -> Any:
    try:
        with tenant_scope(g.tenant_id):
            card = contact_cards.get(contact_id)
            site_id, reward_id = (request.form.get(one, "")[:40] for one in ("site", "reward"))
            if not site_id or not reward_id:
                raise Invalid("reward_missing", "Choose a reward that has a price.")
            site, reward = sites.get(site_id), rewards.get(reward_id)
            made = ledger.exchange_points(site, card.id, reward)
            audit.record("loyalty.coupon_given", coupon_codes.format_code(made.code))
    except NotFound:
        raise
    except DomainError as error:
        flash(error_message(error), "error")
        return redirect(url_for("loyalty.member", contact_id=contact_id))
    flash(gettext("Coupon created."), "success")
    return redirect(url_for("loyalty.coupon", coupon_id=made.id))


def _member(contact_id: str, form: CorrectForm | None) -> Any:
    with tenant_scope(g.tenant_id):
        card = contact_cards.get(contact_id)
        known = {site.id: site for site in sites.list_including_closed()}
        balances = ledger.balances(card.id)
        counted = {one.site_id: one for one in programmes.listed()}
        entries = ledger.entries(card.id)
        own_coupons = coupons.of_contact(card.id)
        priced = {
            one.site_id: rewards.exchangeable_at(one.site_id, known[one.site_id].currency)
            for one in balances
            if one.site_id in known
        }
    if form is None and may("loyalty.manage"):
        form = CorrectForm(formdata=None)
    page = render_template(
        "loyalty/member.html",
        card=card,
        sites=known,
        open_sites=[one for one in known.values() if one.closed_at is None],
        balances=balances,
        programmes=counted,
        entries=entries,
        coupons=own_coupons,
        state_of=coupons.state_of,
        shown=coupon_codes.format_code,
        priced=priced,
        form=form,
    )
    return page, 422 if form is not None and (form.errors or form.form_errors) else 200
