"""Database models: sites and tables, menus, carts and orders, tabs, delivery, payments, loyalty."""

from restaurant.models.ads import AdConversion, AdConversionSettings
from restaurant.models.delivery import Courier, DeliveryZone, Trip
from restaurant.models.kitchen import DishTimes, OrderFeedback
from restaurant.models.language_models import LanguageModel, ModelRequest
from restaurant.models.loyalty import (
    Coupon,
    LoyaltyEntry,
    LoyaltyMember,
    LoyaltyMessage,
    LoyaltyProgramme,
    LoyaltySend,
    Reward,
)
from restaurant.models.menus import (
    ItemStock,
    Menu,
    MenuCategory,
    MenuItem,
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
    OrderItem,
    OrderNumberCounter,
    SlotLoad,
    TillPayment,
    WaiterCall,
)
from restaurant.models.payments import (
    Payment,
    PaymentAccount,
    PaymentLink,
    PaymentProviderEvent,
    PaymentSession,
    Refund,
)
from restaurant.models.proposals import OrderProposal
from restaurant.models.sites import Area, Site, Station, Table
from restaurant.models.tabs import (
    Tab,
    TabCartItem,
    TabGuest,
    TabItem,
    TabShare,
    TabShareItem,
)

__all__ = [
    "AdConversion",
    "AdConversionSettings",
    "Area",
    "Cart",
    "Coupon",
    "Courier",
    "DeliveryZone",
    "DishTimes",
    "ItemStock",
    "KitchenItem",
    "LanguageModel",
    "LoyaltyEntry",
    "LoyaltyMember",
    "LoyaltyMessage",
    "LoyaltyProgramme",
    "LoyaltySend",
    "Menu",
    "MenuCategory",
    "MenuItem",
    "MenuVersion",
    "ModelRequest",
    "Option",
    "OptionGroup",
    "Order",
    "OrderChange",
    "OrderFeedback",
    "OrderItem",
    "OrderNumberCounter",
    "OrderProposal",
    "Payment",
    "PaymentAccount",
    "PaymentLink",
    "PaymentProviderEvent",
    "PaymentSession",
    "Refund",
    "Reward",
    "Site",
    "SlotLoad",
    "SoldOut",
    "Station",
    "Tab",
    "TabCartItem",
    "TabGuest",
    "TabItem",
    "TabShare",
    "TabShareItem",
    "Table",
    "TillPayment",
    "Trip",
    "WaiterCall",
]
