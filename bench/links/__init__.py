"""Benchmarks of short links."""
