"""One command to a running service: servers from wheels, our processes, one supervisor."""
