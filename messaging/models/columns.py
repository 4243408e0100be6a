"""What the tables of this package share."""

from sqlalchemy import Numeric

USD = Numeric(14, 6)
