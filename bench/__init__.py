"""`make bench`: what the service does in a second, beside the least that any program would do."""
