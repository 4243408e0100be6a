"""Descriptions for parameters and fields of the API that mean the same wherever they occur.

A model's own description wins; these fill in what has none. A field that means something else in
another model has its description there.
"""

from typing import Any

PARAMETERS = {
    "blocked": "`true`: only blocked contacts; `false`: only others.",
    "category": "Only templates of this category.",
    "contact_id": "Only coupons of this contact.",
    "consent": "`true`: only contacts with marketing consent; `false`: only others.",
    "direction": "`in`: received messages; `out`: sent ones.",
    "endpoint_id": "Only deliveries to this endpoint.",
    "event_id": "Only deliveries of this event.",
    "has_phone": "`true`: only contacts with a phone number; `false`: only others.",
    "instance_id": "Only conversations of this line.",
    "language": "Only contacts with this language, such as `tr`.",
    "latitude": "Degrees north, from -90 to 90.",
    "longitude": "Degrees east, from -180 to 180.",
    "opted_out": "`true`: only contacts who opted out; `false`: only others.",
    "phone": "Only entries with this phone number: country code first, digits only.",
    "printer_id": "Only print jobs of this printer.",
    "reference": "Only messages that were sent with this `reference`.",
    "reward_id": "Only coupons of this reward.",
    "since": "Only entries from this moment on, RFC 3339.",
    "site_id": "The restaurant's id. In lists: only entries of this restaurant.",
    "state": "Only entries in this state.",
    "status": "Only entries with this status.",
    "until": "Only entries before this moment, RFC 3339.",
}
FIELDS = {
    "preparation_minutes": "Minutes that the kitchen usually takes for an order.",
    "delivery_minutes": "Minutes that a delivery takes after that.",
    "later_days": "Days ahead for which guests can order, counting today. 0: only now.",
    "slot_orders": "The most orders in a quarter of an hour. Empty: no limit.",
    "slot_minutes": "The most minutes of work in a quarter of an hour, by station.",
    "slot_order_types": "The order types that these limits apply to.",
    "accept_minutes": "Minutes after which an order that nobody has accepted is reported as late.",
    "active": "`false`: switched off, but not removed.",
    "address": "The postal address as free text.",
    "agent_id": "The print agent's id.",
    "allergens": "Allergens, such as `gluten` or `milk`.",
    "amount": "In the currency's main unit, such as 12.50.",
    "area_id": "The area's id.",
    "available": "The days and hours when it is offered. Empty: always.",
    "bills": "Whether it prints bills.",
    "birthday": "`YYYY-MM-DD`, or `MM-DD` without the year.",
    "category_id": "The category's id.",
    "checks": "Whether the agent asks the printer for its state before and after each ticket.",
    "code_page": "The printer's code page. Null: the default of its profile.",
    "contact_id": "The contact's id.",
    "contacts": "Up to 5,000 contacts. Give either `contacts` or `csv`.",
    "copies": "How many copies of each ticket are printed.",
    "country": "ISO 3166 code with two letters, such as `TR`.",
    "csv": "The file's text, with a header row. Give either `contacts` or `csv`.",
    "currency": "ISO 4217 code with three letters, such as `TRY`.",
    "customer": "The person who ordered.",
    "day_starts": "`HH:MM`: when the business day begins. Earlier orders belong to the day before.",
    "diets": "Diets it suits, such as `vegan`.",
    "enabled": "`false`: switched off, but not removed.",
    "fallback_id": "The printer that takes over when this one does not print.",
    "fallback_seconds": "Seconds until the printer in `fallback_id` takes over.",
    "fee": "The delivery fee, in the restaurant's currency.",
    "filename": "The file's name as the recipient sees it.",
    "follow_days": "Days after sending in which answers and orders count as results.",
    "free": "How many of the chosen options are included in the price.",
    "guest_cancel_minutes": "Minutes in which guests can cancel in the chat after the order "
    "reached the kitchen, unless the kitchen has started. 0: only before.",
    "kitchen_warn_minutes": "Minutes after which a ticket on the kitchen display turns yellow.",
    "kitchen_late_minutes": "Minutes after which a ticket on the kitchen display turns red.",
    "prints_ticket_codes": "Whether kitchen tickets have a code that marks them ready.",
    "shows_promise": "Whether guests see how long the kitchen will take.",
    "feedback_minutes": "Minutes after an order is completed until the guest is asked how it was. "
    "0: never.",
    "review_url": "The page where happy guests can write a review; empty: none.",
    "orders_in_words": "Guests can order in the chat in their own words.",
    "hidden": "`true`: not shown to guests.",
    "host": "The restaurant's own host name, such as `menu.example.com`.",
    "item_id": "The menu item's id.",
    "items": "The ordered items.",
    "language": "Language code, such as `tr` or `en`.",
    "languages": "Language codes; the first is the main one.",
    "latitude": "Degrees north, from -90 to 90.",
    "least": "The smallest number of options that must be chosen.",
    "line_id": "The line that the restaurant uses for chat messages.",
    "longitude": "Degrees east, from -180 to 180.",
    "manager_phone": "The phone that alarms are sent to by chat, with its country code.",
    "menu_id": "The menu's id.",
    "most": "The largest number of options that can be chosen.",
    "name": "The name.",
    "notes": "The guest's notes about the whole order.",
    "numbers": "Table numbers, such as `1-12, Bar`.",
    "ordered_within_days": "Only contacts who ordered within this many days.",
    "order_id": "The order's number, such as `LEM-20261116-0001`.",
    "order_type": "`dine_in`, `takeaway` or `delivery`.",
    "order_types": "Which of `dine_in`, `takeaway` and `delivery` are offered.",
    "orders_at_least": "Only contacts with at least this many orders.",
    "orders_at_most": "Only contacts with at most this many orders.",
    "payment_methods": "The ways to pay that are offered.",
    "phone": "Phone number with its country code, such as `905321112233`.",
    "prefix": "Two to six letters and digits that order numbers begin with.",
    "preset": "`true`: selected unless the guest changes it.",
    "price": "In the menu's currency.",
    "profile": "The printer model's profile.",
    "quantity": "How many.",
    "quiet_from": "`HH:MM`: when quiet hours begin.",
    "quiet_until": "`HH:MM`: when quiet hours end.",
    "radius_m": "The radius around the restaurant in metres. For zones of the kind `radius`.",
    "reason": "The reason, in your own words.",
    "removal": "`true`: the option leaves an ingredient out.",
    "rest_days": "Days that must have passed since a recipient's last campaign.",
    "reward_id": "The reward's id.",
    "seats": "How many people can sit at the table.",
    "service_percent": "The service charge in percent.",
    "site_id": "The restaurant's id.",
    "sold_out": "`true`: not available; `false`: available again.",
    "spent_at_least": "Only contacts who spent at least this amount, in the account's currency.",
    "tags": "Your own labels for the contact.",
    "tax_included": "Whether prices include tax.",
    "tax_percent": "The tax rate in percent.",
    "texts": "Name, and description if there is one, by language code.",
    "time_zone": "IANA time zone, such as `Europe/Istanbul`.",
    "tip_percents": "The tips offered to guests, in percent.",
    "told_states": "The order states about which guests get a message.",
    "tone": "The menu's colour as six hexadecimal digits.",
    "url": "An address that begins with http:// or https://.",
    "valid_for_seconds": "Seconds after which a message that is still unsent expires;"
    " from 10 to 3,024,000 (35 days). Left out: one day.",
    "without_tags": "Only contacts with none of these tags.",
    "width_mm": "The paper's width in millimetres.",
}


def add_descriptions(document: dict[str, Any]) -> None:
    shapes = document.get("components", {}).get("schemas", {})
    for item in document["paths"].values():
        for operation in item.values():
            for parameter in operation.get("parameters", []):
                _describe_parameter(parameter, shapes)
    for shape in shapes.values():
        for name, field in shape.get("properties", {}).items():
            if name in FIELDS and not _described(field, shapes):
                field["description"] = FIELDS[name]


def _describe_parameter(parameter: dict[str, Any], shapes: dict[str, Any]) -> None:
    name = parameter["name"]
    if parameter.get("description") or _described(parameter.get("schema", {}), shapes):
        return
    if parameter["in"] == "path" and name.endswith("_id"):
        thing = name.removesuffix("_id").replace("_", " ")
        parameter["description"] = f"The id of the {thing}."
    elif name in PARAMETERS:
        parameter["description"] = PARAMETERS[name]


def _described(schema: dict[str, Any], shapes: dict[str, Any]) -> bool:
    """Whether the field, or the only schema it can have, has a description."""
    if schema.get("description"):
        return True
    if "$ref" in schema:
        return _described(shapes[schema["$ref"].rpartition("/")[2]], shapes)
    ways = [
        way for way in schema.get("anyOf") or schema.get("allOf") or [] if way.get("type") != "null"
    ]
    return len(ways) == 1 and _described(ways[0], shapes)
