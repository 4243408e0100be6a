"""Campaigns: who, what, when; then one message to each, whatever crashes."""
