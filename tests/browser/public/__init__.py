"""The pages that everybody may open, and what they show of the rounds."""
