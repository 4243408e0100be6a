"""The delivery fee for a diner's location, before the order is sent."""

from decimal import Decimal

from flask import Response
from pydantic import BaseModel, Field, ValidationError

from core.errors import Invalid
from core.values.money import format_money
from portal.diner.menu_cache import MenuFacts, menu_cache
from portal.diner.texts import diner_text
from portal.diner.views import chosen_language, diner, error_reply, json_response, read_body
from portal.web.auth import open_to_all
from restaurant.delivery import addresses, zones


class PlaceIn(BaseModel):
    latitude: float = Field(ge=-90, le=90)
    longitude: float = Field(ge=-180, le=180)


@diner.post("/r/<slug>/zone")
@open_to_all
def zone(slug: str) -> Response:
    """Check only; nothing is stored. The location is sent with the cart and checked again."""
    facts = menu_cache.of("slug", slug)
    if facts is None:
        return error_reply(404, "no_such_place", "en")
    language = chosen_language(facts)
    try:
        place = PlaceIn.model_validate_json(read_body())
        where = addresses.parse_coordinates(place.latitude, place.longitude)
    except (ValidationError, Invalid):
        return error_reply(422, "locate_failed", language)
    if where is None or not facts.zones:
        return json_response(
            {"fee": "0", "minimum": "0", "message": diner_text(language, "located")}
        )
    found = zones.find_covering(facts.site, where, facts.zones)
    if found is None:
        return error_reply(422, "outside", language)
    return json_response(
        {
            "fee": str(found.fee),
            "minimum": str(found.minimum),
            "message": _fee_text(facts, found.fee, found.minimum, language),
        }
    )


def _fee_text(facts: MenuFacts, fee: Decimal, minimum: Decimal, language: str) -> str:
    def money(amount: Decimal) -> str:
        return format_money(amount, facts.site.currency, language)

    key = "located_fee" if fee else "located_free"
    text = diner_text(language, key, fee=money(fee))
    if minimum:
        text += " " + diner_text(language, "below_minimum", minimum=money(minimum))
    return text
