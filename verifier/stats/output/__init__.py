"""The verdict and the report of the statistics."""
