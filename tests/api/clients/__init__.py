"""Other people's programs at the service: what they make of its description, and what they find in its answers."""
