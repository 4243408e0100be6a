"""The list of campaigns, and the actions on one: start, pause, stop, copy."""

from collections.abc import Callable
from typing import Any

from flask import flash, g, redirect, render_template, request, url_for
from flask_babel import format_decimal, gettext

from core.clock import now
from core.db import tenant_scope
from messaging.campaigns import dry_run as campaign_dry_run
from messaging.campaigns import lifecycle as campaign_lifecycle
from messaging.campaigns import repository as campaign_repository
from messaging.campaigns.repository import CampaignInput
from messaging.models import Campaign
from portal.campaigns import campaigns_pages
from portal.campaigns.forms import NewCampaignForm
from portal.campaigns.labels import estimated_cost
from portal.web.auth import member_may
from portal.web.confirm import confirm_then
from portal.web.forms import domain_errors_on, field_text
from portal.web.paging import PAGE, cursor_in_url, page_of

CAMPAIGN = "/campaigns/<campaign_id>"


@campaigns_pages.get("/campaigns")
@member_may("campaigns.view")
def index() -> Any:
    requested = request.args.get("state", "")
    state = requested if requested in campaign_repository.STATES else ""
    with tenant_scope(g.tenant_id):
        found = campaign_repository.list_campaigns(cursor_in_url(), PAGE + 1, state)
    shown = page_of(found, "campaigns.index", {"state": state or None}, PAGE)
    return render_template(
        "campaigns/index.html",
        campaigns=shown.rows,
        states=campaign_repository.STATES,
        state=state,
        **shown.urls,
    )


@campaigns_pages.route("/campaigns/new", methods=["GET", "POST"])
@member_may("campaigns.manage")
def new() -> Any:
    form = NewCampaignForm()
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                made = campaign_repository.add(
                    CampaignInput(
                        name=field_text(form.name), filters={"consent": True}, count_clicks=True
                    )
                )
            return redirect(url_for("campaigns.who", campaign_id=made.id))
    return render_template("campaigns/new.html", form=form)


@campaigns_pages.route(f"{CAMPAIGN}/start", methods=["GET", "POST"])
@member_may("campaigns.manage")
def start(campaign_id: str) -> Any:
    """Confirm with the number of recipients and the price, then start."""
    with tenant_scope(g.tenant_id):
        campaign = campaign_repository.get(campaign_id)
        dry_run = campaign_dry_run.run_dry_run(campaign) if request.method == "GET" else None
    later = campaign.scheduled_at is not None and campaign.scheduled_at > now()
    done = (
        gettext("Campaign scheduled. You can edit it until it starts.")
        if later
        else gettext("Campaign started.")
    )
    return confirm_then(
        _actions_by_name(lambda: campaign_lifecycle.start(campaign_id, campaign.scheduled_at)),
        title=start_confirmation(dry_run) if dry_run else "",
        text=gettext(
            "Each recipient gets the message once. You can pause or stop the campaign at any time."
        ),
        yes=gettext("Schedule campaign") if later else gettext("Send this message"),
        back_url=url_for("campaigns.check", campaign_id=campaign_id),
        done=done,
        done_url=url_for("campaigns.campaign", campaign_id=campaign_id),
        calm=True,
    )


def start_confirmation(dry_run: campaign_dry_run.DryRunResult) -> str:
    people = format_decimal(dry_run.recipients)
    if not dry_run.cost_usd:
        return str(gettext("Send to %(people)s people?", people=people))
    return str(
        gettext(
            "Send to %(people)s people at a cost of about %(cost)s?",
            people=people,
            cost=estimated_cost(dry_run.cost_usd),
        )
    )


@campaigns_pages.post(f"{CAMPAIGN}/pause")
@member_may("campaigns.manage")
def pause(campaign_id: str) -> Any:
    return _act_and_return(
        campaign_id,
        campaign_lifecycle.pause,
        gettext("Campaign paused. Messages already sent will still be delivered."),
    )


@campaigns_pages.post(f"{CAMPAIGN}/resume")
@member_may("campaigns.manage")
def resume(campaign_id: str) -> Any:
    return _act_and_return(campaign_id, campaign_lifecycle.resume, gettext("Campaign resumed."))


@campaigns_pages.post(f"{CAMPAIGN}/unschedule")
@member_may("campaigns.manage")
def unschedule(campaign_id: str) -> Any:
    """Return a scheduled campaign to the editor."""
    with tenant_scope(g.tenant_id):
        campaign_lifecycle.unschedule_campaign(campaign_id)
    flash(
        gettext("The campaign is a draft again. Send or schedule it when you are ready."), "success"
    )
    return redirect(url_for("campaigns.when", campaign_id=campaign_id))


@campaigns_pages.route(f"{CAMPAIGN}/stop", methods=["GET", "POST"])
@member_may("campaigns.manage")
def stop(campaign_id: str) -> Any:
    return _confirm(
        campaign_id,
        campaign_lifecycle.stop,
        title=gettext("Stop this campaign permanently?"),
        text=gettext(
            "Recipients who have not received the message yet will not "
            "get it. Sent messages are not affected."
        ),
        yes=gettext("Stop campaign"),
        done=gettext("Campaign stopped. No more messages will be sent."),
    )


@campaigns_pages.route(f"{CAMPAIGN}/remove", methods=["GET", "POST"])
@member_may("campaigns.manage")
def remove(campaign_id: str) -> Any:
    return _confirm(
        campaign_id,
        campaign_repository.remove,
        title=gettext("Delete this draft?"),
        text=gettext("No messages have been sent."),
        yes=gettext("Delete"),
        done=gettext("Draft deleted."),
        done_url=url_for("campaigns.index"),
    )


@campaigns_pages.post(f"{CAMPAIGN}/copy")
@member_may("campaigns.manage")
def copy(campaign_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        name = campaign_repository.get(campaign_id).name[:100]
        made = campaign_repository.copy(campaign_id, gettext("%(name)s (copy)", name=name))
    return redirect(url_for("campaigns.what", campaign_id=made.id))


def _act_and_return(campaign_id: str, act: Callable[[str], Campaign], done: str) -> Any:
    return confirm_then(
        _actions_by_name(lambda: act(campaign_id)),
        title="",
        text="",
        yes="",
        back_url=url_for("campaigns.campaign", campaign_id=campaign_id),
        done=done,
    )


def _confirm(campaign_id: str, act: Callable[[str], object], **words: Any) -> Any:
    with tenant_scope(g.tenant_id):
        campaign_repository.get(campaign_id)
    back_url = url_for("campaigns.campaign", campaign_id=campaign_id)
    return confirm_then(_actions_by_name(lambda: act(campaign_id)), back_url=back_url, **words)


def _actions_by_name(act: Callable[[], object]) -> Callable[[], object]:
    def inside() -> None:
        with tenant_scope(g.tenant_id):
            act()

    return inside
