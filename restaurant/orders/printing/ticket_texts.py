"""The texts of kitchen tickets and bills, in the restaurant's own language."""

from core.i18n.catalogs import N_, KeyedTexts

TICKET_TEXTS = {
    # Stations
    "kitchen": N_("KITCHEN"),
    "bar": N_("BAR"),
    # Where the order goes
    "table": N_("TABLE {table}"),
    "no_table": N_("DINE IN"),
    "takeaway": N_("PICKUP"),
    "delivery": N_("DELIVERY"),
    # Kitchen tickets
    "waiter": N_("Waiter: {name}"),
    "guest": N_("Guest: {name}"),
    "phone": N_("Phone: {phone}"),
    "address": N_("Address: {address}"),
    "allergy": N_("ALLERGY! {text}"),
    "pork": N_("PORK"),
    "addition": N_("ADDITION {number}"),
    "course": N_("COURSE {number}"),
    "scan_when_ready": N_("Scan when ready"),
    "void": N_("VOID"),
    "void_line": N_("Do not make:"),
    "moved": N_("MOVED"),
    "moved_from": N_("from table {was}"),
    "cancelled": N_("CANCELLED"),
    "reason": N_("Reason: {text}"),
    "count": N_("ticket {number} of {count}"),
    "also_at": N_("also at {stations}"),
    "test": N_("TEST – DO NOT MAKE"),
    # Bills
    "bill": N_("BILL"),
    "subtotal": N_("Subtotal"),
    "discount": N_("Discount"),
    "service": N_("Service {percent} %"),
    "delivery_fee": N_("Delivery fee"),
    "tip": N_("Tip"),
    "total": N_("TOTAL"),
    "tax_inside": N_("incl. tax {percent} %"),
    "tax_on_top": N_("Tax {percent} %"),
    "paid": N_("PAID {time}"),
    "to_pay": N_("TO PAY"),
    "paid_so_far": N_("PAID SO FAR"),
    "left_to_pay": N_("LEFT TO PAY"),
    "scan_to_pay": N_("Scan to pay"),
    "join_code": N_("Table code: {code}"),
    "not_fiscal": N_("This is not a fiscal document."),
    # Payment methods
    "pos_at_table": N_("Card at the table"),
    "cash": N_("Cash"),
    "card_link": N_("Card online"),
    "card_at_door": N_("Card on delivery"),
}

ticket_text = KeyedTexts("tickets", TICKET_TEXTS).text
