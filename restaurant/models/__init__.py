"""Sites and tables, menus, carts and orders."""

from restaurant.models.delivery import Courier, DeliveryZone, Trip
from restaurant.models.menus import (
    Category,
    Item,
    Menu,
    MenuVersion,
    Option,
    OptionGroup,
    SoldOut,
)
from restaurant.models.orders import Cart, Order, OrderChange, OrderDay, OrderLine, TableCall
from restaurant.models.sites import Area, Site, Station, Table

__all__ = [
    "Area",
    "Cart",
    "Category",
    "Courier",
    "DeliveryZone",
    "Item",
    "Menu",
    "MenuVersion",
    "Option",
    "OptionGroup",
    "Order",
    "OrderChange",
    "OrderDay",
    "OrderLine",
    "Site",
    "SoldOut",
    "Station",
    "Table",
    "TableCall",
    "Trip",
]
