"""Saved audiences: list with sizes, create, change and delete."""

from typing import Any

from flask import flash, g, redirect, render_template, request, url_for
from flask_babel import gettext

from core.db import tenant_scope
from messaging.campaigns import audiences, order_port
from messaging.contacts import repository as contact_book
from messaging.models import Audience
from portal.campaigns import campaigns_pages
from portal.campaigns.forms import AudienceForm
from portal.web.auth import member_may
from portal.web.confirm import confirm_then, in_tenant
from portal.web.forms import domain_errors_on, field_text

AUDIENCE = "/audiences/<audience_id>"


@campaigns_pages.get("/audiences")
@member_may("campaigns.view")
def audience_list() -> Any:
    with tenant_scope(g.tenant_id):
        listed = audiences.list_audiences()
        places = dict(order_port.list_sites())
    return render_template("campaigns/audiences.html", audiences=listed, places=places)


@campaigns_pages.route("/audiences/new", methods=["GET", "POST"])
@member_may("campaigns.manage")
def new_audience() -> Any:
    return _edit(None)


@campaigns_pages.route(AUDIENCE, methods=["GET", "POST"])
@member_may("campaigns.manage")
def audience(audience_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = audiences.get(audience_id)
    return _edit(known)


@campaigns_pages.route(f"{AUDIENCE}/remove", methods=["GET", "POST"])
@member_may("campaigns.manage")
def remove_audience(audience_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = audiences.get(audience_id)
    return confirm_then(
        in_tenant(audiences.remove, audience_id),
        title=gettext("Delete the audience “%(name)s”?", name=known.name),
        text=gettext(
            "Your contacts are not affected, and existing campaigns keep their recipients."
        ),
        yes=gettext("Delete"),
        back_url=url_for("campaigns.audience", audience_id=audience_id),
        done=gettext("Audience deleted."),
        done_url=url_for("campaigns.audience_list"),
    )


def _edit(known: Audience | None) -> Any:
    with tenant_scope(g.tenant_id):
        places, tags = order_port.list_sites(), contact_book.list_tags()
    form = AudienceForm()
    form.offer_sites(places)
    if request.method == "GET" and known is not None:
        form.show(known.filters)
        form.name.data = known.name
    elif request.method == "GET":
        form.consent.data = True
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                if known is None:
                    audiences.save(field_text(form.name), form.filled_values())
                else:
                    audiences.change(known.id, field_text(form.name), form.filled_values())
            flash(gettext("Saved."), "success")
            return redirect(url_for("campaigns.audience_list"))
    return render_template(
        "campaigns/audience.html", audience=known, form=form, places=places, tags=tags
    )
