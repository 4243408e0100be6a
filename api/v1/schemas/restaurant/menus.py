"""Schemas of menus."""

from typing import Any

from pydantic import BaseModel, Field

from core.openapi.example_ids import sample_id

TEXTS = {"tr": {"name": "Ayran", "description": "Ev yapımı"}, "en": {"name": "Ayran"}}


Texts = dict[str, dict[str, str]]


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


class CategoryIn(BaseModel):
    texts: Texts = Field(examples=[TEXTS])
    available: dict[str, list[list[str]]] = Field(default_factory=dict)
    hidden: bool = False


class CategoryShape(BaseModel):
    id: str
    texts: Texts
    available: dict[str, Any]
    hidden: bool
    position: int


class ItemIn(BaseModel):
    """Only given fields are changed; a new item needs texts, a price and a category."""

    category_id: str | None = Field(None, max_length=40, examples=[sample_id("category_id")])
    texts: Texts | None = Field(None, examples=[TEXTS])
    price: str | None = Field(None, max_length=20, examples=["45.00"], description="As text.")
    tax_percent: str | None = Field(None, max_length=10, examples=["10"])
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
    texts: Texts = Field(examples=[{"tr": {"name": "Büyük"}, "en": {"name": "Large"}}])
    price: str = Field(
        "0", max_length=20, description="What the option adds to the price, in the menu's currency."
    )
    preset: bool = False
    removal: bool = False


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
