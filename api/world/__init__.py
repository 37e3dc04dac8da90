"""Contact with the world: clocks, entropy, files that must last, locks, and what this machine can do."""
