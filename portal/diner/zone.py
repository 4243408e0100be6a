"""What delivery to a diner's place costs, told before the order is sent."""

from decimal import Decimal

from flask import Response
from pydantic import BaseModel, Field, ValidationError

from core.errors import Invalid
from core.money import format_money
from portal.diner.facts import Facts, remembered
from portal.diner.pages import BOOK, asked_language, diner, json_answer, raw_body, refused
from portal.visitors import open_to_all
from restaurant import whereabouts, zones


class PlaceIn(BaseModel):
    latitude: float = Field(ge=-90, le=90)
    longitude: float = Field(ge=-180, le=180)


@diner.post("/r/<slug>/zone")
@open_to_all
def zone(slug: str) -> Response:
    """Nothing is stored: the place comes again with the cart, and is looked at again."""
    facts = remembered.of("slug", slug)
    if facts is None:
        return refused(404, "no_such_place", "en")
    language = asked_language(facts)
    try:
        asked = PlaceIn.model_validate_json(raw_body())
        where = whereabouts.given(asked.latitude, asked.longitude)
    except (ValidationError, Invalid):
        return refused(422, "locate_failed", language)
    if where is None or not facts.zones:
        return json_answer({"fee": "0", "minimum": "0", "said": BOOK.say(language, "located")})
    found = zones.covering(facts.site, where, facts.zones)
    if found is None:
        return refused(422, "outside", language)
    return json_answer(
        {
            "fee": str(found.fee),
            "minimum": str(found.minimum),
            "said": _said(facts, found.fee, found.minimum, language),
        }
    )


def _said(facts: Facts, fee: Decimal, minimum: Decimal, language: str) -> str:
    def money(amount: Decimal) -> str:
        return format_money(amount, facts.site.currency, language)

    key = "located_fee" if fee else "located_free"
    said = BOOK.say(language, key, fee=money(fee))
    if minimum:
        said += " " + BOOK.say(language, "below_minimum", minimum=money(minimum))
    return said
