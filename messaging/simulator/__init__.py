"""The simulated network: a server of its own that speaks the Cloud API's wire format.

Drivers do not know it from the real one. Everything is in memory; docs/simulator.md tells how to
make each failure happen.
"""
