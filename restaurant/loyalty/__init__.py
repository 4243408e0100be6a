"""Points, stamps, rewards, coupons: why a guest comes back."""
