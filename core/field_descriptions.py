"""Descriptions for parameters and fields of the API that mean the same wherever they occur.

A model's own description wins; these fill in what has none.
"""

from typing import Any

PARAMETERS = {
    "blocked": "`true`: only blocked contacts; `false`: only others.",
    "category": "Only templates of this category.",
    "contact_id": "Only entries of this contact.",
    "consent": "`true`: only contacts with marketing consent; `false`: only others.",
    "direction": "`in`: received messages; `out`: sent ones.",
    "endpoint_id": "Only deliveries to this endpoint.",
    "event_id": "Only deliveries of this event.",
    "has_phone": "`true`: only contacts with a phone number; `false`: only others.",
    "instance_id": "Only this line. In a path: the line.",
    "language": "Only this language, such as `tr`.",
    "latitude": "Degrees north, from -90 to 90.",
    "longitude": "Degrees east, from -180 to 180.",
    "opted_out": "`true`: only contacts who opted out; `false`: only others.",
    "phone": "Only this number: country code first, digits only.",
    "printer_id": "Only print jobs of this printer.",
    "reference": "Only messages with this reference of yours.",
    "reward_id": "Only coupons of this reward.",
    "since": "RFC 3339: from this moment on.",
    "site_id": "The restaurant's id; in a list, only its entries.",
    "state": "Only entries in this state.",
    "status": "Only entries with this status.",
    "until": "RFC 3339: before this moment.",
}
FIELDS = {
    "accept_minutes": "Minutes until an order that nobody has accepted is reported as late.",
    "active": "`false` switches it off without removing it.",
    "address": "The postal address as free text.",
    "agent_id": "The print agent's id.",
    "allergens": "Allergens, such as `gluten` or `milk`.",
    "amount": "In the currency's main unit, with at most its decimal places.",
    "area_id": "The area's id.",
    "available": "Days and hours in which it is offered. Left out: always.",
    "bills": "Whether it prints bills.",
    "birthday": "`YYYY-MM-DD`, or `MM-DD` without the year.",
    "category_id": "The category's id.",
    "checks": "Whether the printer reports that a ticket was printed.",
    "code": "A short code that identifies it.",
    "code_page": "The printer's code page. Left out: the usual one of its profile.",
    "contact_id": "The contact's id.",
    "contacts": "Up to 5,000 contacts. Give either `contacts` or `csv`.",
    "copies": "How many copies of each ticket are printed.",
    "country": "ISO 3166 code with two letters, such as `TR`.",
    "csv": "The file's text, with a header row. Give either `contacts` or `csv`.",
    "currency": "ISO 4217 code with three letters, such as `TRY`.",
    "customer": "Who ordered.",
    "day_starts": "`HH:MM`: when the business day begins. Earlier orders count to the day before.",
    "description": "A text for people.",
    "diets": "Diets it suits, such as `vegan`.",
    "enabled": "`false` switches it off without removing it.",
    "fallback_id": "The printer that prints when this one does not.",
    "fallback_seconds": "Seconds until the replacement printer prints.",
    "fee": "The delivery fee, in the restaurant's currency.",
    "filename": "The file's name as the recipient sees it.",
    "follow_days": "Days after sending in which answers and orders count as results.",
    "free": "How many of the chosen options cost nothing.",
    "hidden": "`true`: guests do not see it.",
    "host": "The restaurant's own host name.",
    "item_id": "The menu item's id.",
    "items": "The ordered items.",
    "kind": "Which kind it is.",
    "language": "Language code, such as `tr` or `en`.",
    "languages": "Language codes; the first is the main one.",
    "latitude": "Degrees north, from -90 to 90.",
    "least": "The smallest number of options to choose.",
    "line_id": "The restaurant's line for chat messages.",
    "longitude": "Degrees east, from -180 to 180.",
    "manager_phone": "The manager's phone number for alarms by chat, country code first.",
    "menu_id": "The menu's id.",
    "message": "The text.",
    "minimum": "The smallest order, in the restaurant's currency.",
    "minutes": "A number of minutes.",
    "most": "The largest number of options to choose.",
    "name": "The name.",
    "note": "A note for the staff.",
    "notes": "Notes for the staff.",
    "numbers": "Table numbers, such as `1-12, Bar`.",
    "options": "Of an order: ids of the chosen options. Of a group: the options to choose from.",
    "ordered_within_days": "Only contacts who ordered in this many days.",
    "order_id": "The order's id.",
    "order_type": "`dine_in`, `takeaway` or `delivery`.",
    "order_types": "Which of `dine_in`, `takeaway` and `delivery` are offered.",
    "orders_at_least": "Only contacts with at least this many orders.",
    "orders_at_most": "Only contacts with at most this many orders.",
    "payment_methods": "The ways to pay that are offered.",
    "phone": "Phone number, country code first, digits only unless the example has a plus sign.",
    "prefix": "Two to six letters and digits that order numbers begin with.",
    "preset": "`true`: chosen unless the guest changes it.",
    "price": "In the restaurant's currency.",
    "problem": "Why it could not be delivered.",
    "profile": "The printer model's profile.",
    "quantity": "How many.",
    "quiet_from": "`HH:MM`: when quiet hours begin.",
    "quiet_until": "`HH:MM`: when quiet hours end.",
    "radius_m": "Metres around the restaurant.",
    "reason": "Why, in your words.",
    "removal": "`true`: the option leaves an ingredient out.",
    "rest_days": "Days that must have passed since a recipient's last campaign.",
    "reward_id": "The reward's id.",
    "seats": "How many people can sit there.",
    "service_percent": "The service charge in percent.",
    "since": "From this moment on, RFC 3339; in quiet hours `HH:MM`.",
    "site_id": "The restaurant's id.",
    "sold_out": "`true`: not available; `false`: available again.",
    "spent_at_least": "Only contacts who spent at least this, in the account's currency.",
    "state": "The state.",
    "stations": "Kitchen stations, such as `kitchen` or `bar`.",
    "status": "The status.",
    "tags": "Labels of your own.",
    "tax_included": "Whether prices include tax.",
    "tax_percent": "The tax rate in percent.",
    "text": "The text.",
    "texts": "Name and description by language code.",
    "time_zone": "IANA time zone, such as `Europe/Istanbul`.",
    "tip_percents": "The tips that guests are offered, in percent.",
    "told_states": "The order states that guests get a message about.",
    "tone": "The menu's colour as six hexadecimal digits.",
    "type": "Which type it is.",
    "until": "Until this moment, RFC 3339; in quiet hours `HH:MM`.",
    "url": "The address, beginning with http:// or https://.",
    "valid_days": "Days until it expires. Left out: never.",
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
    """Whether the field, or the only shape it can have, brings a description."""
    if schema.get("description"):
        return True
    if "$ref" in schema:
        return _described(shapes[schema["$ref"].rpartition("/")[2]], shapes)
    ways = [
        way for way in schema.get("anyOf") or schema.get("allOf") or [] if way.get("type") != "null"
    ]
    return len(ways) == 1 and _described(ways[0], shapes)
