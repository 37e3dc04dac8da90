"""The service's own database: its tables, and every statement about them."""
