"""Pictures of the demo's dishes: flat drawings, generated when the demo is loaded."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from core.storage.blobs import Blobs
from deploy.demo.restaurant.pictures import drinks, plates
from deploy.demo.restaurant.pictures.canvas import Picture
from restaurant.menus import photos

_DRAWINGS: dict[str, Callable[[], Picture]] = {
    "Breakfast Plate": plates.breakfast,
    "Menemen": plates.menemen,
    "Mushroom & Cheese Omelette": plates.omelette,
    "Ayvalik Toast": plates.toast,
    "Hamburger": plates.burger,
    "Cheeseburger": plates.cheeseburger,
    "Beef Wrap": plates.wrap,
    "Tuna Sandwich": plates.tuna,
    "French Fries": plates.fries,
    "Crispy Chicken": plates.chicken,
    "Curry Penne": plates.penne,
    "Ayran": drinks.ayran,
    "Tea": drinks.tea,
    "Turkish Coffee": drinks.turkish_coffee,
    "Lemonade": drinks.lemonade,
    "Cod Fritters": plates.fritters,
    "Grilled Sardines": plates.sardines,
    "Steak Sandwich": plates.steak_sandwich,
    "Green Soup": plates.green_soup,
    "Custard Tart": plates.tarts,
    "Espresso": drinks.espresso,
    "Green Wine": drinks.wine,
}


def keep_pictures(blobs: Blobs, tenant_id: int) -> dict[str, str]:
    """The photo key of each dish, by its English name. Call it outside a transaction."""

    def keep(name: str) -> str:
        return photos.save_photo(blobs, _DRAWINGS[name]().bytes(), tenant_id)

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(_DRAWINGS, pool.map(keep, _DRAWINGS), strict=True))
