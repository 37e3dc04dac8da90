"""How SQL is run: one file with full durability, group commit, and statements that are compiled once."""
