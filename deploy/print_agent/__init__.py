"""The print agent as one file, and the unit that keeps it running."""
