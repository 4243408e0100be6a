"""The predefined automations: trigger, default text and options of each."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Recipe:
    """`marketing` recipes respect an opt-out; `to_owner` recipes write to the business."""

    code: str
    trigger: str
    texts: dict[str, str]
    delay_minutes: int = 0
    shortest_delay: int = 0
    marketing: bool = False
    to_owner: bool = False
    conditions: dict[str, Any] = field(default_factory=dict)

    def text(self, locale: str) -> str:
        return self.texts.get(locale, self.texts["en"])


RECIPES = {
    one.code: one
    for one in (
        Recipe(
            "order_confirmation",
            "order.created",
            {
                "en": "Hi {{customer.first_name|there}}, thank you for your order"
                " {{order.number}}.\n{{order.items}}\nTotal: {{order.total}}\n\n{{shop.name}}",
                "tr": "Merhaba {{customer.first_name|değerli müşterimiz}}, {{order.number}}"
                " numaralı siparişiniz için teşekkürler.\n{{order.items}}\n"
                "Toplam: {{order.total}}\n\n{{shop.name}}",
            },
        ),
        Recipe(
            "shipping_link",
            "order.fulfilled",
            {
                "en": "Hi {{customer.first_name|there}}, your order {{order.number}} is on its"
                " way.\nTracking number: {{tracking.number}}\n{{tracking.url|}}\n\n{{shop.name}}",
                "tr": "Merhaba {{customer.first_name|değerli müşterimiz}}, {{order.number}}"
                " numaralı siparişiniz yola çıktı.\nTakip numarası: {{tracking.number}}\n"
                "{{tracking.url|}}\n\n{{shop.name}}",
            },
            conditions={"tracking": True},
        ),
        Recipe(
            "order_cancelled",
            "order.cancelled",
            {
                "en": "Hi {{customer.first_name|there}}, your order {{order.number}} was"
                " cancelled. Write to us here if this is not what you wanted.\n\n{{shop.name}}",
                "tr": "Merhaba {{customer.first_name|değerli müşterimiz}}, {{order.number}}"
                " numaralı siparişiniz iptal edildi. Bir yanlışlık varsa bize buradan yazın.\n\n"
                "{{shop.name}}",
            },
        ),
        Recipe(
            "abandoned_cart",
            "checkout.created",
            {
                "en": "Hi {{customer.first_name|there}}, your cart is waiting for you:"
                "\n{{checkout.items}}\n\nGo on here: {{checkout.url}}\n\n{{shop.name}}",
                "tr": "Merhaba {{customer.first_name|değerli müşterimiz}}, sepetiniz sizi bekliyor:"
                "\n{{checkout.items}}\n\nKaldığınız yerden devam edin: {{checkout.url}}\n\n"
                "{{shop.name}}",
            },
            delay_minutes=60,
            shortest_delay=5,
            marketing=True,
        ),
        Recipe(
            "form_reply",
            "form.submitted",
            {
                "en": "Hi {{customer.first_name|there}}, thank you for writing to us. We have your"
                " message and will answer soon.\n\n{{shop.name}}",
                "tr": "Merhaba {{customer.first_name|değerli müşterimiz}}, bize yazdığınız için"
                " teşekkürler."
                " Mesajınızı aldık, en kısa sürede dönüş yapacağız.\n\n{{shop.name}}",
            },
            # A visitor can enter anyone's phone in a form.
            conditions={"consent": True},
        ),
        Recipe(
            "owner_notice",
            "form.submitted",
            {
                "en": "New submission of {{form.name|your form}}:\n\n{{form.summary}}",
                "tr": "{{form.name|Formunuz}} için yeni bir yanıt:\n\n{{form.summary}}",
            },
            to_owner=True,
        ),
    )
}
# Events with different names that start the same automations.
TRIGGERS_BY_EVENT = {
    "order.created": "order.created",
    "order.fulfilled": "order.fulfilled",
    "order.cancelled": "order.cancelled",
    "checkout.created": "checkout.created",
    "checkout.updated": "checkout.created",
    "form.submitted": "form.submitted",
}


def recipes_started_by(trigger: str) -> tuple[str, ...]:
    return tuple(code for code, one in RECIPES.items() if one.trigger == trigger)
