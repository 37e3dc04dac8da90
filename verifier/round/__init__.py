"""One round or one bet: by its code, its proof file or its receipt."""
