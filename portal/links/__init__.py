"""Short links of campaigns: they redirect to the stored address."""
