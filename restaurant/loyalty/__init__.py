"""Loyalty programmes: points, stamps, rewards, coupons and automatic messages."""
