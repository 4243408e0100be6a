"""Pictures of the demo's dishes: flat drawings, made when the demo is loaded."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from core.storage.blobs import Blobs
from deploy.demo.restaurant.pictures import drinks, food
from deploy.demo.restaurant.pictures.canvas import Picture
from restaurant.menus import photos

_DRAWINGS: dict[str, Callable[[], Picture]] = {
    "Breakfast Plate": food.breakfast,
    "Menemen": food.menemen,
    "Mushroom & Cheese Omelette": food.omelette,
    "Ayvalik Toast": food.toast,
    "Hamburger": food.burger,
    "Cheeseburger": food.cheeseburger,
    "Beef Wrap": food.wrap,
    "Tuna Sandwich": food.tuna,
    "French Fries": food.fries,
    "Crispy Chicken": food.chicken,
    "Curry Penne": food.penne,
    "Ayran": drinks.ayran,
    "Tea": drinks.tea,
    "Turkish Coffee": drinks.turkish_coffee,
    "Lemonade": drinks.lemonade,
    "Cod Fritters": food.fritters,
    "Grilled Sardines": food.sardines,
    "Steak Sandwich": food.steak_sandwich,
    "Green Soup": food.green_soup,
    "Custard Tart": food.tarts,
    "Espresso": drinks.espresso,
    "Green Wine": drinks.wine,
}


def keep_pictures(blobs: Blobs, tenant_id: int) -> dict[str, str]:
    """By a dish's English name: the key of its photo. Call it outside a transaction."""

    def keep(name: str) -> str:
        return photos.save_photo(blobs, _DRAWINGS[name]().bytes(), tenant_id)

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(_DRAWINGS, pool.map(keep, _DRAWINGS), strict=True))
