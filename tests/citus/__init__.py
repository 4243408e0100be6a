"""`make test-citus`: the suite on a Citus cluster of this machine."""
