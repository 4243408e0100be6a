"""Database models: sites and tables, menus, carts and orders, delivery, payments, loyalty."""

from restaurant.models.delivery import Courier, DeliveryZone, Trip
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

__all__ = [
    "Area",
    "Cart",
    "Coupon",
    "Courier",
    "DeliveryZone",
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
    "SoldOut",
    "Station",
    "Table",
    "TillPayment",
    "Trip",
    "WaiterCall",
]
