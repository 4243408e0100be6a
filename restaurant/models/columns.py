"""What the tables of this package share."""

from sqlalchemy import Numeric

MONEY = Numeric(14, 3)
"""Three places: some currencies have them."""
PERCENT = Numeric(6, 3)
DEGREES = Numeric(9, 6)
