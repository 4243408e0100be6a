"""Pages for printers, their agents and what they print."""
