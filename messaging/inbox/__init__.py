"""The inbox: find, read, answer and assign conversations."""
