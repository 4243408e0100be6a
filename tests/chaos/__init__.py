"""Real processes, killed, frozen and cut off while messages flow: `make chaos`."""
