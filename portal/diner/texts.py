"""The texts of the diner's pages that views and scripts choose by a code; pages have the others."""

from core.i18n.catalogs import N_, KeyedTexts

TEXTS = {
    # Why orders are not accepted
    "closed": N_("The kitchen is closed now. You can still browse the menu."),
    "closed_today": N_("We are closed today. You can still browse the menu."),
    "closed_today_named": N_("We are closed today ({name}). You can still browse the menu."),
    "opens": N_("We open {day} at {time}."),
    "paused": N_("We are not taking orders at the moment. Please try again later."),
    "paused_table": N_("We are not taking orders at the moment. Please ask our staff."),
    "suspended": N_("This restaurant is not taking orders at the moment."),
    "no_menu": N_("The menu is not available yet. Please ask our staff."),
    # Pages without a menu
    "no_such_place": N_("Menu not found"),
    "no_such_place_text": N_("Scan the code on your table again, or ask the staff."),
    "test_mode": N_("This restaurant is in test mode"),
    "test_mode_text": N_(
        "Your order was not sent. Please order with our staff. If you work here, sign in to the "
        "portal first. Your order then opens on a simulated phone."
    ),
    # Errors
    "failed": N_("Something went wrong. Please try again, or ask our staff."),
    "changed": N_("Some items in your order are no longer available. Please check your order."),
    "too_many": N_("There were too many orders from here in a short time. Please ask our staff."),
    "no_table": N_("Which table are you at?"),
    "gone": N_(
        "{name} is no longer available, so we removed it from your order. Please check the rest."
    ),
    "off_menu": N_(
        "{name} is no longer on the menu, so we removed it from your order. Please check the rest."
    ),
    "options_changed": N_(
        "The options for {name} have changed, so we removed it from your order. Please reload "
        "the page and choose it again."
    ),
    "choose_again": N_(
        "The options for {name} have changed, so we removed it from your order. Please choose "
        "it again."
    ),
    "unknown_table": N_(
        "Table {table} was not found. You can browse the menu. To order, please ask our staff "
        "for the right code."
    ),
    "missing_choice": N_("Please choose: {group}"),
    "address_missing": N_("Enter your address, or share your location."),
    # Labels of codes
    "dine_in": N_("At the table"),
    "takeaway": N_("Pickup"),
    "delivery": N_("Delivery"),
    "pos_at_table": N_("Pay at the table"),
    "cash": N_("Cash"),
    "card_link": N_("Card, online"),
    "card_at_door": N_("Card on delivery"),
    "gluten": N_("Gluten"),
    "crustaceans": N_("Crustaceans"),
    "eggs": N_("Eggs"),
    "fish": N_("Fish"),
    "peanuts": N_("Peanuts"),
    "soy": N_("Soy"),
    "milk": N_("Milk"),
    "nuts": N_("Nuts"),
    "celery": N_("Celery"),
    "mustard": N_("Mustard"),
    "sesame": N_("Sesame"),
    "sulphites": N_("Sulphites"),
    "lupin": N_("Lupin"),
    "molluscs": N_("Molluscs"),
    "vegetarian": N_("Vegetarian"),
    "vegan": N_("Vegan"),
    "halal": N_("Halal"),
    "kosher": N_("Kosher"),
    "gluten_free": N_("Gluten-free"),
    "spicy": N_("Spicy"),
    "alcohol": N_("Contains alcohol"),
    "pork": N_("Contains pork"),
    "plain_alcohol": N_("Alcohol"),
    "plain_pork": N_("Pork"),
    "contains": N_("Contains: {allergens}"),
    # Items
    "table": N_("Table {table}"),
    "sold_out": N_("Sold out"),
    "left": N_("Only {left} left"),
    "not_enough_left": N_("Only {left} of {name} left. We changed the quantity in your order."),
    "added": N_("{name} added"),
    "fewer": N_("One fewer"),
    "more": N_("One more"),
    "required": N_("Choose {least}"),
    "up_to": N_("Choose up to {most}"),
    "between": N_("Choose {least} to {most}"),
    "free": N_("{free} included"),
    # Times
    "soon": N_("As soon as possible, in about {minutes} minutes"),
    "full": N_("The kitchen is full at this time. Choose one of the next free times."),
    "full_today": N_("The kitchen is full. There are no free times at the moment."),
    "no_times": N_("There are no free times at the moment."),
    "time_over": N_("This time is no longer possible. Please choose another time."),
    # Changing an order
    "changing": N_("You are changing your order {number}. Send it again when you are done."),
    "change_over": N_(
        "Your order {number} can no longer be changed here. Please message us or ask our staff."
    ),
    # Delivery
    "locate_failed": N_(
        "We could not get your location. Enter your address. You can also share your location "
        "in the chat."
    ),
    "located": N_("Location added."),
    "located_fee": N_("Delivery to your location costs {fee}."),
    "located_free": N_("Delivery to your location is free."),
    "outside": N_("Sorry, we do not deliver to this location. You can pick up your order here."),
    "below_minimum": N_("The minimum order for delivery to your location is {minimum}."),
    "fee_none": N_("Delivery is free."),
    "fee_near": N_("Delivery is free nearby. Farther away, the fee depends on your location."),
    "fee_from": N_("Delivery costs {fee} or more, depending on your location."),
    "fee_open": N_("depends on address"),
    # The amounts of the order
    "subtotal": N_("Subtotal"),
    "discount": N_("Discount"),
    "service": N_("Service ({percent} %)"),
    "delivery_fee": N_("Delivery fee"),
    "tip": N_("Tip"),
    "total": N_("Total"),
    # Coupons
    "coupon_apply": N_("Apply"),
    "coupon_remove": N_("Remove"),
    "coupon_ready": N_(
        "Your coupon {code} has been added. The discount applies when you add items to your order."
    ),
    "coupon_applied": N_("{reward}: you save {amount}."),
    "coupon_later": N_("We check the coupon against your phone number when you send the order."),
    "coupon_unknown": N_("This coupon code is not valid. Check the code and try again."),
    "coupon_used": N_("This coupon has already been used."),
    "coupon_expired": N_("This coupon has expired."),
    "coupon_cancelled": N_("This coupon is no longer valid."),
    "coupon_other_site": N_("This coupon is for another restaurant."),
    "coupon_below_minimum": N_("This coupon requires an order of at least {amount}."),
    "coupon_item_missing": N_("This coupon is for {name}. Add it to your order."),
    "coupon_not_yours": N_("This coupon belongs to another guest."),
    "coupon_limit": N_("You have already used this reward."),
    "coupon_too_often": N_("Too many attempts. Please wait a moment and try again."),
    # Sending the order
    "send": N_("Send order"),
    "sending": N_("Sending…"),
    "or_copy": N_("Or copy the message and send it to {phone}."),
    "copied": N_("Copied"),
    "minutes": N_("about {minutes} min"),
    "ready_in": N_("Ready in about {minutes} min."),
    # The state of the order
    "order_title": N_("Your order"),
    "order_number": N_("Order {number}"),
    "order_waiting": N_("Not sent yet. Open WhatsApp and tap Send."),
    "order_expired": N_("This order was not sent in time. Your items are still in your cart."),
    "order_awaiting_confirmation": N_("Received. Our staff will confirm it shortly."),
    "order_awaiting_payment": N_(
        "Received. The kitchen starts once you pay. The payment link is in WhatsApp."
    ),
    "order_scheduled": N_("Received. Your order is scheduled for {time}."),
    "order_sent_to_kitchen": N_("Received. Your order is in the kitchen."),
    "order_preparing": N_("Your order is being prepared."),
    "order_ready": N_("Your order is ready."),
    "order_served": N_("Served. Enjoy your meal!"),
    "order_out_for_delivery": N_("Your order is on its way."),
    "order_delivered": N_("Delivered. Enjoy your meal!"),
    "order_closed": N_("Completed. Thank you!"),
    "order_cancelled": N_("This order was cancelled."),
    "order_refunded": N_("This order was refunded."),
    # Calls from a table
    "called_waiter": N_("We have received your call."),
    "called_bill": N_("We have received your request for the bill."),
    "coming_waiter": N_("We are on our way to your table."),
    "coming_bill": N_("We are bringing your bill."),
    # The page after a payment
    "pay_paid": N_("Paid. Thank you!"),
    "pay_paid_text": N_(
        "We have received your payment. We will send you a message with your order number."
    ),
    "pay_open": N_("Not paid yet"),
    "pay_open_text": N_(
        "If you have already paid, it can take a moment to show. If not, you can pay here."
    ),
    "pay_now": N_("Pay {amount}"),
    "pay_over": N_("This link has expired"),
    "pay_over_text": N_("If you still want to pay, message the restaurant."),
    "pay_back": N_("There is nothing to pay"),
    # The table's tab
    "guest_number": N_("Guest {number}"),
    "no_such_tab": N_("Bill not found"),
    "tab_ended": N_("This bill is settled. Scan the code on your table to order again."),
    "already_paid": N_("This is already paid."),
    "being_paid": N_("Others at your table are paying the rest of the bill."),
    "items_taken": N_("Some of these items are already paid. Check the bill and try again."),
    "no_items": N_("Choose the items that you want to pay."),
    "invalid_amount": N_("Enter an amount that is not higher than the open amount."),
    "invalid_people": N_("Enter how many people share the rest, for example 3."),
    "no_provider": N_("This restaurant does not take payments online. Please ask our staff."),
    "ask_the_table": N_("Ask someone at your table to let you in."),
    "wrong_code": N_("This code is not right. Ask someone at your table."),
    "too_many_guests": N_("Too many phones have joined this table. Please ask our staff."),
    "item_paid": N_("Paid"),
    "item_reserved": N_("Being paid"),
    "item_open": N_("Open"),
    "share_all": N_("Everything"),
    "share_equal": N_("Equal share"),
    "share_items": N_("Own items"),
    "share_amount": N_("An amount"),
    "tab_settled": N_("Everything is paid. Thank you!"),
    "tab_closed": N_("This bill is closed."),
    "tab_people": N_("At this table: {names}"),
    "tab_code": N_("Code for others at your table: {code}"),
    "tab_wants_in": N_("{name} wants to join your table."),
    "tab_bill": N_("Our bill"),
    "tab_open": N_("open: {amount}"),
    "tab_others": N_("From others at your table"),
    "tab_let_in": N_("Let in"),
    "tab_refuse": N_("Refuse"),
    "tab_waiting": N_("Other guests have already joined this table. Ask them to let you in."),
}
# fmt: off
SCRIPT_KEYS = (
    "added", "between", "change_over", "changing", "choose_again", "copied", "coupon_apply",
    "coupon_ready", "coupon_remove", "no_times", "soon",
    "delivery_fee", "discount", "failed", "fee_open", "fewer", "free", "locate_failed",
    "missing_choice", "more", "off_menu", "or_copy", "order_number", "order_title",
    "order_waiting", "ready_in", "required", "send", "sending", "service", "sold_out", "subtotal",
    "table", "tab_bill", "tab_code", "tab_let_in", "tab_open", "tab_others", "tab_people",
    "tab_refuse", "tab_waiting", "tab_wants_in", "tip", "total", "unknown_table", "up_to",
)
# fmt: on

_texts = KeyedTexts("diner", TEXTS)
diner_text = _texts.text
diner_languages = _texts.languages
page_functions = _texts.template_functions


def script_texts(language: str) -> dict[str, str]:
    """The texts that the page's scripts fill in; see `translate` in `static/diner/page.js`."""
    return {key: _texts.unfilled(language, key) for key in SCRIPT_KEYS}
