"""Infrastructure that every other package uses. Imports no other package of the project."""

import gc

# Most classes and functions live as long as the process. With the default thresholds the garbage
# collector scans all of them after every few hundred new objects, which took a quarter of the
# start-up time and part of every request.
gc.set_threshold(20_000, 20, 50)
