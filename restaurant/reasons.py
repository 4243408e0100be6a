"""Why an order waits for a tap, and what its staff has to look at: sentences kept with the order.

The portal says them in the reader's language (portal/orders.py).
"""

NOT_SCANNED = "The table's code was not scanned."
NEWCOMER = "A new customer with a large order."
BY_HAND = "Written by hand, without a code."
NO_PLACE = "The address is not on the map yet: its delivery zone and fee are open."
OUTSIDE = "The shared location is outside all delivery zones."
BELOW_MINIMUM = "The order is below the minimum of its delivery zone."
ELSEWHERE = "The shared location does not fit the delivery fee of this order: look at it."

TAPS = frozenset({NOT_SCANNED, NEWCOMER, BY_HAND})
