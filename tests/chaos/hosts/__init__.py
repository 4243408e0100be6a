"""Rows with two machines, see tests/hosts."""
