"""Pictures of the demo's dishes: flat drawings, made when the demo is loaded."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from core.blobs import Blobs
from portal.operator import dish_drinks, dish_plates
from portal.operator.dish_canvas import Picture
from restaurant import photos

_DRAWINGS: dict[str, Callable[[], Picture]] = {
    "Breakfast Plate": dish_plates.breakfast,
    "Menemen": dish_plates.menemen,
    "Mushroom & Cheese Omelette": dish_plates.omelette,
    "Ayvalik Toast": dish_plates.toast,
    "Hamburger": dish_plates.burger,
    "Cheeseburger": dish_plates.cheeseburger,
    "Beef Wrap": dish_plates.wrap,
    "Tuna Sandwich": dish_plates.tuna,
    "French Fries": dish_plates.fries,
    "Crispy Chicken": dish_plates.chicken,
    "Curry Penne": dish_plates.penne,
    "Ayran": dish_drinks.ayran,
    "Tea": dish_drinks.tea,
    "Turkish Coffee": dish_drinks.turkish_coffee,
    "Lemonade": dish_drinks.lemonade,
    "Cod Fritters": dish_plates.fritters,
    "Grilled Sardines": dish_plates.sardines,
    "Steak Sandwich": dish_plates.steak_sandwich,
    "Green Soup": dish_plates.green_soup,
    "Custard Tart": dish_plates.tarts,
    "Espresso": dish_drinks.espresso,
    "Green Wine": dish_drinks.wine,
}


def keep_pictures(blobs: Blobs, tenant_id: int) -> dict[str, str]:
    """By a dish's English name: the key of its photo. Call it outside a transaction."""

    def keep(name: str) -> str:
        return photos.keep(blobs, _DRAWINGS[name]().bytes(), tenant_id)

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(_DRAWINGS, pool.map(keep, _DRAWINGS), strict=True))
