"""Sites and tables, menus, carts and orders, payments, loyalty."""

from restaurant.models.delivery import Courier, DeliveryZone, Trip
from restaurant.models.loyalty import (
    Coupon,
    LoyaltyEntry,
    LoyaltyMember,
    LoyaltyMessage,
    LoyaltySend,
    Programme,
    Reward,
)
from restaurant.models.menus import (
    Category,
    Item,
    Menu,
    MenuVersion,
    Option,
    OptionGroup,
    SoldOut,
)
from restaurant.models.orders import (
    Cart,
    KitchenItem,
    Order,
    OrderChange,
    OrderDay,
    OrderLine,
    TableCall,
    TillPayment,
)
from restaurant.models.payments import (
    Payment,
    PaymentAccount,
    PaymentLink,
    PaymentSession,
    PaymentSignal,
    Refund,
)
from restaurant.models.sites import Area, Site, Station, Table

__all__ = [
    "Area",
    "Cart",
    "Category",
    "Coupon",
    "Courier",
    "DeliveryZone",
    "Item",
    "KitchenItem",
    "LoyaltyEntry",
    "LoyaltyMember",
    "LoyaltyMessage",
    "LoyaltySend",
    "Menu",
    "MenuVersion",
    "Option",
    "OptionGroup",
    "Order",
    "OrderChange",
    "OrderDay",
    "OrderLine",
    "Payment",
    "PaymentAccount",
    "PaymentLink",
    "PaymentSession",
    "PaymentSignal",
    "Programme",
    "Refund",
    "Reward",
    "Site",
    "SoldOut",
    "Station",
    "Table",
    "TableCall",
    "TillPayment",
    "Trip",
]
