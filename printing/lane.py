"""The lane of what printing must look at again by the clock."""
