"""The public pages, and what they show of the rounds."""
