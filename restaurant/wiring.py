"""Connects the domains where one reacts to another.

Messaging, loyalty and orders offer hooks and do not import what reacts to them. Web processes,
workers and linked hosts call `wire_domains` once when they start.
"""

from messaging.contacts import opt_out_port
from messaging.journeys import ports as journey_ports
from messaging.journeys import triggers as journey_starts
from restaurant import (
    campaign_order_filters,
    contact_sync,
    journey_orders,
    journey_triggers,
    menu_addresses,
)
from restaurant.ads import conversions as ad_conversions
from restaurant.couriers import trips as courier_trips
from restaurant.feedback import questions as feedback_questions
from restaurant.loyalty import campaign_coupons
from restaurant.orders import alarms as order_alarms
from restaurant.orders import card_payments, loyalty_effects
from restaurant.orders import notifications as order_notifications
from restaurant.orders.effects import Change, register
from restaurant.orders.kitchen import promise as kitchen_promise
from restaurant.orders.pace import firing as order_firing
from restaurant.orders.pace import guest_changes
from restaurant.orders.pace import holds as order_holds
from restaurant.payments import accounts as payment_accounts
from restaurant.payments import links as payment_links
from restaurant.payments import tab_accounts
from restaurant.tabs import moving as tab_moving
from restaurant.tabs import rounds as tab_rounds
from restaurant.text_orders import reaction as text_orders
from restaurant.text_orders.model import requests as model_requests
from restaurant.text_orders.model import settings as model_settings


def wire_domains() -> None:
    """Idempotent."""
    contact_sync.register()
    campaign_order_filters.register()
    campaign_coupons.register()
    menu_addresses.register()
    journey_triggers.register()
    journey_orders.register()
    journey_ports.register_tags(journey_starts.start_for_tags)
    opt_out_port.register(text_orders.may_mean_the_order)
    text_orders.register_model(
        model_requests.request_reading, model_settings.is_active, model_settings.transcribes
    )
    card_payments.register(payment_accounts.has_account)
    _register_order_effects()


def _register_order_effects() -> None:
    """The reactions run in this order."""
    register(
        Change.PLACED,
        order_alarms.schedule_alarm,
        order_firing.schedule_firing,
        payment_links.create_if_awaited,
        order_notifications.publish_new_order,
        tab_rounds.attach_order,
        ad_conversions.record_order,
        journey_triggers.start_for_order,
    )
    register(
        Change.STATE,
        guest_changes.clear_request,
        order_holds.release_if_cancelled,
        order_holds.take_again_if_sent,
        order_firing.schedule_firing,
        payment_links.close_if_cancelled,
        order_notifications.publish_state,
        payment_links.create_if_awaited,
        courier_trips.update_trip_of_order,
        loyalty_effects.release_coupons,
        loyalty_effects.update_points,
        order_notifications.notify_customer_of_state,
        feedback_questions.schedule_question,
        kitchen_promise.learn_from_order,
        tab_accounts.follow_order,
        journey_triggers.start_for_order,
    )
    register(Change.RESCHEDULED, order_firing.schedule_firing)
    register(Change.PAID, loyalty_effects.update_points, tab_accounts.follow_order)
    register(
        Change.REPRICED,
        payment_links.follow_new_total,
        loyalty_effects.update_repriced_points,
        tab_accounts.follow_order,
    )
    register(Change.TABLE, tab_moving.follow_order)
    register(Change.TILL, tab_accounts.follow_order)
