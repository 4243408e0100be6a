"""Purchases of people who came from an ad, reported to Meta."""
