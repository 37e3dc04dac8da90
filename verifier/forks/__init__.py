"""Whether two places show one log (equivocation, or split view), and the evidence if they do not."""
