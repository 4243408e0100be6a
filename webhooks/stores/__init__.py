"""Stores and forms that post to us: one module for each platform."""
