"""`make bench`: the service's throughput, compared with minimal programs that do the same work."""
