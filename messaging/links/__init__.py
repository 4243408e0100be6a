"""Own short links: who opened a link of a message, and which order followed."""
