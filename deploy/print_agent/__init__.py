"""Packages the print agent as one file, and a systemd unit that keeps it running."""
