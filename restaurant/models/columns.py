"""Column types that the tables of this package share."""

from sqlalchemy import Numeric

MONEY = Numeric(14, 3)
"""Three decimal places, because some currencies have three."""
PERCENT = Numeric(6, 3)
DEGREES = Numeric(9, 6)
