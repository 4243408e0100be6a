"""Menus: the editable draft and the published versions."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import Index, SmallInteger, Text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, TenantOwned
from core.ids import Id
from core.sql.columns import id_column, tenant_foreign_key
from restaurant.models.columns import MONEY, PERCENT


class Menu(Base, TenantOwned):
    """The draft. Sites show the last published version."""

    __tablename__ = "menus"

    id: Mapped[str] = id_column("mnu")
    name: Mapped[str] = mapped_column(Text)
    currency: Mapped[str] = mapped_column(Text)
    languages: Mapped[list[str]] = mapped_column(ARRAY(Text))
    happy_hours: Mapped[list[dict[str, Any]]] = mapped_column(
        JSONB, default=list, server_default="[]"
    )
    """As checked by restaurant.menus.happy_hours."""
    version: Mapped[int] = mapped_column(default=0)
    """The published version's number; 0 if none is published."""
    changed_at: Mapped[datetime] = mapped_column(default=now)
    published_at: Mapped[datetime | None]
    archived_at: Mapped[datetime | None]


class MenuCategory(Base, TenantOwned):
    __tablename__ = "menu_categories"
    __table_args__ = (
        tenant_foreign_key(["menu_id"], "menus", ["id"], ondelete="CASCADE"),
        Index("menu_categories_menu_idx", "tenant_id", "menu_id", "position"),
    )

    id: Mapped[str] = id_column("cat")
    menu_id: Mapped[str] = mapped_column(Id("mnu"))
    texts: Mapped[dict[str, Any]]
    """By language: {"tr": {"name": …, "description": …}}."""
    available: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    """Hours by weekday, in the format of a site's hours; empty means always."""
    course: Mapped[int] = mapped_column(SmallInteger, default=0, server_default="0")
    """Of its dishes at a table: the kitchen makes a course when it is fired. 0: at once."""
    position: Mapped[int] = mapped_column(default=0)
    hidden: Mapped[bool] = mapped_column(default=False)


class MenuItem(Base, TenantOwned):
    __tablename__ = "menu_items"
    __table_args__ = (
        tenant_foreign_key(["menu_id"], "menus", ["id"], ondelete="CASCADE"),
        tenant_foreign_key(["category_id"], "menu_categories", ["id"]),
        Index("menu_items_menu_idx", "tenant_id", "menu_id", "category_id", "position"),
    )

    id: Mapped[str] = id_column("itm")
    menu_id: Mapped[str] = mapped_column(Id("mnu"))
    category_id: Mapped[str] = mapped_column(Id("cat"))
    code: Mapped[str] = mapped_column(Text, default="")
    """The restaurant's own code, used by imports; unique in the menu if set."""
    texts: Mapped[dict[str, Any]]
    price: Mapped[Decimal] = mapped_column(MONEY)
    tax_percent: Mapped[Decimal] = mapped_column(PERCENT, default=Decimal(0))
    prices: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict, server_default="{}")
    """Other prices and taxes, by order type: {"takeaway": {"price": "90", "tax": "1"}}."""
    stations: Mapped[list[str]] = mapped_column(ARRAY(Text))
    allergens: Mapped[list[str]] = mapped_column(ARRAY(Text), default=list)
    diets: Mapped[list[str]] = mapped_column(ARRAY(Text), default=list)
    synonyms: Mapped[list[str]] = mapped_column(ARRAY(Text), default=list, server_default="{}")
    """Other names that guests use for it in the chat."""
    photo: Mapped[str] = mapped_column(Text, default="")
    available: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    groups: Mapped[list[str]] = mapped_column(ARRAY(Text), default=list)
    """Ids of its option groups, in order."""
    position: Mapped[int] = mapped_column(default=0)
    hidden: Mapped[bool] = mapped_column(default=False)


class OptionGroup(Base, TenantOwned):
    """For example size, sauces or extras: how many must and may be chosen, how many are free."""

    __tablename__ = "option_groups"
    __table_args__ = (
        tenant_foreign_key(["menu_id"], "menus", ["id"], ondelete="CASCADE"),
        Index("option_groups_menu_idx", "tenant_id", "menu_id", "position"),
    )

    id: Mapped[str] = id_column("ogr")
    menu_id: Mapped[str] = mapped_column(Id("mnu"))
    texts: Mapped[dict[str, Any]]
    least: Mapped[int] = mapped_column(default=0)
    most: Mapped[int] = mapped_column(default=1)
    free: Mapped[int] = mapped_column(default=0)
    """This many of the chosen options are free, the most expensive first."""
    position: Mapped[int] = mapped_column(default=0)


class Option(Base, TenantOwned):
    __tablename__ = "menu_options"
    __table_args__ = (
        tenant_foreign_key(["group_id"], "option_groups", ["id"], ondelete="CASCADE"),
        Index("menu_options_group_idx", "tenant_id", "group_id", "position"),
    )

    id: Mapped[str] = id_column("opt")
    group_id: Mapped[str] = mapped_column(Id("ogr"))
    texts: Mapped[dict[str, Any]]
    price: Mapped[Decimal] = mapped_column(MONEY, default=Decimal(0))
    preset: Mapped[bool] = mapped_column(default=False)
    removal: Mapped[bool] = mapped_column(default=False)
    """For example “No onions”; printed inverted on kitchen tickets."""
    item_id: Mapped[str | None] = mapped_column(Id("itm"))
    """The dish that this choice of a set menu is."""
    position: Mapped[int] = mapped_column(default=0)


class MenuVersion(Base, TenantOwned):
    """The menu that diners see and carts are priced by. Never changed after publishing."""

    __tablename__ = "menu_versions"
    __table_args__ = (tenant_foreign_key(["menu_id"], "menus", ["id"], ondelete="CASCADE"),)

    menu_id: Mapped[str] = mapped_column(Id("mnu"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    content: Mapped[dict[str, Any]]
    published_at: Mapped[datetime] = mapped_column(default=now)
    by: Mapped[str] = mapped_column(Text, default="")


class SoldOut(Base, TenantOwned):
    """An item or option that a site cannot sell now. Takes effect without publishing."""

    __tablename__ = "sold_out"
    __table_args__ = (tenant_foreign_key(["site_id"], "sites", ["id"], ondelete="CASCADE"),)

    site_id: Mapped[str] = mapped_column(Id("sit"), primary_key=True)
    thing_id: Mapped[str] = mapped_column(Text, primary_key=True)
    """itm_… or opt_…"""
    until: Mapped[datetime | None]
    """Empty: until it is put back."""
    by: Mapped[str] = mapped_column(Text, default="")
    at: Mapped[datetime] = mapped_column(default=now)


class ItemStock(Base, TenantOwned):
    """How many pieces of an item a site has left. Takes effect without publishing."""

    __tablename__ = "item_stock"
    __table_args__ = (tenant_foreign_key(["site_id"], "sites", ["id"], ondelete="CASCADE"),)

    site_id: Mapped[str] = mapped_column(Id("sit"), primary_key=True)
    item_id: Mapped[str] = mapped_column(Id("itm"), primary_key=True)
    left_count: Mapped[int]
    by: Mapped[str] = mapped_column(Text, default="")
    counted_at: Mapped[datetime] = mapped_column(default=now)
    """When somebody last entered the number. Older orders are not returned to it."""
