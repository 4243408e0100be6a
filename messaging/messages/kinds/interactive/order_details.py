"""An order with its items and amounts, which the recipient reviews and pays in the chat."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, Field, StringConstraints, model_validator

from core.clock import now
from core.i18n.catalogs import N_
from core.values.field_checks import field_error, optional_text, required_text
from core.values.money import BadMoney, decimal_places, quantize
from messaging.messages.kinds.fields import FileReference, ResolveFile
from messaging.messages.kinds.interactive.base import (
    BODY,
    FOOTER,
    Body,
    Content,
    Footer,
    InteractiveFields,
    interactive_kind,
    joined_text,
)
from messaging.messages.kinds.interactive.products import ProductId

LONGEST_REFERENCE, LONGEST_NAME, LONGEST_DESCRIPTION, LONGEST_EXPIRY = 35, 60, 60, 120
MOST_ITEMS, MOST_QUANTITY, MOST_SETTINGS = 999, 9999, 10
SHORTEST_VALIDITY = timedelta(minutes=5)
CHARGES = ("tax", "shipping")
Amount = Annotated[Decimal, Field(ge=0, le=10**9)]
Description = Annotated[str | None, optional_text("description", LONGEST_DESCRIPTION)]
Reference = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]{1,35}$")]
DESCRIPTION = Field(None, description="60 characters at most.")
# Where the recipient pays if the order is sent as a text, by the type of the payment setting.
_PAYMENT_TEXTS = {
    "payment_link": "uri",
    "pix_dynamic_code": "code",
    "boleto": "digitable_line",
}


class OrderItem(BaseModel):
    name: Annotated[str, required_text("name", LONGEST_NAME)] = Field(
        description="60 characters at most.", examples=["Lahmacun"]
    )
    quantity: int = Field(1, ge=1, le=MOST_QUANTITY, description="How many of them.")
    amount: Amount = Field(description="The price of one.", examples=["90.00"])
    sale_amount: Amount | None = Field(
        None, description="The reduced price of one, which is charged instead."
    )
    product_id: ProductId | None = Field(
        None, description="The product's own id in the catalog (`retailer_id`)."
    )

    @property
    def price(self) -> Decimal:
        return self.amount if self.sale_amount is None else self.sale_amount


class Charge(BaseModel):
    amount: Amount = Field(description="The amount.", examples=["35.00"])
    description: Description = DESCRIPTION


class Discount(Charge):
    program: Annotated[str | None, optional_text("program", LONGEST_DESCRIPTION)] = Field(
        None, description="The name of the discount programme. 60 characters at most."
    )


class Expiration(BaseModel):
    at: AwareDatetime = Field(
        description="At least 5 minutes from now.", examples=["2027-01-31T18:00:00Z"]
    )
    text: Annotated[str, required_text("text", LONGEST_EXPIRY)] = Field(
        description="What the recipient reads then. 120 characters at most.",
        examples=["Please order again."],
    )

    @model_validator(mode="after")
    def _later(self) -> "Expiration":
        if self.at < now() + SHORTEST_VALIDITY:
            raise field_error("too_soon", "an order expires in 5 minutes at the earliest", "at")
        return self


class OrderImage(BaseModel):
    """An image above the body."""

    image: FileReference = Field(description="The image.")


class OrderDetailsFields(InteractiveFields):
    reference: Reference = Field(
        description="Your own unique reference of the order: letters, digits, `_`, `-` and `.`, 35 "
        "characters at most. It is also the `reference` of this message, and the one for "
        "`order_status`.",
        examples=["order-184"],
    )
    body: Body = BODY
    header: OrderImage | None = Field(
        None, description="An image. Without one, WhatsApp shows the image of the first product."
    )
    footer: Footer = FOOTER
    goods: Literal["physical", "digital"] = Field(
        "physical", description="What is sold: goods to deliver, or something digital."
    )
    currency: Annotated[str, StringConstraints(pattern="^[A-Z]{3}$")] = Field(
        description="The code of the currency of all amounts.", examples=["BRL"]
    )
    items: list[OrderItem] = Field(
        min_length=1, max_length=MOST_ITEMS, description="What was ordered."
    )
    tax: Charge | None = Field(None, description="Added to the items.")
    shipping: Charge | None = Field(None, description="Added to the items.")
    discount: Discount | None = Field(None, description="Subtracted.")
    total: Amount | None = Field(
        None, description="Checked against the sum, which is computed. Leave it out to trust it."
    )
    expiration: Expiration | None = Field(None, description="Until when the order can be paid.")
    payment_type: Annotated[str | None, optional_text("payment_type", 60)] = Field(
        None, description="As Meta names it for your country.", examples=["br"]
    )
    payment_configuration: Annotated[str | None, optional_text("payment_configuration", 60)] = (
        Field(None, description="The name of a payment configuration in your Meta account.")
    )
    payment_settings: list[dict[str, Any]] | None = Field(
        None,
        min_length=1,
        max_length=MOST_SETTINGS,
        description="Ways to pay, in Meta's own form; instead of `payment_configuration`.",
        examples=[[{"type": "payment_link", "payment_link": {"uri": "https://example.com/p/1"}}]],
    )

    @model_validator(mode="after")
    def _parts(self) -> "OrderDetailsFields":
        self._check_amounts()
        if self.total is not None and self.total != self.computed_total():
            raise field_error(
                "wrong_total", f"the parts of the order add up to {self.computed_total()}", "total"
            )
        if self.payment_configuration is None and self.payment_settings is None:
            raise field_error(
                "missing_payment",
                "give `payment_configuration` or `payment_settings`, so that the order can be paid",
                "payment_configuration",
            )
        for number, one in enumerate(self.payment_settings or ()):
            kind = one.get("type")
            if not isinstance(kind, str) or not isinstance(one.get(kind), dict):
                raise field_error(
                    "invalid_payment",
                    "a payment setting has a `type` and an object with that name",
                    f"payment_settings.{number}",
                )
        return self

    def _check_amounts(self) -> None:
        try:
            decimal_places(self.currency)
        except BadMoney as error:
            raise field_error("invalid_currency", str(error), "currency") from None
        for place, amount in self._amounts():
            if amount != quantize(amount, self.currency):
                places = decimal_places(self.currency)
                raise field_error(
                    "invalid_amount",
                    f"an amount in {self.currency} has at most {places} decimals",
                    place,
                )
        for number, item in enumerate(self.items):
            if item.price > item.amount:
                raise field_error(
                    "invalid_amount",
                    "the reduced price is higher than the price",
                    f"items.{number}.sale_amount",
                )
        if self.computed_total() < 0:
            raise field_error(
                "invalid_amount", "the discount is higher than the order", "discount.amount"
            )

    def _amounts(self) -> list[tuple[str, Decimal]]:
        """Every amount with the name of its field."""
        given = [(f"items.{at}.amount", one.amount) for at, one in enumerate(self.items)]
        given += [
            (f"items.{at}.sale_amount", one.sale_amount)
            for at, one in enumerate(self.items)
            if one.sale_amount is not None
        ]
        for name in (*CHARGES, "discount"):
            if (charge := getattr(self, name)) is not None:
                given.append((f"{name}.amount", charge.amount))
        return given if self.total is None else [*given, ("total", self.total)]

    def subtotal(self) -> Decimal:
        return sum((item.price * item.quantity for item in self.items), Decimal(0))

    def computed_total(self) -> Decimal:
        charged = [one.amount for name in CHARGES if (one := getattr(self, name)) is not None]
        saved = self.discount.amount if self.discount is not None else Decimal(0)
        return quantize(self.subtotal() + sum(charged, Decimal(0)) - saved, self.currency)

    def parts(self, resolve_file: ResolveFile) -> dict[str, Any]:
        made = self.model_dump(exclude_none=True)
        if self.header is not None:
            made["header"] = {"image": resolve_file(self.header.image, "header.image", "image")}
        for part in (
            *made["items"],
            *(made[name] for name in (*CHARGES, "discount") if name in made),
        ):
            for name in ("amount", "sale_amount"):
                if name in part:
                    part[name] = self._text(part[name])
        made["subtotal"], made["total"] = (
            self._text(self.subtotal()),
            self._text(self.computed_total()),
        )
        if self.expiration is not None:
            made["expiration"]["at"] = self.expiration.at.isoformat()
        return made

    def _text(self, amount: Decimal) -> str:
        return str(quantize(amount, self.currency))


def _action(content: Content) -> dict[str, Any]:
    currency = content["currency"]
    order: dict[str, Any] = {
        "status": "pending",
        "items": [_item(item, currency) for item in content["items"]],
        "subtotal": _amount(content["subtotal"], currency),
        # The network requires the tax, also if there is none.
        "tax": _charge(content.get("tax") or {"amount": "0"}, currency),
    }
    if content.get("shipping"):
        order["shipping"] = _charge(content["shipping"], currency)
    if content.get("discount"):
        order["discount"] = _charge(content["discount"], currency)
        if content["discount"].get("program"):
            order["discount"]["discount_program_name"] = content["discount"]["program"]
    if expiration := content.get("expiration"):
        seconds = int(datetime.fromisoformat(expiration["at"]).timestamp())
        order["expiration"] = {"timestamp": str(seconds), "description": expiration["text"]}
    payment = ("payment_type", "payment_configuration", "payment_settings")
    parameters = {
        "reference_id": content["reference"],
        "type": f"{content['goods']}-goods",
        "currency": currency,
        "total_amount": _amount(content["total"], currency),
        "order": order,
        **{name: content[name] for name in payment if content.get(name)},
    }
    return {"name": "review_and_pay", "parameters": parameters}


def _amount(written: str, currency: str) -> dict[str, int]:
    places = decimal_places(currency)
    return {"value": int(Decimal(written).scaleb(places)), "offset": 10**places}


def _charge(charge: Content, currency: str) -> dict[str, Any]:
    made: dict[str, Any] = dict(_amount(charge["amount"], currency))
    if charge.get("description"):
        made["description"] = charge["description"]
    return made


def _item(item: Content, currency: str) -> dict[str, Any]:
    made = {
        "name": item["name"],
        "quantity": item["quantity"],
        "amount": _amount(item["amount"], currency),
    }
    if "sale_amount" in item:
        made["sale_amount"] = _amount(item["sale_amount"], currency)
    if item.get("product_id"):
        made["retailer_id"] = item["product_id"]
    return made


def _plain_text(content: Content) -> str:
    """The order as a calculation, which needs no words in the recipient's language."""
    currency = content["currency"]
    rows = []
    for item in content["items"]:
        price = Decimal(item.get("sale_amount", item["amount"])) * item["quantity"]
        rows.append(f"{item['quantity']} × {item['name']}: {price} {currency}")
    for sign, name in (("+", "tax"), ("+", "shipping"), ("−", "discount")):
        if (charge := content.get(name)) and Decimal(charge["amount"]):
            about = f" ({charge['description']})" if charge.get("description") else ""
            rows.append(f"{sign} {charge['amount']} {currency}{about}")
    rows.append(f"*= {content['total']} {currency}*")
    ways_to_pay = [
        f"\n{setting[setting['type']].get(_PAYMENT_TEXTS[setting['type']], '')}"
        for setting in content.get("payment_settings") or ()
        if setting["type"] in _PAYMENT_TEXTS
    ]
    return joined_text(content, "\n".join([*rows, *ways_to_pay]))


ORDER_DETAILS = interactive_kind(
    N_("Order details"),
    "order_details",
    OrderDetailsFields,
    _action,
    icon="shop",
    plain_text=_plain_text,
)
