"""Purposes of the tokens between the service and the simulator, shared by both sides."""

from datetime import timedelta

LINE = "simulated line"
SESSION, DEVICE = "linked session", "linked device"
UNSIGNED = "open to this machine"  # a simulator without a secret listens on loopback only
NO_EXPIRY = timedelta(days=36500)
