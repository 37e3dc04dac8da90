"""The operator's pages over HTTP: who gets access, who does not, and what they do."""
