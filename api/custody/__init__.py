"""The seeds: kept sealed, and released one at a time."""
