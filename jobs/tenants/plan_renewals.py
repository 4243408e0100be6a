"""Remind a tenant that its paid month ends, and change it to the base plan if it is not paid."""

from datetime import date

from babel.dates import format_date
from flask import current_app

from core.db import tenant_scope
from core.logs import logger
from core.queue.wakeups import acknowledge_wakeup
from core.settings import Settings
from core.values.money import format_money
from jobs.engine import all_tenants
from jobs.tenants.admin_emails import Email, Gettext, email_each_admin
from restaurant.payments import plan_payments
from tenants import accounts
from tenants.plans import billing, renewals
from tenants.plans.catalog import base_plan, get_plan
from tenants.plans.renewals import PlanStatus

log = logger(__name__)


def check_renewals() -> dict[str, int]:
    """Hourly. Each reminder and each change happens at most once, however often this runs."""
    acknowledge_wakeup("jobs.tenants.plan_renewals.check_renewals")
    settings: Settings = current_app.extensions["comanda"]
    done = {"reminded": 0, "downgraded": 0}

    def check_tenant(tenant_id: int) -> bool:
        with tenant_scope(tenant_id):
            if accounts.get(tenant_id).state == "closed":
                return False
            status = renewals.current_plan_status(settings.plan_grace_days)
            if status.stage in renewals.EARLIER_NOTICES:
                done["reminded"] += _send_reminder(status, settings)
            elif status.stage == "due":
                done["downgraded"] += _downgrade_unpaid_plan(settings)
        return False

    all_tenants.run_step("jobs.tenants.plan_renewals.check_renewals", check_tenant)
    log.info("plan payments checked", **done)
    return done


def _send_reminder(status: PlanStatus, settings: Settings) -> bool:
    """The reminder and its e-mails are in one transaction."""
    if not renewals.claim_notice(status.stage):
        return False
    write = _ended_email if status.stage == "over" else _ends_soon_email
    net, tax, currency = billing.monthly_price(status.plan, plan_payments.billing_terms(settings))
    business, plan, base = accounts.account_name(), get_plan(status.plan).name, base_plan().name

    def email(gettext: Gettext, locale: str) -> Email:
        values = {
            "business": business,
            "plan": gettext(plan),
            "base": gettext(base),
            "until": _day(status.until, locale),
            "last": _day(status.last, locale),
            "amount": format_money(net + tax, currency, locale),
        }
        subject, paragraphs = write(gettext, values)
        return subject, [*paragraphs, _how_to_renew(gettext, settings) % values]

    email_each_admin(email, "/plan")
    return True


def _downgrade_unpaid_plan(settings: Settings) -> bool:
    was = renewals.downgrade_if_due(settings.plan_grace_days)
    if was is None:
        return False
    plan, base, business = get_plan(was.plan).name, base_plan(), accounts.account_name()

    def email(gettext: Gettext, _locale: str) -> Email:
        values = {"business": business, "plan": gettext(plan), "base": gettext(base.name)}
        return gettext("%(business)s is now on the plan %(base)s") % values, [
            gettext("The plan %(plan)s of %(business)s was not paid for, so it has ended.")
            % values,
            gettext(
                "Nothing was deleted. Your lines, contacts, menus and messages are "
                "still there, and everything you set up keeps working within the "
                "limits of %(base)s. Requests beyond these limits are refused."
            )
            % values,
            gettext("Pay to restore %(plan)s immediately, with everything as it was:") % values,
        ]

    email_each_admin(email, "/plan")
    return True


def _ends_soon_email(gettext: Gettext, values: dict[str, str]) -> Email:
    return gettext("The plan %(plan)s ends on %(until)s") % values, [
        gettext("The month of the plan %(plan)s paid for by %(business)s ends on %(until)s.")
        % values,
        gettext("The plan does not renew automatically because we do not store your card."),
    ]


def _ended_email(gettext: Gettext, values: dict[str, str]) -> Email:
    return gettext("The plan %(plan)s has ended; you can keep using it until %(last)s") % values, [
        gettext("The month of the plan %(plan)s paid for by %(business)s ended on %(until)s.")
        % values,
        gettext(
            "Everything keeps working until %(last)s. After that, the account "
            "moves to the plan %(base)s. Nothing is deleted."
        )
        % values,
    ]


def _how_to_renew(gettext: Gettext, settings: Settings) -> str:
    if settings.billing_provider:
        return gettext(
            "Another month costs %(amount)s and starts when the current one ends. Pay here:"
        )
    return gettext("Another month costs %(amount)s. See how to continue:")


def _day(day: date | None, locale: str) -> str:
    return str(format_date(day, "d MMMM yyyy", locale=locale)) if day else ""
