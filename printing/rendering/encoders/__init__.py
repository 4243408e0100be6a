"""One module per printer language; each encodes rows to bytes."""
