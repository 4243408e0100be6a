"""The translations of all texts that people read."""
