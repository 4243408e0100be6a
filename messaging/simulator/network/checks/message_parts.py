"""The fields of each message type in a send request."""

import re
from typing import Any

from messaging.simulator.network.checks.fields import (
    Anything,
    Field,
    Flag,
    Items,
    Number,
    Object,
    Text,
    exactly,
)
from messaging.simulator.network.checks.refusals import refuse
from messaging.simulator.network.magic_numbers import Refusal

LONGEST_TEXT, LONGEST_CAPTION = 4096, 1024
_CAPTION = Text(LONGEST_CAPTION, empty=True)
_WORD = Text(200, empty=True)
_TYPE = {"type": Text(40)}


def _link_rule(part: dict[str, Any], where: str) -> Refusal | None:
    link = part.get("link")
    if link is not None and not link.startswith(("http://", "https://")):
        return refuse(131053, f"{where}: the link must begin with http:// or https://")
    return None


def media_part(**optional: Field) -> Object:
    """A file by its id or its address."""
    return Object(
        optional={"id": Text(200), "link": Text(2000), "provider": Text(200), **optional},
        one_of=("id", "link"),
        rule=_link_rule,
    )


def _name_rule(name: dict[str, Any], where: str) -> Refusal | None:
    if len(name) > 1:
        return None
    return refuse(131008, f"Required parameter is missing: {where} needs a second part")


_CONTACT = Object(
    required={
        "name": Object(
            required={"formatted_name": Text(1000)},
            optional=dict.fromkeys(
                ("first_name", "middle_name", "last_name", "prefix", "suffix"), _WORD
            ),
            rule=_name_rule,
        )
    },
    optional={
        "addresses": Items(
            Object(
                optional=dict.fromkeys(
                    ("street", "city", "state", "zip", "country", "country_code", "type"), _WORD
                )
            )
        ),
        "birthday": Text(10, pattern=re.compile(r"\d{4}-\d{2}-\d{2}")),
        "emails": Items(Object({"email": Text(320)}, _TYPE)),
        "org": Object(optional=dict.fromkeys(("company", "department", "title"), _WORD)),
        "phones": Items(Object(optional={"phone": Text(60), "wa_id": Text(20), **_TYPE})),
        "urls": Items(Object({"url": Text(2048)}, _TYPE)),
    },
)

_PARAMETER = Object(
    required={
        "type": exactly(
            *("text", "currency", "date_time", "image", "video", "document", "location"),
            *("payload", "coupon_code", "action", "limited_time_offer", "product"),
        )
    },
    optional={
        "parameter_name": Text(100),
        "text": Anything(),
        "payload": Text(256),
        "coupon_code": Text(20),
        "currency": Object({"fallback_value": Text(100), "code": Text(3), "amount_1000": Number()}),
        "date_time": Object(
            {"fallback_value": Text(100)},
            dict.fromkeys(
                ("calendar", "day_of_month", "day_of_week", "hour", "minute", "month", "year"),
                Anything(),
            ),
        ),
        "image": media_part(),
        "video": media_part(),
        "document": media_part(filename=Text(240)),
        "action": Object(
            optional={
                "thumbnail_product_retailer_id": Text(100),
                "flow_token": Text(200),
                "flow_action_data": Anything(),
            }
        ),
        **dict.fromkeys(("location", "limited_time_offer", "product"), Anything()),
    },
)
_COMPONENT = Object(
    required={
        "type": exactly(
            *("header", "body", "footer", "button", "carousel", "limited_time_offer"),
            *("HEADER", "BODY", "FOOTER", "BUTTON", "CAROUSEL", "LIMITED_TIME_OFFER"),
        )
    },
    optional={
        "sub_type": Text(40),
        "index": Number(0, 9),
        "parameters": Items(_PARAMETER),
        "cards": Items(Anything(), 1, 10),
    },
)

MESSAGE_PARTS: dict[str, Field] = {
    "text": Object({"body": Text(LONGEST_TEXT)}, {"preview_url": Flag()}),
    "image": media_part(caption=_CAPTION),
    "video": media_part(caption=_CAPTION),
    "audio": media_part(voice=Flag()),
    "document": media_part(caption=_CAPTION, filename=Text(240)),
    "sticker": media_part(),
    "location": Object(
        {"latitude": Number(-90, 90), "longitude": Number(-180, 180)},
        {"name": Text(1000, empty=True), "address": Text(1000, empty=True)},
    ),
    "contacts": Items(_CONTACT, 1, 257),
    "reaction": Object({"message_id": Text(200), "emoji": Text(20, empty=True)}),
    "template": Object(
        {
            "name": Text(512),
            "language": Object({"code": Text(15)}, {"policy": exactly("deterministic")}),
        },
        {"components": Items(_COMPONENT), "namespace": Text(100)},
    ),
}
