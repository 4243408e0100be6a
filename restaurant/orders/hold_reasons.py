"""Why an order waits for confirmation or needs attention: messages stored with the order.

portal/orders/views.py translates them.
"""

NOT_SCANNED = "The table's code was not scanned."
NEW_CUSTOMER = "A new customer with a large order."
FREE_TEXT = "Written by hand, without a code."
NO_LOCATION = "The address is not on the map yet: its delivery zone and fee are open."
OUTSIDE_ZONES = "The shared location is outside all delivery zones."
BELOW_MINIMUM = "The order is below the minimum of its delivery zone."
LOCATION_MISMATCH = "The shared location does not fit the delivery fee of this order: look at it."

NEEDS_CONFIRMATION = frozenset({NOT_SCANNED, NEW_CUSTOMER, FREE_TEXT})
