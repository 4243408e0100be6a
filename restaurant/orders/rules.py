"""Which order types and payment methods go together. Applies to orders from every source."""

from core.errors import invalid
from core.i18n.catalogs import N_
from restaurant.models.order_states import ORDER_TYPES, PAYMENT_METHODS

DEFAULT_PAYMENT = {"dine_in": "pos_at_table", "takeaway": "cash", "delivery": "cash"}
_ONLY_FOR = {
    "pos_at_table": ("dine_in", N_("Only dine-in orders can be paid by card at the table.")),
    "card_at_door": ("delivery", N_("Only delivery orders can be paid by card on delivery.")),
}


def check_combination(order_type: str, payment_method: str, *, has_table: bool) -> None:
    """Raises Invalid if such an order is not possible."""
    if order_type not in ORDER_TYPES:
        raise _unknown("order_type", ORDER_TYPES)
    if payment_method not in PAYMENT_METHODS:
        raise _unknown("payment_method", PAYMENT_METHODS)
    kind, sentence = _ONLY_FOR.get(payment_method, (order_type, ""))
    if kind != order_type:
        raise invalid("payment_method", "payment_method_closed", sentence)
    if order_type == "dine_in" and not has_table:
        raise invalid("table_number", "table_missing", "A dine-in order needs a table.")


def _unknown(field: str, known: tuple[str, ...]) -> Exception:
    return invalid(field, "invalid_choice", "Must be one of: {known}.", known=", ".join(known))
