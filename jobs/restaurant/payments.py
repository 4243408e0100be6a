"""Call the payment providers: create and close links, confirm events, request refunds.

Claim, call, settle; no transaction is open during a call.
"""

from collections.abc import Callable
from decimal import Decimal
from typing import cast

from flask import current_app

from core import chaos
from core.clock import now
from core.db import current_tenant_id, db, notify_workers, tenant_scope
from core.logs import logger
from core.queue import lanes
from core.queue.wakeups import acknowledge_wakeup
from core.settings import Settings
from jobs.engine import round_robin
from restaurant.models import Refund
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.payments import accounts as payment_accounts
from restaurant.payments import link_queries, payments, provider_events, refunds
from restaurant.payments import links as payment_links
from restaurant.payments import reasons as payment_reasons
from restaurant.payments import worker_steps as payment_worker_steps
from restaurant.payments.gateways.base import (
    GatewayError,
    GatewayRefused,
    GatewayUnreachable,
    LinkStatus,
)
from restaurant.payments.gateways.registry import GATEWAYS
from restaurant.payments.links import LANE

log = logger(__name__)

WORK_SECONDS = 30.0
TURN_SECONDS = 10.0  # then another tenant's lane comes first
LEASE_MARGIN_SECONDS = 15.0  # at most; a claim outlasts the call made under it
EARLY_CHECKS = 2  # a provider's own report may lag behind its event


def drain() -> int:
    acknowledge_wakeup("jobs.restaurant.payments.drain")
    settings: Settings = current_app.extensions["comanda"]

    def work(tenant_id: int) -> int:
        return sum(each(tenant_id, settings) for each in STEPS)

    return round_robin.work_lanes(
        "jobs.restaurant.payments.drain",
        LANE,
        WORK_SECONDS,
        work,
        _recheck_lane,
        turn=TURN_SECONDS,
        lease_seconds=settings.lease_seconds,
    )


def sweep() -> None:
    """In the sweep's global transaction: work that is due again, and lanes without a wake-up."""
    if lanes.promote_later_due(LANE):
        notify_workers("jobs.restaurant.payments.drain")


def find_lost_work() -> int:
    """Find work of tenants without a lane, payments without an order, and paid orders that wait."""
    acknowledge_wakeup("jobs.restaurant.payments.find_lost_work")
    found = 0
    for tenant_id in lanes.tenants_with_due_work(LANE):
        with tenant_scope(tenant_id):
            found += payments.review_orphans() + order_lifecycle.send_paid_to_kitchen()
            due = payment_worker_steps.next_due()
            if due is not None and due <= now():
                payment_links.wake_worker()
                found += 1
    return found


def confirm_provider_event(tenant_id: int, settings: Settings) -> int:
    with tenant_scope(tenant_id):
        work = payment_worker_steps.claim_event(settings, _lease(settings))
    if work is None:
        return 0
    chaos.fault_point("payment_claimed")
    found: LinkStatus | None = None
    refused = why = ""
    try:
        found = GATEWAYS[work.provider].fetch(
            work.credentials, work.session, work.reference, work.payment
        )
    except GatewayRefused as error:
        refused = str(error)
    except GatewayError as error:
        why = str(error)
    chaos.fault_point("payment_answered")
    with tenant_scope(tenant_id):
        signal = provider_events.get(work.signal_id)
        if signal.state != "waiting":
            signal.due_at = None  # another worker took it over after this lease expired
            return 1
        if found is None and refused:
            link = link_queries.by_reference(work.reference) if work.reference else None
            provider_events.finish_event(signal, "not_confirmed" if link else "nobodys", refused)
        elif found is None:
            provider_events.postpone_event(signal, why)
        elif _too_soon(signal.kind, found, signal.tries):
            provider_events.postpone_event(signal, payment_reasons.NOT_CONFIRMED_YET)
        else:
            provider_events.settle_event(
                signal, payment_accounts.get_including_removed(signal.account_id), found
            )
        chaos.fault_point("payment_settled")
    return 1


def make_link(tenant_id: int, settings: Settings) -> int:
    with tenant_scope(tenant_id):
        work = payment_worker_steps.claim_link(settings, _lease(settings))
    if work is None:
        return 0
    chaos.fault_point("payment_claimed")
    gateway = GATEWAYS[work.provider]
    if work.make:
        _make(tenant_id, work)
        return 1
    found, why = None, ""
    try:
        found = gateway.fetch(work.credentials, work.ref, work.request.reference)
    except GatewayError as error:
        why = str(error)
    with tenant_scope(tenant_id):
        payment_worker_steps.settle_link_status(work, found, why)
    return 1


def _make(tenant_id: int, work: payment_worker_steps.ClaimedLink) -> None:
    try:
        made = GATEWAYS[work.provider].create_link(work.credentials, work.request)
    except GatewayError as error:
        with tenant_scope(tenant_id):
            payment_worker_steps.settle_failed_link(
                work, str(error), for_good=isinstance(error, GatewayRefused)
            )
        return
    chaos.fault_point("payment_answered")
    with tenant_scope(tenant_id):
        payment_worker_steps.settle_created_link(work, made)


def request_refund(tenant_id: int, settings: Settings) -> int:
    with tenant_scope(tenant_id):
        work = payment_worker_steps.claim_refund(settings, _lease(settings))
    if work is None:
        return 0
    chaos.fault_point("payment_claimed")
    gateway = GATEWAYS[work.provider]
    if work.begun and not gateway.once:
        _settle_refund(
            tenant_id,
            work.refund_id,
            lambda refund: refunds.settle_unanswered(
                refund, payment_reasons.REFUND_UNKNOWN, once=False
            ),
        )
        return 1
    try:
        returned = gateway.refund(
            work.credentials,
            work.payment,
            cast(Decimal, work.amount),
            work.currency,
            work.refund_id,
            work.reason,
        )
    except GatewayUnreachable as error:
        why = str(error)
        _settle_refund(
            tenant_id,
            work.refund_id,
            lambda refund: refunds.settle_unanswered(refund, why, once=gateway.once),
        )
    except GatewayError as error:
        why = str(error)
        _settle_refund(
            tenant_id, work.refund_id, lambda refund: refunds.settle_refused(refund, why)
        )
    else:
        chaos.fault_point("payment_answered")
        _settle_refund(
            tenant_id, work.refund_id, lambda refund: refunds.settle_done(refund, returned)
        )
    return 1


def close_link(tenant_id: int, settings: Settings) -> int:
    with tenant_scope(tenant_id):
        work = payment_worker_steps.claim_session(settings, _lease(settings))
    if work is None:
        return 0
    well = True
    try:
        GATEWAYS[work.provider].close(work.credentials, work.ref)
    except GatewayError as error:
        log.info("payment session not closed", provider=work.provider, error=str(error))
        well = False
    with tenant_scope(tenant_id):
        payment_worker_steps.settle_closed_session(work, well)
    return 1


STEPS: tuple[Callable[[int, Settings], int], ...] = (
    confirm_provider_event,
    make_link,
    request_refund,
    close_link,
)


def _settle_refund(tenant_id: int, refund_id: str, write: Callable[[Refund], None]) -> None:
    with tenant_scope(tenant_id):
        refund = db.session.get_one(Refund, (current_tenant_id(), refund_id), with_for_update=True)
        if refund.state == "asking":
            write(refund)


def _too_soon(kind: str, found: LinkStatus, tries: int) -> bool:
    return kind == "paid" and found.state == "open" and tries <= EARLY_CHECKS


def _lease(settings: Settings) -> float:
    return settings.lease_seconds + min(LEASE_MARGIN_SECONDS, settings.lease_seconds)


def _recheck_lane(tenant_id: int, _worked: int) -> None:
    """After the release, because marks made while the lane was held had no effect."""
    with tenant_scope(tenant_id):
        if lanes.mark_next(LANE, tenant_id, payment_worker_steps.next_due()):
            notify_workers("jobs.restaurant.payments.drain")
