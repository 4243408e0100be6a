"""The editor: who, what, when, check. Each step is a page of its own and saves itself."""

from typing import Any

from flask import flash, g, redirect, render_template, request, url_for
from flask_babel import gettext

from core.db import current_tenant_id, tenant_scope
from messaging import lines_book, templates
from messaging.campaigns import audiences, book, gifts, orders, outlook
from messaging.campaigns.book import Wanted
from messaging.crm import book as contact_book
from messaging.models import Campaign, Line
from messaging.placeholders import NAMES
from messaging.templates import Wanted as WantedTemplates
from portal.campaigns import campaigns_pages
from portal.campaigns.forms import WhatForm, WhenForm, WhoForm
from portal.campaigns.pages import CAMPAIGN, start_question
from portal.campaigns.template_form import picture_of, show_words, uploaded, wishes_of, words_of
from portal.campaigns.words import money_about
from portal.forms import Form, refusals_on, said
from portal.visitors import member_may
from portal.words import lasts
from tenants import accounts

STEPS = ("who", "what", "when", "check")


@campaigns_pages.route(f"{CAMPAIGN}/who", methods=["GET", "POST"])
@member_may("campaigns.manage")
def who(campaign_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        campaign = book.get(campaign_id)
        saved = [(one.id, one.name) for one in audiences.listed()]
        places, tags = orders.places(), contact_book.known_tags()
    if (away := _begun(campaign)) is not None:
        return away
    form = WhoForm()
    form.offer(saved)
    form.offer_places(places)
    if request.method == "GET":
        form.show(campaign.filters)
        form.audience_id.data = campaign.audience_id or ""
    if form.validate_on_submit():
        with refusals_on(form):
            with tenant_scope(g.tenant_id):
                campaign = book.change(campaign_id, _chosen(form))
            return _saved(campaign_id, "who")
    return _page(campaign, "who", form=form, places=places, tags=tags, saved=saved)


@campaigns_pages.route(f"{CAMPAIGN}/what", methods=["GET", "POST"])
@member_may("campaigns.manage")
def what(campaign_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        campaign = book.get(campaign_id)
        lines = lines_book.listed()
        offers = gifts.offers(current_tenant_id())
        known = templates.listed(WantedTemplates(state="approved"), limit=200)
    if (away := _begun(campaign)) is not None:
        return away
    form = WhatForm()
    form.offer(
        [(str(one.id), _line_name(one)) for one in lines],
        list(
            {f"{one.name}/{one.language}": f"{one.name} · {one.language}" for one in known}.items()
        ),
        offers,
    )
    if request.method == "GET":
        show_words(form, campaign, lines)
    if form.validate_on_submit():
        with refusals_on(form):
            file = uploaded(form)
            with tenant_scope(g.tenant_id):
                book.change(campaign_id, words_of(form, campaign, known, file))
            return _saved(campaign_id, "what")
    return _page(
        campaign,
        "what",
        form=form,
        names=NAMES["campaign"],
        offers=offers,
        known=known,
        wishes=wishes_of(known),
    )


@campaigns_pages.route(f"{CAMPAIGN}/when", methods=["GET", "POST"])
@member_may("campaigns.manage")
def when(campaign_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        campaign = book.get(campaign_id)
        zone = accounts.account().time_zone or "UTC"
    if (away := _begun(campaign)) is not None:
        return away
    form = WhenForm()
    if request.method == "GET":
        form.show(campaign, zone)
    if form.validate_on_submit():
        with refusals_on(form):
            wanted = Wanted(
                scheduled_at=form.moment(zone),
                quiet=form.hours(),
                rest_days=form.rest_days.data or 0,
                follow_days=form.follow_days.data or 0,
            )
            with tenant_scope(g.tenant_id):
                book.change(campaign_id, wanted)
            return _saved(campaign_id, "when")
    return _page(campaign, "when", form=form, zone=zone)


@campaigns_pages.get(f"{CAMPAIGN}/check")
@member_may("campaigns.manage")
def check(campaign_id: str) -> Any:
    """The dry run: everything that is worth knowing before it leaves."""
    with tenant_scope(g.tenant_id):
        campaign = book.get(campaign_id)
        line = book.line_of(campaign)
        offered = dict(gifts.offers(current_tenant_id()))
        zone = accounts.account().time_zone or "UTC"
    if (away := _begun(campaign)) is not None:
        return away
    return _page(campaign, "check", line=line, gift=offered.get(campaign.gift or ""), zone=zone)


def _page(campaign: Campaign, step: str, form: Form | None = None, **more: Any) -> Any:
    with tenant_scope(g.tenant_id):
        seen = outlook.look(campaign)
    file = campaign.template.get("media", {}).get("file", {})
    return render_template(
        f"campaigns/{step}.html",
        campaign=campaign,
        step=step,
        steps=STEPS,
        form=form,
        seen=seen,
        question=start_question(seen),
        cost=money_about(seen.cost_usd),
        lasts=lasts(seen.seconds),
        picture=picture_of(file),
        **more,
    )


def _begun(campaign: Campaign) -> Any | None:
    """Nothing is edited any more."""
    if campaign.state == "draft":
        return None
    return redirect(url_for("campaigns.campaign", campaign_id=campaign.id))


def _saved(campaign_id: str, step: str) -> Any:
    if request.form.get("act") == "stay":
        flash(gettext("Saved."), "success")
        return redirect(url_for(f"campaigns.{step}", campaign_id=campaign_id))
    following = STEPS[STEPS.index(step) + 1]
    return redirect(url_for(f"campaigns.{following}", campaign_id=campaign_id))


def _chosen(form: WhoForm) -> Wanted:
    """In the open scope: the audience that was chosen, or the one that is saved with this."""
    if form.audience_id.data:
        return Wanted(audience_id=form.audience_id.data)
    given = form.given()
    if name := said(form.save_as).strip():
        return Wanted(audience_id=audiences.save(name, given).id)
    return Wanted(filters=given)


def _line_name(line: Line) -> str:
    return str(gettext("%(name)s (simulated phones)", name=line.name)) if line.test else line.name
