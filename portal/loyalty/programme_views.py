"""A site's loyalty programme and its automatic messages."""

from typing import Any

from flask import flash, g, redirect, render_template, request, url_for
from flask_babel import gettext

from core.db import tenant_scope
from core.errors import NotFound
from portal.loyalty import loyalty_pages
from portal.loyalty.forms import MessageForm, ProgrammeForm
from portal.web.auth import member_may
from portal.web.forms import domain_errors_on, submitted_text
from restaurant.loyalty import message_settings, programmes, rewards
from restaurant.loyalty import placeholders as loyalty_placeholders
from restaurant.loyalty.triggers import TRIGGERS
from restaurant.models import LoyaltyMessage, Site
from restaurant.sites import sites


@loyalty_pages.get("")
@member_may("loyalty.view")
def index() -> Any:
    site = chosen_site()
    return _programme(site, None) if site else render_template("loyalty/no_restaurant.html")


@loyalty_pages.post("/programmes/<site_id>")
@member_may("loyalty.manage")
def save(site_id: str) -> Any:
    form = ProgrammeForm()
    with tenant_scope(g.tenant_id):
        site = sites.get(site_id)
        form.offer(rewards.exchangeable_at(site.id, site.currency))
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                programmes.save_programme(sites.get(site_id), form.settings())
            flash(gettext("Saved."), "success")
            return redirect(url_for("loyalty.index", site=site_id))
    return _programme(site, form)


@loyalty_pages.get("/messages")
@member_may("loyalty.view")
def message_list() -> Any:
    site = chosen_site()
    return _messages(site) if site else render_template("loyalty/no_restaurant.html")


@loyalty_pages.post("/messages/<site_id>/<cause>")
@member_may("loyalty.manage")
def save_message(site_id: str, cause: str) -> Any:
    if cause not in TRIGGERS:
        raise NotFound()
    form = MessageForm(prefix=cause)
    with tenant_scope(g.tenant_id):
        site = sites.get(site_id)
        form.offer(rewards.listed(active=True))
    texts = {
        language: submitted_text(f"{cause}-text-{language}", 4000) for language in site.languages
    }
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                message_settings.save_message(sites.get(site_id), cause, form.settings(texts))
            flash(gettext("Saved."), "success")
            return redirect(url_for("loyalty.message_list", site=site_id, _anchor=cause))
    return _messages(site, form, cause, texts)


def chosen_site() -> Site | None:
    """The site in the URL, otherwise the first site."""
    with tenant_scope(g.tenant_id):
        known = sites.listed()
    site_id = request.args.get("site", "")
    return next((one for one in known if one.id == site_id), known[0] if known else None)


def _programme(site: Site, form: ProgrammeForm | None) -> Any:
    with tenant_scope(g.tenant_id):
        known = sites.listed()
        stored = programmes.of_site(site.id)
        programme = stored or programmes.default_programme(site)
        priced = rewards.exchangeable_at(site.id, site.currency)
    if form is None:
        form = ProgrammeForm(formdata=None)
        form.offer(priced)
        form.show(programme)
    page = render_template(
        "loyalty/programme.html",
        site=site,
        sites=known,
        programme=programme,
        stored=stored is not None,
        form=form,
        priced=priced,
    )
    return page, 422 if form.errors or form.form_errors else 200


def _messages(
    site: Site,
    refused: MessageForm | None = None,
    cause: str = "",
    typed: dict[str, str] | None = None,
) -> Any:
    cards = []
    with tenant_scope(g.tenant_id):
        known, listed = sites.listed(), rewards.listed(active=True)
        programme = programmes.of_site(site.id)
        for one in message_settings.of_site(site):
            is_refused = refused is not None and one.cause == cause
            form = (
                refused if is_refused and refused else MessageForm(formdata=None, prefix=one.cause)
            )
            if not is_refused:
                form.offer(listed)
                form.show(one)
            cards.append(_card(site, one, form, typed if is_refused and typed else one.texts))
    page = render_template(
        "loyalty/messages.html",
        site=site,
        sites=known,
        cards=cards,
        programme=programme,
        names=message_settings.PLACEHOLDERS,
    )
    return page, 422 if refused is not None else 200


def _card(
    site: Site, one: LoyaltyMessage, form: MessageForm, texts: dict[str, str]
) -> dict[str, Any]:
    return {
        "message": one,
        "form": form,
        "texts": {language: texts.get(language, "") for language in site.languages},
        "samples": {
            language: loyalty_placeholders.preview_text(site, one, language)
            for language in site.languages
            if one.texts.get(language)
        },
    }
