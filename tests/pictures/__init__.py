"""The pictures of the documents, taken from the real thing: ``make pictures``."""
