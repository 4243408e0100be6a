"""The whole catalog, one of its products, or several in sections."""

from typing import Annotated, Any

from pydantic import BaseModel, Field, model_validator

from core.i18n.catalogs import N_
from core.values.field_checks import field_error, optional_text, required_text
from messaging.messages.kinds.interactive.base import (
    BODY,
    FOOTER,
    LONGEST_BODY,
    LONGEST_HEADER,
    Body,
    Content,
    Footer,
    InteractiveFields,
    interactive_kind,
)

MOST_PRODUCTS, MOST_SECTIONS, LONGEST_TITLE, LONGEST_PRODUCT_ID = 30, 10, 24, 100
CatalogId = Annotated[str, required_text("catalog_id", 64)]
ProductId = Annotated[str, required_text("product_id", LONGEST_PRODUCT_ID)]
CATALOG_ID = Field(description="The catalog's id at Meta.", examples=["367025965434465"])


class CatalogFields(InteractiveFields):
    body: Body = BODY
    footer: Footer = FOOTER
    product_id: Annotated[str | None, optional_text("product_id", LONGEST_PRODUCT_ID)] = Field(
        None,
        description="The product whose image is shown. Empty: the first one of the catalog.",
        examples=["lahmacun"],
    )


class ProductFields(InteractiveFields):
    catalog_id: CatalogId = CATALOG_ID
    product_id: ProductId = Field(
        description="The product's own id in the catalog (`retailer_id`).", examples=["lahmacun"]
    )
    body: Annotated[str | None, optional_text("body", LONGEST_BODY)] = Field(
        None, description="1024 characters at most."
    )
    footer: Footer = FOOTER


class ProductSection(BaseModel):
    title: Annotated[str | None, optional_text("title", LONGEST_TITLE)] = Field(
        None,
        description="24 characters at most. Required if there are several sections.",
        examples=["Starters"],
    )
    product_ids: list[ProductId] = Field(
        min_length=1, description="Products by their own ids.", examples=[["lahmacun", "ayran"]]
    )


class ProductListFields(InteractiveFields):
    catalog_id: CatalogId = CATALOG_ID
    header: Annotated[str, required_text("header", LONGEST_HEADER)] = Field(
        description="60 characters at most.", examples=["Our menu"]
    )
    body: Body = BODY
    footer: Footer = FOOTER
    sections: list[ProductSection] = Field(
        min_length=1,
        max_length=MOST_SECTIONS,
        description="Up to 10 sections with 30 products in all.",
    )

    @model_validator(mode="after")
    def _products(self) -> "ProductListFields":
        if sum(len(section.product_ids) for section in self.sections) > MOST_PRODUCTS:
            raise field_error(
                "too_many_products",
                f"a product list has at most {MOST_PRODUCTS} products in all",
                "sections",
            )
        for number, section in enumerate(self.sections):
            if len(self.sections) > 1 and section.title is None:
                raise field_error(
                    "missing_title",
                    "each section needs a title if there are several",
                    f"sections.{number}.title",
                )
        return self


def _catalog(content: Content) -> dict[str, Any]:
    action: dict[str, Any] = {"name": "catalog_message"}
    if content.get("product_id"):
        action["parameters"] = {"thumbnail_product_retailer_id": content["product_id"]}
    return action


def _product(content: Content) -> dict[str, Any]:
    return {
        "catalog_id": content["catalog_id"],
        "product_retailer_id": content["product_id"],
    }


def _products(content: Content) -> dict[str, Any]:
    return {
        "catalog_id": content["catalog_id"],
        "sections": [
            {
                **({"title": section["title"]} if section.get("title") else {}),
                "product_items": [{"product_retailer_id": one} for one in section["product_ids"]],
            }
            for section in content["sections"]
        ],
    }


CATALOG = interactive_kind(N_("Catalog"), "catalog_message", CatalogFields, _catalog, icon="shop")
PRODUCT = interactive_kind(N_("Product"), "product", ProductFields, _product, icon="shop")
PRODUCT_LIST = interactive_kind(
    N_("Product list"), "product_list", ProductListFields, _products, icon="shop"
)
