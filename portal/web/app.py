"""Registers the portal in the Flask app."""

from typing import Any

from flask import Flask, Response, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext
from flask_bootstrap import Bootstrap5
from flask_login import current_user
from flask_wtf.csrf import CSRFError, CSRFProtect
from werkzeug.exceptions import BadHost, HTTPException, SecurityError

from core.errors import DomainError, NotFound, RateLimited
from core.ids import BadId
from core.logs import logger
from core.settings import Settings
from core.sql.db_errors import is_outage
from core.values.text import BadText
from portal.account.views import account
from portal.approvals.views import approvals_pages
from portal.audit.views import audit_pages
from portal.auth.invitation_views import invitations
from portal.auth.tenant_switch_views import tenancy
from portal.auth.views import start
from portal.automations.views import automations_pages
from portal.campaigns import audience_views, campaigns_pages
from portal.campaigns import editor_views as campaign_editor_views
from portal.campaigns import result_views as campaign_results
from portal.campaigns import views as campaign_pages
from portal.contacts.contact_views import contact_pages
from portal.contacts.duplicate_views import contact_duplicates
from portal.contacts.field_views import contact_fields
from portal.contacts.import_views import contact_imports
from portal.contacts.list_views import contacts_pages
from portal.courier.views import courier_pages
from portal.developers.api_keys import integrations
from portal.developers.guide_views import guides
from portal.developers.help_links import help_for
from portal.developers.markdown_pages import markdown_pages
from portal.developers.reference import developers
from portal.developers.request_log import request_log_pages
from portal.diner import (
    api_menu_views,
    cart_views,
    coupon_views,
    delivery_fee_views,
    order_status_views,
    payment_return_views,
    waiter_calls,
)
from portal.diner.menu_content import own_name
from portal.diner.tabs import cart_views as tab_cart_views
from portal.diner.tabs import views as tab_views
from portal.diner.views import diner
from portal.home.views import home
from portal.inbox import action_views as inbox_action_views
from portal.inbox import inbox, quick_reply_views, sent_file_views, team_views
from portal.inbox import template_views as inbox_template_views
from portal.inbox import views as inbox_views
from portal.journeys.views import journeys_pages
from portal.lines.linked_views import linked_pages
from portal.lines.simulated_phone_views import phones
from portal.lines.views import lines_pages
from portal.links.views import links
from portal.loyalty import loyalty_pages, programme_views, reward_views
from portal.loyalty import member_views as loyalty_member_views
from portal.mailbox.views import mailbox
from portal.maps import street_tiles
from portal.messages.template_editor_views import template_editor
from portal.messages.template_studio_views import template_studio
from portal.messages.template_views import templates_pages
from portal.messages.views import messages_pages
from portal.notifications.views import notification_pages
from portal.oauth.consent_views import connected_apps
from portal.oauth.server import setup_authorization_server
from portal.oauth.token_views import oauth_endpoints
from portal.onboarding.views import first
from portal.operator import health_views as operator_health
from portal.operator import invoice_views as operator_invoices
from portal.operator import partner_views as operator_partners
from portal.operator import plan_views as operator_plans
from portal.operator import rate_views as operator_rate_views
from portal.operator.commands import add_operator_commands
from portal.operator.views import operator
from portal.orders import action_views as order_action_views
from portal.orders import feedback_views as order_feedback_views
from portal.orders import staff_order_views, table_bill_views
from portal.orders.board_views import board_pages
from portal.orders.ticket_code_views import ticket_code_pages
from portal.orders.views import orders_pages, setup_orders
from portal.payments import link_views as payment_link_views
from portal.payments import payments_pages
from portal.payments import provider_views as payment_provider_views
from portal.payments import review_views as payment_review_views
from portal.plan.plan_names import setup_plan_names
from portal.plan.views import plan_pages
from portal.printing.downloads import downloads
from portal.printing.labels import setup_printing_labels
from portal.printing.print_job_views import jobs_pages
from portal.printing.printer_views import printers_pages
from portal.reports import kitchen_views as kitchen_report
from portal.reports import message_views as messages_report
from portal.reports import order_views as orders_report
from portal.reports import reports
from portal.reports import response_views as responses_report
from portal.restaurant.courier_views import couriers_pages
from portal.restaurant.happy_hour_views import happy_hour_pages
from portal.restaurant.item_views import items_pages
from portal.restaurant.menu_import_views import kitchen_pages
from portal.restaurant.menu_views import menus_pages
from portal.restaurant.photo_views import photos
from portal.restaurant.site_views import sites_pages
from portal.restaurant.table_views import tables_pages
from portal.restaurant.zone_views import delivery_pages
from portal.settings.ad_conversion_views import ad_conversion_pages
from portal.settings.data_views import data_pages
from portal.settings.inbox_views import inbox_settings_pages
from portal.settings.model_views import language_model_pages
from portal.settings.views import settings_pages
from portal.stores.views import stores_pages
from portal.team.views import team_pages
from portal.usage.views import usage_pages
from portal.web.auth import is_page, setup_auth
from portal.web.headers import csp_nonce, version_static_files
from portal.web.i18n import error_message, setup_i18n
from portal.web.layout_data import setup_layout_data
from portal.web.live_updates import setup_live_updates
from portal.web.rendering.environment import PageEnvironment
from portal.web.rendering.template_cache import cache_navigation, cache_urls
from portal.web.sessions import CookieSessions, csrf_token
from portal.webhooks.delivery_views import deliveries_pages
from portal.webhooks.received_hook_views import hooks_pages
from portal.webhooks.views import webhooks_pages

log = logger(__name__)

BLUEPRINTS = (
    start,
    invitations,
    tenancy,
    home,
    first,
    reports,
    inbox,
    approvals_pages,
    messages_pages,
    contacts_pages,
    contact_fields,
    contact_imports,
    contact_pages,
    contact_duplicates,
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
    template_editor,
    template_studio,
    templates_pages,
    hooks_pages,
    stores_pages,
    automations_pages,
    journeys_pages,
    sites_pages,
    tables_pages,
    delivery_pages,
    couriers_pages,
    menus_pages,
    happy_hour_pages,
    items_pages,
    kitchen_pages,
    loyalty_pages,
    team_pages,
    integrations,
    connected_apps,
    oauth_endpoints,
    request_log_pages,
    developers,
    guides,
    markdown_pages,
    webhooks_pages,
    deliveries_pages,
    settings_pages,
    inbox_settings_pages,
    notification_pages,
    plan_pages,
    data_pages,
    language_model_pages,
    ad_conversion_pages,
    audit_pages,
    account,
    operator,
    phones,
    photos,
    diner,
    links,
    courier_pages,
    ticket_code_pages,
)

DINER = (
    api_menu_views,
    cart_views,
    coupon_views,
    order_status_views,
    waiter_calls,
    delivery_fee_views,
    tab_views,
    tab_cart_views,
)  # importing each adds its routes to the diner's blueprint
# importing each adds its routes to the orders blueprint
ORDERS = (order_action_views, staff_order_views, order_feedback_views, table_bill_views)
PAYMENTS = (
    payment_link_views,
    payment_review_views,
    payment_provider_views,
    payment_return_views,
)  # importing each adds its routes to the payments blueprint
LOYALTY = (
    programme_views,
    reward_views,
    loyalty_member_views,
)  # importing each adds its routes to the loyalty blueprint
# Each adds its routes to the reports.
REPORTS = (messages_report, orders_report, kitchen_report, responses_report)
INBOX = (
    inbox_views,
    inbox_action_views,
    quick_reply_views,
    sent_file_views,
    team_views,
    inbox_template_views,
)  # importing each adds its routes to the inbox blueprint

CAMPAIGNS = (
    campaign_pages,
    campaign_editor_views,
    campaign_results,
    audience_views,
)  # importing each adds its routes

FORM_BYTES = 1024 * 1024
# Shown inside the portal layout, whose menu leads back from a mistyped URL.
SHOWN_IN_LAYOUT = frozenset({403, 404, 405})

# Importing each adds its routes.
ADDED_TO_OPERATOR = (
    operator_health,
    operator_invoices,
    operator_partners,
    operator_plans,
    operator_rate_views,
)

csrf = CSRFProtect()


def setup_portal(app: Flask, settings: Settings) -> None:
    app.template_folder = "portal/templates"
    app.jinja_environment = PageEnvironment  # type: ignore[assignment]
    app.config.update(
        BOOTSTRAP_SERVE_LOCAL=True,
        SESSION_COOKIE_NAME="comanda",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=settings.https,
        PERMANENT_SESSION_LIFETIME=90 * 86400,
        # The cookie lasts as long as a session can (signin.MAX_SESSION_AGE), so that it need not be
        # signed again for each response.
        SESSION_REFRESH_EACH_REQUEST=False,
        WTF_CSRF_TIME_LIMIT=None,
        WTF_CSRF_SSL_STRICT=settings.https,
        MAX_FORM_MEMORY_SIZE=FORM_BYTES,
        MAX_CONTENT_LENGTH=32 * 1024 * 1024,
    )
    app.session_interface = CookieSessions()
    Bootstrap5(app)
    app.before_request(limit_form_size)
    csrf.init_app(app)
    for machine_door in (
        "v1",
        "health",
        "reference",
        "hooks",
        "print_agents",
        "printer_doors",
        "mcp",
    ):
        csrf.exempt(app.blueprints[machine_door])
    setup_i18n(app)
    setup_plan_names(app)
    setup_auth(app)
    version_static_files(app)
    cache_urls(app)
    cache_navigation(app)
    app.add_template_global(csp_nonce)
    app.add_template_global(csrf_token)
    street_tiles.install(app, settings)
    app.add_template_global(help_for)
    app.add_template_filter(own_name, "language")
    for unsigned in (
        diner,
        links,
        courier_pages,
        oauth_endpoints,
    ):  # no sign-in there, and no cookie is read
        csrf.exempt(unsigned)
    for area in BLUEPRINTS:
        app.register_blueprint(area)
    inbox_views.setup_inbox(app)
    setup_orders(app)
    setup_printing_labels(app)
    setup_live_updates(app)
    setup_authorization_server(app)
    setup_layout_data(app)
    if settings.mailbox:
        app.register_blueprint(mailbox)
    add_operator_commands(app)


def limit_form_size() -> None:
    """Uploads are streamed in parts, but a form without files is read into memory at once."""
    if request.mimetype == "application/x-www-form-urlencoded":
        request.max_content_length = FORM_BYTES


def portal_error_response(error: Exception) -> Any:
    """An error page with a sentence, what to do, and the request id."""
    if isinstance(error, CSRFError):
        flash(gettext("This page was open for too long. Nothing was changed. Try again."), "error")
        return redirect(_referring_page())
    if isinstance(error, DomainError):
        # The 404 page has its own text, so the generic message is left out.
        answer = _error_page(
            error.status, "" if str(error) == str(NotFound()) else error_message(error)
        )
        if isinstance(error, RateLimited):
            answer.headers["Retry-After"] = str(error.retry_after)
        return answer
    if isinstance(error, BadId):
        return _error_page(404)
    if isinstance(error, BadText):
        return _error_page(422, gettext("The text contains a character that cannot be stored."))
    if isinstance(error, HTTPException):
        if (error.code or 500) < 400 or isinstance(error, BadHost | SecurityError):
            return error  # no URL can be built for an invalid host
        return _error_page(error.code or 500)
    if is_outage(error):
        log.error("database unavailable", error=type(error).__name__)
        g.nobody_is_asked = True  # the error page must not need the database
        return _error_page(503)
    log.error("request failed", exc_info=error)
    return _error_page(500)


def _referring_page() -> str:
    """The page the form was on, if it is a page of this service; otherwise Home."""
    came_from = (request.referrer or "").removeprefix(request.host_url.rstrip("/"))
    return came_from if is_page(came_from) else url_for("home.index")


def _error_page(status: int, sentence: str = "") -> Response:
    page = render_template(
        "errors/error.html",
        status=status,
        sentence=sentence,
        request_id=g.get("request_id", ""),
        inside=status in SHOWN_IN_LAYOUT and current_user.is_authenticated,
    )
    return Response(page, status, mimetype="text/html")
