"""Campaigns: audience, message and schedule; each recipient gets one message."""
