"""The campaign editor: who, what, when, check. Each step is a page and saves its own part."""

from typing import Any

from flask import flash, g, redirect, render_template, request, url_for
from flask_babel import gettext

from core.db import current_tenant_id, tenant_scope
from messaging.campaigns import audiences, coupon_port, order_port
from messaging.campaigns import dry_run as campaign_dry_run
from messaging.campaigns import repository as campaign_repository
from messaging.campaigns.repository import CampaignInput
from messaging.contacts import repository as contact_book
from messaging.lines import repository as line_repository
from messaging.models import Campaign, Line, Template
from messaging.templates import repository as template_repository
from messaging.templates.placeholders import NAMES_BY_TRIGGER
from messaging.templates.repository import TemplateFilters as WantedTemplates
from portal.campaigns import campaigns_pages
from portal.campaigns.forms import CampaignMessageForm, CampaignRecipientsForm, CampaignScheduleForm
from portal.campaigns.labels import estimated_cost
from portal.campaigns.measure_form import OTHER_VARIANTS, MeasureForm
from portal.campaigns.template_form import (
    fill_form,
    message_of,
    picture_url,
    template_fields,
    uploaded_file,
)
from portal.campaigns.views import CAMPAIGN, start_confirmation
from portal.web.auth import member_may
from portal.web.forms import Form, domain_errors_on, field_text
from portal.web.i18n import format_duration
from tenants import accounts

STEPS = ("who", "what", "measure", "when", "check")


@campaigns_pages.route(f"{CAMPAIGN}/who", methods=["GET", "POST"])
@member_may("campaigns.manage")
def who(campaign_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        campaign = campaign_repository.get(campaign_id)
        saved = [(one.id, one.name) for one in audiences.list_audiences()]
        places, tags = order_port.list_sites(), contact_book.list_tags()
    if (away := _begun(campaign)) is not None:
        return away
    form = CampaignRecipientsForm()
    form.offer(saved)
    form.offer_sites(places)
    if request.method == "GET":
        form.show(campaign.filters)
        form.audience_id.data = campaign.audience_id or ""
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                campaign = campaign_repository.change(campaign_id, _chosen(form))
            return _saved(campaign_id, "who")
    return _page(campaign, "who", form=form, places=places, tags=tags, saved=saved)


@campaigns_pages.route(f"{CAMPAIGN}/what", methods=["GET", "POST"])
@member_may("campaigns.manage")
def what(campaign_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        campaign = campaign_repository.get(campaign_id)
        lines = line_repository.list_lines()
        offers = coupon_port.list_offers(current_tenant_id())
        known = template_repository.list_templates(WantedTemplates(state="approved"), limit=200)
    if (away := _begun(campaign)) is not None:
        return away
    form = CampaignMessageForm()
    form.offer(
        [(str(one.id), _line_name(one)) for one in lines],
        _template_choices(known),
        offers,
    )
    if request.method == "GET":
        fill_form(form, campaign, lines, known)
    if form.validate_on_submit():
        with domain_errors_on(form):
            file = uploaded_file(form)
            with tenant_scope(g.tenant_id):
                campaign_repository.change(campaign_id, message_of(form, campaign, known, file))
            return _saved(campaign_id, "what")
    return _page(
        campaign,
        "what",
        form=form,
        names=NAMES_BY_TRIGGER["campaign"],
        offers=offers,
        known=known,
        template_fields=template_fields(known),
    )


@campaigns_pages.route(f"{CAMPAIGN}/measure", methods=["GET", "POST"])
@member_may("campaigns.manage")
def measure(campaign_id: str) -> Any:
    """Holdout group, variants, short links and the stand-in template."""
    with tenant_scope(g.tenant_id):
        campaign = campaign_repository.get(campaign_id)
        known = template_repository.list_templates(WantedTemplates(state="approved"), limit=200)
    if (away := _begun(campaign)) is not None:
        return away
    form = MeasureForm()
    form.offer(_template_choices(known))
    if request.method == "GET":
        form.show(campaign)
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                campaign_repository.change(campaign_id, form.to_input(campaign, known))
            return _saved(campaign_id, "measure")
    return _page(campaign, "measure", form=form, variants=OTHER_VARIANTS)


@campaigns_pages.route(f"{CAMPAIGN}/when", methods=["GET", "POST"])
@member_may("campaigns.manage")
def when(campaign_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        campaign = campaign_repository.get(campaign_id)
        zone = accounts.account().time_zone or "UTC"
    if (away := _begun(campaign)) is not None:
        return away
    form = CampaignScheduleForm()
    if request.method == "GET":
        form.show(campaign, zone)
    if form.validate_on_submit():
        with domain_errors_on(form):
            values = CampaignInput(
                scheduled_at=form.moment(zone),
                quiet=form.hours(),
                rest_days=form.rest_days.data or 0,
                follow_days=form.follow_days.data or 0,
            )
            with tenant_scope(g.tenant_id):
                campaign_repository.change(campaign_id, values)
            return _saved(campaign_id, "when")
    return _page(campaign, "when", form=form, zone=zone)


@campaigns_pages.get(f"{CAMPAIGN}/check")
@member_may("campaigns.manage")
def check(campaign_id: str) -> Any:
    """The dry run: what to review before the campaign starts."""
    with tenant_scope(g.tenant_id):
        campaign = campaign_repository.get(campaign_id)
        line = campaign_repository.campaign_line(campaign)
        offered = dict(coupon_port.list_offers(current_tenant_id()))
        zone = accounts.account().time_zone or "UTC"
    if (away := _begun(campaign)) is not None:
        return away
    return _page(campaign, "check", line=line, gift=offered.get(campaign.gift or ""), zone=zone)


def _page(campaign: Campaign, step: str, form: Form | None = None, **more: Any) -> Any:
    with tenant_scope(g.tenant_id):
        dry_run = campaign_dry_run.run_dry_run(campaign)
    file = campaign.template.get("media", {}).get("file", {})
    return render_template(
        f"campaigns/{step}.html",
        campaign=campaign,
        step=step,
        steps=STEPS,
        form=form,
        dry_run=dry_run,
        question=start_confirmation(dry_run),
        cost=estimated_cost(dry_run.cost_usd),
        lasts=format_duration(dry_run.seconds),
        picture=picture_url(file),
        **more,
    )


def _begun(campaign: Campaign) -> Any | None:
    """Redirect to the results if the campaign is no longer a draft; otherwise None."""
    if campaign.state == "draft":
        return None
    return redirect(url_for("campaigns.campaign", campaign_id=campaign.id))


def _saved(campaign_id: str, step: str) -> Any:
    if request.form.get("act") == "stay":
        flash(gettext("Saved."), "success")
        return redirect(url_for(f"campaigns.{step}", campaign_id=campaign_id))
    following = STEPS[STEPS.index(step) + 1]
    return redirect(url_for(f"campaigns.{following}", campaign_id=campaign_id))


def _chosen(form: CampaignRecipientsForm) -> CampaignInput:
    """Runs in the open scope. The chosen audience, or the filters, saved under a name if given."""
    if form.audience_id.data:
        return CampaignInput(audience_id=form.audience_id.data)
    filters = form.filled_values()
    if name := field_text(form.save_as).strip():
        return CampaignInput(audience_id=audiences.save(name, filters).id)
    return CampaignInput(filters=filters)


def _template_choices(known: list[Template]) -> list[tuple[str, str]]:
    named = {f"{one.name}/{one.language}": f"{one.name} · {one.language}" for one in known}
    return list(named.items())


def _line_name(line: Line) -> str:
    return str(gettext("%(name)s (simulated phones)", name=line.name)) if line.test else line.name
