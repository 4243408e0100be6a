"""The list of campaigns, and what can be done with one: started, paused, stopped, copied."""

from collections.abc import Callable
from typing import Any

from flask import flash, g, redirect, render_template, request, url_for
from flask_babel import format_decimal, gettext

from core.clock import now
from core.db import tenant_scope
from messaging.campaigns import acts, book, outlook
from messaging.campaigns.book import Wanted
from messaging.models import Campaign
from portal.asking import ask_then
from portal.campaigns import campaigns_pages
from portal.campaigns.forms import NewCampaignForm
from portal.campaigns.words import money_about
from portal.forms import refusals_on, said
from portal.paging import PAGE, asked_after, page_of
from portal.visitors import member_may

CAMPAIGN = "/campaigns/<campaign_id>"


@campaigns_pages.get("/campaigns")
@member_may("campaigns.view")
def index() -> Any:
    asked = request.args.get("state", "")
    state = asked if asked in book.STATES else ""
    with tenant_scope(g.tenant_id):
        found = book.listed(asked_after(), PAGE + 1, state)
    shown = page_of(found, "campaigns.index", {"state": state or None}, PAGE)
    return render_template(
        "campaigns/index.html",
        campaigns=shown.rows,
        states=book.STATES,
        state=state,
        **shown.urls,
    )


@campaigns_pages.route("/campaigns/new", methods=["GET", "POST"])
@member_may("campaigns.manage")
def new() -> Any:
    form = NewCampaignForm()
    if form.validate_on_submit():
        with refusals_on(form):
            with tenant_scope(g.tenant_id):
                made = book.add(Wanted(name=said(form.name), filters={"consent": True}))
            return redirect(url_for("campaigns.who", campaign_id=made.id))
    return render_template("campaigns/new.html", form=form)


@campaigns_pages.route(f"{CAMPAIGN}/start", methods=["GET", "POST"])
@member_may("campaigns.manage")
def start(campaign_id: str) -> Any:
    """Asked with the number of people and the price, then begun."""
    with tenant_scope(g.tenant_id):
        campaign = book.get(campaign_id)
        seen = outlook.look(campaign) if request.method == "GET" else None
    later = campaign.scheduled_at is not None and campaign.scheduled_at > now()
    done = (
        gettext("It waits for its time. Until then you can change it.")
        if later
        else gettext("It is on its way.")
    )
    return ask_then(
        _act(lambda: acts.start(campaign_id, campaign.scheduled_at)),
        title=start_question(seen) if seen else "",
        text=gettext("Each of them gets it once. You can pause or stop it at any time."),
        yes=gettext("Schedule it") if later else gettext("Send it"),
        back_url=url_for("campaigns.check", campaign_id=campaign_id),
        done=done,
        done_url=url_for("campaigns.campaign", campaign_id=campaign_id),
        calm=True,
    )


def start_question(seen: outlook.Outlook) -> str:
    people = format_decimal(seen.recipients)
    if not seen.cost_usd:
        return str(gettext("Send to %(people)s people?", people=people))
    return str(
        gettext(
            "Send to %(people)s people for about %(cost)s?",
            people=people,
            cost=money_about(seen.cost_usd),
        )
    )


@campaigns_pages.post(f"{CAMPAIGN}/pause")
@member_may("campaigns.manage")
def pause(campaign_id: str) -> Any:
    return _do(campaign_id, acts.pause, gettext("Paused. What has left already still arrives."))


@campaigns_pages.post(f"{CAMPAIGN}/resume")
@member_may("campaigns.manage")
def resume(campaign_id: str) -> Any:
    return _do(campaign_id, acts.resume, gettext("It goes on."))


@campaigns_pages.post(f"{CAMPAIGN}/unschedule")
@member_may("campaigns.manage")
def unschedule(campaign_id: str) -> Any:
    """Back to the editor."""
    with tenant_scope(g.tenant_id):
        acts.unschedule(campaign_id)
    flash(gettext("It is a draft again. Start it when you are ready."), "success")
    return redirect(url_for("campaigns.when", campaign_id=campaign_id))


@campaigns_pages.route(f"{CAMPAIGN}/stop", methods=["GET", "POST"])
@member_may("campaigns.manage")
def stop(campaign_id: str) -> Any:
    return _ask(
        campaign_id,
        acts.stop,
        title=gettext("Stop this campaign for good?"),
        text=gettext("Who has not got it yet does not get it. What was sent stays."),
        yes=gettext("Stop it"),
        done=gettext("Stopped. Nobody else gets it."),
    )


@campaigns_pages.route(f"{CAMPAIGN}/remove", methods=["GET", "POST"])
@member_may("campaigns.manage")
def remove(campaign_id: str) -> Any:
    return _ask(
        campaign_id,
        book.remove,
        title=gettext("Remove this draft?"),
        text=gettext("Nothing of it was sent."),
        yes=gettext("Remove it"),
        done=gettext("The draft is removed."),
        done_url=url_for("campaigns.index"),
    )


@campaigns_pages.post(f"{CAMPAIGN}/copy")
@member_may("campaigns.manage")
def copy(campaign_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        name = book.get(campaign_id).name[:100]
        made = book.copy(campaign_id, gettext("%(name)s (copy)", name=name))
    return redirect(url_for("campaigns.what", campaign_id=made.id))


def _do(campaign_id: str, act: Callable[[str], Campaign], done: str) -> Any:
    return ask_then(
        _act(lambda: act(campaign_id)),
        title="",
        text="",
        yes="",
        back_url=url_for("campaigns.campaign", campaign_id=campaign_id),
        done=done,
    )


def _ask(campaign_id: str, act: Callable[[str], object], **words: Any) -> Any:
    with tenant_scope(g.tenant_id):
        book.get(campaign_id)
    back_url = url_for("campaigns.campaign", campaign_id=campaign_id)
    return ask_then(_act(lambda: act(campaign_id)), back_url=back_url, **words)


def _act(act: Callable[[], object]) -> Callable[[], object]:
    def inside() -> None:
        with tenant_scope(g.tenant_id):
            act()

    return inside
