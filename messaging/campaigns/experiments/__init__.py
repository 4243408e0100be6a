"""Holdout groups and variants of campaigns, and the extra orders they prove."""
