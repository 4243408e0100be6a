"""The simulated network: a separate server that implements the Cloud API's wire format.

Drivers use it exactly like the real network. Everything is in memory; docs/simulator.md describes
how to trigger each failure.
"""
