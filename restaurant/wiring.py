"""Connects the domains where one reacts to another.

Messaging, loyalty and orders offer hooks and do not import what reacts to them. Web processes,
workers and linked hosts call `wire_domains` once when they start.
"""

from messaging.contacts import opt_out_port
from restaurant import campaign_order_filters, contact_sync
from restaurant.couriers import trips as courier_trips
from restaurant.loyalty import campaign_coupons
from restaurant.orders import alarms as order_alarms
from restaurant.orders import card_payments, loyalty_effects
from restaurant.orders import notifications as order_notifications
from restaurant.orders.effects import Change, register
from restaurant.payments import accounts as payment_accounts
from restaurant.payments import links as payment_links
from restaurant.text_orders import reaction as text_orders
from restaurant.text_orders.model import requests as model_requests
from restaurant.text_orders.model import settings as model_settings


def wire_domains() -> None:
    """Idempotent."""
    contact_sync.register()
    campaign_order_filters.register()
    campaign_coupons.register()
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
        payment_links.create_if_awaited,
        order_notifications.publish_new_order,
    )
    register(
        Change.STATE,
        payment_links.close_if_cancelled,
        order_notifications.publish_state,
        payment_links.create_if_awaited,
        courier_trips.update_trip_of_order,
        loyalty_effects.release_coupons,
        loyalty_effects.update_points,
        order_notifications.notify_customer_of_state,
    )
    register(Change.PAID, loyalty_effects.update_points)
    register(
        Change.REPRICED,
        payment_links.follow_new_total,
        loyalty_effects.update_repriced_points,
    )
