"""Rewards and the coupons issued for them."""

from typing import Any

from flask import flash, g, redirect, render_template, request, url_for
from flask_babel import gettext

from core.db import tenant_scope
from core.errors import NotFound, invalid
from core.ids import BadId, to_uuid
from messaging.contacts import cards as contact_cards
from messaging.contacts import identities as contact_identities
from messaging.contacts import validation as contact_validation
from portal.loyalty import loyalty_pages
from portal.loyalty.forms import CancelForm, CouponForm, RewardForm
from portal.web.auth import may, member_may
from portal.web.confirm import confirm_then, in_tenant
from portal.web.forms import domain_errors_on, field_text, text_in_url
from portal.web.paging import PAGE, cursor_in_url, page_of
from restaurant.loyalty import coupon_codes, coupons, ledger, rewards
from restaurant.loyalty import placeholders as loyalty_placeholders
from restaurant.menus import publishing
from restaurant.menus.pricing import text_in
from restaurant.models import Coupon, Order, Reward
from restaurant.orders import queries as order_queries
from restaurant.sites import sites
from tenants import audit


@loyalty_pages.get("/rewards")
@member_may("loyalty.view")
def reward_list() -> Any:
    with tenant_scope(g.tenant_id):
        listed, known = rewards.listed(), sites.list_including_closed()
    return render_template(
        "loyalty/rewards.html", rewards=listed, sites={site.id: site for site in known}
    )


@loyalty_pages.route("/rewards/new", methods=["GET", "POST"])
@member_may("loyalty.manage")
def new_reward() -> Any:
    form = RewardForm()
    with tenant_scope(g.tenant_id):
        _offer(form)
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                made = rewards.add(form.settings())
            flash(gettext("Guests can now get “%(name)s”.", name=made.name), "success")
            return redirect(url_for("loyalty.reward_list"))
    return _reward(None, form)


@loyalty_pages.route("/rewards/<reward_id>", methods=["GET", "POST"])
@member_may("loyalty.manage")
def reward(reward_id: str) -> Any:
    form = RewardForm()
    with tenant_scope(g.tenant_id):
        known = rewards.get(reward_id)
        _offer(form)
    if request.method == "GET":
        form.show(known)
    elif form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                rewards.change(reward_id, form.settings())
            flash(gettext("Saved."), "success")
            return redirect(url_for("loyalty.reward_list"))
    return _reward(known, form)


@loyalty_pages.route("/rewards/<reward_id>/remove", methods=["GET", "POST"])
@member_may("loyalty.manage")
def remove_reward(reward_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = rewards.get(reward_id)
    return confirm_then(
        in_tenant(rewards.remove, reward_id),
        title=gettext("Delete “%(name)s”?", name=known.name),
        text=gettext("Guests can no longer get this reward. Coupons they already have stay valid."),
        yes=gettext("Delete reward"),
        back_url=url_for("loyalty.reward", reward_id=reward_id),
        done=gettext("Reward deleted."),
        done_url=url_for("loyalty.reward_list"),
    )


@loyalty_pages.get("/coupons")
@member_may("loyalty.view")
def coupon_list() -> Any:
    filters = _filters_in_url()
    with tenant_scope(g.tenant_id):
        rows = coupons.listed(_filters(filters), cursor_in_url(), PAGE + 1)
        page = page_of(rows, "loyalty.coupon_list", filters, PAGE)
        listed = rewards.listed()
        people = contact_cards.existing_cards(
            [one.contact_id for one in page.rows if one.contact_id]
        )
    return render_template(
        "loyalty/coupons.html",
        coupons=page.rows,
        state_of=coupons.state_of,
        shown=coupon_codes.format_code,
        rewards=listed,
        people=people,
        filters=filters,
        **page.urls,
    )


@loyalty_pages.route("/coupons/new", methods=["GET", "POST"])
@member_may("loyalty.manage")
def new_coupon() -> Any:
    form = CouponForm()
    with tenant_scope(g.tenant_id):
        listed = rewards.listed(active=True)
    form.offer(listed)
    if request.method == "GET":
        form.reward_id.data = request.args.get("reward", "")[:40] or form.reward_id.data
        form.phone.data = request.args.get("phone", "")[:32]
    elif form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                made = coupons.issue(
                    rewards.get(str(form.reward_id.data)),
                    source="staff",
                    contact_id=_contact(field_text(form.phone)),
                    days=form.valid_days.data,
                )
                audit.record("loyalty.coupon_given", coupon_codes.format_code(made.code))
            flash(gettext("Coupon created."), "success")
            return redirect(url_for("loyalty.coupon", coupon_id=made.id))
    page = render_template("loyalty/new_coupon.html", form=form, rewards=listed)
    return page, 422 if form.errors or form.form_errors else 200


@loyalty_pages.get("/coupons/<coupon_id>")
@member_may("loyalty.view")
def coupon(coupon_id: str) -> Any:
    return _coupon(coupon_id, None)


@loyalty_pages.post("/coupons/<coupon_id>")
@member_may("loyalty.manage")
def cancel_coupon(coupon_id: str) -> Any:
    form = CancelForm()
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                ledger.cancel_coupon(coupons.get(coupon_id), field_text(form.because))
            flash(gettext("Coupon cancelled."), "success")
            return redirect(url_for("loyalty.coupon", coupon_id=coupon_id))
    return _coupon(coupon_id, form)


def _reward(known: Reward | None, form: RewardForm) -> Any:
    page = render_template("loyalty/reward.html", reward=known, form=form)
    return page, 422 if form.errors or form.form_errors else 200


def _coupon(coupon_id: str, form: CancelForm | None) -> Any:
    with tenant_scope(g.tenant_id):
        known = coupons.get(coupon_id)
        order = _order(known)
        people = contact_cards.existing_cards([known.contact_id] if known.contact_id else [])
        promise = coupons.terms_of(known)
        links = [
            (
                site.name,
                f"{loyalty_placeholders.menu_link(site)}?coupon={coupon_codes.format_code(known.code)}",
            )
            for site in sites.listed()
            if not promise.site_ids or site.id in promise.site_ids
        ]
    open_now = coupons.state_of(known) == "open"
    if form is None and open_now and may("loyalty.manage"):
        form = CancelForm(formdata=None)
    page = render_template(
        "loyalty/coupon.html",
        coupon=known,
        promise=promise,
        state=coupons.state_of(known),
        code=coupon_codes.format_code(known.code),
        order=order,
        person=people.get(known.contact_id or ""),
        links=links if open_now else [],
        form=form,
    )
    return page, 422 if form is not None and form.errors else 200


def _order(known: Coupon) -> Order | None:
    if known.order_id is None:
        return None
    try:
        return order_queries.get(known.order_id)
    except NotFound:
        return None


def _offer(form: RewardForm) -> None:
    """Offer every item of the published menus, once."""
    known, items = sites.listed(), {}
    for site in known:
        version = publishing.published_version(site.menu_id or "")
        for category in version.content["categories"] if version else ():
            for item in category["items"]:
                languages = version.content["languages"] if version else []
                items[item["id"]] = text_in(item["texts"], languages[0], languages)
    form.offer(known, sorted(items.items(), key=lambda one: one[1]))


def _contact(phone: str) -> str | None:
    if not phone.strip():
        return None
    found = contact_identities.find_contact(contact_validation.parse_phone(phone))
    if found is None:
        raise invalid("phone", "unknown_contact", "No contact has this phone number.")
    return found


def _filters_in_url() -> dict[str, Any]:
    given = {name: text_in_url(name, 80) for name in ("q", "state")}
    given["reward"] = request.args.get("reward", "")
    if given["state"] not in coupons.STATES:
        given["state"] = ""
    try:
        to_uuid("rwd", given["reward"])
    except BadId:
        given["reward"] = ""
    return {name: value[:80] for name, value in given.items() if value}


def _filters(given: dict[str, Any]) -> coupons.CouponFilters:
    """Search by coupon code or by phone number."""
    typed = given.get("q", "")
    code = contact_id = None
    if typed:
        code = typed if coupon_codes.normalize(typed) else None
        if code is None:
            digits = "".join(char for char in typed if char.isdecimal())
            contact_id = contact_identities.find_contact(digits) if len(digits) >= 7 else None
            code = None if contact_id else typed
    return coupons.CouponFilters(given.get("state"), given.get("reward"), contact_id, code)
