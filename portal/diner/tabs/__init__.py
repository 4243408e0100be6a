"""The pages of a table's tab: joining, the shared cart, and the bill."""
