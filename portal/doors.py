"""Everything people see, hung into the app."""

from typing import Any

from flask import Flask, Response, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext
from flask_bootstrap import Bootstrap5
from flask_login import current_user
from flask_wtf.csrf import CSRFError, CSRFProtect
from werkzeug.exceptions import BadHost, HTTPException, SecurityError

from core.errors import DomainError, NotFound, RateLimited
from core.faults import is_outage
from core.ids import BadId
from core.logs import logger
from core.settings import Settings
from core.texts import BadText
from portal import order_acts, order_entry, street_map
from portal.account import account
from portal.audit import audit_pages
from portal.automations import automations_pages
from portal.board import board_pages
from portal.campaigns import audience_pages, campaigns_pages, editor
from portal.campaigns import pages as campaign_pages
from portal.campaigns import results as campaign_results
from portal.contact import contact_pages
from portal.contact_fields import contact_fields
from portal.contact_imports import contact_imports
from portal.contacts import contacts_pages
from portal.courier.pages import courier_pages
from portal.data_pages import data_pages
from portal.deliveries import deliveries_pages
from portal.diner import api_address, cart, coupon, order_status, paying, table_calls, zone
from portal.diner.pages import diner
from portal.diner.shaping import own_name
from portal.first import first
from portal.guides import guides
from portal.headers import add_security_headers, csp_nonce, stamp_static_files
from portal.help import help_for
from portal.home import home
from portal.hooks import hooks_pages
from portal.inbox import acts, inbox, media, pages, quick_replies
from portal.integrations import integrations
from portal.invitations import invitations
from portal.kept import keep_addresses, keep_areas
from portal.lines import lines_pages
from portal.linked import linked_pages
from portal.live import set_up_live
from portal.loyalty import loyalty_pages, members, programme, rewarding
from portal.mailbox import mailbox
from portal.messages import messages_pages
from portal.operator import health as operator_health
from portal.operator import invoice_pages as operator_invoices
from portal.operator import plan_pages as operator_plans
from portal.operator import rates
from portal.operator.commands import add_commands
from portal.operator.pages import operator
from portal.orders import orders_pages, set_up_orders
from portal.payments import links, money, payments_pages, providers
from portal.phones import phones
from portal.photos import photos
from portal.plan import plan_pages
from portal.plan_words import set_up_plan_words
from portal.printing.downloads import downloads
from portal.printing.jobs import jobs_pages
from portal.printing.printers import printers_pages
from portal.printing.words import set_up_printing
from portal.reference import developers
from portal.reports import kitchen as kitchen_report
from portal.reports import messages as messages_report
from portal.reports import orders as orders_report
from portal.reports import reports
from portal.request_log import request_log_pages
from portal.restaurant.couriers import couriers_pages
from portal.restaurant.delivery import delivery_pages
from portal.restaurant.imports import kitchen_pages
from portal.restaurant.items import items_pages
from portal.restaurant.menus import menus_pages
from portal.restaurant.sites import sites_pages
from portal.restaurant.tables import tables_pages
from portal.sessions import Sessions
from portal.settings import settings_pages
from portal.start import start
from portal.stores import stores_pages
from portal.team import team_pages
from portal.template_pages import templates_pages
from portal.tenancy import tenancy
from portal.usage import usage_pages
from portal.visitors import is_page, set_up_visitors
from portal.webhooks import webhooks_pages
from portal.words import in_words, set_up_words

log = logger(__name__)

PAGES = (
    start,
    invitations,
    tenancy,
    home,
    first,
    reports,
    inbox,
    messages_pages,
    contacts_pages,
    contact_fields,
    contact_imports,
    contact_pages,
    campaigns_pages,
    board_pages,
    orders_pages,
    printers_pages,
    downloads,
    jobs_pages,
    payments_pages,
    lines_pages,
    usage_pages,
    linked_pages,
    templates_pages,
    hooks_pages,
    stores_pages,
    automations_pages,
    sites_pages,
    tables_pages,
    delivery_pages,
    couriers_pages,
    menus_pages,
    items_pages,
    kitchen_pages,
    loyalty_pages,
    team_pages,
    integrations,
    request_log_pages,
    developers,
    guides,
    webhooks_pages,
    deliveries_pages,
    settings_pages,
    plan_pages,
    data_pages,
    audit_pages,
    account,
    operator,
    phones,
    photos,
    diner,
    courier_pages,
)

DINER = (
    api_address,
    cart,
    coupon,
    order_status,
    table_calls,
    zone,
)  # importing each adds its door to the diner's
ORDERS = (order_acts, order_entry)  # importing each adds its pages to the orders
PAYMENTS = (links, money, providers, paying)  # importing each adds its pages to the payments
LOYALTY = (programme, rewarding, members)  # importing each adds its pages to loyalty
REPORTS = (messages_report, orders_report, kitchen_report)  # each adds its pages to the reports
INBOX = (pages, acts, quick_replies, media)  # importing each adds its pages to the inbox

CAMPAIGNS = (campaign_pages, editor, campaign_results, audience_pages)  # each adds its pages

FORM_BYTES = 1024 * 1024
# Told inside the portal: the menu is the way out of a mistyped address.
INSIDE = frozenset({403, 404, 405})

# Importing them adds their pages.
ADDED_TO_OPERATOR = (operator_health, operator_invoices, operator_plans, rates)

csrf = CSRFProtect()


def open_portal_doors(app: Flask, settings: Settings) -> None:
    app.template_folder = "portal/templates"
    app.config.update(
        BOOTSTRAP_SERVE_LOCAL=True,
        SESSION_COOKIE_NAME="comanda",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=settings.https,
        PERMANENT_SESSION_LIFETIME=90 * 86400,
        WTF_CSRF_TIME_LIMIT=None,
        WTF_CSRF_SSL_STRICT=settings.https,
        MAX_FORM_MEMORY_SIZE=FORM_BYTES,
        MAX_CONTENT_LENGTH=32 * 1024 * 1024,
    )
    app.session_interface = Sessions()
    Bootstrap5(app)
    app.before_request(keep_forms_small)
    csrf.init_app(app)
    for machine_door in ("v1", "health", "reference", "hooks", "print_agents", "printer_doors"):
        csrf.exempt(app.blueprints[machine_door])
    set_up_words(app)
    set_up_plan_words(app)
    set_up_visitors(app)
    add_security_headers(app, settings)
    stamp_static_files(app)
    keep_addresses(app)
    keep_areas(app)
    app.add_template_global(csp_nonce)
    street_map.install(app, settings)
    app.add_template_global(help_for)
    app.add_template_filter(own_name, "language")
    for unsigned in (diner, courier_pages):  # nobody is signed in there, and no cookie is read
        csrf.exempt(unsigned)
    for area in PAGES:
        app.register_blueprint(area)
    pages.set_up_inbox(app)
    set_up_orders(app)
    set_up_printing(app)
    set_up_live(app)
    if settings.mailbox:
        app.register_blueprint(mailbox)
    add_commands(app)


def keep_forms_small() -> None:
    """Files come in parts; a form without any is read into memory whole."""
    if request.mimetype == "application/x-www-form-urlencoded":
        request.max_content_length = FORM_BYTES


def portal_answer_for(error: Exception) -> Any:
    """A page with a sentence, what to do, and the request's id."""
    if isinstance(error, CSRFError):
        flash(gettext("This page was too old. Nothing was changed; try again."), "error")
        return redirect(_same_page())
    if isinstance(error, DomainError):
        # The page says itself that there is nothing.
        answer = _page(error.status, "" if str(error) == str(NotFound()) else in_words(error))
        if isinstance(error, RateLimited):
            answer.headers["Retry-After"] = str(error.retry_after)
        return answer
    if isinstance(error, BadId):
        return _page(404)
    if isinstance(error, BadText):
        return _page(422, gettext("A text holds a character that cannot be kept."))
    if isinstance(error, HTTPException):
        if (error.code or 500) < 400 or isinstance(error, BadHost | SecurityError):
            return error  # no address can be built for a host that is none
        return _page(error.code or 500)
    if is_outage(error):
        log.error("database unreachable", error=type(error).__name__)
        g.nobody_is_asked = True  # the page about it must not need the database
        return _page(503)
    log.error("unhandled error", exc_info=error)
    return _page(500)


def _same_page() -> str:
    """Back to where the form was, when that is a page of ours."""
    came_from = (request.referrer or "").removeprefix(request.host_url.rstrip("/"))
    return came_from if is_page(came_from) else url_for("home.index")


def _page(status: int, sentence: str = "") -> Response:
    page = render_template(
        "errors/error.html",
        status=status,
        sentence=sentence,
        request_id=g.get("request_id", ""),
        inside=status in INSIDE and current_user.is_authenticated,
    )
    return Response(page, status, mimetype="text/html")
