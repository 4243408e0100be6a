"""Runs the whole service locally with one command: servers from wheels, our processes."""
