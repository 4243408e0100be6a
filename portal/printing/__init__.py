"""Pages for printers, print agents and print jobs."""
