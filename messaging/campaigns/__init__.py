"""Campaigns: audience, message, schedule; each recipient gets one message even after a crash."""
