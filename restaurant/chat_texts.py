"""The chat texts for guests, couriers and managers, each in the reader's language.

Each text is short and friendly and tells the reader what to do next. Its key is the reason, state
or code that it is for.
"""

from datetime import datetime, timedelta

from babel.dates import format_date, format_skeleton, format_time

from core.clock import now, zone
from core.i18n.catalogs import N_, KeyedTexts
from core.i18n.plurals import Message, Plural
from restaurant.own_words_texts import OWN_WORDS_TEXTS

CHAT_TEXTS: dict[str, Message] = {
    # The order that the guest sends from the menu
    "greeting": N_("Hello {site}, I would like to order:"),
    "table": N_("Table {table}"),
    "takeaway": N_("Pickup"),
    "delivery": N_("Delivery to: {address}"),
    "due": N_("For {time}"),
    "note": N_("Note"),
    "service": N_("Service {percent} %"),
    "delivery_fee": N_("Delivery fee"),
    "fee_open": N_("We will add the delivery fee when you share your location."),
    "coupon": N_("Coupon"),
    "discount": N_("Discount"),
    "tip": N_("Tip"),
    "total": N_("Total"),
    "payment_cash": N_("I will pay in cash."),
    "payment_card_link": N_("I will pay by card online."),
    "payment_card_at_door": N_("I will pay by card on delivery."),
    "code": N_("Order code"),
    # Answers to an order
    "received": N_("Thank you {name}! Your order {order} is in the kitchen. Total: {total}."),
    "scheduled": N_(
        "Thank you {name}! Your order {order} is confirmed for {time}. Total: {total}."
    ),
    "fired": N_("Your order {order} for {time} is now in the kitchen."),
    "full": N_(
        "Our kitchen is full at this time. When would you like your order? Choose a time, or "
        "reply with your order code and the time: {code} 19:45"
    ),
    "full_today": N_("Our kitchen is full today. Please try again tomorrow, or message us here."),
    "time_passed": N_(
        "This time is no longer possible. When would you like your order? Choose a time, or "
        "reply with your order code and the time: {code} 19:45"
    ),
    "not_enough_left": N_(
        "Sorry, we have only {left} of {name} left. Please open the menu again and change your "
        "order."
    ),
    "added": N_("We have added this to your order {order}. The new total is {total}."),
    "ready_in": Plural(
        "It will be ready in about {minutes} minute.",
        "It will be ready in about {minutes} minutes.",
        number="minutes",
    ),
    "late": Plural(
        "Your order {order} is taking longer than expected. It should be ready in about "
        "{minutes} minute. We are sorry for the wait.",
        "Your order {order} is taking longer than expected. It should be ready in about "
        "{minutes} minutes. We are sorry for the wait.",
        number="minutes",
    ),
    "waits": N_(
        "Thank you {name}! We have received your order {order} and will confirm it shortly."
    ),
    "pay": N_(
        "Thank you {name}! We will send your order {order} to the kitchen as soon as you pay "
        "{total}."
    ),
    "paid": N_(
        "Thank you {name}, we have received your payment. Your order {order} is in the kitchen."
    ),
    "pay_failed": N_("The payment for your order {order} failed. You can try again."),
    "pay_expired": N_(
        "The payment link for your order {order} has expired. If you still want to order, "
        "message us here."
    ),
    "pay_free": N_("{site} is requesting a payment of {total} for: {description}"),
    "already": N_("We already have your order {order}."),
    "unknown_code": N_(
        "This order code is not valid. Please open the menu again and send your order from there."
    ),
    "expired": N_(
        "This order has expired. Please open the menu again and send your order from there."
    ),
    "other_place": N_(
        "This order is for another restaurant. Please send it to the number that opens from the "
        "menu."
    ),
    "closed": N_("Our kitchen is closed now. {opens}"),
    "opens": N_("We open again {day} at {time}."),
    "paused": N_("We are not taking orders at the moment. Please try again later."),
    "paused_table": N_(
        "We are not taking orders at the moment. Please try again later or ask our staff."
    ),
    "sold_out": N_(
        "Sorry, {name} is sold out. Please open the menu again and choose something else."
    ),
    "changed": N_("Our menu has changed. Please open it again and send your order from there."),
    "too_many": N_(
        "We have received too many orders from you in a short time. Please ask our staff."
    ),
    # The buttons of messages about an order: 20 characters at most. Guests may also type them.
    "button_add": N_("Add items"),
    "button_bill": N_("Bill"),
    "button_waiter": N_("Call the waiter"),
    "button_cancel": N_("Cancel order"),
    "button_change": N_("Change order"),
    "button_again": N_("Order again"),
    "button_points": N_("My points"),
    "button_status": N_("My order"),
    "button_pay": N_("Pay now"),
    "open_menu": N_("Open the menu"),
    "open_bill": N_("See the bill"),
    # Answers to these buttons
    "what_next": N_("What would you like to do with your order {order}?"),
    "add_items": N_("Choose what you would like to add to your order {order}."),
    "order_again": N_("What would you like to order? Choose from our menu."),
    "bill_coming": N_("We are bringing the bill to table {table}. The total is {total}."),
    "bill_coming_online": N_(
        "We are bringing the bill to table {table}. The total is {total}."
        " You can also pay on your phone."
    ),
    "bill_total": N_("The total of your order {order} is {total}."),
    "bill_paid": N_("Your order {order} is paid. The total was {total}."),
    "waiter_coming": N_("A waiter is coming to table {table}."),
    "change_items": N_(
        "Here you can change your order {order} until the kitchen begins. Then send it again."
    ),
    "changed_order": N_("We have changed your order {order}. The new total is {total}."),
    "changed_by_guest": N_("The guest changed the order."),
    "staff_asked": N_(
        "The kitchen has already begun with your order {order}, or it is paid. We have asked our "
        "staff and will let you know."
    ),
    "request_declined": N_("Sorry, your order {order} can no longer be changed or cancelled."),
    "cancelled_by_guest": N_("The guest cancelled the order in the chat."),
    "you_cancelled": N_("We have cancelled your order {order}."),
    "cancel_refund": N_("We will refund your payment."),
    "cancelled_already": N_("Your order {order} is already cancelled."),
    "order_over": N_("Your order {order} is already completed."),
    **OWN_WORDS_TEXTS,
    # Changes of an order's state
    "preparing": N_("Your order {order} is being prepared."),
    "ready": N_("Your order {order} is ready."),
    "served": N_("Enjoy your meal!"),
    "out_for_delivery": N_("Your order {order} is on its way."),
    "delivered": N_("Your order {order} has been delivered. Enjoy!"),
    "cancelled": N_("Your order {order} was cancelled. {because}"),
    "cancel_question": N_(
        "Would you like to cancel your order {order}, or stop receiving offers from us?"
    ),
    "stop_messages_button": N_("Stop offers"),
    "messages_stopped": N_(
        "You will not receive any more offers from us. We will still write to you about your "
        "orders."
    ),
    "refunded": N_("We have refunded your order {order}. The money is on its way to you."),
    # The question after the meal. Buttons: 20 characters at most.
    "feedback_question": N_("Thank you for ordering from {site}, {name}! How was it?"),
    "button_good": N_("😀 Great"),
    "button_okay": N_("😐 Okay"),
    "button_bad": N_("🙁 Not good"),
    "button_review": N_("Write a review"),
    "feedback_good": N_("Thank you! We are glad that you enjoyed it."),
    "feedback_review": N_("Would you like to tell others?"),
    "feedback_okay": N_("Thank you! You can tell us here what we could do better."),
    "feedback_bad": N_(
        "We are sorry to hear that. Our manager will look into it. Please tell us here what went "
        "wrong."
    ),
    "note_unhappy": N_("Not happy with order {order}."),
    # Delivery
    "share_location": N_(
        "Thank you {name}! We have received your order {order}. Please share your location in "
        "this chat so that we can find you and calculate the delivery fee."
    ),
    "location_fee": N_(
        "Thank you for sharing your location. The delivery fee for order {order} is {fee}. The "
        "total is {total}."
    ),
    "location_free": N_(
        "Thank you for sharing your location. Delivery of order {order} is free. The total is "
        "{total}."
    ),
    "location_noted": N_("Thank you, we have received your location for order {order}."),
    "outside": N_(
        "Sorry, we do not deliver to this location. You can send another location for order "
        "{order}, or message us here."
    ),
    "below_minimum": N_(
        "The minimum order for delivery to this location is {minimum}. Please message us here "
        "about order {order}."
    ),
    "cannot_hand_over": N_(
        "Our courier could not deliver your order {order}. Please answer your phone, or message "
        "us here."
    ),
    # Couriers
    "courier_new": N_("{site}: delivery of order {order}"),
    "courier_route": N_("Directions: {url}"),
    "courier_collect_cash": N_("Collect in cash: {amount}"),
    "courier_collect_card": N_("Collect by card: {amount}"),
    "courier_collect_nothing": N_("Paid. Nothing to collect."),
    "courier_list": N_("Mark orders as picked up or delivered in your list: {url}"),
    "courier_cancelled": N_(
        "{site}: order {order} was cancelled. If you have it, please bring it back."
    ),
    "courier_taken": N_("{site}: order {order} is no longer assigned to you."),
    "problem_no_answer": N_("Nobody answers the door or the phone."),
    "problem_wrong_address": N_("The address cannot be found."),
    "problem_refused": N_("The customer refuses the order."),
    "problem_accident": N_("There was an accident, or something is damaged."),
    "problem_other": N_("Another problem."),
    # Managers
    "manager_problem": N_("{site}: {courier} reported a problem with order {order}. {because}"),
    "alarm": Plural(
        "{site}: order {order} has been waiting for {minutes} minute. Please check the order "
        "board.",
        "{site}: order {order} has been waiting for {minutes} minutes. Please check the order "
        "board.",
        number="minutes",
    ),
    "manager_unhappy": N_(
        "{site}: a guest was not happy with order {order}. Please answer in the inbox."
    ),
    "printer_offline": N_("{site}: printer {printer} is not responding. Its tickets are on hold."),
    "printer_paper_out": N_("{site}: printer {printer} is out of paper. Its tickets are on hold."),
    "printer_cover_open": N_(
        "{site}: the cover of printer {printer} is open. Its tickets are on hold."
    ),
    "printer_error": N_("{site}: printer {printer} has an error. Its tickets are on hold."),
    "ticket_failed": N_("{site}: ticket {ticket} was not printed. Please check the print jobs."),
    "ticket_unconfirmed": N_(
        "{site}: was ticket {ticket} printed? Please check the printer, then open the print job "
        "and choose “Send again” or “Yes, it was printed”."
    ),
    # The card on a table
    "scan": N_("Scan to view the menu and order"),
    # Coupons and loyalty
    "coupon_lost": N_(
        "We could not apply coupon {code} to order {order}. {because} The total is {total}."
    ),
    "coupon_unknown": N_("The coupon code is not valid."),
    "coupon_used": N_("It has already been used."),
    "coupon_expired": N_("It has expired."),
    "coupon_cancelled": N_("It is no longer valid."),
    "coupon_other_site": N_("It is for another restaurant."),
    "coupon_below_minimum": N_("The order is below the minimum for this coupon."),
    "coupon_item_missing": N_("The order does not include the item that the coupon is for."),
    "coupon_not_yours": N_("It belongs to another guest."),
    "coupon_limit": N_("You have already used this reward."),
    "coupon_row": N_("{code}: {reward}, valid until {until}"),
    "coupon_given": N_("{reward} is yours. Your code: {code}, valid until {until}."),
    "points_balance": Plural(
        "{site}: you have {balance} point.",
        "{site}: you have {balance} points.",
        number="balance",
    ),
    "stamps_balance": Plural(
        "{site}: you have {balance} stamp.",
        "{site}: you have {balance} stamps.",
        number="balance",
    ),
    "points_missing": Plural(
        "Collect {missing} more point to get: {reward}.",
        "Collect {missing} more points to get: {reward}.",
        number="missing",
    ),
    "stamps_missing": Plural(
        "Collect {missing} more stamp to get: {reward}.",
        "Collect {missing} more stamps to get: {reward}.",
        number="missing",
    ),
    "reward_ready": N_(
        "You have enough for: {reward}. Reply “redeem” and we will send you the code."
    ),
    "your_coupons": N_("Your coupons:"),
    # Automatic messages. Their placeholders are filled in when the message is sent.
    "loyalty_welcome": N_(
        "{{customer.first_name|Hello}}, thank you for your first order at {{site.name}}! You "
        "already have {{loyalty.balance}} points. To check your balance, send “points” here at "
        "any time.\n\nTo stop these messages, reply STOP."
    ),
    "loyalty_visit": N_(
        "{{customer.first_name|Hello}}, this was visit number {{loyalty.visits}} at "
        "{{site.name}}. Thank you for coming back!\n\nTo stop these messages, reply STOP."
    ),
    "loyalty_birthday": N_(
        "Happy birthday, {{customer.first_name|dear guest}}! Everyone at {{site.name}} wishes "
        "you a lovely day. We would be happy to see you: {{menu.link}}\n\nTo stop these "
        "messages, reply STOP."
    ),
    "loyalty_missed": N_(
        "{{customer.first_name|Hello}}, we have not seen you for a while. {{site.name}} would "
        "love to cook for you again: {{menu.link}}\n\nTo stop these messages, reply STOP."
    ),
    "loyalty_gift": N_(
        "{{customer.first_name|Hello}}, you have earned a reward at {{site.name}}: "
        "{{coupon.reward}}. Your code {{coupon.code}} is valid until {{coupon.until}}: "
        "{{coupon.link}}\n\nTo stop these messages, reply STOP."
    ),
}

_texts = KeyedTexts("chat", CHAT_TEXTS)
chat_text = _texts.text
unfilled_chat_text = _texts.unfilled
chat_languages = _texts.languages


def time_text(at: datetime, time_zone: str, language: str) -> str:
    """A time in the restaurant's time zone: 19:30 today, else with the day."""
    local = at.astimezone(zone(time_zone))
    clock = str(format_time(local, "short", locale=language))
    if local.date() == now().astimezone(local.tzinfo).date():
        return clock
    return f"{format_skeleton('MMMEd', local.date(), locale=language)}, {clock}"


def opening_day(at: datetime, language: str) -> str:
    """The weekday of an opening, plus the date if it is a week away or more."""
    if at.date() - now().astimezone(at.tzinfo).date() < timedelta(days=7):
        return format_date(at.date(), "EEEE", locale=language)
    return str(format_skeleton("MMMMEEEEd", at.date(), locale=language))
