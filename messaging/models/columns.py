"""Column types that several tables share."""

from sqlalchemy import Numeric

USD = Numeric(14, 6)
