"""What the tokens between us and the simulated network are for, said where both sides read it."""

from datetime import timedelta

LINE = "simulated line"
SESSION, DEVICE = "linked session", "linked device"
UNSIGNED = "open to this machine"  # a simulator without a secret listens on loopback alone
NO_EXPIRY = timedelta(days=36500)
