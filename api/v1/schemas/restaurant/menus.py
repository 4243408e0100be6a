"""Schemas of menus."""

from typing import Any

from pydantic import BaseModel, Field

from core.openapi.example_ids import sample_id
from restaurant.menus.validation import MOST_COURSES

TEXTS = {"tr": {"name": "Ayran", "description": "Ev yapımı"}, "en": {"name": "Ayran"}}
COURSE = (
    "When the kitchen makes the dishes of an order at a table: 0 at once; of the others, the "
    "lowest first, and each next course when the staff fire it."
)

Texts = dict[str, dict[str, str]]


class OtherPrice(BaseModel):
    """A price and a tax of one order type; an empty one is the item's own."""

    price: str = Field("", max_length=20, examples=["40.00"], description="As text.")
    tax: str = Field("", max_length=10, examples=["1"], description="The tax rate in percent.")


class MenuPath(BaseModel):
    menu_id: str = Field(max_length=40)


class CategoryPath(MenuPath):
    category_id: str = Field(max_length=40)


class ItemPath(MenuPath):
    item_id: str = Field(max_length=40)


class GroupPath(MenuPath):
    group_id: str = Field(max_length=40)


class NewMenu(BaseModel):
    name: str = Field(max_length=200, examples=["Dinner"])
    currency: str = Field(max_length=3, examples=["TRY"])
    languages: list[str] = Field(max_length=12, examples=[["tr", "en"]])


class MenuShape(BaseModel):
    id: str
    name: str
    currency: str
    languages: list[str]
    version: int = Field(description="The published version; 0 if nothing is published.")
    published_at: str | None
    has_changes: bool = Field(description="Whether the draft differs from the published menu.")


class MenuPage(BaseModel):
    data: list[MenuShape]
    next: None


class WholeMenu(MenuShape):
    categories: list[dict[str, Any]]
    items: list[dict[str, Any]] = Field(description="The dishes of the menu.")
    groups: list[dict[str, Any]]
    happy_hours: list[dict[str, Any]] = Field(description="The happy hours of the menu.")


class HappyHourIn(BaseModel):
    """Either a percentage or a price, for categories or items."""

    id: str = Field(
        "", max_length=40, description="The id of an existing happy hour. Left out: a new one."
    )
    texts: Texts = Field(examples=[{"tr": {"name": "Mutlu saatler"}, "en": {"name": "Happy hour"}}])
    hours: dict[str, list[list[str]]] = Field(
        description="By weekday, 0 (Monday) to 6.", examples=[{"4": [["17:00", "19:00"]]}]
    )
    percent: str = Field("", max_length=10, examples=["20"], description="The discount in percent.")
    price: str = Field("", max_length=20, description="Instead: the price of each item, as text.")
    categories: list[str] = Field(
        default_factory=list, max_length=200, description="Ids of categories that cost less."
    )
    items: list[str] = Field(
        default_factory=list, max_length=500, description="Ids of items that cost less."
    )
    order_types: list[str] = Field(
        default_factory=list, max_length=3, description="Empty: every order type."
    )
    active: bool = True


class HappyHours(BaseModel):
    data: list[HappyHourIn] = Field(max_length=20, description="All happy hours of the menu.")


class HappyHoursShape(BaseModel):
    data: list[dict[str, Any]] = Field(description="All happy hours of the menu.")
    next: None


class CategoryIn(BaseModel):
    texts: Texts = Field(examples=[TEXTS])
    available: dict[str, list[list[str]]] = Field(default_factory=dict)
    hidden: bool = False
    course: int = Field(0, ge=0, le=MOST_COURSES, description=COURSE)


class CategoryShape(BaseModel):
    id: str
    texts: Texts
    available: dict[str, Any]
    hidden: bool
    course: int = Field(description=COURSE)
    position: int


class ItemIn(BaseModel):
    """Only given fields are changed; a new item needs texts, a price and a category."""

    category_id: str | None = Field(None, max_length=40, examples=[sample_id("category_id")])
    texts: Texts | None = Field(None, examples=[TEXTS])
    price: str | None = Field(None, max_length=20, examples=["45.00"], description="As text.")
    tax_percent: str | None = Field(None, max_length=10, examples=["10"])
    prices: dict[str, OtherPrice] | None = Field(
        None,
        description="Other prices and taxes, by order type: `takeaway` or `delivery`.",
        examples=[{"takeaway": {"price": "40.00", "tax": "1"}}],
    )
    code: str | None = Field(
        None,
        max_length=40,
        description="Your own code of the item, such as a SKU. Imports find the item by it.",
    )
    stations: list[str] | None = Field(
        None,
        examples=[["bar"]],
        description="Stations that prepare the item, such as `kitchen` or `bar`.",
    )
    allergens: list[str] | None = Field(None, examples=[["milk"]])
    diets: list[str] | None = Field(None, examples=[["vegetarian"]])
    synonyms: list[str] | None = Field(
        None,
        max_length=20,
        description="Other names that guests use for the item when they order in their own words.",
        examples=[["burger"]],
    )
    available: dict[str, list[list[str]]] | None = None
    groups: list[str] | None = Field(None, description="Ids of option groups, in their order.")
    hidden: bool | None = None


class ItemShape(BaseModel):
    id: str
    category_id: str
    code: str = Field(
        description="Your own code of the item, such as a SKU. Imports find the item by it."
    )
    texts: Texts
    price: str
    tax_percent: str
    prices: dict[str, OtherPrice] = Field(
        description="Other prices and taxes, by order type: `takeaway` or `delivery`."
    )
    stations: list[str] = Field(
        description="Stations that prepare the item, such as `kitchen` or `bar`."
    )
    allergens: list[str]
    diets: list[str]
    synonyms: list[str] = Field(
        description="Other names that guests use for the item when they order in their own words."
    )
    photo: str
    available: dict[str, Any]
    groups: list[str]
    hidden: bool
    position: int


class OptionIn(BaseModel):
    id: str | None = Field(
        None, max_length=40, description="The id of an existing option. Left out: a new option."
    )
    texts: Texts = Field(
        default_factory=dict, examples=[{"tr": {"name": "Büyük"}, "en": {"name": "Large"}}]
    )
    price: str = Field(
        "0", max_length=20, description="What the option adds to the price, in the menu's currency."
    )
    preset: bool = False
    removal: bool = False
    item_id: str | None = Field(
        None,
        max_length=40,
        description="For a set menu: the dish that this option is. Its texts are the dish's.",
    )


class GroupIn(BaseModel):
    texts: Texts = Field(examples=[{"tr": {"name": "Boy"}, "en": {"name": "Size"}}])
    least: int = Field(0, ge=0, le=99)
    most: int = Field(1, ge=1, le=99)
    free: int = Field(0, ge=0, le=99)
    options: list[OptionIn] = Field(max_length=60, description="The options to choose from.")


class GroupShape(BaseModel):
    id: str
    texts: Texts
    least: int
    most: int
    free: int
    options: list[dict[str, Any]] = Field(description="The options to choose from.")
