"""What everything else stands on."""

import gc

# Thousands of classes and functions live as long as their process. To look through all of them
# after every few hundred new objects is a quarter of a start, and some of every request.
gc.set_threshold(20_000, 20, 50)
