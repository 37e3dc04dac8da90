"""``foredraw rebuild``: the database again, from the published log."""
