"""The lane of timed printing checks."""
